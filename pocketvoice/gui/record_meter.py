"""The meter of a recording: how loud the microphone hears, and the zone in which a voice should be. Paints, nothing else."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pocketvoice.gui import colours
from pocketvoice.gui.level_meter import LevelMeter
from pocketvoice.gui.speech import SILENT_DBFS

TARGET_DBFS = (-30.0, -6.0)
"""Peaks of speech between these are good: neither lost in the noise nor near to clipping."""
HOT_DBFS = -1.0
"""Peaks above this are about to clip, or do."""

_RED = QColor(0xC8, 0x3C, 0x32)
_GREEN = QColor(0x3C, 0x9A, 0x5B)


class RecordMeter(LevelMeter):
    """As wide as there is room: a bar for the level, the target zone behind it, red above."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Level of the microphone")
        self.setToolTip(
            "How loud the microphone hears you: while you speak, the bar should end in the marked zone"
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def peak_dbfs(self) -> float:
        """What is shown."""
        return self._peak

    def clear(self) -> None:
        """Nothing is heard."""
        self._peak = self._rms = SILENT_DBFS
        self.update()

    def sizeHint(self) -> QSize:
        """By the font."""
        height = self.fontMetrics().height()
        return QSize(20 * height, round(1.3 * height))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Groove, zone, level, and the peak as a mark."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        groove = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        palette = self.palette()
        painter.setBrush(colours.blend(palette.window().color(), palette.windowText().color(), 0.1))
        painter.drawRoundedRect(groove, 4, 4)
        low, high = (groove.left() + groove.width() * _share(edge) for edge in TARGET_DBFS)
        zone = QRectF(low, groove.top(), high - low, groove.height())
        painter.fillRect(zone, colours.blend(palette.window().color(), _GREEN, 0.32))
        self._paint_level(painter, groove)
        painter.setPen(colours.blend(palette.window().color(), _GREEN, 0.9))
        painter.drawLine(zone.topLeft(), zone.bottomLeft())
        painter.drawLine(zone.topRight(), zone.bottomRight())

    def _paint_level(self, painter: QPainter, groove: QRectF) -> None:
        width = groove.width() * _share(self._peak)
        if width <= 1:
            return
        colour = _RED if self._peak >= HOT_DBFS else self.palette().highlight().color()
        inset = groove.height() * 0.28
        bar = QRectF(groove.left(), groove.top() + inset, width, groove.height() - 2 * inset)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2)


def level_sentence(peak_dbfs: float) -> str:
    """What the loudest of the last moments means for the speaker."""
    if peak_dbfs >= HOT_DBFS:
        return "Too loud: move back a little, or turn the microphone down."
    if peak_dbfs > TARGET_DBFS[1]:
        return "A little loud: move back a hand's width."
    if peak_dbfs >= TARGET_DBFS[0]:
        return "Good level."
    if peak_dbfs > SILENT_DBFS + 12:
        return "Too quiet: come closer, or turn the microphone up."
    return "Nothing is heard yet: speak, or choose another microphone."


def _share(dbfs: float) -> float:
    return min(max((dbfs - SILENT_DBFS) / -SILENT_DBFS, 0.0), 1.0)
