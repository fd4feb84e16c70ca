"""The user's pronunciations as the window changes them: kept in the file that whoever speaks reads. No widgets.

Main thread only. What reads texts is imported when it is first needed: the window opens without it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pocketvoice.errors import InputError, PocketVoiceError, from_os_error
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.paths import atomic_write, pronunciations_file

if TYPE_CHECKING:
    from pocketvoice.text.normalise import PronunciationRule, PronunciationRules


class Pronunciations(QObject):
    """All of them, in the order in which they count."""

    changed = Signal()

    def __init__(self, messages: Messages) -> None:
        super().__init__()
        self._messages = messages

    @property
    def rules(self) -> "tuple[PronunciationRule, ...]":
        """What the file holds now; none, and a message, if it can't be read."""
        try:
            return self._read().rules
        except InputError as error:
            self._messages.show_error(error)
            return ()

    def add(self, rule: "PronunciationRule", instead_of: "PronunciationRule | None" = None) -> bool:
        """Keeps one more, or another one for one of them; whether that worked."""
        return self._change(
            lambda rules: (rules.without(instead_of) if instead_of else rules).with_rule(rule)
        )

    def remove(self, rule: "PronunciationRule") -> bool:
        """Forgets one; whether that worked."""
        return self._change(lambda rules: rules.without(rule))

    def take_in(self, path: Path) -> int:
        """Adds those of a table (CSV) in front; how many they are. A message tells what is wrong with it."""
        from pocketvoice.text.normalise import PronunciationRules

        try:
            text = path.read_text(encoding="utf-8-sig")
            found = PronunciationRules.from_csv(text)
        except (OSError, UnicodeDecodeError) as exc:
            self._messages.show_error(
                InputError(
                    f"{path.name} can't be read as a table in UTF-8: choose another file.", detail=repr(exc)
                )
            )
            return 0
        except InputError as error:
            self._messages.show_error(error)
            return 0

        def merged(rules: "PronunciationRules") -> "PronunciationRules":
            for rule in reversed(found.rules):
                rules = rules.with_rule(rule)
            return rules

        return len(found.rules) if self._change(merged) else 0

    def hand_out(self, path: Path) -> bool:
        """Writes all of them to a table (CSV); whether that worked."""
        try:
            with atomic_write(path) as file:
                file.write(self._read().to_csv().encode())
        except PocketVoiceError as error:
            self._messages.show_error(error)
            return False
        return True

    def _read(self) -> "PronunciationRules":
        from pocketvoice.text.normalise import PronunciationRules

        return PronunciationRules.load(pronunciations_file())

    def _change(self, changed: "Callable[[PronunciationRules], PronunciationRules]") -> bool:
        path = pronunciations_file()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            changed(self._read()).save(path)
        except PocketVoiceError as error:
            self._messages.show_error(error)
            return False
        except OSError as exc:
            self._messages.show_error(from_os_error(exc, path))
            return False
        self.changed.emit()
        return True
