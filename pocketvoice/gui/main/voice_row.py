"""The row with the model and the voice, and the list of all models. Show what there is, say what was chosen."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.controllers.model_list import (
    ModelChoice,
    model_title,
    size_title,
    voice_title,
    voices_of,
)
from pocketvoice.gui.widgets import dialogs

_ALL_MODELS = "\0all models"
_OWN_MODEL = "\0own model"
_VOICE_FILE = "\0voice file"
_MOST_LETTERS = 28  # of a name: the row has to fit into a small window
_MY_VOICES, _NEW_VOICE = "\0my voices", "\0new voice"


class VoiceRow(QWidget):
    """Which model, which voice."""

    model_chosen = Signal(str)
    all_models_wanted = Signal()
    voice_chosen = Signal(str)
    voice_file_wanted = Signal()
    my_voices_wanted = Signal()
    new_voice_wanted = Signal()
    try_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: list[ModelChoice] = []
        self._language = ""
        self._voice = ""
        self.models = _combo("Language and model")
        self.models.activated.connect(self._on_model)
        self.voices = _combo("Voice")
        self.voices.activated.connect(self._on_voice)
        self.try_voice = QPushButton("Try")
        self.try_voice.setAccessibleName("Try the voice")
        self.try_voice.setToolTip("Hear a sentence in this voice")
        self.try_voice.clicked.connect(self.try_wanted)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 8, 14, 8)
        layout.addWidget(_label("&Language", self.models))
        layout.addWidget(self.models)
        layout.addSpacing(14)
        layout.addWidget(_label("Vo&ice", self.voices))
        layout.addWidget(self.voices)
        layout.addWidget(self.try_voice)
        layout.addStretch(1)

    @property
    def voice(self) -> str:
        """The chosen one."""
        return self._voice

    def show_models(self, choices: list[ModelChoice], language: str | None) -> None:
        """Lists the installed models and the one in use; None is one of the user's own."""
        self._choices, self._language = choices, language or _OWN_MODEL
        self.models.clear()
        for choice in choices:
            if choice.installed or choice.name == language:
                self.models.addItem(choice.title, choice.name)
                self.models.setItemData(
                    self.models.count() - 1, choice.about or choice.title, Qt.ItemDataRole.ToolTipRole
                )
        if self.models.findData(self._language) < 0:
            self.models.addItem(model_title(language), self._language)
        if self.models.count():
            self.models.insertSeparator(self.models.count())
        self.models.addItem("More languages and models…", _ALL_MODELS)
        self.models.setCurrentIndex(self.models.findData(self._language))

    def show_voices(self, language: str | None, voice: str, own: Sequence[tuple[str, str]] = ()) -> None:
        """Lists the voices of the user (id, name) and of a model, and the one in use."""
        self._voice = voice
        self.voices.clear()
        for key, name in own:
            short = name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1].rstrip() + "…"
            self.voices.addItem(short, key)
            self.voices.setItemData(self.voices.count() - 1, name, Qt.ItemDataRole.ToolTipRole)
        if own:
            self.voices.insertSeparator(self.voices.count())
        for name in voices_of(language):
            self.voices.addItem(voice_title(name), name)
        if voice and self.voices.findData(voice) < 0:
            self.voices.addItem(voice_title(voice), voice)
        self.voices.insertSeparator(self.voices.count())
        self.voices.addItem("From a file…", _VOICE_FILE)
        self.voices.addItem("New voice…", _NEW_VOICE)
        self.voices.addItem("My voices…", _MY_VOICES)
        self.voices.setCurrentIndex(self.voices.findData(voice) if voice else 0)

    def _on_model(self, index: int) -> None:
        name = self.models.itemData(index)
        if name == _ALL_MODELS:
            self.models.setCurrentIndex(max(self.models.findData(self._language), 0))
            self.all_models_wanted.emit()
        elif name and name != self._language:
            self.model_chosen.emit(name)

    def _on_voice(self, index: int) -> None:
        name = self.voices.itemData(index)
        errands = {
            _VOICE_FILE: self.voice_file_wanted,
            _MY_VOICES: self.my_voices_wanted,
            _NEW_VOICE: self.new_voice_wanted,
        }
        if name in errands:
            self.voices.setCurrentIndex(max(self.voices.findData(self._voice), 0))
            errands[name].emit()
        elif name and name != self._voice:
            self._voice = name
            self.voice_chosen.emit(name)


class ModelsDialog(QDialog):
    """All models; one that is not installed is downloaded when it is chosen."""

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


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    combo.setMinimumContentsLength(12)
    combo.setMaxVisibleItems(30)
    return combo


def _label(text: str, buddy: QWidget) -> QLabel:
    label = QLabel(text)
    label.setBuddy(buddy)
    return label
