"""The layout of the dialog that makes a voice: its pages, one at a time, and what stands around them.

What the buttons do is in `dialog`. Main thread only.
"""

import enum
from collections.abc import Callable
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
    from pocketvoice.audio.recorder import Microphone
    from pocketvoice.gui.controllers.worker import Worker
    from pocketvoice.gui.voices.new.recording import MakeRecorder

_SIZE = QSize(760, 590)


class Page(enum.IntEnum):
    """The pages, in the order in which they are shown."""

    TERMS = 0
    RECORD = 1
    PART = 2
    NAME = 3
    HEAR = 4


_TITLES = {
    Page.TERMS: "Before you begin",
    Page.RECORD: "Step 1 of 4: read aloud",
    Page.PART: "Step 2 of 4: choose the part",
    Page.NAME: "Step 3 of 4: whose voice is it?",
    Page.HEAR: "Step 4 of 4: listen",
}


@dataclass(frozen=True)
class NewVoiceServices:
    """What the dialog works with."""

    client: "Worker"
    library: LibraryModel
    models: ModelController
    tasks: Tasks
    load_recorder: "Callable[[], MakeRecorder] | None" = None
    """What makes a recorder, loaded on a thread; None is the real one."""
    find_microphones: "Callable[[], list[Microphone]] | None" = None
    """What lists the microphones, called on a thread; None asks the sound system."""


class NewVoiceLayout(QDialog):
    """The pages, the message, the progress, and the buttons."""

    def __init__(self, services: NewVoiceServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        client, tasks = services.client, services.tasks
        self._services = services
        self.setWindowTitle("New voice")
        self.setAcceptDrops(True)
        self.messages = Messages(self)
        self.recording = MicrophoneRecording(tasks, self, load_recorder=services.load_recorder)
        self.session = NewVoiceSession(client, services.library, self.messages, tasks, self)
        self.preview = VoicePreview(client, self.messages, tasks, self)
        self.title = QLabel()
        self.message_bar = MessageBar()
        self.terms = TermsPage(services.models, self.messages, tasks)
        self.record = RecordPage(self.recording, tasks, find_microphones=services.find_microphones)
        self.part = PartPage()
        self.name = NamePage()
        self.hear = HearPage()
        self.pages = QStackedWidget()
        self.progress = ProgressRow("Making the voice")
        self.back_button = QPushButton("&Back")
        self.next_button = QPushButton("&Continue")
        self.close_button = QPushButton("Close")
        self._arrange()
        self._connect_layout()

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return Page(self.pages.currentIndex())

    def show_page(self, page: Page) -> None:
        """Shows a page; the keyboard goes to where it begins."""
        self.pages.setCurrentIndex(page)
        self.title.setText(_TITLES[page])
        self.title.setAccessibleName(_TITLES[page])
        announce(self, _TITLES[page])
        self.back_button.setVisible(page in (Page.PART, Page.NAME, Page.HEAR))
        is_last = page is Page.HEAR
        self.next_button.setVisible(page is not Page.TERMS)
        self.next_button.setText("&Save" if is_last else "&Continue")
        self.next_button.setAccessibleName("Save" if is_last else "Continue")
        focus: dict[Page, QWidget] = {
            Page.TERMS: self.terms.open_terms,
            Page.RECORD: self.record.record,
            Page.PART: self.part.waveform,
            Page.NAME: self.name.name,
            Page.HEAR: self.hear.another,
        }
        focus[page].setFocus()

    def _arrange(self) -> None:
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.title.setFont(font)
        for page in (self.terms, self.record, self.part, self.name, self.hear):
            self.pages.addWidget(page)
        middle = QVBoxLayout()
        middle.setContentsMargins(18, 14, 18, 8)
        middle.setSpacing(12)
        middle.addWidget(self.title)
        middle.addWidget(self.pages, 1)
        below = QHBoxLayout()
        below.setContentsMargins(18, 8, 18, 14)
        below.setSpacing(8)
        below.addWidget(self.close_button)
        below.addStretch(1)
        below.addWidget(self.back_button)
        below.addWidget(self.next_button)
        self.next_button.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.message_bar)
        layout.addLayout(middle, 1)
        layout.addWidget(self.progress)
        layout.addLayout(below)
        for button in (self.back_button, self.next_button, self.close_button):
            button.setAccessibleName(button.text().replace("&", ""))
        self.close_button.setAutoDefault(False)
        self.back_button.setAutoDefault(False)
        parent = self.parentWidget()
        self.resize(dialogs.fitting(_SIZE, parent) if parent is not None else _SIZE)

    def _connect_layout(self) -> None:
        self.messages.changed.connect(self._show_message)
        self.message_bar.dismissed.connect(self.messages.dismiss)
        self.message_bar.details_wanted.connect(self._show_details)
        self.message_bar.remedy_wanted.connect(lambda _remedy: self._services.models.recover())
        self.progress.cancelled.connect(self.session.cancel)

    def _show_message(self) -> None:
        message = self.messages.message
        self.message_bar.show_message(message)
        announce(self, message.text if message is not None else "")

    def _show_details(self) -> None:
        if self.messages.message is not None:
            dialogs.DetailsDialog(self.messages.message, self).open()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accepts files: sounds and videos."""
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Accepts files wherever they are dropped in the dialog."""
        event.acceptProposedAction()
