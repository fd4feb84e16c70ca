"""The row with the model, the voice and the look of the page, above the text. Shows what there is, says what was chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from pocketvoice.gui.controllers.model_list import ModelChoice, model_title, voice_title, voices_of

# Entries that are no name of a model or voice: none of these begins so.
_ALL_MODELS, _OWN_MODEL = "\0all models", "\0own model"
_VOICE_FILE, _MY_VOICES, _NEW_VOICE = "\0voice file", "\0my voices", "\0new voice"
_MOST_LETTERS = 28  # of a name: the row has to fit into a small window


class VoiceRow(QWidget):
    """Two lists: which model, which voice; and a button to try the voice."""

    model_chosen = Signal(str)
    all_models_wanted = Signal()
    voice_chosen = Signal(str)
    voice_file_wanted = Signal()
    my_voices_wanted = Signal()
    new_voice_wanted = Signal()
    try_wanted = Signal()

    def __init__(self, look: QAction, parent: QWidget | None = None) -> None:
        """`look` opens what sets letters, lines and colours of the page."""
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
        self.look = QToolButton()
        look.setIconText("Aa")
        self.look.setDefaultAction(look)
        self.look.setAutoRaise(True)
        self.look.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.look.setAccessibleName("Text and page")
        layout.addStretch(1)
        layout.addWidget(self.look)

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
        entries = {
            _VOICE_FILE: self.voice_file_wanted,
            _MY_VOICES: self.my_voices_wanted,
            _NEW_VOICE: self.new_voice_wanted,
        }
        if name in entries:
            self.voices.setCurrentIndex(max(self.voices.findData(self._voice), 0))
            entries[name].emit()
        elif name and name != self._voice:
            self._voice = name
            self.voice_chosen.emit(name)


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
