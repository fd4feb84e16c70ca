"""The sleep timer's menu, and the button of the transport bar that opens it and shows the time that is left. Main thread only."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton

from pocketvoice.gui.controllers.sleep_timer import SleepTimer
from pocketvoice.gui.widgets import wording

MINUTES = (5, 10, 15, 30, 45, 60, 90)


class SleepMenu:
    """Sets the timer, and shows it."""

    def __init__(self, parent: QMenu, button: QToolButton, timer: SleepTimer) -> None:
        self._timer = timer
        self._button = button
        self.menu = QMenu("Sleep ti&mer", parent)
        parent.addMenu(self.menu)
        self.minutes = {
            minutes: self._add(f"{minutes} minutes", self._setter(minutes)) for minutes in MINUTES
        }
        self.chapter = self._add("&End of the chapter", timer.set_chapter)
        self.menu.addSeparator()
        self.off = self._add("&Off", timer.cancel)
        button.clicked.connect(self._open)
        timer.changed.connect(self._show)
        self._show()

    def _open(self) -> None:
        height = self.menu.sizeHint().height()
        self.menu.popup(self._button.mapToGlobal(QPoint(0, -height)))

    def _setter(self, minutes: int) -> Callable[[], None]:
        return lambda: self._timer.set_minutes(minutes)

    def _add(self, title: str, slot: Callable[[], None]) -> QAction:
        action = self.menu.addAction(title)
        action.triggered.connect(lambda: slot())
        return action

    def _show(self) -> None:
        left_s = self._timer.left_s
        self.off.setEnabled(left_s is not None)
        time = "" if left_s is None else wording.clock(left_s + 0.999)
        self._button.setText(time)
        where = "at the end of the chapter, in about" if self._timer.of_chapter else "in"
        words = f"Sleep timer: pauses {where} {time}" if time else "Sleep timer"
        self._button.setAccessibleName(words)
        self._button.setToolTip(words)


class SleepButton(QToolButton):
    """A moon, and the time that is left; as wide as the time needs."""

    def sizeHint(self) -> QSize:
        """The digits do not move the others."""
        hint = super().sizeHint()
        if not self.text():
            return hint
        advance = self.fontMetrics().horizontalAdvance
        return QSize(hint.width() - advance(self.text()) + advance("00:00"), hint.height())
