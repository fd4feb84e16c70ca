"""The large text: an editor while nothing is spoken, a reader with the current sentence marked and kept in view while something is.

Says what the user wants by signals and decides nothing. All indices are those of the text as a Python str.
"""

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QShowEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QTextEdit, QWidget

from pocketvoice.gui.controllers.outline import Outline, Piece
from pocketvoice.gui.main.headed_text import HeadedText
from pocketvoice.gui.main.page_look import SERIFS, Look
from pocketvoice.gui.main.paragraphs import ParagraphLayout
from pocketvoice.gui.main.utf16 import Utf16Map, utf16_map
from pocketvoice.gui.widgets import colours, theme
from pocketvoice.gui.widgets.transfer import dropped_paths
from pocketvoice.worker.messages import Span

NOTHING_TO_READ = "There is nothing to read yet: type or paste a text, or drop a document."
LOCKED = "The text can be edited again when the speech has stopped: press Esc."

_READ = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
_EDIT = Qt.TextInteractionFlag.TextEditorInteraction
_SCROLL_KEYS = {
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
}
_LOWEST_END = 0.85  # of the view's height: where a sentence that is in view ends at the lowest
_AIM = 0.25  # of the view's height: where a sentence begins after it was scrolled into view
_HINT_LETTERS = 48
_MARGIN = 22  # pixels


