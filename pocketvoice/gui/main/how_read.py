"""The dialog that shows how a text is read: what will be spoken, and everything that is not spoken as it is written."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from pocketvoice.gui.widgets import dialogs
from pocketvoice.text.normalise import Kind, Spoken

_MOST_ROWS = 2000


class HowReadDialog(QDialog):
    """Shows a spoken form beside the text that it was made of."""

    def __init__(self, source: str, spoken: Spoken, title: str, parent: QWidget | None = None) -> None:
        """`title` says which text it is, and in which language."""
        super().__init__(parent)
        dialogs.prepare(self, "How this is read")
        heading = QLabel(title)
        heading.setWordWrap(True)
        self.text = QPlainTextEdit(spoken.text.strip())
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("What is spoken")
        self.list = QTreeWidget()
        self.list.setAccessibleName("What is not spoken as it is written")
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setHeaderLabels(["Written", "Read as", "Taken for"])
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for cells in _rows(source, spoken):
            self.list.addTopLevelItem(dialogs.roomy(QTreeWidgetItem(cells), self.list))
        dialogs.arrange(self, heading, self.text, self.list, dialogs.close_buttons(self))
        line = self.fontMetrics().height()
        self.resize(dialogs.fitting(QSize(44 * line, 32 * line), parent))


def _rows(source: str, spoken: Spoken) -> list[list[str]]:
    """Written, read as, taken for: of each reading, and of what is left out."""
    rows = []
    for start, stop, kind in spoken.readings[:_MOST_ROWS]:
        first, last = spoken.starts[start], spoken.stops[stop - 1]
        if kind is not Kind.WORD:
            rows.append([source[first:last], spoken.text[start:stop], str(kind)])
    return [*rows, *([source[slice(*note.span)], "", note.message] for note in spoken.notes)]
