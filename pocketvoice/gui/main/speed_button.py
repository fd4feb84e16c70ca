"""The speed as one button, and what it opens: usual speeds, and all between them. Shows a speed, says which one was chosen."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from pocketvoice.gui.widgets import wording
from pocketvoice.gui.widgets.popover import Choice, Popover
from pocketvoice.worker.messages import MAX_SPEED, MIN_SPEED

PRESETS = (0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
_A_ROW = 4
_STEP = 5  # hundredths


class SpeedButton(QToolButton):
    """Has the speed written on it."""

    speed_wanted = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip("Speed (Ctrl+Up, Ctrl+Down)")
        self.popover = SpeedPopover(self)
        self.popover.chosen.connect(self.speed_wanted)
        self.clicked.connect(self._open)
        self.show_speed(1.0)

    def show_speed(self, speed: float) -> None:
        """Shows the speed of now."""
        self.setText(wording.speed(speed))
        self.setAccessibleName(f"Speed: {wording.speed(speed)}")
        self.popover.show_speed(speed)

    def sizeHint(self) -> QSize:
        """Room for any speed: the bar stays as it is when another is chosen."""
        hint = super().sizeHint()
        more = self.fontMetrics().horizontalAdvance("2.75×") - self.fontMetrics().horizontalAdvance(
            self.text()
        )
        return QSize(hint.width() + max(more, 0), hint.height())

    def _open(self) -> None:
        self.popover.open_at(self, above=True)


class SpeedPopover(Popover):
    """Stays open, so that speeds can be tried."""

    chosen = Signal(float)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Speed", parent)
        self.presets = {speed: self._preset(speed) for speed in PRESETS}
        self.fine = QSlider(Qt.Orientation.Horizontal)
        self.fine.setRange(round(MIN_SPEED * 100), round(MAX_SPEED * 100))
        self.fine.setSingleStep(_STEP)
        self.fine.setPageStep(25)
        self.fine.setAccessibleName("Speed in small steps")
        self.fine.valueChanged.connect(self._on_fine)
        self.value = QLabel()
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.value.setMinimumWidth(self.fontMetrics().horizontalAdvance("2.75×"))
        layout = QGridLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(4)
        for number, button in enumerate(self.presets.values()):
            layout.addWidget(button, *divmod(number, _A_ROW))
        between = QHBoxLayout()
        between.setContentsMargins(2, 6, 2, 0)
        between.addWidget(self.fine, 1)
        between.addWidget(self.value)
        layout.addLayout(between, len(PRESETS) // _A_ROW, 0, 1, _A_ROW)

    def show_speed(self, speed: float) -> None:
        """Presses the button of this speed, if it has one."""
        for preset, button in self.presets.items():
            button.setChecked(preset == speed)
        self.value.setText(wording.speed(speed))
        if not self.fine.isSliderDown():
            was = self.fine.blockSignals(True)
            self.fine.setValue(round(speed * 100))
            self.fine.blockSignals(was)

    def open_at(self, button: QWidget, *, above: bool = False) -> None:
        """The keyboard begins at the speed of now."""
        super().open_at(button, above=above)
        pressed = (one for one in self.presets.values() if one.isChecked())
        next(pressed, self.fine).setFocus()

    def _on_fine(self, hundredths: int) -> None:
        self.chosen.emit(round(hundredths / _STEP) * _STEP / 100)

    def _preset(self, speed: float) -> Choice:
        button = Choice(wording.speed(speed), f"Speed: {wording.speed(speed)}")
        button.clicked.connect(lambda: self.chosen.emit(speed))
        return button
