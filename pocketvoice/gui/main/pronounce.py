"""The dialog for one pronunciation, and the list of all. They show and ask; what is kept is the controller's. Main thread only."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from pocketvoice.errors import InputError
from pocketvoice.gui.voices.languages import language_title
from pocketvoice.gui.widgets import dialogs
from pocketvoice.text.normalise.languages import LANGUAGES
from pocketvoice.text.normalise.rules import Match, PronunciationRule

_MATCHES = {
    Match.WORD: "the whole word",
    Match.PLAIN: "wherever it stands",
    Match.REGEX: "a regular expression",
}


class PronounceDialog(QDialog):
    """Asks how something is said."""

    hear_wanted = Signal(str)
    kept = Signal(object)  # the PronunciationRule

    def __init__(
        self,
        rule: PronunciationRule | None,
        written: str,
        voice: str,
        language: str,
        parent: QWidget | None = None,
    ) -> None:
        """Shows a rule, or a new one for what is written; `voice` and `language` are those of now ("" is unknown)."""
        super().__init__(parent)
        dialogs.prepare(self, "Pronounce as")
        self.written, self.spoken = _line("Written", written), _line("Spoken", "")
        self.spoken.setPlaceholderText("as it sounds, for example: win")
        self.match = _choice("What it is", [(title, str(match)) for match, title in _MATCHES.items()])
        names = [(language_title(code), code) for code in LANGUAGES]
        self.language = _choice("Language", [("every language", ""), *names])
        voices = dict.fromkeys(name for name in (voice, rule.voice if rule else "") if name)
        self.voice = _choice("Voice", [("every voice", ""), *((name, name) for name in voices)])
        self.case_sensitive = QCheckBox("&Capitals matter")
        self.case_sensitive.setAccessibleName("Capitals matter")
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self.save = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        self.hear = self.buttons.addButton("&Listen", QDialogButtonBox.ButtonRole.ActionRole)
        for button in self.buttons.buttons():
            button.setAccessibleName(button.text().replace("&", ""))
        self.hear.clicked.connect(lambda: self.hear_wanted.emit(self.spoken.text()))
        self.buttons.accepted.connect(self._on_save)
        self.buttons.rejected.connect(self.reject)
        self.written.textChanged.connect(self._on_changed)
        self.spoken.textChanged.connect(self._on_changed)
        self._arrange()
        self._fill(rule, language)

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("&Written", self.written)
        form.addRow("&Spoken", self.spoken)
        form.addRow("&This is", self.match)
        form.addRow("&In", self.language)
        form.addRow("&By", self.voice)
        form.addRow("", self.case_sensitive)
        inside = QWidget()
        inside.setLayout(form)
        form.setContentsMargins(0, 0, 0, 0)
        dialogs.arrange(self, inside, self.problem, self.buttons)
        self.setMinimumWidth(26 * self.fontMetrics().height())

    def _fill(self, rule: PronunciationRule | None, language: str) -> None:
        if rule is None:
            self.language.setCurrentIndex(max(0, self.language.findData(language)))
        else:
            self.written.setText(rule.written)
            self.spoken.setText(rule.spoken)
            self.case_sensitive.setChecked(rule.case_sensitive)
            for box, value in (
                (self.match, str(rule.match)),
                (self.language, rule.language),
                (self.voice, rule.voice),
            ):
                box.setCurrentIndex(max(0, box.findData(value)))
        (self.spoken if self.written.text() else self.written).setFocus()
        self._on_changed()

    def _on_changed(self) -> None:
        self.problem.hide()
        self.save.setEnabled(bool(self.written.text()))
        self.hear.setEnabled(bool(self.spoken.text().strip()))

    def _on_save(self) -> None:
        try:
            rule = PronunciationRule(
                self.written.text(),
                self.spoken.text(),
                Match(self.match.currentData()),
                self.language.currentData(),
                self.voice.currentData(),
                self.case_sensitive.isChecked(),
            )
        except InputError as error:  # a regular expression that is none
            self.problem.setText(error.message)
            self.problem.show()
            return
        self.accept()
        self.kept.emit(rule)


class PronunciationsDialog(QDialog):
    """Lists all pronunciations."""

    add_wanted = Signal()
    edit_wanted = Signal(object)  # the PronunciationRule
    remove_wanted = Signal(object)
    import_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dialogs.prepare(self, "Pronunciations")
        self.list = QTreeWidget()
        self.list.setAccessibleName("Pronunciations")
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setHeaderLabels(["Written", "Spoken", "What it is", "Language", "Voice"])
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.list.itemActivated.connect(lambda: self._with_current(self.edit_wanted.emit))
        self.list.currentItemChanged.connect(self._on_current)
        self.note = QLabel(
            "The first one that fits counts. None yet: select a word in the text and choose Pronounce as."
        )
        self.note.setWordWrap(True)
        self.buttons = dialogs.close_buttons(self)
        self.add = self._button("&Add…", self.add_wanted.emit)
        self.edit = self._button("&Edit…", lambda: self._with_current(self.edit_wanted.emit))
        self.remove = self._button("&Remove", lambda: self._with_current(self.remove_wanted.emit))
        self.take_in = self._button("&Import…", self.import_wanted.emit)
        self.hand_out = self._button("E&xport…", self.export_wanted.emit)
        dialogs.arrange(self, self.list, self.note, self.buttons)
        line = self.fontMetrics().height()
        self.resize(dialogs.fitting(QSize(46 * line, 24 * line), parent))
        self.show_rules(())

    def show_rules(self, rules: Sequence[PronunciationRule]) -> None:
        """Lists these."""
        self.list.clear()
        for rule in rules:
            language = language_title(rule.language) if rule.language else "every"
            cells = [rule.written, rule.spoken, _MATCHES[rule.match], language, rule.voice or "every"]
            item = dialogs.roomy(QTreeWidgetItem(cells), self.list)
            item.setData(0, Qt.ItemDataRole.UserRole, rule)
            self.list.addTopLevelItem(item)
        self.note.setVisible(not rules)
        self.hand_out.setEnabled(bool(rules))
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)
        self._on_current()

    def _button(self, title: str, slot: Callable[[], None]) -> QWidget:
        button = self.buttons.addButton(title, QDialogButtonBox.ButtonRole.ActionRole)
        button.setAccessibleName(title.replace("&", "").rstrip("…"))
        button.setAutoDefault(False)
        button.clicked.connect(lambda: slot())
        return button

    def _on_current(self) -> None:
        for button in (self.edit, self.remove):
            button.setEnabled(self.list.currentItem() is not None)

    def _with_current(self, slot: Callable[[PronunciationRule], None]) -> None:
        item = self.list.currentItem()
        if item is not None:
            slot(item.data(0, Qt.ItemDataRole.UserRole))


def _line(name: str, text: str) -> QLineEdit:
    line = QLineEdit(text)
    line.setAccessibleName(name)
    return line


def _choice(name: str, entries: Sequence[tuple[str, str]]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for title, value in entries:
        box.addItem(title, value)
    return box
