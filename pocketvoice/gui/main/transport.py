"""The transport bar: position, play and pause, stop, sentences, speed, volume, level. Shows a SpeechView, says what was pressed."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSlider, QToolButton, QWidget

from pocketvoice.gui.controllers.speech import Phase, SpeechView
from pocketvoice.gui.main.sleep_menu import SleepButton
from pocketvoice.gui.main.speed_button import SpeedButton
from pocketvoice.gui.main.timeline import PARTS, Timeline
from pocketvoice.gui.widgets import wording
from pocketvoice.gui.widgets.icons import icon
from pocketvoice.gui.widgets.level_meter import LevelMeter
from pocketvoice.worker.messages import MAX_VOLUME

STEPS = ("paragraph_back", "skip_back", "previous", "next", "skip_forward", "paragraph_forward")
_WIDE_LINES = 70
"""How wide the bar is, in heights of a line, when there is room for all buttons."""
_LABELS = ("Speak", "Pause", "Go on")


class TransportBar(QWidget):
    """Two rows: where the speech is, and what can be done with it."""

    play_wanted = Signal()
    seek_wanted = Signal(float)  # share of the text, 0 to 1
    speed_wanted = Signal(float)
    volume_wanted = Signal(float)

    def __init__(self, stop: QAction, steps: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        """`steps` by name: sentences, paragraphs and seconds, back and forward."""
        super().__init__(parent)
        self._shown_play = ""
        self._loud = 1.0  # the volume before it was muted
        self.play = QPushButton()
        self.play.setDefault(True)
        self.play.clicked.connect(self.play_wanted)
        self.stop = _button(stop)
        self.steps = {name: _button(action) for name, action in steps.items()}
        self.previous, self.next = self.steps["previous"], self.steps["next"]
        self.level = LevelMeter()
        self._make_position()
        self._make_sliders()
        self._arrange()
        self._apply_style()
        self.show_view(SpeechView(), 0)

    def show_view(self, view: SpeechView, text_length: int) -> None:
        """Shows position, times, speed and volume; `text_length` is that of the reader's text."""
        self._show_play(view)
        if view.active:
            self.show_place(view.source, text_length, enabled=view.phase is Phase.SPEAKING)
        self.heard.setText(wording.clock(view.elapsed_s))
        self.remaining.setText(f"−{wording.clock(view.left_s)}" if view.total_s else "")
        self.position.setAccessibleDescription(wording.spoken_times(view))
        self.speed.show_speed(view.speed)
        self._show_value(self.volume, view.volume)
        is_muted = view.volume == 0
        self._loud = self._loud if is_muted else view.volume
        self.volume_sign.setChecked(is_muted)
        self.volume_sign.setToolTip("Let it be heard again" if is_muted else "Mute")
        self.volume_value.setText(f"{round(view.volume * 100)} %")

    def show_place(self, index: int, text_length: int, *, enabled: bool) -> None:
        """Shows where in the text it is, or will go on."""
        self.position.setEnabled(enabled and text_length > 0)
        if not self.position.isSliderDown():
            self.position.setValue(round(index / text_length * PARTS) if text_length else 0)

    def changeEvent(self, event: QEvent) -> None:
        """Makes icons and sizes anew for other colours or another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "level"):
            self._apply_style()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Paragraphs have buttons where there is room."""
        super().resizeEvent(event)
        is_wide = self.width() > _WIDE_LINES * self.fontMetrics().height()
        for name in ("paragraph_back", "paragraph_forward"):
            self.steps[name].setVisible(is_wide)

    # ------------------------------------------------------------ layout

    def _make_position(self) -> None:
        self.position = Timeline()
        self.position.seek_wanted.connect(self.seek_wanted)
        self.heard = QLabel()
        self.heard.setAccessibleName("Time heard")
        self.remaining = QLabel()
        self.remaining.setAccessibleName("Time left")
        self.remaining.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _make_sliders(self) -> None:
        self.speed = SpeedButton()
        self.speed.speed_wanted.connect(self.speed_wanted)
        self.sleep = SleepButton()
        self.sleep.setAutoRaise(True)
        self.sleep.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.sleep.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.sleep.setAccessibleName("Sleep timer")
        self.volume = _slider("Volume", 0, MAX_VOLUME, 5)
        self.volume.valueChanged.connect(lambda value: self.volume_wanted.emit(value / 100))
        self.volume_value = QLabel()
        self.volume_sign = QToolButton()
        self.volume_sign.setAutoRaise(True)
        self.volume_sign.setCheckable(True)
        self.volume_sign.setAccessibleName("Mute")
        self.volume_sign.clicked.connect(self._on_mute)

    def _arrange(self) -> None:
        where = QHBoxLayout()
        where.addWidget(self.heard)
        where.addWidget(self.position, 1)
        where.addWidget(self.remaining)
        keys = QHBoxLayout()
        keys.setSpacing(4)
        back = ("paragraph_back", "skip_back", "previous")
        forward = ("next", "skip_forward", "paragraph_forward")
        before, after = ([self.steps[name] for name in names] for names in (back, forward))
        for button in (*before, self.play, self.stop, *after):
            keys.addWidget(button)
        sound = QHBoxLayout()
        sound.setSpacing(8)
        volume: tuple[QWidget, ...] = (self.volume_sign, self.volume, self.volume_value)
        sound.addWidget(self.sleep)
        sound.addWidget(self.speed)
        for widget in volume:
            sound.addWidget(widget)
        sound.addSpacing(6)
        sound.addWidget(self.level)
        layout = QGridLayout(self)
        layout.setContentsMargins(14, 8, 14, 8)
        layout.setVerticalSpacing(8)
        layout.addLayout(where, 0, 0, 1, 3)
        layout.addLayout(keys, 1, 0)
        layout.setColumnStretch(1, 1)
        layout.addLayout(sound, 1, 2)

    def _apply_style(self) -> None:
        """Icons and sizes, by font and palette."""
        metrics = self.fontMetrics()
        side = round(metrics.height() * 1.25)
        for name, button in {"stop": self.stop, **self.steps}.items():
            button.defaultAction().setIcon(icon(name))
            button.setIconSize(QSize(side, side))
        self.play.setIconSize(QSize(side, side))
        longest = max(metrics.horizontalAdvance(label) for label in _LABELS)
        self.play.setMinimumSize(longest + side + 4 * metrics.height() // 2, round(metrics.height() * 2.1))
        for sign, name in ((self.speed, "speed"), (self.sleep, "sleep")):
            sign.setIcon(icon(name))
            sign.setIconSize(QSize(side, side))
        self.volume_sign.setIcon(icon("volume"))
        self.volume_sign.setIconSize(QSize(side, side))
        self.volume_value.setMinimumWidth(metrics.horizontalAdvance("200 %"))
        self.heard.setMinimumWidth(metrics.horizontalAdvance("00:00"))
        self.remaining.setMinimumWidth(metrics.horizontalAdvance("−00:00"))
        self.volume.setFixedWidth(5 * metrics.height())
        shown, self._shown_play = self._shown_play, ""
        self._show_label(shown or _LABELS[0])

    # ------------------------------------------------------------ showing

    def _show_play(self, view: SpeechView) -> None:
        if not view.active:
            self._show_label("Speak")
        else:
            self._show_label("Go on" if view.paused else "Pause")
        self.play.setEnabled(view.phase is not Phase.STOPPING)

    def _show_label(self, label: str) -> None:
        if label == self._shown_play:
            return
        self._shown_play = label
        self.play.setText(label)
        self.play.setIcon(icon("pause" if label == "Pause" else "play"))
        self.play.setAccessibleName(label)
        self.play.setToolTip(
            "Speak the selection, or from the cursor on (Ctrl+Enter)" if label == "Speak" else label
        )

    def _show_value(self, slider: QSlider, value: float) -> None:
        if not slider.isSliderDown():
            was = slider.blockSignals(True)
            slider.setValue(round(value * 100))
            slider.blockSignals(was)

    def _on_mute(self, muted: bool) -> None:
        self.volume_wanted.emit(0.0 if muted else self._loud)


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAccessibleName(action.text().replace("&", ""))
    return button


def _slider(name: str, low: float, high: float, step: int) -> QSlider:
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setRange(round(low * 100), round(high * 100))
    slider.setSingleStep(step)
    slider.setPageStep(25)
    slider.setAccessibleName(name)
    slider.setToolTip(name)
    return slider
