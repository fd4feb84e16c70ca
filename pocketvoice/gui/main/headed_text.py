"""The headings and chapters of the text in the reader: set as headings, and followed while the text is edited.

Belongs to a reader. Positions are Qt's, in UTF-16 units, unless they are called indices.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QPlainTextDocumentLayout

from pocketvoice.gui.controllers.outline import Heading, Outline, Piece, moved
from pocketvoice.gui.main.utf16 import Utf16Map

_LARGER = {1: 2, 2: 1}
"""Steps of size above the text, by level; the others are bold only."""


class HeadedText:
    """What is known of the text of a document, and where it stands by now."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self.length = 0
        """Characters that were appended since `begin`."""
        self._outline = Outline()
        self._chapters: list[QTextCursor] = []
        self._headings: list[QTextCursor] = []
        self._revision = -1  # of the document when the outline was set

    def begin(self) -> None:
        """Nothing is known of the text that is there now; the text of a document follows."""
        self.length = 0
        self._outline, self._chapters, self._headings = Outline(), [], []

    def append(self, piece: Piece) -> None:
        """Puts text at the end, as a part of the change before: undo takes back all of it."""
        cursor = QTextCursor(self._document)
        cursor.joinPreviousEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        base = cursor.position()
        cursor.insertText(piece.text, QTextCharFormat())
        self._format(cursor, piece.headings, base, Utf16Map(piece.text), self.length)
        cursor.endEditBlock()
        self.length += len(piece.text)

    def set_outline(self, outline: Outline, positions: Utf16Map) -> None:
        """All of the text is there, and this is known of it."""
        self._outline = outline
        self._chapters = [self._anchor(positions.to_qt(chapter.start)) for chapter in outline.chapters]
        self._headings = [self._anchor(positions.to_qt(heading.start)) for heading in outline.headings]
        self._revision = self._document.revision()

    def set_headings(self, headings: Sequence[Heading], positions: Utf16Map) -> None:
        """Sets lines of the text as headings."""
        cursor = QTextCursor(self._document)
        cursor.joinPreviousEditBlock()
        self._format(cursor, headings, 0, positions, 0)
        cursor.endEditBlock()

    def outline(self, text: str, positions: Utf16Map) -> Outline:
        """What is known of the text as it is now, with the places of now."""
        if self._outline != Outline() and self._revision != self._document.revision():
            chapters = [positions.to_text(anchor.position()) for anchor in self._chapters]
            headings = [positions.to_text(anchor.position()) for anchor in self._headings]
            self.set_outline(moved(self._outline, text, chapters, headings), positions)
        return self._outline

    def _format(
        self, cursor: QTextCursor, headings: Sequence[Heading], base: int, positions: Utf16Map, first: int
    ) -> None:
        """`positions` are those of a text that begins at `base`, with the character of index `first`."""
        for heading in headings:
            cursor.setPosition(base + positions.to_qt(heading.start - first))
            cursor.setPosition(base + positions.to_qt(heading.end - first), QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(_format_of(heading.level))

    def _anchor(self, position: int) -> QTextCursor:
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        return cursor


def _format_of(level: int) -> QTextCharFormat:
    """Relative to the letters of the text, whatever their size is."""
    form = QTextCharFormat()
    form.setFontWeight(QFont.Weight.Bold)
    if level in _LARGER:
        form.setProperty(QTextFormat.Property.FontSizeAdjustment, _LARGER[level])
    return form


class ParagraphLayout(QPlainTextDocumentLayout):
    """Sets paragraphs that are written from right to left at the right edge; Qt leaves them at the left one."""

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """Lays a paragraph out, where it is not yet."""
        rect = super().blockBoundingRect(block)
        if block.isValid() and block.textDirection() is Qt.LayoutDirection.RightToLeft:
            self._push_right(block)
        return rect

    def _push_right(self, block: QTextBlock) -> None:
        layout, margin = block.layout(), self.document().documentMargin()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            place = QPointF(margin + line.width() - line.naturalTextWidth(), line.position().y())
            if line.position() != place:
                line.setPosition(place)
