"""The window: makes the widgets, puts them together, and shows what it is told. What the user asks for, it and they say by signals.

It knows no controller; everything is connected in `app`. Main thread only.
"""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QMainWindow, QSplitter, QVBoxLayout, QWidget

from pocketvoice.gui.controllers.messages import Message
from pocketvoice.gui.controllers.models import ModelView
from pocketvoice.gui.controllers.speech import SpeechView
from pocketvoice.gui.main import actions
from pocketvoice.gui.main.outline_panel import OutlinePanel
from pocketvoice.gui.main.reader import Reader
from pocketvoice.gui.main.transport import STEPS, TransportBar
from pocketvoice.gui.main.voice_row import VoiceRow
from pocketvoice.gui.widgets import colours, wording
from pocketvoice.gui.widgets.bars import MessageBar, ProgressRow, StatusLine
from pocketvoice.gui.widgets.icons import application_icon
from pocketvoice.gui.widgets.transfer import dropped_paths

_SIZE = QSize(960, 700)


class Window(QMainWindow):
    """The main window; there is one."""

    first_painted = Signal()
    closed = Signal()
    files_dropped = Signal(list)  # of paths (str)
    text_dropped = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._painted = False
        self._speech = SpeechView()
        self._model = ModelView()
        self.setWindowTitle("Pocket Voice")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.command_actions = actions.make_actions(self)
        self.menus = actions.fill_menus(self.menuBar(), self.command_actions)
        self.voice_row = VoiceRow(self.command_actions["look"])
        self.message_bar = MessageBar()
        self.reader = Reader()
        self.outline = OutlinePanel()
        self.pages = QSplitter(Qt.Orientation.Horizontal)
        self.reader.context_actions = [self.command_actions["speak"]]
        self.download = ProgressRow("Download of the model")
        self.preparing = ProgressRow("Making a voice ready for the model")
        self.saving = ProgressRow("Saving the speech")
        self.opening = ProgressRow("Opening a document")
        commands = self.command_actions
        self.transport = TransportBar(commands["stop"], {name: commands[name] for name in STEPS})
        self.status = StatusLine()
        self._lines = [QFrame(), QFrame()]
        self._arrange()
        self.resize(_SIZE.boundedTo(self.screen().availableSize()))
        self.transport.position.describe = self._describe_place
        self.reader.cursorPositionChanged.connect(self._show_place)
        self.reader.textChanged.connect(self._show_place)
        self.show_speech(self._speech)

    def _arrange(self) -> None:
        middle = QWidget()
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        above, below = self._lines
        for line in self._lines:
            line.setFixedHeight(1)
            line.setAutoFillBackground(True)
        layout.addWidget(self.voice_row)
        layout.addWidget(self.message_bar)
        layout.addWidget(above)
        self.pages.addWidget(self.outline)
        self.pages.addWidget(self.reader)
        self.pages.setStretchFactor(1, 1)
        self.pages.setChildrenCollapsible(False)
        self.pages.setHandleWidth(1)
        self.outline.hide()
        layout.addWidget(self.pages, 1)
        layout.addWidget(below)
        for widget in (self.opening, self.download, self.preparing, self.saving, self.transport, self.status):
            layout.addWidget(widget)
        self.setCentralWidget(middle)
        self.setTabOrder(self.voice_row.try_voice, self.voice_row.look)
        self.setTabOrder(self.voice_row.look, self.reader)
        self._colour_lines()

    # ------------------------------------------------------------ showing

    def show_speech(self, view: SpeechView) -> None:
        """Shows in every widget how far the speech is."""
        self._speech = view
        self.reader.set_speaking(view.active)
        self.reader.show_span(view.span)
        self.transport.show_view(view, len(self.reader.text()) if view.active else 0)
        self._show_place()
        actions.show_speech(self.command_actions, view)
        self._show_status()

    def _show_place(self) -> None:
        """At rest the timeline shows where the speech will begin: at the cursor."""
        if not self._speech.active:
            self.transport.show_place(self.reader.caret(), len(self.reader.text()), enabled=True)

    def _describe_place(self, share: float) -> str:
        """Time, as far as it is known, and words at a share of the text."""
        view, words = self._speech, self.reader.words_at(share)
        time = wording.clock(share * view.total_s / view.speed) if view.total_s else ""
        return "  ".join(part for part in (time, words) if part)

    def show_model(self, view: ModelView) -> None:
        """Shows the model that is loaded, or how far its download is."""
        self._model = view
        if view.loading is None:
            self.download.hide()
        else:
            total = view.loading.total_bytes
            self.download.show_progress("Downloading", view.loading.done_bytes / total if total else None)
        self._show_status()

    def show_message(self, message: Message | None) -> None:
        """Shows a message above the text; None hides it."""
        self.message_bar.show_message(message)

    def model_details(self) -> str:
        """The model and how fast it speaks, for the dialog about the program; "" while none is loaded."""
        return wording.model_details(self._speech, self._model)

    def _show_status(self) -> None:
        self.status.show_status(wording.status(self._speech, self._model), wording.model_line(self._model))

    def _colour_lines(self) -> None:
        palette = self.palette()
        palette.setColor(palette.ColorRole.Window, colours.hairline(self.palette()))
        for line in self._lines:
            line.setPalette(palette)

    # ------------------------------------------------------------ events

    def changeEvent(self, event: QEvent) -> None:
        """Colours the lines anew when the palette has changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_lines"):
            self._colour_lines()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Emits `first_painted` once."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self.first_painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Emits `closed` while the window still has its size and place."""
        event.accept()
        self.closed.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files and text can be dropped anywhere."""
        if dropped_paths(event.mimeData()) or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emits what was dropped: files, or else a text."""
        event.acceptProposedAction()
        paths = dropped_paths(event.mimeData())
        if paths:
            self.files_dropped.emit(paths)
        else:
            self.text_dropped.emit(event.mimeData().text())
