"""The dialogs behind the help menu: all keys, and about. They are opened and left alone."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QLabel, QTreeWidget, QTreeWidgetItem, QWidget

from pocketvoice import __version__
from pocketvoice.gui.main.keys import help_rows
from pocketvoice.gui.widgets.dialogs import arrange, close_buttons, fitting, prepare, roomy
from pocketvoice.gui.widgets.icons import application_icon


class HelpDialog(QDialog):
    """Lists all keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        prepare(self, "Keys")
        self.list = QTreeWidget()
        self.list.setAccessibleName("Keys")
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setHeaderLabels(["Keys", "What they do"])
        for keys, sentence in help_rows():
            self.list.addTopLevelItem(roomy(QTreeWidgetItem([_native(keys), sentence]), self.list))
        self.list.resizeColumnToContents(0)
        self.list.setColumnWidth(0, self.list.columnWidth(0) + 2 * self.fontMetrics().height())
        rule = QLabel(
            "While something is spoken the text can't be edited, so Space pauses there. After Esc it can be edited again."
        )
        rule.setWordWrap(True)
        arrange(self, self.list, rule, close_buttons(self))
        line = self.fontMetrics().height()
        self.resize(fitting(QSize(42 * line, 44 * line), parent))


class AboutDialog(QDialog):
    """Says what this program is, which version, and with which model it speaks."""

    def __init__(self, parent: QWidget | None = None, model: str = "") -> None:
        super().__init__(parent)
        prepare(self, "About Pocket Voice")
        sign = QLabel()
        side = 4 * self.fontMetrics().height()
        sign.setPixmap(application_icon().pixmap(side, side))
        sign.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        words = QLabel(
            f"<h3>Pocket Voice {__version__}</h3><p>Reads any text aloud in a voice you choose,<br>"
            "on your own computer, without a network.</p><p>Clone only your own voice, or one whose owner has agreed.</p>"
        )
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.model = QLabel(model)
        self.model.setTextFormat(Qt.TextFormat.PlainText)
        self.model.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        arrange(self, sign, words, self.model, close_buttons(self))


def _native(keys: str) -> str:
    """ "Ctrl+O" as this system writes it; words stay."""
    sequence = QKeySequence(keys)
    if " " in keys or sequence.isEmpty():
        return keys
    return sequence.toString(QKeySequence.SequenceFormat.NativeText) or keys
