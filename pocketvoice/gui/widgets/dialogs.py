"""What dialogs are made with, file dialogs, and the details of a message. No dialog blocks: it is opened and left alone."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, QStandardPaths, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.audio.sound_kinds import SoundKind
from pocketvoice.gui.controllers.messages import Message
from pocketvoice.gui.controllers.sound_files import format_of


def file_dialog(window: QWidget, title: str, folder: str, *, saves: bool = False) -> QFileDialog:
    """A file dialog to be opened; it answers by `fileSelected`. With no folder, or one that is gone, it shows the user's own."""
    dialog = QFileDialog(window, title, folder_to_show(folder))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave if saves else QFileDialog.AcceptMode.AcceptOpen)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile if saves else QFileDialog.FileMode.ExistingFile)
    dialog.finished.connect(dialog.deleteLater)
    return dialog


def save_dialog(
    window: QWidget, title: str, folder: str, name: str, kinds: Sequence[SoundKind]
) -> QFileDialog:
    """A file dialog that asks where to save a sound; the name's suffix follows the chosen kind of file."""
    dialog = file_dialog(window, title, folder, saves=True)
    dialog.setNameFilters([f"{kind.title} (*{kind.suffix})" for kind in kinds])

    def on_filter(chosen: str) -> None:
        suffix = chosen.rpartition("*")[2].rstrip(")")
        dialog.setDefaultSuffix(suffix)
        for path in dialog.selectedFiles()[:1]:
            stem = Path(path).stem if format_of(path) else Path(path).name
            dialog.selectFile(stem + suffix)

    dialog.setDefaultSuffix(kinds[0].suffix)
    dialog.selectFile(name + kinds[0].suffix)
    dialog.filterSelected.connect(on_filter)
    return dialog


def folder_to_show(folder: str) -> str:
    """That folder; the user's own in place of none, or of one that is gone."""
    if folder and Path(folder).is_dir():
        return folder
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return documents if Path(documents).is_dir() else str(Path.home())


def roomy(item: QTreeWidgetItem, view: QTreeWidget) -> QTreeWidgetItem:
    """The same row, higher than its words need."""
    item.setSizeHint(item.columnCount() - 1, QSize(0, round(1.6 * view.fontMetrics().height())))
    return item


def fitting(size: QSize, parent: QWidget | None) -> QSize:
    """`size`, or less so that a dialog of it leaves a margin of the window below."""
    return size if parent is None else size.boundedTo(parent.size() * 0.94)


class DetailsDialog(QDialog):
    """Shows a message with its detail, to be copied into a report."""

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        prepare(self, "Details")
        sentence = QLabel(message.text)
        sentence.setWordWrap(True)
        self.text = QPlainTextEdit(message.detail)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("Details")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons = close_buttons(self)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setAccessibleName("Copy the details")
        copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(f"{message.text}\n\n{message.detail}")
        )
        arrange(self, sentence, self.text, buttons)
        self.resize(40 * self.fontMetrics().height(), 22 * self.fontMetrics().height())


def prepare(dialog: QDialog, title: str) -> None:
    """Gives a dialog its title; it is deleted when it is closed."""
    dialog.setWindowTitle(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


def close_buttons(dialog: QDialog) -> QDialogButtonBox:
    """A row with a Close button that closes the dialog."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.button(QDialogButtonBox.StandardButton.Close).setAccessibleName("Close")
    buttons.rejected.connect(dialog.reject)
    return buttons


def arrange(dialog: QDialog, *widgets: QWidget) -> None:
    """Puts the widgets below each other."""
    layout = QVBoxLayout(dialog)
    layout.setSpacing(12)
    for widget in widgets:
        layout.addWidget(widget)
