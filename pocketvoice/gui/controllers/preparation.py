"""A voice is made ready for the model, once: that takes some seconds before it can speak. Knows no widgets. Main thread only."""

from PySide6.QtCore import QObject, Signal

from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.worker import Worker
from pocketvoice.worker.messages import TERMINAL, Event, PreparingVoice


class VoicePreparation(QObject):
    """Says how far it is, and ends it when asked."""

    progressed = Signal(str, object)  # a sentence, and the fraction done; None while that is not known
    ended = Signal()

    def __init__(self, client: Worker, models: ModelController, tasks: Tasks) -> None:
        super().__init__()
        self._client = client
        self._models = models
        self._tasks = tasks
        self._request_id = ""  # of the request for which a voice is being made ready
        self._unlisten = client.listen(self._on_event)

    def cancel(self) -> None:
        """Ends what the voice is being made ready for: the loading of a model, or speech."""
        if self._models.view.ready is None:
            self._models.cancel()
        else:
            self._tasks.start(self._stop())

    def close(self) -> None:
        """Ends the listening to the worker."""
        self._unlisten()

    async def _stop(self) -> None:
        await self._client.stop()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, PreparingVoice) and event.fraction < 1:
            self._request_id = event.request_id
            self.progressed.emit(f"Making {event.voice} ready for this model…", event.fraction or None)
        elif event.request_id == self._request_id and isinstance(event, (PreparingVoice, *TERMINAL)):
            self.ended.emit()
