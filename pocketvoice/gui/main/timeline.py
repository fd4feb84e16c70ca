"""The timeline of the transport bar: a click goes there, and the pointer shows what time and which words are where it stands."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QToolTip, QWidget

PARTS = 1000


class Timeline(QSlider):
    """A slider over the text, 0 to `PARTS`."""

    seek_wanted = Signal(float)  # share of the text, 0 to 1

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.describe: Callable[[float], str] = lambda share: ""
        """Time and words at a share of the text, for the tool tip."""
        self.setRange(0, PARTS)
        self.setPageStep(PARTS // 10)
        self.setMouseTracking(True)
        self.setAccessibleName("Position in the text")
        self.sliderReleased.connect(lambda: self.seek_wanted.emit(self.value() / PARTS))
        self.actionTriggered.connect(self._on_action)

    def share_at(self, x: float) -> float:
        """The share of the text at a place of the widget, in pixels from its left edge."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        style, part = self.style(), QStyle.ComplexControl.CC_Slider
        groove = style.subControlRect(part, option, QStyle.SubControl.SC_SliderGroove, self)
        handle = style.subControlRect(part, option, QStyle.SubControl.SC_SliderHandle, self)
        along = x - groove.x() - handle.width() / 2
        share = min(max(along / max(groove.width() - handle.width(), 1), 0.0), 1.0)
        return 1.0 - share if option.upsideDown else share

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The handle comes to the pointer, and can be dragged on from there."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setValue(round(self.share_at(event.position().x()) * PARTS))
        super().mousePressEvent(event)  # the handle is under the pointer now, so that this takes hold of it

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A press that the style did not take for one on the handle seeks all the same."""
        was_held = self.isSliderDown()
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not was_held:
            self.seek_wanted.emit(self.share_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Shows what is where the pointer stands."""
        super().mouseMoveEvent(event)
        self._tell(event.position().x(), event.globalPosition().toPoint())

    def event(self, event: QEvent) -> bool:
        """The tool tip is made for the place."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._tell(event.pos().x(), event.globalPos())
            return True
        return super().event(event)

    def _tell(self, x: float, where: QPoint) -> None:
        words = self.describe(self.share_at(x)) if self.isEnabled() else ""
        QToolTip.showText(where, words, self)

    def _on_action(self, action: int) -> None:
        # Keys and the wheel; a press of the mouse ends with its release.
        if not self.isSliderDown():
            self.seek_wanted.emit(self.sliderPosition() / PARTS)
