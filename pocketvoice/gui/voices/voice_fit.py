"""Whether a voice of the user's can speak with the loaded model; if not, the user is told why, or asked. Main thread only."""

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.model_list import model_title
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.worker import Worker
from pocketvoice.gui.voices.library_model import LibraryModel, on_thread

if TYPE_CHECKING:
    from pocketvoice.voices.voice import Voice
    from pocketvoice.worker.messages import Ready


class Fit(enum.Enum):
    """Whether a voice can speak with the loaded weights."""

    READY = "ready"
    """It can, or can be made to."""
    UNKNOWN = "unknown"
    """It has no recording, and nobody knows for which weights it was made."""
    OTHER_MODEL = "other model"
    """It has no recording, and was made for other weights."""
    NO_CLONING = "no cloning"
    """It has a recording, and these weights can't listen to it."""


def fits(voice: "Voice", model_id: str, *, cloning: bool) -> Fit:
    """Whether a voice can speak with the weights `model_id`; `cloning` says whether these can copy voices."""
    from pocketvoice.voices import states

    if states.find(voice, model_id) is not None:
        return Fit.READY
    if voice.has_clip:
        return Fit.READY if cloning else Fit.NO_CLONING
    return Fit.UNKNOWN if states.unknown(voice) is not None else Fit.OTHER_MODEL


class VoiceFitCheck(QObject):
    """Asks `fits`, and talks to the user about it."""

    claimed = Signal(str)  # id of a voice that the user says was made for the loaded model

    def __init__(
        self, library: LibraryModel, client: Worker, tasks: Tasks, dialog_parent: Callable[[], QWidget]
    ) -> None:
        """`dialog_parent` says over which window to ask."""
        super().__init__()
        self._library = library
        self._client = client
        self._tasks = tasks
        self._dialog_parent = dialog_parent

    def may_speak(self, voice_id: str) -> bool:
        """Whether it can speak, as far as is known here; if not, a message says why, or a dialog asks."""
        voice, ready = self._library.find(voice_id), self._client.ready
        if voice is None or ready is None:
            return True
        fit = fits(voice, ready.model_id, cloning=ready.cloning)
        match fit:
            case Fit.UNKNOWN:
                self._ask_which_model(voice, ready)
            case Fit.OTHER_MODEL:
                self._library.messages.warn(
                    f"{voice.name} has no recording and was made for another model: load that one, or choose another voice."
                )
            case Fit.NO_CLONING:
                self._library.messages.warn(
                    f"{voice.name} was not used with this model yet, and it can't copy voices. {ready.cloning_reason}"
                )
        return fit is Fit.READY

    def _ask_which_model(self, voice: "Voice", ready: "Ready") -> None:
        """A file of another program does not say which weights it is for; with others it only babbles."""
        question = QMessageBox(
            QMessageBox.Icon.Question,
            "Voice of an unknown model",
            f"{voice.name} does not say which model it was made for. Was it {model_title(ready.language)}, which is loaded now?",
            QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No,
            self._dialog_parent(),
        )
        question.setInformativeText("With any other model it does not speak, it babbles.")
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.button(QMessageBox.StandardButton.Yes).clicked.connect(
            lambda: self._tasks.start(self._claim(voice.id, ready.model_id))
        )
        question.open()

    async def _claim(self, voice_id: str, model_id: str) -> None:
        library = await self._library.library()
        try:
            claimed = await on_thread(lambda: library.claim_state(voice_id, model_id))
        except PocketVoiceError as error:
            self._library.messages.show_error(error)
            return
        await self._library.announce([claimed])
        self.claimed.emit(voice_id)
