"""What the main window had at the last end and has again at the next start: size and place, text, size of the letters."""

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow

from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.main.reader import Reader
from pocketvoice.settings import MOST_CHARACTERS_KEPT


class WindowState:
    """Carries it between the settings and the widgets. Main thread only."""

    def __init__(self, window: QMainWindow, reader: Reader, settings: SettingsController) -> None:
        self._window = window
        self._reader = reader
        self._settings = settings

    def restore(self) -> None:
        """Gives the widgets what the settings hold, and the keyboard to the reader."""
        now = self._settings.now
        if now.geometry:
            self._window.restoreGeometry(QByteArray.fromBase64(now.geometry.encode()))
        self._reader.set_font_points(now.font_points)
        if now.draft:
            self._reader.setPlainText(now.draft)
        self._reader.setFocus()

    def remember(self) -> None:
        """Puts size and place and the text into the settings; a text that is too long is not kept."""
        text = self._reader.text()
        self._settings.change(
            geometry=bytes(self._window.saveGeometry().toBase64().data()).decode(),
            draft=text if len(text) <= MOST_CHARACTERS_KEPT else "",
        )
