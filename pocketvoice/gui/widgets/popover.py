"""What opens at a button and is gone with a click elsewhere. Main thread only."""

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QWidget

from pocketvoice.gui.widgets import colours


class Popover(QFrame):
    """A small window at a button, gone with Esc or a click elsewhere; Tab and the arrow keys reach all in it."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setWindowTitle(title)
        self.setAccessibleName(title)

    def open_at(self, button: QWidget, *, above: bool = False) -> None:
        """Opens with its right edge at that of the button, below or above it."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width(), 0 if above else button.height()))
        place = corner - QPoint(self.width(), self.height() if above else 0)
        room = button.screen().availableGeometry()
        x = min(max(place.x(), room.left()), room.right() - self.width())
        y = min(max(place.y(), room.top()), room.bottom() - self.height())
        self.move(x, y)
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes it."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


class Choice(QPushButton):
    """One of several; the chosen one stays pressed, and stands out by its colour too. Who made it presses and releases it."""

    def __init__(self, title: str, name: str) -> None:
        """`name` is for screen readers: what is chosen, and the title."""
        super().__init__(title)
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.toggled.connect(self._colour)

    def nextCheckState(self) -> None:
        """A click on the chosen one leaves it so."""
        self.setChecked(True)

    def changeEvent(self, event: QEvent) -> None:
        """Takes its colour from the window's palette of now."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour(self.isChecked())

    def _colour(self, is_chosen: bool) -> None:
        palette = QPalette()
        if is_chosen:
            palette.setColor(QPalette.ColorRole.Button, colours.chosen(QApplication.palette()))
        self.setPalette(palette)
