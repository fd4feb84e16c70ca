"""The worker's main loop: takes requests, gives the engine work, ends each request exactly once. Runs in the child process.

Four threads meet in its inbox: the receiver of requests, the engine, the player's feeding thread, and helpers that ask the sound
system. All state is the loop's own; nothing here waits for engine, device or parent.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pocketvoice.engine.fetching import fetch_model
from pocketvoice.errors import Cancelled, InputError, PocketVoiceError
from pocketvoice.playback.devices import look_again
from pocketvoice.playback.notices import Notice
from pocketvoice.playback.speech_player import SpeechPlayer
from pocketvoice.worker.child.background_jobs import BackgroundJobs
from pocketvoice.worker.child.dispatcher import Dispatcher
from pocketvoice.worker.child.engine_thread import EngineThread
from pocketvoice.worker.child.jobs.job import Job
from pocketvoice.worker.child.jobs.load import Load
from pocketvoice.worker.child.jobs.speak import SpeakOn
from pocketvoice.worker.child.model_fetch import Fetched, FetchModel, ModelFetch
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.outputs import Outputs
from pocketvoice.worker.child.sound_files import FileSound, read_sound
from pocketvoice.worker.child.speech_session import SpeechSession
from pocketvoice.worker.memory import IdleMemory
from pocketvoice.worker.messages import (
    MAX_SPEED,
    MAX_VOLUME,
    MIN_SPEED,
    TERMINAL,
    Alive,
    CloneVoice,
    Devices,
    ErrorInfo,
    Event,
    Export,
    Failed,
    Finished,
    ListDevices,
    LoadModel,
    OutputKind,
    Pause,
    PlayFile,
    PreparingVoice,
    Preview,
    Queued,
    Request,
    Resume,
    Seek,
    SetDevice,
    SetSpeed,
    SetVolume,
    Shutdown,
    Speak,
    Stop,
    Stopped,
    Synthesize,
    Taken,
    WorkerOptions,
    within,
)

log = logging.getLogger(__name__)

SAMPLE_RATE = 24_000  # of all models there are
TICK_S = 0.05
_ALIVE_S = 0.5


@dataclass(frozen=True)
class _Done:
    job: Job
    error: ErrorInfo | None


@dataclass(frozen=True)
class _Answer:
    """A helper thread found something out."""

    events: tuple[Event, ...]


class Worker:
    """One process's worth of speaking."""

    def __init__(
        self,
        send: Callable[[Event], None],
        options: WorkerOptions,
        *,
        outputs: Outputs | None = None,
        read_file: Callable[[PlayFile, int], FileSound] = read_sound,
        fetch: FetchModel = fetch_model,
    ) -> None:
        """`send` is called on several threads; `read_file` reads a sound file at a rate, on a thread of its own, and `fetch` gets
        the files of a model, on another.
        """
        self._post = send
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._open: dict[str, Request] = {}  # requests without their terminal event
        self._host = ModelHost(options.threads)
        self._engine = EngineThread(
            self._host, lambda job, error: self._inbox.put(_Done(job, error)), options.nice
        )
        self._host.own.tell = self._tell_preparing
        self._outputs = outputs or Outputs(options)
        self._read_file = read_file  # set once
        self._fetch_model = fetch  # set once
        self._fetch: ModelFetch | None = (
            None  # of the model that was asked for last, until its files are here
        )
        self._before_load: frozenset[str] = frozenset()  # speeches that were there when that was asked for
        self._has_model = False  # whether one was loaded: it stays until another is ready
        self._player = SpeechPlayer(
            self._outputs.open,
            SAMPLE_RATE,
            self._inbox.put,
            made_per_s=lambda: self._host.pace.made_per_s,
            late_s=lambda: self._host.pace.late_s,
            look_again=look_again if options.output is OutputKind.DEVICE else None,
        )
        self._session = SpeechSession(
            self._player, self._send, self._host.segments, sample_rate=SAMPLE_RATE, store_s=options.store_s
        )
        self._options = options
        self._background = BackgroundJobs(self._send, lambda: self._engine.job)
        self._dispatcher = Dispatcher(self._engine, self._session, self._background, send)
        self._memory = IdleMemory()
        self._closing = False
        self._ticked_at = 0.0
        self._alive_at = 0.0

    def take(self, request: Request) -> None:
        """Hands in a request, from any thread."""
        self._inbox.put(request)

    def run(self) -> None:
        """Takes what comes in, one thing after the other, until Shutdown."""
        while not self._closing:
            try:
                item = self._inbox.get(timeout=TICK_S)
            except queue.Empty:
                item = None
            self._guarded(partial(self._handle, item), item)
            self._guarded(self._dispatcher.assign, None)
            if time.monotonic() - self._ticked_at >= TICK_S:
                self._ticked_at = time.monotonic()
                self._guarded(self._tick, None)
        self._player.close()
        self._outputs.save()

    def _guarded(self, step: Callable[[], None], item: object) -> None:
        """An error of one request is its own."""
        try:
            step()
        except Exception as exc:  # outermost loop
            error = _error_of(exc, item)
            if isinstance(item, Request) and item.request_id in self._open:
                self._send(Failed(item.request_id, error))

    def _handle(self, item: Any) -> None:
        match item:
            case None:
                pass
            case Request():
                self._open[item.request_id] = item
                self._on_request(item)
            case _Done():
                self._on_done(item.job, item.error)
            case Fetched():
                self._on_fetched(item)
            case _Answer():
                for event in item.events:
                    self._send(event)
            case FileSound():
                if item.request_id in self._open:  # else it was stopped while it was being read
                    self._session.play_sound(item.request_id, item.samples)
            case _:
                notice: Notice = item
                self._session.on_notice(notice)

    def _send(self, event: Event) -> None:
        """A terminal event ends its request; a second one is not sent."""
        if isinstance(event, TERMINAL) and self._open.pop(event.request_id, None) is None:
            log.debug("a second end of %s", event.request_id)
            return
        self._post(event)

    def _tell_preparing(self, voice: str, fraction: float) -> None:
        """Engine's thread, within a job."""
        job = self._engine.job
        self._post(PreparingVoice(job.request_id if job is not None else "", voice, fraction))

    # -- requests

    def _on_request(self, request: Request) -> None:
        match request:
            case Speak() | Preview():
                self._on_speak(request)
            case LoadModel():
                self._on_load(request)
            case CloneVoice() | Export() | Synthesize():
                self._background.add(request)
            case Taken():
                self._background.took(request)
                self._send(Finished(request.request_id))
            case ListDevices():
                self._list_devices(request)
            case PlayFile():
                self._play_file(request)
            case Stop():
                self._on_stop(request.target_id)
                self._send(Finished(request.request_id))
            case Shutdown():
                self._shut_down(request)
            case _:
                self._on_control(request)
                self._send(Finished(request.request_id))

    def _on_control(self, request: Request) -> None:
        match request:
            case Pause():
                self._session.pause(True)
            case Resume():
                self._session.pause(False)
            case Seek():
                self._session.seek(request.to)
                self._dispatcher.redirect()
            case SetSpeed():
                self._player.speed = within(request.speed, MIN_SPEED, MAX_SPEED, "speed")
            case SetVolume():
                self._player.volume = within(request.volume, 0.0, MAX_VOLUME, "volume")
            case SetDevice():
                self._session.use_device(request.device)
            case _:
                raise InputError(f"The worker does not know {type(request).__name__}.")

    def _on_speak(self, request: Speak | Preview) -> None:
        is_loading = not self._dispatcher.is_loaded
        if is_loading and self._fetch is None and self._dispatcher.load is None:
            raise InputError("No model is loaded: choose one first.")
        speech = self._session.speak(request)
        if not is_loading:
            self._session.prepare_or_fail(speech)
            if speech not in self._session.queue:
                return
        ahead = len(self._session.queue) - 1 if self._session.queue.current is not speech else 0
        if ahead or is_loading:
            self._send(Queued(request.request_id, ahead, is_loading))

    def _on_load(self, request: LoadModel) -> None:
        """Its files are fetched beside: the model that is loaded speaks on until they are here. What waits for one waits on."""
        if self._wanted_model is not None:
            self._end_load(Stopped(self._wanted_model.request_id))
        self._before_load = frozenset(speech.request_id for speech in self._session.queue)
        self._fetch = ModelFetch(request, self._fetch_model, self._post, self._inbox.put)

    @property
    def _wanted_model(self) -> LoadModel | None:
        """The load that has not ended."""
        return self._fetch.request if self._fetch is not None else self._dispatcher.load

    def _on_stop(self, target_id: str | None) -> None:
        for speech in self._session.queue:
            if target_id in (None, speech.request_id) and speech in self._session.queue:
                self._session.stop(speech)
        self._stop_reading(target_id)
        if target_id is not None:
            self._background.stop(target_id)
        if self._wanted_model is not None and self._wanted_model.request_id == target_id:
            self._end_load(Stopped(target_id))
            self._go_on_without(
                ErrorInfo.from_exception(InputError("The model was not loaded: choose one first."))
            )

    def _shut_down(self, request: Shutdown) -> None:
        for request_id in [one for one in self._open if one != request.request_id]:
            self._on_stop(request_id)
            self._send(Stopped(request_id))
        self._dispatcher.break_off()
        self._closing = True
        self._send(Finished(request.request_id))

    def _list_devices(self, request: ListDevices) -> None:
        def ask() -> _Answer:
            found = self._outputs.list()
            return _Answer((Devices(request.request_id, found), Finished(request.request_id)))

        self._do_beside(request, ask)

    def _play_file(self, request: PlayFile) -> None:
        self._do_beside(request, lambda: self._read_file(request, SAMPLE_RATE))

    def _do_beside(self, request: Request, work: Callable[[], _Answer | FileSound]) -> None:
        """On a thread of its own; whatever goes wrong there ends the request."""

        def run() -> None:
            try:
                self._inbox.put(work())
            except Exception as exc:  # outermost loop of a thread
                failed = Failed(request.request_id, _error_of(exc, request))
                self._inbox.put(_Answer((failed,)))

        threading.Thread(target=run, name=type(request).__name__, daemon=True).start()

    def _stop_reading(self, target_id: str | None) -> None:
        """Ends what is still being read; what plays has ended as a speech."""
        for request in list(self._open.values()):
            if isinstance(request, PlayFile) and target_id in (None, request.request_id):
                self._send(Stopped(request.request_id))

    # -- the engine

    def _on_done(self, job: Job, error: ErrorInfo | None) -> None:
        self._engine.job = None
        match job:
            case Load():
                self._on_load_done(job, error)
            case SpeakOn():
                if error is not None and job.speech in self._session.queue:
                    self._session.fail(job.speech, error)
            case _:
                self._background.on_done(job, error)

    def _on_fetched(self, fetched: Fetched) -> None:
        """The files of a model are here, and the engine reads them; or they can't be had, and what is loaded stays."""
        fetch = self._fetch
        if fetch is None or fetch.request.request_id != fetched.request_id:
            return  # stopped, or replaced by another
        if fetched.error is not None:
            self._end_load(Failed(fetched.request_id, fetched.error))
            self._go_on_without(fetched.error)
            return
        if self._dispatcher.is_loaded:
            self._end_what_is_heard()
        self._fetch = None
        self._dispatcher.load, self._dispatcher.is_loaded = fetch.request, False

    def _end_what_is_heard(self) -> None:
        """Another model comes: what was asked for before it, or is being heard, ends; what has only just come waits for it."""
        for speech in list(self._session.queue):
            if speech.was_heard or speech.request_id in self._before_load:
                self._session.stop(speech)
        self._session.wait_for_model()
        for ahead, speech in enumerate(self._session.queue):
            if not speech.is_file:
                self._send(Queued(speech.request_id, ahead, True))
        self._stop_reading(None)

    def _on_load_done(self, job: Load, error: ErrorInfo | None) -> None:
        if job.ready is not None:  # also of a load that was stopped too late
            self._has_model = True
            self._post(job.ready)
        if self._dispatcher.load is None or self._dispatcher.load.request_id != job.request_id:
            return  # stopped, or replaced by another
        if job.ready is not None:
            self._end_load(Finished(job.request_id))
            self._session.model_is_ready()
            return
        error = error or ErrorInfo.from_exception(Cancelled("The model was not loaded."))
        self._end_load(Failed(job.request_id, error))
        self._go_on_without(error)

    def _end_load(self, event: Event) -> None:
        if self._fetch is not None:
            self._fetch.cancel()
            self._fetch = None
            self._send(event)
            return
        job = self._engine.job
        if (
            isinstance(job, Load)
            and self._dispatcher.load is not None
            and job.request_id == self._dispatcher.load.request_id
        ):
            job.stop.set()
        self._dispatcher.load, self._dispatcher.is_loaded = None, self._has_model
        self._send(event)

    def _go_on_without(self, error: ErrorInfo) -> None:
        """A model did not come: what waits is spoken by the one that stayed, or fails if there is none."""
        if self._has_model:
            self._session.begin_waiting()
        else:
            self._fail_waiting(error)

    def _fail_waiting(self, error: ErrorInfo) -> None:
        for speech in self._session.queue:
            if speech in self._session.queue and not speech.is_file:
                self._session.fail(speech, error)
        self._background.fail_all(error)

    # -- the clock

    def _tick(self) -> None:
        self._session.tick()
        self._dispatcher.redirect()
        busy = bool(self._session.queue.current or self._background)
        self._memory.tick(busy=busy or self._engine.job is not None)
        if time.monotonic() - self._alive_at >= _ALIVE_S:
            self._alive_at = time.monotonic()
            self._post(Alive("", busy))


def _error_of(exc: Exception, item: object) -> ErrorInfo:
    """An error for the user, from within its handler; one that is not ours is logged."""
    if not isinstance(exc, PocketVoiceError):
        log.exception("the worker failed at %s", type(item).__name__)  # not its text
    return ErrorInfo.from_exception(exc)
