"""The frame of the dialog in which a voice is made: its pages, one at a time, and what stands around them. Widgets alone.

What the steps do is in `voices_dialog`. Main thread only.
"""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.voices.new.hear_page import HearPage
from pocketvoice.gui.voices.new.name_page import NamePage
from pocketvoice.gui.voices.new.part_page import PartPage
from pocketvoice.gui.voices.new.record_page import RecordPage
from pocketvoice.gui.voices.new.recording import MicrophoneRecording
from pocketvoice.gui.voices.new.session import NewVoiceSession
from pocketvoice.gui.voices.new.terms_page import TermsPage
from pocketvoice.gui.voices.preview import VoicePreview
from pocketvoice.gui.widgets import dialogs
from pocketvoice.gui.widgets.announce import announce
from pocketvoice.gui.widgets.bars import MessageBar, ProgressRow
from pocketvoice.gui.widgets.transfer import dropped_paths

if TYPE_CHECKING:
    from pocketvoice.gui.controllers.worker import Worker

_SIZE = QSize(760, 590)


class Step(enum.IntEnum):
    """The pages, in order."""

    TERMS = 0
    RECORD = 1
    PART = 2
    NAME = 3
    HEAR = 4


_TITLES = {
    Step.TERMS: "Before you begin",
    Step.RECORD: "Step 1 of 4: read aloud",
    Step.PART: "Step 2 of 4: choose the part",
    Step.NAME: "Step 3 of 4: whose voice is it?",
    Step.HEAR: "Step 4 of 4: listen",
}


@dataclass(frozen=True)
class NewVoiceServices:
    """What the dialog works with."""

    client: "Worker"
    shelf: LibraryModel
    models: ModelController
    tasks: Tasks


class NewVoiceLayout(QDialog):
    """The pages, the message, the progress, the buttons."""

    def __init__(self, means: NewVoiceServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self.setWindowTitle("New voice")
        self.setAcceptDrops(True)
        self.board = Messages(self)
        self.recording = MicrophoneRecording(means.tasks, self)
        self.making = NewVoiceSession(means.client, means.shelf, self.board, means.tasks, self)
        self.audition = VoicePreview(means.client, self.board, means.tasks, self)
        self.title = QLabel()
        self.message_bar = MessageBar()
        self.terms = TermsPage(means.models, self.board, means.tasks)
        self.record = RecordPage(self.recording, means.tasks)
        self.part = PartPage()
        self.name = NamePage()
        self.hear = HearPage()
        self.steps = QStackedWidget()
        self.progress = ProgressRow("Making the voice")
        self.back = QPushButton("&Back")
        self.go_on = QPushButton("&Continue")
        self.leave = QPushButton("Close")
        self._arrange()
        self._connect_frame()

    @property
    def step(self) -> Step:
        """The page that is shown."""
        return Step(self.steps.currentIndex())

    def _arrange(self) -> None:
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.title.setFont(font)
        for page in (self.terms, self.record, self.part, self.name, self.hear):
            self.steps.addWidget(page)
        middle = QVBoxLayout()
        middle.setContentsMargins(18, 14, 18, 8)
        middle.setSpacing(12)
        middle.addWidget(self.title)
        middle.addWidget(self.steps, 1)
        below = QHBoxLayout()
        below.setContentsMargins(18, 8, 18, 14)
        below.setSpacing(8)
        below.addWidget(self.leave)
        below.addStretch(1)
        below.addWidget(self.back)
        below.addWidget(self.go_on)
        self.go_on.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.message_bar)
        layout.addLayout(middle, 1)
        layout.addWidget(self.progress)
        layout.addLayout(below)
        for button in (self.back, self.go_on, self.leave):
            button.setAccessibleName(button.text().replace("&", ""))
        self.leave.setAutoDefault(False)
        self.back.setAutoDefault(False)
        parent = self.parentWidget()
        self.resize(dialogs.fitting(_SIZE, parent) if parent is not None else _SIZE)

    def _connect_frame(self) -> None:
        self.board.changed.connect(self._show_message)
        self.message_bar.dismissed.connect(self.board.dismiss)
        self.message_bar.details_wanted.connect(self._show_details)
        self.message_bar.remedy_wanted.connect(lambda _remedy: self._means.models.recover())
        self.progress.cancelled.connect(self.making.cancel)

    def _show_message(self) -> None:
        message = self.board.message
        self.message_bar.show_message(message)
        announce(self, message.text if message is not None else "")

    def show_step(self, step: Step) -> None:
        """Another page; the keyboard goes to where it begins."""
        self.steps.setCurrentIndex(step)
        self.title.setText(_TITLES[self.step])
        self.title.setAccessibleName(_TITLES[self.step])
        announce(self, _TITLES[self.step])
        self.back.setVisible(self.step in (Step.PART, Step.NAME, Step.HEAR))
        last = self.step is Step.HEAR
        self.go_on.setVisible(self.step is not Step.TERMS)
        self.go_on.setText("&Save" if last else "&Continue")
        self.go_on.setAccessibleName("Save" if last else "Continue")
        focus: dict[Step, QWidget] = {
            Step.TERMS: self.terms.open_terms,
            Step.RECORD: self.record.record,
            Step.PART: self.part.waveform,
            Step.NAME: self.name.name,
            Step.HEAR: self.hear.another,
        }
        focus[self.step].setFocus()

    def _show_details(self) -> None:
        if self.board.message is not None:
            dialogs.DetailsDialog(self.board.message, self).open()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A sound or video file."""
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Anywhere."""
        event.acceptProposedAction()
