"""What stands in the reader while there is nothing to read: ways to a text, and the texts and documents of the last times.

Shows what there is, says what was chosen; typing goes on in the reader all the while.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.controllers.text_store import KeptText
from pocketvoice.gui.widgets import colours

_MOST = 6
_TITLE_LETTERS = 56
_MARGIN = 22  # pixels: that of the text


class StartPage(QWidget):
    """Lies over an empty reader."""

    open_wanted = Signal()
    paste_wanted = Signal()
    sample_wanted = Signal()
    recent_wanted = Signal(object)  # KeptText

    def __init__(self, reader: QAbstractScrollArea, recent: Callable[[], Sequence[KeptText]]) -> None:
        """`recent` gives the texts to offer, the newest first."""
        super().__init__(reader)
        self._reader = reader
        self._recent = recent
        self._offered: list[QPushButton] = []
        self._ways = QHBoxLayout()
        self._ways.setSpacing(8)
        for title, sentence, signal in (
            ("Open a document…", "A book, a paper, a web page, a mail", self.open_wanted),
            ("Paste", "The text on the clipboard", self.paste_wanted),
            ("Read a sample", "Hear how it sounds", self.sample_wanted),
        ):
            self._ways.addWidget(self._button(title, sentence, signal.emit))
        self._ways.addStretch(1)
        self.heading = QLabel("Go on with")
        self.rows = QVBoxLayout()
        self.rows.setSpacing(0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(self._ways)
        layout.addSpacing(12)
        layout.addWidget(self.heading)
        layout.addLayout(self.rows)
        reader.installEventFilter(self)
        self.hide()

    def show_for(self, is_empty: bool) -> None:
        """Shows it over an empty reader, with the recent texts of now; hides it else."""
        if is_empty and not self.isVisible():
            self._fill()
            self._place()
        self.setVisible(is_empty)

    def titles(self) -> list[str]:
        """What is offered to go on with."""
        return [button.text() for button in self._offered]

    def _fill(self) -> None:
        for old in self._offered:
            self.rows.removeWidget(old)
            old.deleteLater()
        self._offered = []
        texts = list(self._recent())[:_MOST]
        for text in texts:
            button = self._button(
                _title(text).replace("&", "&&"), text.title, partial(self.recent_wanted.emit, text)
            )
            button.setFlat(True)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setStyleSheet("text-align: left; padding: 5px 0px;")
            self._offered.append(button)
            self.rows.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.heading.setVisible(bool(texts))
        self._colour_heading()

    def _colour_heading(self) -> None:
        palette = self.heading.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colours.quiet_text(self._reader.palette()))
        self.heading.setPalette(palette)

    def _button(self, title: str, sentence: str, slot: Callable[[], object]) -> QPushButton:
        button = QPushButton(title)
        button.setAccessibleName(title)
        button.setToolTip(sentence)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: slot())
        return button

    def _place(self) -> None:
        """Below the first line of the text, where that begins."""
        reader = self._reader
        self.setFont(QApplication.font())  # not the large one of the text
        left = reader.viewport().x() + _MARGIN
        top = _MARGIN + 2 * reader.fontMetrics().lineSpacing()
        width = max(reader.width() - left - _MARGIN, 1)
        self.setGeometry(left, top, width, min(self.sizeHint().height(), max(reader.height() - top, 1)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keeps its place when the reader has another size or other letters, and takes on its colours."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange) and self.isVisible():
            self._place()
        elif event.type() == QEvent.Type.PaletteChange:
            self._colour_heading()
        return super().eventFilter(watched, event)


def _title(text: KeptText) -> str:
    """The text, and how far it was read."""
    short = text.title if len(text.title) <= _TITLE_LETTERS else text.title[:_TITLE_LETTERS].rstrip() + "…"
    percent = round(100 * text.place / text.length) if text.length else 0
    return f"{short}   ·   {percent} %" if percent else short
