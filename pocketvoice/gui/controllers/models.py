"""The model and the worker as the window shows them: what is being loaded, how far it is, what is ready, what went wrong.

Knows no widgets. Main thread only.
"""

import dataclasses
import enum
import logging
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.messages import Messages, Remedy, remedies_for
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.worker import RunningRequest, Worker
from pocketvoice.worker.messages import (
    DeviceChanged,
    DeviceEntry,
    DeviceName,
    Devices,
    ErrorInfo,
    Event,
    Failed,
    Finished,
    ListDevices,
    Loading,
    LoadModel,
    Ready,
    SetDevice,
    StateChanged,
    Stopped,
    WorkerState,
)

_OTHER_MODEL = (Remedy.TRY_AGAIN, Remedy.CHOOSE_MODEL)

_logger = logging.getLogger(__name__)


class ModelPhase(enum.Enum):
    """How far the model is; only `ModelController._show` sets it."""

    STARTING = "starting"
    """The worker starts."""
    LOADING = "loading"
    """The model is being downloaded or read."""
    READY = "ready"
    """It can speak."""
    MISSING = "missing"
    """It could not be had; the message says why."""


@dataclass(frozen=True)
class ModelView:
    """Everything that the window shows of the model."""

    phase: ModelPhase = ModelPhase.STARTING
    language: str | None = None
    """The one that is loaded, or wanted where none is; None is the best installed one."""
    config: str | None = None
    """The user's own model, instead of one of the catalogue."""
    is_changing: bool = False
    """Another one was asked for; until it is ready, the one that is loaded speaks."""
    loading: Loading | None = None
    """The download going on."""
    ready: Ready | None = None
    device: DeviceName | None = None
    """The loudspeaker in use; None is the system's default."""


@dataclass(frozen=True)
class _Wanted:
    """What a model is asked for with."""

    language: str | None = None
    voice: str | None = None
    config: str | None = None


