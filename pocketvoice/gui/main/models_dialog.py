"""Which model: a few to choose among for each language, all of them behind a switch. Shows them, and says what was chosen."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QRadioButton,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.controllers.model_list import ModelChoice, seconds_a_minute, size_title
from pocketvoice.gui.widgets import colours, dialogs

_TIERS = ("Built in", "Small", "Good", "Best")
_TOO_SLOW_S = 50.0  # for a minute of speech: it would break off while it is heard


class ModelsDialog(QDialog):
    """Lists models; one that is not installed is downloaded when it is chosen."""

    model_chosen = Signal(str)

    def __init__(
        self,
        choices: list[ModelChoice],
        language: str,
        measured: tuple[str, float | None] = ("", None),
        parent: QWidget | None = None,
    ) -> None:
        """`language` is the model in use; `measured` a model, and how many times as fast as it is heard it speaks here."""
        super().__init__(parent)
        self.setWindowTitle("Languages and models")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._choices = {choice.name: choice for choice in choices}
        self._in_use = language
        self._measured, self._factor = self._choices.get(measured[0]), measured[1]
        self.cards: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._group.buttonToggled.connect(lambda _button, _on: self._on_current())
        self.languages = self._make_languages()
        self.list = self._make_list(choices, language)
        self.all_models = QCheckBox("&All models")
        self.all_models.setAccessibleName("All models")
        self.all_models.toggled.connect(self._show_all)
        self.note = QLabel("Models are downloaded once and then used without a network.")
        self.note.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.use = self.buttons.addButton("Use", QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        for button in self.buttons.buttons():
            button.setAccessibleName(button.text().replace("&", ""))
        self._arrange()
        line = self.fontMetrics().height()
        self.resize(dialogs.fitting(QSize(48 * line, 28 * line), parent))
        self._show_cards()
        self._show_all(self._needs_all(language))

    def selected(self) -> str:
        """The name of the model that is marked; "" without one."""
        if self._pages.currentWidget() is self.list:
            item = self.list.currentItem()
            return str(item.data(0, Qt.ItemDataRole.UserRole)) if item is not None else ""
        return next((name for name, card in self.cards.items() if card.isChecked()), "")

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        top = QHBoxLayout()
        label = QLabel("&Language")
        label.setBuddy(self.languages)
        top.addWidget(label)
        top.addWidget(self.languages)
        top.addStretch(1)
        self._top = QWidget()
        self._top.setLayout(top)
        top.setContentsMargins(0, 0, 0, 0)
        self._pages = QStackedWidget()
        self._few = QWidget()
        self._pages.addWidget(self._few)
        self._pages.addWidget(self.list)
        layout.addWidget(self._top)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self.note)
        bottom = QHBoxLayout()
        bottom.addWidget(self.all_models)
        bottom.addWidget(self.buttons, 1)
        layout.addLayout(bottom)

    # ------------------------------------------------------------ the few

    def _make_languages(self) -> QComboBox:
        result = QComboBox()
        result.setAccessibleName("Language")
        result.addItems(sorted({choice.language for choice in self._choices.values() if choice.tier}))
        used = self._choices.get(self._in_use)
        result.setCurrentText(used.language if used is not None else "English")
        result.currentTextChanged.connect(self._show_cards)
        return result

    def _show_cards(self) -> None:
        """A card for each model that people choose among, in the language of the list."""
        few = QWidget()
        layout = QGridLayout(few)
        layout.setContentsMargins(0, 8, 0, 8)
        layout.setColumnStretch(0, 1)
        self.cards = {}
        chosen = [choice for choice in self._choices.values() if self._is_offered(choice)]
        for number, choice in enumerate(sorted(chosen, key=lambda choice: _TIERS.index(choice.tier))):
            self._add_card(layout, 3 * number, choice)
        layout.setRowStretch(3 * len(chosen), 1)
        old, self._few = self._few, few
        at = self._pages.indexOf(old)
        self._pages.insertWidget(at, few)
        if self._pages.currentWidget() is old:
            self._pages.setCurrentWidget(few)
        self._pages.removeWidget(old)
        old.deleteLater()
        marked = self._in_use if self._in_use in self.cards else self._recommended()
        if marked:
            self.cards[marked].setChecked(True)
        self._on_current()

    def _is_offered(self, choice: ModelChoice) -> bool:
        return choice.tier in _TIERS and choice.language == self.languages.currentText()

    def _recommended(self) -> str:
        return next((name for name in self.cards if self._choices[name].tier == "Good"), "")

    def _add_card(self, layout: QGridLayout, row: int, choice: ModelChoice) -> None:
        card = QRadioButton(choice.tier)
        font = card.font()
        font.setBold(True)
        card.setFont(font)
        facts = " · ".join(part for part in (_where(choice), self._speed(choice)) if part)
        card.setAccessibleName(choice.tier)
        card.setAccessibleDescription(f"{facts}. {choice.sentence}")
        sentence = QLabel(choice.sentence)
        sentence.setWordWrap(True)
        sentence.setContentsMargins(2 * card.fontMetrics().height(), 0, 0, 0)
        palette = sentence.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colours.quiet_text(palette))
        sentence.setPalette(palette)
        layout.addWidget(card, row, 0)
        layout.addWidget(QLabel(facts), row, 1, Qt.AlignmentFlag.AlignRight)
        layout.addWidget(sentence, row + 1, 0, 1, 2)
        layout.setRowMinimumHeight(row + 2, card.fontMetrics().height() // 2)
        self._group.addButton(card)
        self.cards[choice.name] = card

    def _speed(self, choice: ModelChoice) -> str:
        """How fast it speaks on this computer, for people; "" if that can't be told."""
        takes_s = seconds_a_minute(choice, self._measured, self._factor)
        if takes_s is None:
            return ""
        if takes_s > _TOO_SLOW_S:
            return "too slow to listen to on this computer"
        return f"a minute of speech in about {max(1, round(takes_s))} s"

    # ------------------------------------------------------------ all of them

    def _needs_all(self, language: str) -> bool:
        """Whether the model in use is one that only the list of all has."""
        return language in self._choices and language not in self.cards

    def _show_all(self, everything: bool) -> None:
        if self.all_models.isChecked() != everything:
            self.all_models.setChecked(everything)
            return
        self._top.setVisible(not everything)
        self._pages.setCurrentWidget(self.list if everything else self._few)
        self._on_current()

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

    # ------------------------------------------------------------ choosing

    def _on_current(self) -> None:
        choice = self._choices.get(self.selected())
        self.use.setEnabled(choice is not None)
        self.use.setText("Use" if choice is None or choice.installed else "Download and use")

    def _on_accepted(self) -> None:
        name = self.selected()
        self.accept()
        if name:
            self.model_chosen.emit(name)


def _where(choice: ModelChoice) -> str:
    return "on this computer" if choice.installed else f"{size_title(choice.size_bytes)} to download"
