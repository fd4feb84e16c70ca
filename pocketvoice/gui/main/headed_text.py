"""The headings and chapters of the text in the reader: set as headings, and followed while the text is edited.

Belongs to a reader. Positions are Qt's, in UTF-16 units, unless they are called indices.
"""

from collections.abc import Sequence

from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat

from pocketvoice.gui.controllers.outline import Heading, Outline, Piece, moved
from pocketvoice.gui.main.utf16 import Utf16Map

_LARGER = {1: 2, 2: 1}
"""Steps of size above the text, by level; the others are bold only."""
_LOWEST_LEVEL = 6


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
        base, is_after_heading = cursor.position(), cursor.blockFormat().headingLevel() > 0
        cursor.insertText(piece.text, QTextCharFormat())
        if is_after_heading:
            _end_heading(cursor, base)
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
            block = QTextBlockFormat()
            block.setHeadingLevel(min(heading.level, _LOWEST_LEVEL))
            cursor.setBlockFormat(block)

    def _anchor(self, position: int) -> QTextCursor:
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        return cursor


def _end_heading(cursor: QTextCursor, start: int) -> None:
    """The lines below the one at `start`, up to the cursor, are text: they came after a heading, and took its format."""
    after = QTextCursor(cursor)
    after.setPosition(start)
    if after.movePosition(QTextCursor.MoveOperation.NextBlock):
        after.setPosition(cursor.position(), QTextCursor.MoveMode.KeepAnchor)
        after.setBlockFormat(QTextBlockFormat())


def _format_of(level: int) -> QTextCharFormat:
    """Relative to the letters of the text, whatever their size is."""
    form = QTextCharFormat()
    form.setFontWeight(QFont.Weight.Bold)
    if level in _LARGER:
        form.setProperty(QTextFormat.Property.FontSizeAdjustment, _LARGER[level])
    return form
