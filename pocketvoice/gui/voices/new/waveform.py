"""The waveform of a recording, with the part that becomes the voice: moved and trimmed with the mouse or the arrow keys.

It is a slider whose value is the part's start, so that screen readers and keys work. Knows no sound, only its peaks.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from pocketvoice.gui.widgets import colours, wording

STEPS_A_SECOND = 100
"""The slider counts hundredths of a second."""

_FINE_S, _COARSE_S = 0.1, 1.0  # an arrow key, a page key
_TICKS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600)
_TICK_LETTERS = 9  # "1:02:03" and a gap
_HANDLE_PX = 4.0
_GRASP_PX = 8.0  # so near to an edge it is the edge that is taken
_LEAST_PART_S = 3.0  # less speech than that makes no voice
_MOST_PART_S = 30.0  # more of a clip is not used
_LEAST_PEAK = 0.03  # noise is not drawn as if it were speech
_LOUDEST_HEIGHT = 0.88  # share of the height that the loudest column takes


class Waveform(QAbstractSlider):
    """Shows a sound from end to end, and the part that was chosen."""

    part_moved = Signal(float)  # where it starts now, in seconds
    part_trimmed = Signal(float, float)  # where it starts and stops now, in seconds

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._peaks: list[float] = []
        self._length_s = 0.0
        self._part_s = 0.0
        self._playhead_s: float | None = None
        self._drawn: tuple[QRectF, QPainterPath] | None = None  # the outline, for one size
        self._grip_s: float | None = None  # where in the part the mouse holds it
        self._edge = ""  # "start" or "stop" while the mouse holds that
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setMouseTracking(True)  # the pointer shows what it would take hold of
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setSingleStep(round(_FINE_S * STEPS_A_SECOND))
        self.setPageStep(round(_COARSE_S * STEPS_A_SECOND))
        self.setAccessibleName("Part of the recording that becomes the voice")
        self.setToolTip(
            "Drag the bright part, or move it with the arrow and page keys. "
            "Its edges trim it, as Shift and the arrow keys do."
        )
        self.valueChanged.connect(self._on_value)

    # ------------------------------------------------------------ for the dialog

    def show_sound(self, peaks: Sequence[float], length_s: float) -> None:
        """Shows another sound: its largest amplitudes from left to right (0 to 1), and its length in seconds.

        A quiet sound is drawn larger, so that its shape can be seen; how loud it is stands in words below.
        """
        scale = 1 / max(max(peaks, default=0.0), _LEAST_PEAK)
        self._peaks, self._length_s, self._playhead_s = [peak * scale for peak in peaks], length_s, None
        self._drawn = None
        self.show_part(0.0, length_s)

    def show_part(self, start_s: float, length_s: float) -> None:
        """Marks a part, without emitting `part_moved`."""
        self._part_s = min(length_s, self._length_s)
        was = self.blockSignals(True)
        self.setRange(0, max(0, round((self._length_s - self._part_s) * STEPS_A_SECOND)))
        self.setValue(round(start_s * STEPS_A_SECOND))
        self.blockSignals(was)
        self._describe()
        self.update()

    def show_playhead(self, position_s: float | None) -> None:
        """Marks what is being heard, in seconds from the sound's start; None hides the mark."""
        if position_s != self._playhead_s:
            self._playhead_s = position_s
            self.update()

    @property
    def start_s(self) -> float:
        """Start of the part in seconds."""
        return self.value() / STEPS_A_SECOND

    @property
    def stop_s(self) -> float:
        """End of the part in seconds."""
        return self.start_s + self._part_s

    def sizeHint(self) -> QSize:
        """A size in lines of the font, so that it grows with everything else."""
        line = self.fontMetrics().height()
        return QSize(30 * line, 8 * line)

    def minimumSizeHint(self) -> QSize:
        """The size at which speech and pauses can still be told apart."""
        line = self.fontMetrics().height()
        return QSize(12 * line, 4 * line)

    # ------------------------------------------------------------ mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Takes hold of the part; a press beside it centres the part there first."""
        if event.button() != Qt.MouseButton.LeftButton or not self._length_s:
            return
        at_s = self._seconds(event.position().x())
        self._edge = self._edge_at(event.position().x())
        if self._edge:
            return
        if not self.start_s <= at_s <= self.stop_s:
            self.setValue(round((at_s - self._part_s / 2) * STEPS_A_SECOND))
        self._grip_s = at_s - self.start_s
        self._show_cursor(at_s)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Moves the part along with the mouse."""
        at_s = self._seconds(event.position().x())
        if self._edge:
            self._trim(self._edge, at_s)
            return
        if self._grip_s is not None:
            self.setValue(round((at_s - self._grip_s) * STEPS_A_SECOND))
        if self._grip_s is None and self._edge_at(event.position().x()):
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        else:
            self._show_cursor(at_s)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Lets go of the part."""
        self._grip_s, self._edge = None, ""
        self._show_cursor(self._seconds(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift and an arrow key move the end of the part; the others move all of it."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if steps and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._trim("stop", self.stop_s + steps * _FINE_S)
        else:
            super().keyPressEvent(event)

    def _edge_at(self, x: float) -> str:
        """The edge of the part that is near a place of the widget; "" if none is."""
        if not self._length_s:
            return ""
        far = {"start": abs(x - self._x(self.start_s)), "stop": abs(x - self._x(self.stop_s))}
        edge = min(far, key=far.__getitem__)
        return edge if far[edge] <= _GRASP_PX else ""

    def _trim(self, edge: str, at_s: float) -> None:
        """Brings an edge to a place, as far as the part stays long enough to be a voice and short enough to be used."""
        start_s, stop_s = self.start_s, self.stop_s
        if edge == "start":
            start_s = min(max(at_s, stop_s - _MOST_PART_S, 0.0), max(stop_s - _LEAST_PART_S, 0.0))
        else:
            least_s = min(start_s + _LEAST_PART_S, self._length_s)
            stop_s = max(min(at_s, start_s + _MOST_PART_S, self._length_s), least_s)
        if (start_s, stop_s) != (self.start_s, self.stop_s):
            self.show_part(start_s, stop_s - start_s)
            self.part_trimmed.emit(start_s, stop_s)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leaves scrolling to the page, so that the part is not moved by accident."""
        event.ignore()

    def _show_cursor(self, at_s: float) -> None:
        inside = self.start_s <= at_s <= self.stop_s
        shapes = Qt.CursorShape
        held = shapes.ClosedHandCursor if self._grip_s is not None else shapes.OpenHandCursor
        self.setCursor(held if inside and self.maximum() else shapes.ArrowCursor)

    # ------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the sound, its part, the times below, and the mark of what is being heard."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        self._paint_ground(painter, area)
        if self._length_s:
            self._paint_sound(painter, area)
            self._paint_part(painter, area)
            self._paint_times(painter, area)
        if self._playhead_s is not None:
            x = self._x(self._playhead_s)
            painter.setPen(QPen(self.palette().text().color(), 2))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.end()

    def _area(self) -> QRectF:
        """Where the sound is drawn: above the times, inside the outline that shows the focus."""
        area = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        area.setHeight(area.height() - 1.2 * self.fontMetrics().height())
        return area

    def _part_area(self, area: QRectF) -> QRectF:
        left = self._x(self.start_s)
        return QRectF(left, area.top(), max(2.0, self._x(self.stop_s) - left), area.height())

    def _paint_ground(self, painter: QPainter, area: QRectF) -> None:
        palette = self.palette()
        outline = palette.highlight().color() if self.hasFocus() else colours.hairline(palette)
        painter.setPen(QPen(outline, 1.5 if self.hasFocus() else 1))
        painter.setBrush(palette.base())
        painter.drawRoundedRect(area, 4, 4)

    def _paint_sound(self, painter: QPainter, area: QRectF) -> None:
        palette = self.palette()
        if self._drawn is None or self._drawn[0] != area:
            self._drawn = area, self._shape(area)
        shape = self._drawn[1]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillPath(shape, colours.blend(palette.base().color(), palette.text().color(), 0.32))
        part = self._part_area(area)
        painter.save()
        painter.setClipRect(part)
        painter.fillRect(part, colours.sentence(palette))
        painter.fillPath(shape, _strong(palette))
        painter.restore()

    def _shape(self, area: QRectF) -> QPainterPath:
        """The sound as one symmetrical outline, with at most one point a pixel."""
        count = min(len(self._peaks), max(2, round(area.width())))
        middle, half = area.center().y(), area.height() / 2 * _LOUDEST_HEIGHT
        upper, lower = [], []
        for index in range(count):
            first = index * len(self._peaks) // count
            last = max(first + 1, (index + 1) * len(self._peaks) // count)
            height = max(0.6, max(self._peaks[first:last]) * half)
            x = area.left() + (index + 0.5) * area.width() / count
            upper.append(QPointF(x, middle - height))
            lower.append(QPointF(x, middle + height))
        path = QPainterPath()
        path.addPolygon([*upper, *reversed(lower)])
        path.closeSubpath()
        return path

    def _paint_part(self, painter: QPainter, area: QRectF) -> None:
        """Paints a handle at each edge of the part."""
        part = self._part_area(area)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().highlight())
        edges = (part.left(), part.right() - _HANDLE_PX)
        for x in edges:
            painter.drawRoundedRect(QRectF(x, part.top(), _HANDLE_PX, part.height()), 2, 2)

    def _paint_times(self, painter: QPainter, area: QRectF) -> None:
        metrics = self.fontMetrics()
        painter.setPen(colours.quiet_text(self.palette()))
        tick_width = _TICK_LETTERS * metrics.averageCharWidth()
        most = max(1.0, area.width() / tick_width)
        step = next((tick for tick in _TICKS_S if self._length_s / tick <= most), _TICKS_S[-1])
        for number in range(int(self._length_s // step) + 1):
            words = wording.clock(number * step)
            x = self._x(number * step)
            if number and x + metrics.horizontalAdvance(words) > area.right() + 1:
                break
            painter.drawText(QPointF(x + (1 if number else 2), self.height() - metrics.descent()), words)

    # ------------------------------------------------------------ within

    def _x(self, at_s: float) -> float:
        area = self._area()
        return area.left() + area.width() * at_s / self._length_s if self._length_s else area.left()

    def _seconds(self, x: float) -> float:
        area = self._area()
        return min(max((x - area.left()) / area.width(), 0.0), 1.0) * self._length_s

    def _on_value(self) -> None:
        self._describe()
        self.part_moved.emit(self.start_s)

    def _describe(self) -> None:
        self.setAccessibleDescription(
            f"From {self.start_s:.1f} to {self.stop_s:.1f} of {self._length_s:.1f} s"
        )


def _strong(palette: QPalette) -> QColor:
    """The colour of the part's sound: the highlight, darker or lighter so that it stands out on its background."""
    towards = QColor("white") if colours.is_dark(palette) else QColor("black")
    return colours.blend(palette.highlight().color(), towards, 0.25)
