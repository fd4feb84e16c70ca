"""Asks what audiobook to make, and shows how far it is. It says what is wanted by signals; closing it stops nothing."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.book.formats import EPUB, FORMATS
from pocketvoice.gui.widgets import dialogs

_TITLE_LETTERS = 56


@dataclass(frozen=True)
class BookChoice:
    """What was chosen."""

    target: Path
    """The file, or the folder for a file a chapter."""
    suffix: str
    """Of the files, with its dot."""
    per_chapter: bool
    subtitles: bool


class BookDialog(QDialog):
    """One for the window, made when it is first wanted."""

    make_wanted = Signal(object)  # BookChoice
    stop_wanted = Signal()
    folder_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Make an audiobook")
        self.document = QLabel()
        self.document.setTextFormat(Qt.TextFormat.PlainText)
        self.voice = QLabel()
        self.voice.setTextFormat(Qt.TextFormat.PlainText)
        self.name = QLineEdit()
        self.name.setAccessibleName("Name")
        self.name.textChanged.connect(self._show_state)
        self.folder = QLineEdit()
        self.folder.setAccessibleName("Folder")
        self.folder.textChanged.connect(self._show_state)
        self.choose = QPushButton("C&hoose…")
        self.choose.setAccessibleName("Choose the folder")
        self.choose.setAutoDefault(False)
        self.choose.clicked.connect(self.folder_wanted)
        self.format = QComboBox()
        self.format.setAccessibleName("Format")
        for suffix, kind in FORMATS.items():
            self.format.addItem(kind.title, suffix)
        self.one_file = QRadioButton("&One file, with chapters")
        self.per_chapter = QRadioButton("A file for &each chapter, in a folder of that name")
        self.one_file.setChecked(True)
        self.subtitles = QCheckBox("&Times of the sentences beside it (SRT)")
        for button in (self.one_file, self.per_chapter, self.subtitles):
            button.setAccessibleName(button.text().replace("&", ""))
        self.format.currentIndexChanged.connect(self._show_state)
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Audiobook")
        self.progress.setTextVisible(False)
        self.told = QLabel()
        self.told.setWordWrap(True)
        self.buttons = QDialogButtonBox()
        self.make = self.buttons.addButton("&Make", QDialogButtonBox.ButtonRole.ActionRole)
        self.stop = self.buttons.addButton("&Stop", QDialogButtonBox.ButtonRole.ActionRole)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Close)
        for each in self.buttons.buttons():
            each.setAccessibleName(each.text().replace("&", ""))
        self.make.clicked.connect(self._on_make)
        self.stop.clicked.connect(self.stop_wanted)
        self.buttons.rejected.connect(self.close)
        self._busy = False
        self._choices = QWidget()
        self._arrange()
        self.show_busy(False)

    def _arrange(self) -> None:
        form = QFormLayout(self._choices)
        form.setContentsMargins(0, 0, 0, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        where = QHBoxLayout()
        where.addWidget(self.folder, 1)
        where.addWidget(self.choose)
        folder_label = QLabel("Fo&lder")
        folder_label.setBuddy(self.folder)
        form.addRow("Document", self.document)
        form.addRow("Voice", self.voice)
        form.addRow("&Name", self.name)
        form.addRow(folder_label, where)
        form.addRow("&Format", self.format)
        for widget in (self.one_file, self.per_chapter, self.subtitles):
            form.addRow("", widget)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        layout.addWidget(self._choices)
        layout.addStretch(1)
        layout.addWidget(self.told)
        layout.addWidget(self.progress)
        layout.addWidget(self.buttons)
        line = self.fontMetrics().height()
        self.resize(dialogs.fitting(QSize(36 * line, 22 * line), self.parentWidget()))

    def show_book(self, title: str, voice: str, name: str, folder: str) -> None:
        """What would be made; while one is being made, that stays."""
        if self._busy:
            return
        self.document.setText(
            title if len(title) <= _TITLE_LETTERS else title[:_TITLE_LETTERS].rstrip() + "…"
        )
        self.document.setToolTip(title)
        self.voice.setText(voice)
        self.name.setText(name)
        self.folder.setText(folder)
        self.told.setText("")

    def show_progress(self, sentence: str, fraction: float | None) -> None:
        """How far it is; None is not known."""
        self.show_busy(True)
        self.told.setText(sentence)
        self.progress.setRange(0, 0 if fraction is None else 1000)
        if fraction is not None:
            self.progress.setValue(round(1000 * fraction))

    def show_busy(self, busy: bool) -> None:
        """Whether a book is being made."""
        self._busy = busy
        self._choices.setEnabled(not busy)
        self.progress.setVisible(busy)
        self.stop.setVisible(busy)
        self.make.setVisible(not busy)
        if not busy:
            self.told.setText("")
        self._show_state()

    def choice(self) -> BookChoice:
        """What is chosen now."""
        suffix, name = str(self.format.currentData()), self.name.text().strip()
        per_chapter = self.per_chapter.isChecked() and self.per_chapter.isEnabled()
        folder = Path(self.folder.text().strip())
        if not per_chapter and not name.lower().endswith(suffix):
            name += suffix
        return BookChoice(folder / name, suffix, per_chapter, self.subtitles.isChecked())

    def _show_state(self) -> None:
        self.per_chapter.setEnabled(self.format.currentData() != EPUB.suffix)  # its chapters are within it
        if not self.per_chapter.isEnabled():
            self.one_file.setChecked(True)
        folder = self.folder.text().strip()
        self.make.setEnabled(bool(self.name.text().strip()) and bool(folder) and Path(folder).is_dir())

    def _on_make(self) -> None:
        self.make_wanted.emit(self.choice())
