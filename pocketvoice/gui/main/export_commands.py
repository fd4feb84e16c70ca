"""Saving the text of the reader as a sound file. Main thread only; the file dialog does not block."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from pocketvoice.audio.sound_kinds import KINDS
from pocketvoice.gui.controllers import sound_files
from pocketvoice.gui.controllers.export import Exporter
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.main.reader import NOTHING_TO_READ, Reader
from pocketvoice.gui.widgets import wording
from pocketvoice.gui.widgets.dialogs import save_dialog


class ExportCommands:
    """Asks for a file and has it written."""

    def __init__(
        self,
        dialog_parent: QWidget,
        reader: Reader,
        exporter: Exporter,
        speech: SpeechController,
        settings: SettingsController,
        messages: Messages,
        voice: Callable[[], str | None],
    ) -> None:
        """`voice` says with which voice to speak; None is the model's default."""
        self._dialog_parent = dialog_parent
        self._reader = reader
        self._exporter = exporter
        self._speech = speech
        self._settings = settings
        self._messages = messages
        self._voice = voice

    def save(self) -> None:
        """Asks for a file and speaks the selection, or the whole text, into it."""
        text, is_part = self._reader.selected_or_all(), self._reader.selection() is not None
        if not text.strip():
            self._messages.say(NOTHING_TO_READ, topic=Topic.EMPTY)
            return
        folder, name = self._settings.now.folder, sound_files.name_for(text)
        what = "the selection" if is_part else "the whole text"
        title = f"Save {what}, spoken at {wording.speed(self._speech.view.speed)}"
        dialog = save_dialog(self._dialog_parent, title, folder, name, list(KINDS.values()))
        dialog.fileSelected.connect(lambda path: self.save_as(text, Path(path)))
        dialog.open()

    def save_as(self, text: str, path: Path) -> None:
        """Speaks `text` into a file, at the speed of now."""
        self._settings.change(folder=str(path.parent))
        self._exporter.save(text, path, voice=self._voice(), speed=self._speech.view.speed)