class Reader(QPlainTextEdit):
    """Shows the text, as an editor or as a reader (`set_speaking`)."""

    seek_wanted = Signal(int)  # index of the text
    pause_wanted = Signal()
    edit_refused = Signal()
    files_dropped = Signal(list)  # of paths (str)
    follow_changed = Signal(bool)
    outline_changed = Signal()  # another text is there, with chapters or without

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context_actions: list[QAction] = []  # above the usual ones
        self._speaking = False
        self._follows = True
        self._span: Span | None = None
        self._look = Look()
        self._text: str | None = ""  # what stands in it; None when it must be asked for again
        document = QTextDocument(self)
        self._layout = ParagraphLayout(document)
        document.setDocumentLayout(self._layout)
        self.setDocument(document)
        self._headed = HeadedText(document)
        self.textChanged.connect(self._on_text_changed)
        self._was_shown = False
        self._shown = QTimer(self)  # when it was laid out
        self._shown.setSingleShot(True)
        self._shown.setInterval(0)
        self._shown.timeout.connect(self._show_caret)
        self.back = QPushButton("Back to the spoken sentence", self)
        self.back.setAccessibleName("Back to the spoken sentence")
        self.back.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.back.clicked.connect(self._on_back)
        self.back.hide()
        self.setAccessibleName("Text")
        self.setAccessibleDescription("The text to be read aloud. While it is spoken it can't be edited.")
        self.setPlaceholderText("Type or paste a text here, or drop a document. Ctrl+Enter reads it aloud.")
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # long words are broken
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.document().setDocumentMargin(_MARGIN)
        self.setBackgroundRole(QPalette.ColorRole.Base)  # of the margins
        self.setAutoFillBackground(True)
        self.verticalScrollBar().setAccessibleName("Scroll the text")
        self.verticalScrollBar().actionTriggered.connect(self._on_scrolled_by_hand)

    # ------------------------------------------------------------ the text

    def text(self) -> str:
        """The whole text. It is asked for twenty times a second while speaking, so it is kept."""
        if self._text is None:
            self._text = self.toPlainText()
        return self._text

    def set_text(self, text: str, outline: Outline | None = None) -> None:
        """Replaces the text; undo brings the old one back. With an `outline` it is that of a document."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        cursor.setBlockFormat(QTextBlockFormat())  # a heading's would be that of all lines
        cursor.insertText(text, QTextCharFormat())
        cursor.endEditBlock()
        self._headed.begin()
        if outline is not None and outline.title:
            self._headed.set_headings(outline.headings, self._map())
            self._headed.set_outline(outline, self._map())
        self.set_caret(0)
        self.outline_changed.emit()

    def restore_text(self, text: str, outline: Outline) -> None:
        """The text of the last time: there is none before it to which undo would lead."""
        self.set_text(text, outline)
        self.document().clearUndoRedoStacks()

    def append(self, piece: Piece) -> None:
        """Puts more text of a document below what is there; cursor and place stay."""
        before = self.textCursor()
        before.setKeepPositionOnInsert(True)
        self._headed.append(piece)
        if self.textCursor().position() != before.position():  # it stood at the end, and went along
            before.setKeepPositionOnInsert(False)
            self.setTextCursor(before)

    def set_outline(self, outline: Outline) -> None:
        """All of a document is there, and this is known of it: unless it was changed meanwhile."""
        if len(self.text()) == self._headed.length:
            self._headed.set_outline(outline, self._map())
        self.outline_changed.emit()

    def outline(self) -> Outline:
        """What is known of the text, with the places of now; nothing of a text that was typed."""
        return self._headed.outline(self.text(), self._map())

    def caret(self) -> int:
        """The index at which the cursor stands."""
        return self._map().to_text(self.textCursor().position())

    def set_caret(self, index: int, *, on_top: bool = False) -> None:
        """Puts the cursor at an index, and scrolls to it: so far that it is in view, or `on_top`."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._map().to_qt(index))
        self.setTextCursor(cursor)
        if on_top:
            self.verticalScrollBar().setValue(self._line(index))
        else:
            self._bring_into_view((index, index))

    def selection(self) -> Span | None:
        """The span that is selected; None if nothing is."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return None
        positions = self._map()
        return positions.to_text(cursor.selectionStart()), positions.to_text(cursor.selectionEnd())

    def selected_or_all(self) -> str:
        """The selected text; the whole one if nothing is selected."""
        selection = self.selection()
        return self.text()[slice(*selection)] if selection is not None else self.text()

    def words_at(self, share: float) -> str:
        """A few words of the text, those at a share of it (0 to 1) first."""
        text = self.text()
        at = min(round(share * len(text)), max(len(text) - 1, 0))
        start = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
        start = start if at - start < _HINT_LETTERS else at
        words = " ".join(text[start : start + 2 * _HINT_LETTERS].split())
        return words if len(words) <= _HINT_LETTERS else words[:_HINT_LETTERS].rpartition(" ")[0] + "…"

    def set_look(self, look: Look) -> None:
        """Sets letters, lines and colours of the page; what stood on top, or is being heard, stays in view."""
        place = self._top()
        self._look = look
        font = QFont()  # what is not set here is the window's
        font.setPointSize(look.points)
        if look.font == "serif":
            font.setFamilies(SERIFS)
            font.setStyleHint(QFont.StyleHint.Serif)
        self.setFont(font)
        self.setPalette(theme.page(look.colours))
        self._layout.set_line_percent(look.line_percent)
        self._set_margins()
        if self._span is not None and self._follows:
            self._bring_into_view(self._span)
        elif self.isVisible():
            self.verticalScrollBar().setValue(self._line(place))

    def _top(self) -> int:
        """The index at which the first line in view begins."""
        below = 2 if self.verticalScrollBar().value() else _MARGIN
        return self._map().to_text(self.cursorForPosition(QPoint(0, below)).position())

    # ------------------------------------------------------------ the speech

    def set_speaking(self, speaking: bool) -> None:
        """Makes it a reader that can't be edited, and follows the speech; or an editor again."""
        if speaking == self._speaking:
            return
        self._speaking = speaking
        self.setTextInteractionFlags(_READ if speaking else _EDIT)
        self._show_back()
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        if speaking:
            self.set_follows(True)

    @property
    def follows(self) -> bool:
        """Whether the sentence being heard is kept in view."""
        return self._follows

    def set_follows(self, follows: bool) -> None:
        """Keeps the sentence being heard in view, or leaves the scrolling to the user."""
        changed = follows != self._follows
        self._follows = follows
        self._show_back()
        if follows and self._span is not None:
            self._bring_into_view(self._span)
        if changed:
            self.follow_changed.emit(follows)

    def _show_back(self) -> None:
        """The button that leads back, in the lower right corner, while the user looks elsewhere."""
        self.back.setVisible(self._speaking and not self._follows)
        if self.back.isVisible():
            self.back.setFont(QApplication.font())  # not the large one of the text
            self.back.adjustSize()
            corner = self.viewport().geometry().bottomRight()
            self.back.move(
                corner - QPoint(self.back.width() + _MARGIN // 2, self.back.height() + _MARGIN // 2)
            )

    def show_span(self, span: Span | None) -> None:
        """Marks the sentence being heard; None marks nothing."""
        if span == self._span:
            return
        self._span = span
        self._mark()
        if span is not None and self._follows:
            self._bring_into_view(span)

    # ------------------------------------------------------------ marking and scrolling

    def _map(self) -> Utf16Map:
        return utf16_map(self.text())

    def _mark(self) -> None:
        if self._span is None:
            self.setExtraSelections([])
            return
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        positions = self._map()
        cursor.setPosition(positions.to_qt(self._span[0]))
        cursor.setPosition(positions.to_qt(self._span[1]), QTextCursor.MoveMode.KeepAnchor)
        # The stubs declare these attributes as read from C++ only.
        selection.cursor = cursor  # type: ignore[misc, unused-ignore]
        selection.format.setBackground(colours.sentence(self.palette()))  # type: ignore[attr-defined, unused-ignore]
        self.setExtraSelections([selection])
        self.viewport().update()  # Qt updates the letters alone

    def paintEvent(self, event: QPaintEvent) -> None:
        """The mark fills the space between its lines too."""
        if self._span is not None:
            painter = QPainter(self.viewport())
            for rect in self._mark_rects(self._span):
                painter.fillRect(rect, colours.sentence(self.palette()))
            painter.end()
        super().paintEvent(event)

    def _mark_rects(self, span: Span) -> list[QRectF]:
        """Of the lines in view, in pixels of the viewport."""
        positions = self._map()
        start, end = positions.to_qt(span[0]), positions.to_qt(span[1])
        found: list[QRectF] = []
        block, height = self.firstVisibleBlock(), self.viewport().height()
        while block.isValid() and block.position() < end:
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > height:
                break
            if start < block.position() + block.length():
                lines = self._layout.line_rects(block, start - block.position(), end - block.position())
                found += [rect.translated(place.topLeft()) for rect in lines]
            block = block.next()
        return found

    def _bring_into_view(self, span: Span) -> None:
        """Scrolls by lines. How many lines a paragraph has is known only once it was near: hence more than once.

        (`cursorRect` would be simpler, but is wrong for places far from the visible ones.)
        """
        bar = self.verticalScrollBar()
        line = self.fontMetrics().lineSpacing() * self._look.line_percent / 100
        rows = max(1, int(self.viewport().height() / line))
        for _ in range(3):
            top, bottom = self._line(span[0]) - bar.value(), self._line(span[1]) - bar.value()
            fits = top >= min(1, bar.value()) and bottom < _LOWEST_END * rows
            if fits or 0 < top <= _AIM * rows:
                return
            before = bar.value()
            bar.setValue(before + top - int(_AIM * rows))
            if bar.value() == before:
                return

    def _line(self, index: int) -> int:
        """The number of the line on which a character stands, counted as the scroll bar does."""
        position = self._map().to_qt(index)
        block = self.document().findBlock(position)
        line = block.layout().lineForTextPosition(position - block.position())
        return block.firstLineNumber() + (line.lineNumber() if line.isValid() else 0)

    def _set_margins(self) -> None:
        widest = self._look.line_letters * self.fontMetrics().averageCharWidth() + 2 * _MARGIN
        side = max(0, (self.width() - widest) // 2)
        if self.viewportMargins().left() != side:
            self.setViewportMargins(side, 0, max(0, side - self.verticalScrollBar().sizeHint().width()), 0)

    def _on_back(self) -> None:
        self.set_follows(True)
        self.setFocus()

    def _on_text_changed(self) -> None:
        self._text = None

    def _on_scrolled_by_hand(self, action: int) -> None:
        if self._speaking:
            self.set_follows(False)

    # ------------------------------------------------------------ events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """While speaking Space pauses, keys that scroll suspend following, and typing is refused."""
        if not self._speaking:
            super().keyPressEvent(event)
            return
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if plain and event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self.pause_wanted.emit()
            return
        if event.key() in _SCROLL_KEYS:
            self.set_follows(False)
        elif plain and (event.text().isprintable() and event.text()):
            self.edit_refused.emit()
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """While speaking Ctrl+click goes to the sentence there."""
        if self._speaking and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._seek(event.position().toPoint())
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """While speaking a double click goes to the sentence there; else it selects a word."""
        if self._speaking:
            self._seek(event.position().toPoint())
            return
        super().mouseDoubleClickEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """What is left off where is known before there is a window: it is scrolled to when there is one."""
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self._shown.start()

    def _show_caret(self) -> None:
        if not self._speaking:
            caret = self.caret()
            self._bring_into_view((caret, caret))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Opens the usual menu with `context_actions` on top; they are about the selection, or the word that was clicked."""
        if not self.textCursor().hasSelection():
            self.setTextCursor(self.cursorForPosition(event.pos()))
        menu = self.createStandardContextMenu()
        first = next(iter(menu.actions()), None)
        if first is not None:
            menu.insertActions(first, self.context_actions)
            menu.insertSeparator(first)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        """Makes the mark anew in other colours, and the column of text for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._mark()
        elif event.type() == QEvent.Type.FontChange:
            self._set_margins()

    def event(self, event: QEvent) -> bool:
        """Lines no longer than is good to read: the rest is margin, set before the text is laid out in what is left."""
        if event.type() != QEvent.Type.Resize:
            return super().event(event)
        self._set_margins()
        done = super().event(event)
        self._show_back()
        return done

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files are taken always, text while it can be edited."""
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Takes the same as on entering."""
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Emits dropped files; inserts dropped text."""
        paths = dropped_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)
        else:
            super().dropEvent(event)

    def _seek(self, point: QPoint) -> None:
        self.set_follows(True)
        self.seek_wanted.emit(self._map().to_text(self.cursorForPosition(point).position()))