class ModelController(QObject):
    """Loads models and follows the worker. `changed` comes with every new `view`."""

    changed = Signal(object)
    asked = Signal()  # a model was asked for
    devices_listed = Signal(list)  # of DeviceEntry

    def __init__(
        self,
        client: Worker,
        messages: Messages,
        tasks: Tasks,
        stand_in: Callable[[str | None], str | None] = model_list.stand_in,
    ) -> None:
        """`stand_in` names an installed model that can speak instead of one that can't be had; None if there is none."""
        super().__init__()
        self.view = ModelView()
        self._client = client
        self._messages = messages
        self._tasks = tasks
        self._stand_in = stand_in
        self._wanted = _Wanted()  # what was asked for last
        self._worked: _Wanted | None = None  # the last that was loaded
        self._load: RunningRequest | None = None
        self._had_model = False
        self._unlisten = client.listen(self._on_event)

    def load(self, language: str | None, voice: str | None = None, config: str | None = None) -> None:
        """Loads a model, with the voice for the first words. None is the best installed model, and its default voice.

        `config` is a model of the user's own, instead of one of the catalogue.
        """
        self._wanted = _Wanted(language, voice, config)
        if self.view.phase is not ModelPhase.STARTING:  # what the start had to say stays
            self._messages.dismiss()
        self._begin(self._wanted)

    def load_again(self) -> None:
        """Loads what was asked for last once more."""
        self.load(self._wanted.language, self._wanted.voice, self._wanted.config)

    def cancel(self) -> None:
        """Ends the loading, and the download that belongs to it."""
        if self._load is not None:
            self._tasks.start(self._cancel(self._load))

    def recover(self) -> None:
        """Does what may help when no model is there: starts the worker again after it gave up, and loads."""
        if self._client.state is WorkerState.CRASHED:
            self._messages.dismiss()
            self._tasks.start(self._restart())
        elif self._load is None:
            self.load_again()

    @property
    def language(self) -> str | None:
        """The model that speaks, or will; None if it is one of the user's own."""
        if self.view.ready is not None:
            return self.view.ready.language
        return self.view.language or (None if self.view.config else model_list.default_model())

    def list_devices(self) -> None:
        """Asks which loudspeakers there are: `devices_listed`."""
        self._tasks.start(self._list_devices())

    def set_device(self, device: DeviceName | None) -> None:
        """Plays through another loudspeaker; None is the system's default."""
        self._tasks.start(self._set_device(device))

    def close(self) -> None:
        """Ends the listening to the worker; a loading that ends from now on is not told: nobody waits for it."""
        self._load = None
        self._unlisten()

    def _begin(self, wanted: _Wanted) -> None:
        if self.view.ready is None:
            self._show(ModelPhase.LOADING, language=wanted.language, config=wanted.config, loading=None)
        else:
            self._show(is_changing=True, loading=None)
        self._tasks.start(self._run(wanted))

    async def _run(self, wanted: _Wanted) -> None:
        request = LoadModel(wanted.language, config=wanted.config, voice=wanted.voice)
        handle = self._load = await self._client.send(request)
        self.asked.emit()
        end = await handle.result()
        if self._load is not handle:
            return  # another model was asked for meanwhile, or the program ends
        self._load = None
        if isinstance(end, Finished):
            self._worked = wanted
            self._show(language=wanted.language, config=wanted.config, is_changing=False)
        elif isinstance(end, Failed):
            self._on_failure(wanted, end.error)
        elif self.view.ready is not None:  # stopped: the user knows
            self._show(is_changing=False, loading=None)
        else:
            self._show(ModelPhase.MISSING, loading=None)
            self._messages.warn("No model is loaded.", _OTHER_MODEL)

    def _on_failure(self, wanted: _Wanted, error: ErrorInfo) -> None:
        """A model that works speaks instead: the one that stayed, the one before, or one that is installed."""
        if self.view.ready is not None:
            self._show(is_changing=False, loading=None)
            self._tell(error, self.view.ready.language)
            return
        other = self._other_than(wanted)
        if other is None:
            self._show(ModelPhase.MISSING, loading=None)
            self._messages.show_error(error, remedies_for(self._client))
        else:
            self._tell(error, other.language)
            self._begin(other)

    def _other_than(self, wanted: _Wanted) -> _Wanted | None:
        if self._worked is not None and self._worked != wanted:
            return self._worked
        language = self._stand_in(wanted.language) if self._wanted == wanted else None  # one is tried
        return _Wanted(language) if language is not None else None

    def _tell(self, error: ErrorInfo, language: str | None) -> None:
        sentence = f"{error.message} Until then {model_list.model_title(language)} speaks."
        self._messages.show_error(dataclasses.replace(error, message=sentence), _OTHER_MODEL)

    async def _restart(self) -> None:
        await self._client.restart()
        if not self._had_model:  # else it loads that by itself
            self.load_again()

    async def _cancel(self, handle: RunningRequest) -> None:
        await handle.stop()

    async def _list_devices(self) -> None:
        found: list[DeviceEntry] = []
        async for event in await self._client.send(ListDevices()):
            if isinstance(event, Devices):
                found = list(event.devices)
        self.devices_listed.emit(found)

    async def _set_device(self, device: DeviceName | None) -> None:
        end = await (await self._client.send(SetDevice(device))).result()
        if isinstance(end, Failed):
            self._messages.show_error(end.error)
        else:
            self._show(device=device)

    def _on_event(self, event: Event) -> None:
        match event:
            case Loading():  # of a model, or of a voice for the loaded one
                phase = self.view.phase if self.view.ready else ModelPhase.LOADING
                self._show(phase, loading=None if event.done_bytes == event.total_bytes else event)
            case Ready():
                self._had_model = True
                self._show(ModelPhase.READY, loading=None, ready=event)
            case StateChanged():
                self._on_state(event)
            case Finished() | Stopped() | Failed() if _belongs(event, self.view.loading):
                self._show(loading=None)
            case DeviceChanged(device=device, sentence=sentence):
                self._show(device=device)
                if sentence:
                    self._messages.say(sentence)

    def _on_state(self, event: StateChanged) -> None:
        match event.new:
            case WorkerState.STARTING:
                self._show(ModelPhase.STARTING, loading=None, ready=None, is_changing=False)
            case WorkerState.CRASHED:
                self._show(ModelPhase.MISSING, loading=None, ready=None, is_changing=False)
            case WorkerState.IDLE if self._client.ready is None and self._load is None:
                self._show(ModelPhase.MISSING, loading=None, ready=None)
            case WorkerState.LOADING if self.view.phase is not ModelPhase.READY:
                self._show(ModelPhase.LOADING)
        if event.new is WorkerState.STARTING:
            self._messages.drop_remedy(Remedy.RESTART)  # it does so by itself
        if event.new is WorkerState.CRASHED:
            self._messages.warn(event.sentence or "The speech process ended.", (Remedy.RESTART,))
        elif event.sentence:
            self._messages.say(event.sentence)

    def _show(self, phase: ModelPhase | None = None, **values: object) -> None:
        """The only place that changes `view`."""
        old = self.view
        new = dataclasses.replace(old, phase=phase or old.phase, **values)  # type: ignore[arg-type]
        if new == old:
            return
        if new.phase is not old.phase:
            _logger.info("model: %s -> %s", old.phase.value, new.phase.value)
        self.view = new
        self.changed.emit(new)


def _belongs(event: Event, loading: Loading | None) -> bool:
    return loading is not None and event.request_id == loading.request_id
