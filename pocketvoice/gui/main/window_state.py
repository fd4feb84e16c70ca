"""What the main window had at the last end and has again at the next start: size and place, text, size of the letters."""

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow

from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.texts import Texts
from pocketvoice.gui.main.page_look import look_of
from pocketvoice.gui.main.reader import Reader


class WindowState:
    """Carries it between what is kept and the widgets. Main thread only."""

    def __init__(
        self,
        window: QMainWindow,
        reader: Reader,
        settings: SettingsController,
        texts: Texts,
        speech: SpeechController,
    ) -> None:
        self._window = window
        self._reader = reader
        self._settings = settings
        self._texts = texts
        self._speech = speech
        self._sentence = -1  # where the sentence being heard begins; -1 while nothing is spoken

    def restore(self) -> None:
        """Gives the widgets what was kept, and the keyboard to the reader; from then on the text is kept as it changes."""
        now = self._settings.now
        if now.geometry:
            self._window.restoreGeometry(QByteArray.fromBase64(now.geometry.encode()))
        self._reader.set_look(look_of(now))
        text, place, outline = self._texts.draft()
        if text:
            self._reader.restore_text(text, outline)
            self._reader.set_caret(place)
        self._reader.setFocus()
        self._texts.follow(lambda: (self._reader.text(), self.place(), self._reader.outline()))
        self._reader.textChanged.connect(self._texts.touch)
        self._reader.cursorPositionChanged.connect(self._texts.touch)
        self._speech.changed.connect(self._on_speech)

    def place(self) -> int:
        """Where to go on: the sentence being heard, else the cursor."""
        view = self._speech.view
        return view.span[0] if view.active and view.span is not None else self._reader.caret()

    def remember(self) -> None:
        """Puts size and place of the window into the settings, and writes the text."""
        self._settings.change(geometry=bytes(self._window.saveGeometry().toBase64().data()).decode())
        self._texts.save_now()

    def _on_speech(self, view: object) -> None:
        span = self._speech.view.span
        sentence = span[0] if span is not None else -1
        if sentence != self._sentence:
            self._sentence = sentence
            self._texts.touch()
