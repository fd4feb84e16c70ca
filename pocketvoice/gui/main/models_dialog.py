"""The list of all languages and models. Shows what there is, says what was chosen."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.controllers.model_list import ModelChoice, size_title
from pocketvoice.gui.widgets import dialogs


class ModelsDialog(QDialog):
    """Lists all models; one that is not installed is downloaded when it is chosen."""

    model_chosen = Signal(str)

    def __init__(self, choices: list[ModelChoice], language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Languages and models")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._choices = {choice.name: choice for choice in choices}
        self.list = self._make_list(choices, language)
        self.note = QLabel("Models are downloaded once and then used without a network.")
        self.note.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.use = self.buttons.addButton("Use", QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        for button in self.buttons.buttons():
            button.setAccessibleName(button.text().replace("&", ""))
        layout = QVBoxLayout(self)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.note)
        layout.addWidget(self.buttons)
        line = self.fontMetrics().height()
        self.resize(dialogs.fitting(QSize(56 * line, 34 * line), parent))
        self._on_current()

    def selected(self) -> str:
        """The name of the model at the cursor; "" without one."""
        item = self.list.currentItem()
        return str(item.data(0, Qt.ItemDataRole.UserRole)) if item is not None else ""

    def _make_list(self, choices: list[ModelChoice], language: str) -> QTreeWidget:
        result = QTreeWidget()
        result.setAccessibleName("Languages and models")
        result.setRootIsDecorated(False)
        result.setAlternatingRowColors(True)
        result.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        result.setHeaderLabels(["Model", "On this computer", "About"])
        result.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        result.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        result.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        for choice in choices:
            where = "yes" if choice.installed else f"{size_title(choice.size_bytes)} to download"
            item = dialogs.roomy(QTreeWidgetItem([choice.title, where, choice.about]), result)
            item.setData(0, Qt.ItemDataRole.UserRole, choice.name)
            item.setToolTip(2, choice.about)
            result.addTopLevelItem(item)
            if choice.name == language or result.currentItem() is None:
                result.setCurrentItem(item)
        result.currentItemChanged.connect(self._on_current)
        result.itemActivated.connect(self._on_accepted)
        return result

    def _on_current(self) -> None:
        choice = self._choices.get(self.selected())
        self.use.setEnabled(choice is not None)
        self.use.setText("Use" if choice is None or choice.installed else "Download and use")

    def _on_accepted(self) -> None:
        name = self.selected()
        self.accept()
        if name:
            self.model_chosen.emit(name)
