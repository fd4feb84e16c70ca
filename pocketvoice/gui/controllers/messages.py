"""Messages: the one sentence that a window shows about what went wrong or happened, and what can be done about it.

`show_error` is the only function on the window's side that shows errors: the worker's, our own, and unexpected ones.
Main thread only.
"""

import dataclasses
import enum
import logging
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from pocketvoice.gui.controllers.worker import Worker
from pocketvoice.worker.messages import ErrorInfo, WorkerState

_logger = logging.getLogger(__name__)

_FADES_MS = 15_000
_UNFORESEEN = "Something went wrong inside the program. It goes on; if this comes again, start it anew."


class Importance(enum.Enum):
    """How much a message matters."""

    NOTE = "note"
    """Something happened that is good to know."""
    PROBLEM = "problem"
    """Something did not work."""


class Remedy(enum.Enum):
    """What a button beside a message does."""

    CHOOSE_MODEL = "Choose a model…"
    """Opens the list of models."""
    TRY_AGAIN = "Try again"
    """Loads the model again."""
    RESTART = "Start again"
    """Starts the speech process again."""
    UNDO = "Undo"
    """Brings back what was deleted."""
    DOWNLOAD = "Download"
    """Fetches the better model, and speaks with it."""
    SWITCH = "Switch"
    """Reads on with a voice of the paragraph's language."""
    NOT_NOW = "Not now"
    """Reads on as before."""


class Topic(enum.Enum):
    """What a message is about that will be over: then it goes."""

    FILE = "file"
    """A file that could not be opened; over when another is opened."""
    EMPTY = "empty"
    """There is no text; over when there is one."""
    READING = "reading"
    """The text can't be edited while it is spoken; over when that is."""
    SERVER = "server"
    """Other programs may speak; over when they may not."""
    SAVING = "saving"
    """A speech is being saved; over when it is."""
    LANGUAGE = "language"
    """The paragraph is in another language; over when another paragraph is spoken."""
    BOOK = "book"
    """An audiobook is being made, or could not be; over when another is begun."""
    BETTER_VOICE = "better voice"
    """A better model can be had; over when one was asked for. It stays when speech begins."""


def remedies_for(client: Worker) -> tuple[Remedy, ...]:
    """What can be offered after any failure, by the state of the worker; nothing if it has a model."""
    if client.state is WorkerState.CRASHED:
        return (Remedy.RESTART,)
    return (Remedy.TRY_AGAIN, Remedy.CHOOSE_MODEL) if client.ready is None else ()


@dataclass(frozen=True)
class Message:
    """A sentence for the user, and what can be done about it."""

    text: str
    """A sentence or two, with the remedy."""
    importance: Importance = Importance.NOTE
    detail: str = ""
    """For the "Details" button; none without it."""
    remedies: tuple[Remedy, ...] = ()
    """A button for each."""
    topic: Topic | None = None
    """With one it goes when that is over, else when the user or another message does away with it."""

    @property
    def fades(self) -> bool:
        """Whether it goes by itself after a while: it tells what has happened, and there is nothing to do."""
        return self.importance is Importance.NOTE and not self.remedies and self.topic is None


class Messages(QObject):
    """Holds one message, the newest, until it is dismissed."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.message: Message | None = None
        self._fading = QTimer(self)
        self._fading.setSingleShot(True)
        self._fading.setInterval(_FADES_MS)
        self._fading.timeout.connect(self.dismiss)

    def show_error(
        self,
        error: ErrorInfo | BaseException,
        remedies: tuple[Remedy, ...] = (),
        topic: Topic | None = None,
    ) -> None:
        """Shows an error of the worker or an exception, and logs it with its detail."""
        info = (
            error
            if isinstance(error, ErrorInfo)
            else ErrorInfo.from_exception(error, _UNFORESEEN, trace=True)
        )
        _logger.error("%s: %s\n%s", info.kind, info.message, info.detail)
        detail = "\n\n".join(part for part in (info.kind, info.detail) if part)
        self._put(Message(info.message, Importance.PROBLEM, detail, remedies, topic))

    def warn(self, sentence: str, remedies: tuple[Remedy, ...] = (), topic: Topic | None = None) -> None:
        """Shows a problem for which there is no exception, and logs it."""
        _logger.warning("%s", sentence)
        self._put(Message(sentence, Importance.PROBLEM, remedies=remedies, topic=topic))

    def say(self, sentence: str, remedies: tuple[Remedy, ...] = (), topic: Topic | None = None) -> None:
        """Shows something that is good to know."""
        _logger.info("%s", sentence)
        self._put(Message(sentence, remedies=remedies, topic=topic))

    def dismiss(self) -> None:
        """Shows no message any more."""
        self._put(None)

    def make_way(self) -> None:
        """Something new begins: what was told before it goes, but not an offer that was not answered."""
        if self.message is not None and self.message.topic is not Topic.BETTER_VOICE:
            self._put(None)

    def over(self, topic: Topic) -> None:
        """What a message tells is over: it goes, if it is the one that is shown."""
        if self.message is not None and self.message.topic is topic:
            self._put(None)

    def drop_remedy(self, remedy: Remedy) -> None:
        """Takes a button away: what it offers has been done."""
        if self.message is not None and remedy in self.message.remedies:
            rest = tuple(other for other in self.message.remedies if other is not remedy)
            self._put(dataclasses.replace(self.message, remedies=rest))

    def _put(self, message: Message | None) -> None:
        if message != self.message:
            self.message = message
            if message is not None and message.fades:
                self._fading.start()
            else:
                self._fading.stop()
            self.changed.emit()
