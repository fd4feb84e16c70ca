"""Whether the voices on disk are whole: read against their checksums on a thread, one after the other, while they are shown.

Only what can't be made again is read (the clip; the states of a voice without one), once for each voice. Main thread only.
"""

import functools
import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from pocketvoice.gui.voices.library_model import LibraryModel, on_thread

if TYPE_CHECKING:
    from pocketvoice.voices.voice import Voice

log = logging.getLogger(__name__)

_PAUSE_MS = 20  # between two voices: whatever else wants the disk goes first


class IntegrityCheck(QObject):
    """Finds which voices of a library are damaged."""

    changed = Signal()

    def __init__(self, library: LibraryModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.damage: dict[str, str] = {}
        """Voice id -> a sentence for the user with the remedy; only of voices that are damaged."""
        self._library = library
        self._seen: dict[str, object] = {}  # voice id -> the files that were read
        self._is_wanted = False
        self._is_reading = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._begin)
        library.changed.connect(self._begin)

    def want(self, wanted: bool) -> None:
        """Whether anybody looks at the voices: files are read only then."""
        self._is_wanted = wanted
        self._begin()

    def _begin(self) -> None:
        """Reads the next voice that was not read yet, unless one is being read."""
        if self._is_wanted and not self._is_reading and (voice := self._next()) is not None:
            self._is_reading = True
            self._library.run(self._read(voice))

    async def _read(self, voice: "Voice") -> None:
        try:
            sentence = await on_thread(functools.partial(_lost, voice))
        finally:
            self._is_reading = False
        self._seen[voice.id] = _files(voice)
        self._show(voice.id, sentence)
        self._pause.start()

    def _next(self) -> "Voice | None":
        return next((one for one in self._library.voices if self._seen.get(one.id) != _files(one)), None)

    def _show(self, voice_id: str, sentence: str) -> None:
        if self.damage.get(voice_id, "") == sentence:
            return
        self.damage.pop(voice_id, None)
        if sentence:
            self.damage[voice_id] = sentence
            log.warning("voice %s: %s", voice_id, sentence)
            self._library.messages.warn(sentence)
        self.changed.emit()


def _files(voice: "Voice") -> object:
    """The files whose change makes it necessary to read the voice again."""
    return voice.clip, voice.states


def _lost(voice: "Voice") -> str:
    """What is damaged, as one sentence; "" if nothing is, or if the voice was removed or changed just now."""
    from pocketvoice.voices import states

    found = states.lost(voice)
    return found[0] if found and voice.folder.is_dir() else ""
