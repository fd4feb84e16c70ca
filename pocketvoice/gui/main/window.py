"""The window: puts the widgets together and shows what the controllers say. What the commands do is in `commands`.

Main thread only. Nothing here waits for anything.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QSize, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QMainWindow, QVBoxLayout, QWidget

from pocketvoice.gui.controllers.export import Exporter
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController, ModelView
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController, SpeechView
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.main.commands import Commands
from pocketvoice.gui.main.reader import Reader
from pocketvoice.gui.main.voice_row import VoiceRow
from pocketvoice.gui.widgets import colours, wording
from pocketvoice.gui.widgets.bars import MessageBar, ProgressRow, StatusLine
from pocketvoice.gui.widgets.icons import application_icon
from pocketvoice.gui.widgets.transfer import dropped_paths

if TYPE_CHECKING:
    from pocketvoice.worker.parent.client import WorkerClient

_SIZE = QSize(960, 700)


@dataclass(frozen=True)
class Services:
    """What the window works with, made in `app`."""

    client: "WorkerClient"
    board: Messages
    tasks: Tasks
    keeper: SettingsController
    speech: SpeechController
    models: ModelController
    exporter: Exporter


class Window(QMainWindow):
    """The one window."""

    first_painted = Signal()
    closed = Signal()

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services
        self._painted = False
        self.setWindowTitle("Pocket Voice")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.voices = VoiceRow()
        self.message_bar = MessageBar()
        self.reader = Reader()
        self.download = ProgressRow("Download of the model")
        self.saving = ProgressRow("Saving the speech")
        self.preparing = ProgressRow("Making a voice ready for the model")
        self.status = StatusLine()
        self.commands = Commands(self)
        actions = self.commands.actions
        self.transport = self.commands.make_transport(actions)
        self._lines = [QFrame(), QFrame()]
        self._arrange()
        self._connect()
        self._recall()
        self._show_speech(services.speech.view)
        self._show_message()

    # ------------------------------------------------------------ making

    def _arrange(self) -> None:
        middle = QWidget()
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        above, below = self._lines
        for line in self._lines:
            line.setFixedHeight(1)
            line.setAutoFillBackground(True)
        layout.addWidget(self.voices)
        layout.addWidget(self.message_bar)
        layout.addWidget(above)
        layout.addWidget(self.reader, 1)
        layout.addWidget(below)
        for widget in (self.download, self.preparing, self.saving, self.transport, self.status):
            layout.addWidget(widget)
        self.setCentralWidget(middle)
        self.setTabOrder(self.voices.try_voice, self.reader)
        self._dress()

    def _connect(self) -> None:
        services = self.services
        services.speech.changed.connect(self._show_speech)
        services.speech.level_changed.connect(self.transport.level.set_level)
        services.models.changed.connect(self._show_model)
        services.board.changed.connect(self._show_message)
        services.exporter.progressed.connect(self.saving.show_progress)
        services.exporter.ended.connect(self.saving.hide)
        self.saving.cancelled.connect(services.exporter.cancel)
        self.download.cancelled.connect(services.models.cancel)
        self.message_bar.dismissed.connect(services.board.dismiss)
        self.commands.connect_all()

    def _recall(self) -> None:
        now = self.services.keeper.now
        self.resize(_SIZE.boundedTo(self.screen().availableSize()))
        if now.geometry:
            self.restoreGeometry(QByteArray.fromBase64(now.geometry.encode()))
        self.set_font_points(now.font_points)
        if now.draft:
            self.reader.setPlainText(now.draft)
        self.reader.setFocus()

    # ------------------------------------------------------------ showing

    def set_font_points(self, points: int) -> None:
        """Size of the text."""
        font = self.reader.font()
        font.setPointSize(points)
        self.reader.setFont(font)

    def refresh(self) -> None:
        """Shows everything again."""
        self._show_speech(self.services.speech.view)
        self._show_model(self.services.models.view)

    def _show_speech(self, view: SpeechView) -> None:
        self.reader.set_speaking(view.active)
        self.reader.show_span(view.span)
        self.transport.show_view(view, len(self.reader.text()) if view.active else 0)
        self.commands.show_speech(view)
        self._show_status()

    def _show_model(self, view: ModelView) -> None:
        if view.loading is None:
            self.download.hide()
        else:
            total = view.loading.total_bytes
            self.download.show_progress("Downloading", view.loading.done_bytes / total if total else None)
        self._show_status()

    def _show_status(self) -> None:
        speech, model = self.services.speech.view, self.services.models.view
        self.status.show_status(wording.status(speech, model), wording.model_line(speech, model))

    def _show_message(self) -> None:
        self.message_bar.show_message(self.services.board.message)

    def _dress(self) -> None:
        palette = self.palette()
        palette.setColor(palette.ColorRole.Window, colours.hairline(self.palette()))
        for line in self._lines:
            line.setPalette(palette)

    # ------------------------------------------------------------ events

    def changeEvent(self, event: QEvent) -> None:
        """Other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_lines"):
            self._dress()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The first one is told."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self.first_painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remembers what is to be remembered; the rest of the end is in `app`."""
        self.commands.remember()
        event.accept()
        self.closed.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Text files and text can be dropped anywhere."""
        if dropped_paths(event.mimeData()) or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Opens what was dropped."""
        event.acceptProposedAction()
        paths = dropped_paths(event.mimeData())
        if paths:
            self.commands.open_files(paths)
        else:
            self.commands.show_text(event.mimeData().text())
