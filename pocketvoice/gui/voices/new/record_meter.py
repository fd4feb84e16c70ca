"""The two gauges of a recording: how loud the microphone hears, and how much speech there is, each with the zone that is good.

They only paint; the words beside them belong to the page.
"""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from pocketvoice.gui.controllers.speech import SILENT_DBFS
from pocketvoice.gui.widgets import colours
from pocketvoice.gui.widgets.level_meter import LevelMeter, share_of_scale

HOT_DBFS = -1.0
"""Peaks above this are about to clip, or do."""

_RED = QColor(0xC8, 0x3C, 0x32)
_GREEN = QColor(0x3C, 0x9A, 0x5B)
_PARTS_A_SECOND = 10


class RecordMeter(LevelMeter):
    """A bar for the mean level and a mark for the peak, red near full scale; takes all the width there is."""

    def __init__(self, zone_dbfs: tuple[float, float], parent: QWidget | None = None) -> None:
        """The mean level of a good recording lies in the zone."""
        super().__init__(parent)
        self._zone = zone_dbfs
        self.setAccessibleName("Level of the microphone")
        self.setToolTip(
            "How loud the microphone hears you: while you speak, the bar should end in the marked zone"
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def clear(self) -> None:
        """Shows silence."""
        self._peak = self._rms = SILENT_DBFS
        self.update()

    def sizeHint(self) -> QSize:
        """A size in lines of the font."""
        return _gauge_size(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the groove, the good zone, the mean level and the peak."""
        painter = QPainter(self)
        groove = QRectF(self.rect())
        low, high = (share_of_scale(edge) for edge in self._zone)
        _paint_groove(painter, groove, self.palette(), low, high)
        hot = self._peak >= HOT_DBFS
        _paint_bar(
            painter, groove, share_of_scale(self._rms), _RED if hot else self.palette().highlight().color()
        )
        if self._peak > SILENT_DBFS:
            x = groove.left() + groove.width() * share_of_scale(self._peak)
            mark = QRectF(min(x, groove.right() - 2), groove.top() + 2, 2, groove.height() - 4)
            painter.fillRect(mark, _RED if hot else self.palette().windowText().color())
        painter.end()


class SpeechGauge(QProgressBar):
    """How many seconds of speech there are: a progress bar for screen readers too."""

    def __init__(self, wanted_s: tuple[float, float], most_s: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wanted_s, self._most_s = wanted_s, most_s
        self.setRange(0, round(most_s * _PARTS_A_SECOND))
        self.setValue(0)
        self.setTextVisible(False)
        self.setAccessibleName("Seconds of speech")
        self.setToolTip(f"{wanted_s[0]:.0f} to {wanted_s[1]:.0f} seconds of speech make a good voice")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_seconds(self, speech_s: float) -> None:
        """Shows how many seconds of speech there are."""
        self.setValue(round(min(speech_s, self._most_s) * _PARTS_A_SECOND))
        self.setAccessibleDescription(
            f"{speech_s:.0f} of {self._wanted_s[0]:.0f} to {self._wanted_s[1]:.0f} s"
        )

    def sizeHint(self) -> QSize:
        """A size in lines of the font."""
        return _gauge_size(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the groove, the good zone, and the bar up to the seconds there are."""
        painter = QPainter(self)
        groove = QRectF(self.rect())
        low, high = (at_s / self._most_s for at_s in self._wanted_s)
        _paint_groove(painter, groove, self.palette(), low, high)
        enough = self.value() >= self._wanted_s[0] * _PARTS_A_SECOND
        colour = _GREEN if enough else self.palette().highlight().color()
        _paint_bar(painter, groove, self.value() / self.maximum(), colour)
        painter.end()


def _gauge_size(widget: QWidget) -> QSize:
    height = widget.fontMetrics().height()
    return QSize(14 * height, round(1.1 * height))


def _paint_groove(painter: QPainter, groove: QRectF, palette: QPalette, low: float, high: float) -> None:
    """Paints the background and the good zone on it; `low` and `high` are shares of the width."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    ground = palette.window().color()
    painter.setBrush(colours.blend(ground, palette.windowText().color(), 0.12))
    painter.drawRoundedRect(groove, 4, 4)
    zone = QRectF(
        groove.left() + groove.width() * low, groove.top(), groove.width() * (high - low), groove.height()
    )
    painter.fillRect(zone, colours.blend(ground, _GREEN, 0.35))
    for x in (zone.left(), zone.right() - 1.5):
        painter.fillRect(QRectF(x, zone.top(), 1.5, zone.height()), colours.blend(ground, _GREEN, 0.9))


def _paint_bar(painter: QPainter, groove: QRectF, share: float, colour: QColor) -> None:
    width = groove.width() * min(max(share, 0.0), 1.0)
    if width > 1:
        inset = groove.height() * 0.3
        bar = QRectF(groove.left(), groove.top() + inset, width, groove.height() - 2 * inset)
        radius = min(bar.height(), bar.width()) / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(bar, radius, radius)
