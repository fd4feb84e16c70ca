"""Another text for the reader: opened, dropped, pasted, or none. Main thread only; the file dialog does not block."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers import text_files
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.texts import Texts
from pocketvoice.gui.main.reader import Reader
from pocketvoice.gui.widgets.dialogs import file_dialog

TakeVoices = Callable[[Sequence[str]], list[str]]
"""From paths to those that are neither voices nor sounds; it takes in the others."""


class TextCommands:
    """Puts texts into the reader."""

    def __init__(
        self,
        dialog_parent: QWidget,
        reader: Reader,
        speech: SpeechController,
        settings: SettingsController,
        texts: Texts,
        messages: Messages,
        take_voices: TakeVoices,
    ) -> None:
        self._dialog_parent = dialog_parent
        self._reader = reader
        self._speech = speech
        self._settings = settings
        self._texts = texts
        self._messages = messages
        self._take_voices = take_voices

    def open(self) -> None:
        """Asks for a text file and shows it."""
        dialog = file_dialog(self._dialog_parent, "Open text", self._settings.now.folder)
        patterns = " ".join(f"*{suffix}" for suffix in text_files.SUFFIXES)
        dialog.setNameFilters([f"Texts ({patterns})", "All files (*)"])
        dialog.fileSelected.connect(lambda path: self.open_files([path]))
        dialog.open()

    def open_files(self, paths: Sequence[str]) -> bool:
        """Shows the texts of these files, one after the other; voices and sounds become voices. Whether there is a text now."""
        paths = self._take_voices(paths)
        self._messages.over(Topic.FILE)
        texts = []
        for path in paths:
            try:
                texts.append(text_files.read_text(path))
            except PocketVoiceError as error:
                self._messages.show_error(error, topic=Topic.FILE)
        if texts:
            self._settings.change(folder=str(Path(paths[0]).parent))
            self.show_text("\n\n".join(texts))
        return bool(texts)

    def new(self) -> None:
        """Empties the reader; the text goes to the recent texts."""
        self.show_text("")

    def show_text(self, text: str, place: int = 0) -> None:
        """Ends the speech and puts another text into the reader, the cursor at `place`; the old one goes to the recent texts."""
        view = self._speech.view
        left_at = view.span[0] if view.active and view.span is not None else self._reader.caret()
        self._speech.abandon()
        self._texts.remember(self._reader.text(), left_at)
        self._reader.set_text(text)
        self._reader.set_caret(place)
        self._reader.setFocus()
