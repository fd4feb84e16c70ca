"""The last page: the voice speaks a sentence, up to three times, and one take is chosen. Main thread only."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.voices.new.view import MOST_TAKES, NewVoiceView
from pocketvoice.gui.widgets.icons import icon

_HINT = (
    "The same voice says a sentence a little differently each time. Keep the take that sounds most like you."
)


class HearPage(QWidget):
    """Shows the sentence and its takes."""

    take_wanted = Signal(str)  # the sentence
    take_chosen = Signal(int)
    play_wanted = Signal(int)
    sentence_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = QPlainTextEdit()
        self.sentence.setTabChangesFocus(True)
        self.sentence.setAccessibleName("Sentence to speak")
        self.sentence.verticalScrollBar().setAccessibleName("Scroll the sentence")
        self.sentence.setFixedHeight(5 * self.fontMetrics().height())
        self.sentence.textChanged.connect(lambda: self.sentence_changed.emit(self.text()))
        self.another = QPushButton()
        self.another.setAutoDefault(False)
        self.another.clicked.connect(lambda: self.take_wanted.emit(self.text()))
        self.choices = QButtonGroup(self)
        self.radios: list[QRadioButton] = []
        self.plays: list[QPushButton] = []
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.told = QLabel()
        self.told.setWordWrap(True)
        self.told.setVisible(False)
        for number in range(1, MOST_TAKES + 1):
            self._add_take(number)
        self.choices.idToggled.connect(self._on_choice)
        self._arrange()

    def text(self) -> str:
        """The sentence to speak, without space around it."""
        return self.sentence.toPlainText().strip()

    def show_sentence(self, sentence: str) -> None:
        """Shows another sentence to speak."""
        if sentence != self.sentence.toPlainText():
            self.sentence.setPlainText(sentence)

    def show_note(self, sentence: str) -> None:
        """Shows a sentence about the loaded model; "" hides it."""
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))

    def show_view(self, view: NewVoiceView) -> None:
        """Shows which takes there are, and what can be done."""
        for index, (radio, play) in enumerate(zip(self.radios, self.plays, strict=True)):
            exists = index < len(view.takes)
            radio.setEnabled(exists)
            play.setEnabled(exists)
        was = self.choices.blockSignals(True)
        self.choices.setExclusive(False)
        for index, radio in enumerate(self.radios):
            radio.setChecked(index == view.take)
        self.choices.setExclusive(True)
        self.choices.blockSignals(was)
        same = not view.takes or self.text() == view.spoken
        words = "&Another take" if view.takes and same else "&Speak it"
        if not view.is_cloned:
            words = "&Make the voice"
        self.another.setText(words)
        self.another.setAccessibleName(words.replace("&", ""))
        self.told.setText(view.told)
        self.told.setVisible(bool(view.told))
        full = same and len(view.takes) >= MOST_TAKES
        self.another.setEnabled(not view.busy and not full and bool(self.text()))
        self.another.setToolTip("Three takes are there: write another sentence to hear more" if full else "")

    def show_playing(self, index: int) -> None:
        """Marks the take that is being played; -1 is none."""
        for number, play in enumerate(self.plays):
            playing = number == index
            play.setText("Stop" if playing else "Play")
            play.setAccessibleName(f"{play.text()} take {number + 1}")
            play.setIcon(icon("stop" if playing else "play"))

    def _add_take(self, number: int) -> None:
        radio = QRadioButton(f"Take &{number}")
        radio.setAccessibleName(f"Keep take {number}")
        play = QPushButton("Play")
        play.setAccessibleName(f"Play take {number}")
        play.setAutoDefault(False)
        play.clicked.connect(lambda: self.play_wanted.emit(number - 1))
        self.choices.addButton(radio, number - 1)
        self.radios.append(radio)
        self.plays.append(play)

    def _arrange(self) -> None:
        ask = QLabel("A sentence of your &choice:")
        ask.setBuddy(self.sentence)
        hint = QLabel(_HINT)
        hint.setWordWrap(True)
        takes = QGridLayout()
        takes.setHorizontalSpacing(14)
        takes.setVerticalSpacing(8)
        for row, (radio, play) in enumerate(zip(self.radios, self.plays, strict=True)):
            takes.addWidget(radio, row, 0)
            takes.addWidget(play, row, 1)
        takes.setColumnStretch(2, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.another)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(ask)
        layout.addWidget(self.sentence)
        layout.addLayout(buttons)
        layout.addSpacing(6)
        layout.addWidget(hint)
        layout.addLayout(takes)
        layout.addStretch(1)
        layout.addWidget(self.told)
        layout.addWidget(self.note)
        self.show_playing(-1)

    def _on_choice(self, index: int, chosen: bool) -> None:
        if chosen:
            self.take_chosen.emit(index)

    def changeEvent(self, event: QEvent) -> None:
        """Draws the icons again when the colours have changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "note"):
            self.show_playing(next((row for row, play in enumerate(self.plays) if play.text() == "Stop"), -1))
