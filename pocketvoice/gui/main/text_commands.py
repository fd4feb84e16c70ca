"""Another text for the reader: opened, dropped, pasted, or none. Main thread only; the file dialog does not block."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from pocketvoice.gui.controllers.documents import DocumentOpener, Kept
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.outline import Outline
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
        opener: DocumentOpener,
        take_voices: TakeVoices,
    ) -> None:
        self._dialog_parent = dialog_parent
        self._reader = reader
        self._speech = speech
        self._settings = settings
        self._texts = texts
        self._messages = messages
        self._opener = opener
        self._take_voices = take_voices
        opener.began.connect(lambda: self._put(""))
        opener.grew.connect(reader.append)
        opener.finished.connect(reader.set_outline)
        opener.found.connect(self._show_kept)

    def open(self) -> None:
        """Asks for a document and shows it."""
        from pocketvoice.documents import EXTENSIONS  # and all that opening needs

        dialog = file_dialog(self._dialog_parent, "Open", self._settings.now.folder)
        patterns = " ".join(f"*{suffix}" for suffix in EXTENSIONS)
        dialog.setNameFilters([f"Documents ({patterns})", "All files (*)"])
        dialog.fileSelected.connect(lambda path: self.open_files([path]))
        dialog.open()

    def open_files(self, paths: Sequence[str], then: Callable[[], None] | None = None) -> None:
        """Shows the texts of these files, one after the other; voices and sounds become voices.

        `then` is called as soon as there is text, if there is any.
        """
        paths = self._take_voices(paths)
        self._messages.over(Topic.FILE)
        if paths:
            self._settings.change(folder=str(Path(paths[0]).parent))
            self._opener.open(paths, then)

    def new(self) -> None:
        """Empties the reader; the text goes to the recent texts."""
        self.show_text("")

    def show_text(self, text: str, place: int = 0, outline: Outline | None = None) -> None:
        """Ends the speech and puts another text into the reader, the cursor at `place`; the old one goes to the recent texts."""
        self._opener.abandon()
        self._put(text, place, outline)

    def _put(self, text: str, place: int = 0, outline: Outline | None = None) -> None:
        view = self._speech.view
        left_at = view.span[0] if view.active and view.span is not None else self._reader.caret()
        self._speech.abandon()
        self._texts.remember(self._reader.text(), left_at, self._reader.outline())
        self._reader.set_text(text, outline)
        self._reader.set_caret(place)
        self._reader.setFocus()

    def _show_kept(self, kept: Kept) -> None:
        if kept.text != self._reader.text():
            self._put(kept.text, kept.place, kept.outline)
