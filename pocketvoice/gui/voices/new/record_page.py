"""The first page: a text is read into the microphone, or a recording is brought in. Shows a `MicrophoneRecording`.

Main thread only.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.languages import language_title
from pocketvoice.gui.voices.library_model import on_thread
from pocketvoice.gui.voices.new.record_meter import RecordMeter, SpeechGauge
from pocketvoice.gui.voices.new.recording import MicrophoneRecording, RecordPhase, RecordView
from pocketvoice.gui.widgets.announce import announce
from pocketvoice.gui.widgets.icons import icon
from pocketvoice.voices import reading_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocketvoice.audio.recorder import Microphone

_ADVICE = "Sit in a quiet room, a hand's width from the microphone, and read as you would to a friend."
_LOOK_AGAIN = "look again"
_LABELS = {
    RecordPhase.EMPTY: "Record",
    RecordPhase.OPENING: "Pause",
    RecordPhase.RECORDING: "Pause",
    RecordPhase.ENDING: "Go on",
    RecordPhase.PAUSED: "Go on",
}


class RecordPage(QWidget):
    """Shows the text to read, the microphones, the level, and how much speech there is."""

    file_wanted = Signal()
    language_chosen = Signal(str)  # code
    microphones_failed = Signal(object)  # PocketVoiceError

    def __init__(
        self,
        recording: MicrophoneRecording,
        tasks: Tasks,
        parent: QWidget | None = None,
        *,
        find_microphones: "Callable[[], list[Microphone]] | None" = None,
    ) -> None:
        """`find_microphones` is called on a thread: it may wait for the sound system."""
        from pocketvoice.audio import recorder

        super().__init__(parent)
        self._find_microphones = find_microphones or recorder.microphones
        self._recording = recording
        self._tasks = tasks
        self._texts: list[reading_texts.ReadingText] = []
        self._number = 0  # of the text that is shown
        self._hint = ""
        self._was_listed = False
        self.wanted_microphone = ""
        """Title of the microphone that is chosen when the list has come, if it is there."""
        self._wanted_s = recorder.WANTED_S
        self.languages = _combo("Language you read in")
        self.microphones = _combo("Microphone")
        self.text = QPlainTextEdit()
        self.other_text = QPushButton("Another &text")
        self.meter = RecordMeter(recorder.TARGET_DBFS)
        self.level_words = QLabel()
        self.gauge = SpeechGauge(recorder.WANTED_S, recorder.MOST_SPEECH_S)
        self.speech_words = QLabel()
        self.record = QPushButton()
        self.again = QPushButton("&Begin again")
        self.file = QPushButton("Use a &file…")
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.hide()
        self._set_up_controls()
        self._arrange()
        self._connect()
        self._show(recording.view)

    # ------------------------------------------------------------ for the dialog

    def show_language(self, code: str) -> None:
        """Chooses a language, and shows a text in it."""
        index = self.languages.findData(code)
        self.languages.setCurrentIndex(max(index, 0))
        self._on_language()

    def list_microphones(self) -> None:
        """Fills the list of microphones; emits `microphones_failed` if that can't be done."""
        self._tasks.start(self._list_microphones())

    def show_note(self, sentence: str) -> None:
        """Shows a sentence about the loaded model; "" hides it."""
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))

    @property
    def microphone_title(self) -> str:
        """Title of the chosen microphone, for the settings; "" is the system's default."""
        return self.microphones.currentText() if self.microphone() is not None else ""

    def microphone(self) -> "Microphone | None":
        """The chosen microphone; None is the system's default."""
        chosen = self.microphones.currentData()
        return None if chosen == _LOOK_AGAIN else chosen

    # ------------------------------------------------------------ controls

    def _set_up_controls(self) -> None:
        for code in reading_texts.languages():
            self.languages.addItem(language_title(code), code)
        self.microphones.addItem("System default", None)
        self.microphones.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.microphones.setMinimumContentsLength(14)
        self.microphones.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        font = self.text.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        self.text.setFont(font)
        self.text.setReadOnly(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("Text to read aloud")
        self.text.verticalScrollBar().setAccessibleName("Scroll the text")
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.document().setDocumentMargin(16)
        self.level_words.setAccessibleName("Level in words")
        self.speech_words.setAccessibleName("Speech so far")
        self.again.setAccessibleName("Begin again")
        self.again.setToolTip("Forget what was recorded")
        self.file.setAccessibleName("Use a file")
        self.file.setToolTip("Make the voice from a sound or video file; dropping it here does the same")
        self.other_text.setAccessibleName("Another text")
        for button in (self.record, self.again, self.file, self.other_text):
            button.setAutoDefault(False)
        self._show_icon()

    def _arrange(self) -> None:
        advice = QLabel(_ADVICE)
        advice.setWordWrap(True)
        choices = QHBoxLayout()
        choices.addWidget(_label("&Language", self.languages))
        choices.addWidget(self.languages)
        choices.addSpacing(14)
        choices.addWidget(_label("&Microphone", self.microphones))
        choices.addWidget(self.microphones, 1)
        gauges = QGridLayout()
        gauges.setHorizontalSpacing(12)
        gauges.setVerticalSpacing(8)
        for row, (title, gauge, words) in enumerate(
            (("Level", self.meter, self.level_words), ("Speech", self.gauge, self.speech_words))
        ):
            words.setWordWrap(True)
            gauges.addWidget(QLabel(title), row, 0)
            gauges.addWidget(gauge, row, 1)
            gauges.addWidget(words, row, 2)
        gauges.setColumnStretch(1, 3)
        gauges.setColumnStretch(2, 4)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        line = self.fontMetrics().height()
        self.record.setMinimumSize(8 * line, round(2.1 * line))
        buttons.addWidget(self.record)
        buttons.addWidget(self.again)
        buttons.addWidget(self.other_text)
        buttons.addStretch(1)
        buttons.addWidget(self.file)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(choices)
        layout.addWidget(advice)
        layout.addWidget(self.note)
        layout.addWidget(self.text, 1)
        layout.addLayout(gauges)
        layout.addLayout(buttons)

    def _connect(self) -> None:
        self._recording.changed.connect(self._show)
        self.record.clicked.connect(self._on_record)
        self.again.clicked.connect(self._recording.clear)
        self.file.clicked.connect(self.file_wanted)
        self.other_text.clicked.connect(self._on_other_text)
        self.languages.activated.connect(self._on_language)
        self.microphones.activated.connect(self._on_microphone)

    # ------------------------------------------------------------ showing

    def _show(self, view: RecordView) -> None:
        label = _LABELS[view.phase]
        if label != self.record.text():
            self.record.setText(label)
            self.record.setAccessibleName(label)
            self._show_icon()
        self.record.setEnabled(view.phase is not RecordPhase.ENDING)
        self.again.setEnabled(view.phase is not RecordPhase.EMPTY)
        self.microphones.setEnabled(not view.is_open)
        if view.phase is RecordPhase.RECORDING:
            self.meter.set_level(view.peak_dbfs, view.rms_dbfs)
        else:
            self.meter.clear()
        self.gauge.show_seconds(view.speech_s)
        if view.hint != self._hint:
            self._hint = view.hint
            announce(self, view.hint)
        _say(self.level_words, self._level_sentence(view))
        _say(self.speech_words, self._speech_sentence(view.speech_s))

    def _level_sentence(self, view: RecordView) -> str:
        match view.phase:
            case RecordPhase.OPENING:
                return "Opening the microphone…"
            case RecordPhase.RECORDING:
                return view.hint or "Good."
            case RecordPhase.ENDING | RecordPhase.PAUSED:
                return "Paused."
        return "Press Record and begin to read."

    def _speech_sentence(self, speech_s: float) -> str:
        low, high = self._wanted_s
        so_far = f"{speech_s:.0f} s"
        if speech_s < low:
            return f"{so_far} of speech; {low:.0f} to {high:.0f} are good."
        if speech_s <= high:
            return f"{so_far} of speech: enough, press Continue."
        return f"{so_far} of speech: more than enough."

    def _show_icon(self) -> None:
        name = "pause" if self.record.text() == "Pause" else "record"
        self.record.setIcon(icon(name))

    def _on_language(self) -> None:
        code = self.languages.currentData()
        self._texts, self._number = reading_texts.reading_texts(code), 0
        self._show_text()
        self.language_chosen.emit(code)

    def _on_other_text(self) -> None:
        self._number = (self._number + 1) % len(self._texts)
        self._show_text()

    def _show_text(self) -> None:
        self.text.setPlainText(self._texts[self._number].text)
        self.other_text.setVisible(len(self._texts) > 1)

    # ------------------------------------------------------------ what the user does

    def _on_record(self) -> None:
        if self._recording.view.is_open:
            self._recording.pause()
        else:
            self._recording.start(self.microphone())

    def _on_microphone(self) -> None:
        if self.microphones.currentData() == _LOOK_AGAIN:  # one was connected just now
            self.microphones.setCurrentIndex(0)
            self.list_microphones()

    async def _list_microphones(self) -> None:
        try:
            found = await on_thread(self._find_microphones)
        except PocketVoiceError as error:
            if isValid(self):
                self.microphones_failed.emit(error)
            return
        if not isValid(self):
            return  # the dialog was closed meanwhile, and Qt has deleted the page
        chosen = self.microphones.currentText() if self._was_listed else self.wanted_microphone
        self._was_listed = True
        while self.microphones.count() > 1:
            self.microphones.removeItem(1)
        for one in found:
            title = one.name + (f" ({one.host_api})" if one.host_api else "")
            self.microphones.addItem(title, one)
            self.microphones.setItemData(self.microphones.count() - 1, title, Qt.ItemDataRole.ToolTipRole)
        self.microphones.addItem("Look again", _LOOK_AGAIN)
        self.microphones.setCurrentIndex(max(self.microphones.findText(chosen), 0))

    def changeEvent(self, event: QEvent) -> None:
        """Draws the icon again when the colours have changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "file"):
            self._show_icon()


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    return combo


def _label(text: str, buddy: QWidget) -> QLabel:
    label = QLabel(text)
    label.setBuddy(buddy)
    return label


def _say(label: QLabel, words: str) -> None:
    if words != label.text():
        label.setText(words)
