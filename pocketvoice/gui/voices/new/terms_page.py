"""The page shown instead of the microphone when the loaded weights can't copy a voice: why, and how to get those that can.

Main thread only. The model controller does the download.
"""

import functools

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.model_list import size_title
from pocketvoice.gui.controllers.models import ModelController, ModelPhase, ModelView
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.library_model import on_thread
from pocketvoice.gui.widgets.bars import ProgressRow
from pocketvoice.hub import access, catalogue

_WHY = (
    "To copy a voice, a model needs the part that listens. It comes with the full weights, which are free, "
    "but given only to people who have accepted their terms."
)


class TermsPage(QWidget):
    """Leads through terms, token and download of the full weights."""

    other_model_wanted = Signal()

    def __init__(
        self, models: ModelController, messages: Messages, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._models = models
        self._messages = messages
        self._tasks = tasks
        self._terms: str | None = None
        self.title = _words("<b>The loaded model can't copy voices.</b>")
        self.reason = _words("")
        self.reason.setAccessibleName("Reason")
        self.why = _words(_WHY)
        self.open_terms = QPushButton("Open the &terms…")
        self.open_tokens = QPushButton("Open the to&kens…")
        self.token = QLineEdit()
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText("hf_…")
        self.token.setAccessibleName("Access token")
        self.download = QPushButton("&Download")
        self.other = QPushButton("Choose another &model…")
        self.progress = ProgressRow("Download of the full weights")
        self._steps = QWidget()
        self._arrange()
        self._connect()
        self._show(models.view)

    def _arrange(self) -> None:
        steps = QGridLayout(self._steps)
        steps.setContentsMargins(0, 0, 0, 0)
        steps.setHorizontalSpacing(12)
        steps.setVerticalSpacing(10)
        rows: tuple[tuple[str, QWidget], ...] = (
            ("Sign in at the model hub, read the terms, accept them.", self.open_terms),
            ("Make an access token there that may read, and copy it.", self.open_tokens),
            ("Paste the token here.", self.token),
            ("Get the full weights.", self.download),
        )
        for row, (sentence, widget) in enumerate(rows):
            number = QLabel(f"{row + 1}.")
            steps.addWidget(number, row, 0)
            steps.addWidget(_words(sentence), row, 1)
            steps.addWidget(widget, row, 2)
        steps.setColumnStretch(1, 2)
        steps.setColumnStretch(2, 1)
        for button in (self.open_terms, self.open_tokens, self.download, self.other):
            button.setAccessibleName(button.text().replace("&", "").rstrip("…"))
            button.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(14)
        for widget in (self.title, self.reason, self.why, self._steps, self.progress):
            layout.addWidget(widget)
        layout.addWidget(self.other, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)

    def _connect(self) -> None:
        self.open_terms.clicked.connect(lambda: _open(self._terms or ""))
        self.open_tokens.clicked.connect(lambda: _open(access.tokens_page()))
        self.download.clicked.connect(lambda: self._tasks.start(self._download()))
        self.token.textChanged.connect(lambda: self._show(self._models.view))
        self.other.clicked.connect(self.other_model_wanted)
        self.progress.cancelled.connect(self._models.cancel)
        self._models.changed.connect(self._show)

    def _show(self, view: ModelView) -> None:
        if view.ready is not None:
            self.reason.setText(view.ready.cloning_reason)
            self._terms = _terms_of(view.ready.language)
            has_steps = self._terms is not None
            self._steps.setVisible(has_steps)
            self.why.setVisible(has_steps)
            self.open_terms.setToolTip(self._terms or "")
            self.open_tokens.setToolTip(access.tokens_page())
            if has_steps and view.ready.language is not None:
                size = size_title(catalogue.entry(view.ready.language).size_bytes)
                self.download.setText(f"&Download ({size})")
        is_loading = view.phase in (ModelPhase.LOADING, ModelPhase.STARTING)
        self.download.setEnabled(not is_loading)
        if view.loading is not None:
            done, total = view.loading.done_bytes, view.loading.total_bytes
            self.progress.show_progress("Downloading", done / total if total else None)
        elif is_loading:
            self.progress.show_progress("Asking for the full weights…", None)
        else:
            self.progress.hide()

    async def _download(self) -> None:
        """Saves the token, if one was pasted, and loads the model anew: now the hub gives it the full weights."""
        try:
            if self.token.text().strip():
                await on_thread(functools.partial(access.save_token, self.token.text()))
                self.token.clear()
            elif not await on_thread(access.has_token):
                self._messages.warn(
                    "Paste an access token first: the hub gives the full weights to nobody else."
                )
                return
        except PocketVoiceError as error:
            self._messages.show_error(error)
            return
        self._messages.dismiss()
        self._models.load_again()


def _terms_of(language: str | None) -> str | None:
    return access.terms_page(language) if language is not None else None


def _open(address: str) -> None:
    QDesktopServices.openUrl(QUrl(address))


def _words(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
