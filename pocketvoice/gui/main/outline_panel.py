"""The chapters of the document beside its text: which one is being read, and a way to each. Shows them, says what was chosen."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from pocketvoice.gui.controllers.outline import Chapter
from pocketvoice.gui.widgets import colours

_INDENT = "    "
_DEEPEST = 4


class OutlinePanel(QWidget):
    """A list of chapters; hidden where there are none."""

    chapter_wanted = Signal(int)  # its number

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marked = -1
        self.title = QLabel("Contents")
        self.title.setContentsMargins(11, 10, 8, 4)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.list = QListWidget()
        self.list.setAccessibleName("Chapters")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.verticalScrollBar().setAccessibleName("Scroll the chapters")
        self.list.itemClicked.connect(self._on_item)
        self.list.itemActivated.connect(self._on_item)
        self._colour()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.list, 1)
        self.setMinimumWidth(10 * self.fontMetrics().height())

    def sizeHint(self) -> QSize:
        """Wide enough for most titles."""
        return QSize(16 * self.fontMetrics().height(), super().sizeHint().height())

    def show_chapters(self, chapters: Sequence[Chapter]) -> None:
        """Lists the chapters, those of a lower level further in."""
        self._marked = -1
        self.list.clear()
        highest = min((chapter.level for chapter in chapters), default=1)
        height = round(1.7 * self.fontMetrics().height())
        for chapter in chapters:
            indent = _INDENT * min(chapter.level - highest, _DEEPEST)
            item = QListWidgetItem(f"  {indent}{chapter.title}")
            item.setToolTip(chapter.title)
            item.setSizeHint(QSize(0, height))
            self.list.addItem(item)

    def mark(self, number: int) -> None:
        """Shows which chapter is being read; -1 is none."""
        if number == self._marked:
            return
        self._marked = number
        self.list.setCurrentRow(number)
        if number >= 0:
            self.list.scrollToItem(self.list.item(number))

    def changeEvent(self, event: QEvent) -> None:
        """Colours the list anew when the palette of the program has changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        """The chapter being read has the colour of the sentence being heard."""
        base = self.palette()
        palette = QPalette(base)
        palette.setColor(QPalette.ColorRole.Base, base.color(QPalette.ColorRole.Window))
        palette.setColor(QPalette.ColorRole.Highlight, colours.sentence(base))
        palette.setColor(QPalette.ColorRole.HighlightedText, base.color(QPalette.ColorRole.WindowText))
        self.list.setPalette(palette)

    def _on_item(self, item: QListWidgetItem) -> None:
        self.chapter_wanted.emit(self.list.row(item))
