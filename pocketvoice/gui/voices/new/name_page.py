"""The third page: the voice's name, its language, and the speaker's consent. Main thread only."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.voices.languages import language_title
from pocketvoice.voices import consent, names, reading_texts


class NamePage(QWidget):
    """Asks whose voice it is, and whether the speaker agreed."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = QLineEdit()
        self.name.setMaxLength(names.MOST_CHARACTERS)
        self.name.setAccessibleName("Name of the voice")
        self.name.setPlaceholderText("Anna")
        self.name.textChanged.connect(self.changed)
        self.languages = QComboBox()
        self.languages.setAccessibleName("Language of the voice")
        for code in reading_texts.languages():
            self.languages.addItem(language_title(code), code)
        self.languages.addItem("Another language", "")
        self.languages.activated.connect(self.changed)
        self.consent = QCheckBox()
        self.consent.setAccessibleName(consent.sentence())
        self.consent.toggled.connect(self.changed)
        self.uses = QPushButton("What is not &allowed…")
        self.uses.setAccessibleName("What is not allowed")
        self.uses.setAutoDefault(False)
        self.uses.clicked.connect(lambda: ProhibitedUsesDialog(self.window()).open())
        self.note = QLabel()
        self.note.setWordWrap(True)
        self._arrange()

    def show_note(self, sentence: str) -> None:
        """Shows a sentence about the loaded model; "" hides it."""
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))

    def show_values(self, name: str, language: str, consented: bool) -> None:
        """Fills in what was chosen before."""
        self.name.setText(name)
        self.languages.setCurrentIndex(max(0, self.languages.findData(language)))
        self.consent.setChecked(consented)

    @property
    def is_complete(self) -> bool:
        """Whether there is a name, and consent."""
        return bool(self.name.text().strip()) and self.consent.isChecked()

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(10)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("&Name", self.name)
        form.addRow("&Language", self.languages)
        words = QLabel(consent.sentence())  # a check box can't wrap its own
        words.setWordWrap(True)
        words.setBuddy(self.consent)
        agree = QHBoxLayout()
        agree.setSpacing(8)
        agree.addWidget(self.consent, 0, Qt.AlignmentFlag.AlignTop)
        agree.addWidget(words, 1)
        promise = QLabel("What you agree to is kept with the voice, and goes with it when you hand it on.")
        promise.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(14)
        layout.addLayout(form)
        layout.addSpacing(6)
        layout.addLayout(agree)
        layout.addWidget(promise)
        layout.addWidget(self.uses, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        layout.addWidget(self.note)
        words.mousePressEvent = lambda event: self.consent.toggle()  # type: ignore[method-assign]


class ProhibitedUsesDialog(QDialog):
    """Lists what the models must not be used for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("What is not allowed")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rule, *uses = consent.prohibited_uses()
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        for words in (rule, "Among others, this is forbidden:", *(f"•  {use}" for use in uses)):
            label = QLabel(words)
            label.setWordWrap(True)
            label.setMinimumWidth(30 * self.fontMetrics().height())
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            layout.addWidget(label)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAccessibleName("Close")
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
