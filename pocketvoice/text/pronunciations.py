"""The user's own pronunciations as a file: read again when it has changed, so that a new one is heard at once.

Any process may read it; the window writes it. Light until there is a file.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.errors import InputError
from pocketvoice.paths import pronunciations_file

if TYPE_CHECKING:
    from pocketvoice.text.normalise import PronunciationRules

log = logging.getLogger(__name__)


class UserPronunciations:
    """Those of the file, one thread at a time."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or pronunciations_file()  # set once
        self._stamp: tuple[float, int] | None = None
        self._rules: PronunciationRules | None = None

    @property
    def path(self) -> Path:
        """Where they are kept."""
        return self._path

    def stamp(self) -> tuple[float, int] | None:
        """What changes when the file does; None if there is none."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime, found.st_size

    def rules(self) -> "PronunciationRules | None":
        """All of them, None if there are none. A file that can't be read is told in the log, once, and counts as none."""
        stamp = self.stamp()
        if stamp != self._stamp:
            self._stamp, self._rules = stamp, None
            if stamp is not None:
                self._rules = self._read()
        return self._rules

    def _read(self) -> "PronunciationRules | None":
        from pocketvoice.text.normalise import PronunciationRules

        try:
            return PronunciationRules.load(self._path)
        except InputError as exc:
            log.warning("%s", exc.message)
            return None
