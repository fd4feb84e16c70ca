"""The level meter: how loud what is heard is, from -60 to 0 dBFS. It falls by itself when no news come. Paints, nothing else."""

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pocketvoice.gui.controllers.speech import SILENT_DBFS
from pocketvoice.gui.widgets import colours

_FALL_DB = 3.0  # each tick
_TICK_MS = 50


class LevelMeter(QWidget):
    """A bar for the mean level, and a mark for the peak."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rms = self._peak = SILENT_DBFS
        self._fall = QTimer(self)
        self._fall.setInterval(_TICK_MS)
        self._fall.timeout.connect(self._on_tick)
        self.setAccessibleName("Sound level")
        self.setToolTip("Sound level")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_level(self, peak_dbfs: float, rms_dbfs: float) -> None:
        """Shows a level at once if it is louder; else the bar falls towards it."""
        self._peak = max(self._peak, min(peak_dbfs, 0.0))
        self._rms = max(self._rms, min(rms_dbfs, 0.0))
        if self._peak > SILENT_DBFS and not self._fall.isActive():
            self._fall.start()
        self.update()

    def sizeHint(self) -> QSize:
        """A size that grows with the font, as everything else does."""
        height = self.fontMetrics().height()
        return QSize(5 * height, height // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A rounded groove with the level in it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.palette().color(self.backgroundRole()))
        painter.setBrush(colours.hairline(self.palette()))
        groove = QRectF(self.rect())
        radius = groove.height() / 2
        painter.drawRoundedRect(groove, radius, radius)
        width = groove.width() * share_of_scale(self._rms)
        if width > 1:
            painter.setBrush(self.palette().highlight())
            painter.drawRoundedRect(
                QRectF(0, 0, max(width, groove.height()), groove.height()), radius, radius
            )
        if self._peak > SILENT_DBFS:
            x = min(groove.width() * share_of_scale(self._peak), groove.width() - 2)
            painter.fillRect(QRectF(x, 1, 2, groove.height() - 2), self.palette().windowText())
        painter.end()

    def _on_tick(self) -> None:
        self._rms = max(SILENT_DBFS, self._rms - _FALL_DB)
        self._peak = max(SILENT_DBFS, self._peak - _FALL_DB / 2)
        if self._peak == SILENT_DBFS:
            self._fall.stop()
        self.update()


def share_of_scale(dbfs: float) -> float:
    """How far along a gauge a level lies: 0 at silence or less, 1 at full scale or more."""
    return min(max((dbfs - SILENT_DBFS) / -SILENT_DBFS, 0.0), 1.0)
