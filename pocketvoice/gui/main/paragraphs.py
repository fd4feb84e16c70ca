"""How the paragraphs of the reader are set: the height of their lines, space above headings, and right to left at the right edge.

Qt's layout of plain text lays a paragraph out when it is first asked where that is, and knows none of these: each answer is seen
to here. The same answer comes for a paragraph that was seen to before.
"""

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTextBlock, QTextDocument, QTextLine
from PySide6.QtWidgets import QPlainTextDocumentLayout

_ABOVE_HEADING = {1: 0.9, 2: 0.6}
"""Lines, by level."""
_ABOVE_LOWER_HEADING = 0.3


class ParagraphLayout(QPlainTextDocumentLayout):
    """The layout of the document of a reader."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._factor = 1.0

    def set_line_percent(self, percent: int) -> None:
        """Sets the height of the lines, in percent of that of the letters."""
        if percent != round(self._factor * 100):
            self._factor = percent / 100
            self.documentSizeChanged.emit(self.documentSize())
            self.requestUpdate()

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """Lays a paragraph out, where it is not yet."""
        rect = super().blockBoundingRect(block)
        if not block.isValid() or not rect.height():
            return rect
        layout = block.layout()
        if not layout.lineCount():
            return rect
        below = (self._factor - 1) / 2 * layout.lineAt(layout.lineCount() - 1).height()
        if self._set_lines(block):
            rect = super().blockBoundingRect(block)
        rect.setHeight(rect.height() + below)
        return rect

    def line_rects(self, block: QTextBlock, start: int, end: int) -> list[QRectF]:
        """Where the letters from `start` to `end` of a paragraph stand, each line with the space that is its own.

        None of a paragraph from right to left: its letters stand in more than one piece.
        """
        if block.textDirection() is Qt.LayoutDirection.RightToLeft:
            return []
        layout, found = block.layout(), []
        for line in (layout.lineAt(number) for number in range(layout.lineCount())):
            first, last = max(start, line.textStart()), min(end, line.textStart() + line.textLength())
            if first < last:
                left, right = (_x(line, place) for place in (first, last))
                more = (self._factor - 1) / 2 * line.height()
                found.append(QRectF(left, line.y() - more, right - left, line.height() + 2 * more))
        return found

    def _set_lines(self, block: QTextBlock) -> bool:
        """Whether a line had to be moved."""
        layout, margin = block.layout(), self.document().documentMargin()
        is_right = block.textDirection() is Qt.LayoutDirection.RightToLeft
        top, has_moved = self._above(block), False
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            more = (self._factor - 1) * line.height()
            x = margin + line.width() - line.naturalTextWidth() if is_right else line.position().x()
            place = QPointF(x, top + more / 2)
            if line.position() != place:
                line.setPosition(place)
                has_moved = True
            elif self._factor > 1 and not number:
                return False  # a line that was just laid out stands higher: all of them were seen to before
            top += line.height() + more
        return has_moved

    def _above(self, block: QTextBlock) -> float:
        level = block.blockFormat().headingLevel()
        if not level or not block.blockNumber():
            return 0.0
        return _ABOVE_HEADING.get(level, _ABOVE_LOWER_HEADING) * block.layout().lineAt(0).height()


def _x(line: QTextLine, place: int) -> float:
    """PySide gives the place with it where C++ changes it."""
    x: Any = line.cursorToX(place)
    return float(x[0] if isinstance(x, tuple) else x)
