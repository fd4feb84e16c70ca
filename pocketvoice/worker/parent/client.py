"""The parent's side of the worker, for any asyncio loop (qasync's and uvicorn's included).

Everything here lives on the loop's thread and nothing blocks it: the process is started, read and written by threads of
`link` and `pipes`, whose words come in by `call_soon_threadsafe`. The worker may die or freeze at any moment: it is replaced, the
client says so once, and the requests go on (`open_requests` says how).
"""

import asyncio
import itertools
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Self

from pocketvoice.worker.messages import (
    SETTINGS,
    TERMINAL,
    Alive,
    ErrorInfo,
    Event,
    Failed,
    Finished,
    Hello,
    LoadModel,
    LogRecord,
    Pause,
    PausedChanged,
    Preview,
    Ready,
    Request,
    Shutdown,
    Speak,
    StateChanged,
    Stop,
    Stopped,
    Taken,
    WorkerOptions,
    WorkerState,
)
from pocketvoice.worker.parent.link import Link
from pocketvoice.worker.parent.open_requests import WORK, Entry, RequestHandle
from pocketvoice.worker.parent.requests import Requests

log = logging.getLogger(__name__)

__all__ = ["Listener", "RequestHandle", "WorkerClient"]

Listener = Callable[[Event], None]

OBEY_S = 2.0
"""A worker that has not ended a request in so long after being told is replaced."""
_WATCH_S = 1.0
_SILENT_TICKS = 5
_SILENT_TICKS_LOADING = 60  # importing torch, or reading weights from a slow disk, may hold its interpreter
_CRASHES, _CRASHES_WITHIN_S = 3, 60.0

_AGAIN = "The speech engine broke down and was started again."
_FROZE = "The speech engine did not answer and was started again."
_GAVE_UP = "The speech engine broke down three times within a minute: restart it, or look at the log."
_NOT_RUNNING = "The speech engine is not running: restart it."
_BROKE = "The speech engine broke down before this was done: try again."


class WorkerClient(Requests):
    """Starts the worker, sends requests, hands out events. What it can be asked for are the messages that are requests."""

    def __init__(self, options: WorkerOptions | None = None) -> None:
        self.state = WorkerState.STOPPED
        """What the worker is doing; every change is a StateChanged event."""
        self.ready: Ready | None = None
        """The loaded model; None before. It stays while another is being loaded, and after that failed."""
        self.paused = False
        """Whether the player holds, as last heard from the worker."""
        self._numbers = itertools.count(1)  # of requests
        self._settings: dict[
            type[Request], Request
        ] = {}  # the last of each kind of SETTINGS: a new worker is told
        self._options = options or WorkerOptions()  # set once
        self._loop: asyncio.AbstractEventLoop | None = None
        self._link: Link | None = None
        self._entries: dict[str, Entry] = {}
        self._listeners: list[Listener] = []
        self._last_load: LoadModel | None = None  # the last one that worked
        self._crashes: list[float] = []  # monotonic times
        self._said_hello = False
        self._is_closing = False
        self._why = ""  # the sentence of the next crash, if it is our doing
        self._silent_ticks = 0
        self._watch: asyncio.TimerHandle | None = None
        self._link_over: asyncio.Event | None = None

    async def __aenter__(self) -> Self:
        """Starts the process and returns at once (state STARTING); requests may be sent."""
        assert self._loop is None, "a client is entered once"
        self._loop = asyncio.get_running_loop()
        self._link_over = asyncio.Event()
        self._start()
        self._tick()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the worker: see `close`."""
        await self.close()

    async def close(self, timeout_s: float = 2.0) -> None:
        """Ends the worker, by force if it takes longer; every open request ends as Stopped. Never raises."""
        self._is_closing = True
        if self._watch is not None:
            self._watch.cancel()
        if self._link is not None and self._link_over is not None:
            self._link.send(self._named(Shutdown()))
            if not self._said_hello or not await _within(self._link_over, timeout_s):
                self._link.kill()
                await _within(self._link_over, timeout_s)
        self._end_all(lambda entry: Stopped(entry.request.request_id, entry.source))
        self._change(WorkerState.STOPPED)

    async def restart(self) -> None:
        """Starts anew after it gave up (CRASHED), or replaces a worker that behaves oddly."""
        self._crashes.clear()
        if self._link is not None:
            self._replace(_AGAIN)
        elif not self._is_closing and self._loop is not None:
            self._start()
            self._tell_again()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` on the loop with every event of every request (StateChanged included); returns how to end that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    async def stop(self) -> RequestHandle:
        """Stops every speech, spoken or waiting; a worker that does not obey within two seconds is replaced."""
        handle = await self.send(Stop())
        assert self._loop is not None
        self._loop.call_later(OBEY_S, self._check_obeyed, handle)
        return handle

    @property
    def pid(self) -> int | None:
        """Of the worker process, while there is one."""
        return self._link.pid if self._link is not None else None

    def took(self, handle: RequestHandle, position: int) -> None:
        """A synthesis was used up to a position, in samples: the worker may make more."""
        if self._link is not None and not handle.done:
            self._link.send(self._named(Taken(handle.request_id, position)))

    # -- sending

    async def send(self, request: Request) -> RequestHandle:
        """Sends a request under a new id and keeps account of it until its end."""
        request = self._named(request)
        if isinstance(request, SETTINGS):
            self._settings[type(request)] = request
        return self._send(request)

    def _named(self, request: Request) -> Request:
        """The request under a new id."""
        return replace(request, request_id=f"r{next(self._numbers)}")

    def _send(self, request: Request) -> RequestHandle:
        handle = RequestHandle(request.request_id, self._stop_request)
        entry = self._entries[request.request_id] = Entry(request, handle)
        if self._link is None:
            self._end(entry, Failed(request.request_id, ErrorInfo("WorkerCrashed", _NOT_RUNNING)))
            return handle
        self._link.send(request)
        self._settle()
        return handle

    async def _stop_request(self, request_id: str) -> None:
        """Returns when it has ended."""
        entry, link = self._entries.get(request_id), self._link
        if entry is None:
            return
        entry.is_stopping = True
        if link is not None:
            link.send(self._named(Stop(request_id)))
        if link is None or not self._said_hello:
            self._end(entry, Stopped(request_id, entry.source))
            return
        done, _ = await asyncio.wait([asyncio.ensure_future(entry.handle.result())], timeout=OBEY_S)
        if not done and not entry.handle.done:
            was_loading = self.state is WorkerState.LOADING
            self._end(entry, Stopped(request_id, entry.source))
            # A model that is being read may hold the process for a while; and another worker has nothing to do with it.
            if not was_loading and self._link is link:
                self._replace(_FROZE)

    def _check_obeyed(self, stop: RequestHandle) -> None:
        if not stop.done and self._said_hello and self.state is WorkerState.BUSY and not self._is_closing:
            for entry in list(self._entries.values()):
                if isinstance(entry.request, Speak | Preview | Stop):
                    self._end(entry, Stopped(entry.request.request_id, entry.source))
            self._replace(_FROZE)

    # -- receiving

    def _on_event(self, link: Link, event: Event) -> None:
        if link is not self._link:
            return  # from a worker that was given up
        self._silent_ticks = 0
        match event:
            case Hello():
                self._said_hello = True
            case Alive():
                return
            case LogRecord():
                logging.getLogger(event.logger).log(event.level, "%s", event.message)
                return
            case Ready():
                self.ready = event
            case PausedChanged():
                self.paused = event.paused
        self._hand_on(event)
        self._settle()

    def _hand_on(self, event: Event) -> None:
        entry = self._entries.get(event.request_id)
        if isinstance(event, TERMINAL):
            if entry is None:
                return  # ended here already
            if isinstance(event, Finished) and isinstance(entry.request, LoadModel):
                self._last_load = entry.request
            self._end(entry, event)
            return
        if entry is not None:
            entry.take(event)
        self._emit(event)

    def _end(self, entry: Entry, event: Event) -> None:
        """The one place where a request ends."""
        if self._entries.pop(event.request_id, None) is not None:
            entry.take(event)
            self._emit(event)

    def _end_all(self, event_for: Callable[[Entry], Event]) -> None:
        for entry in list(self._entries.values()):
            self._end(entry, event_for(entry))

    def _emit(self, event: Event) -> None:
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # someone else's code
                log.exception("a listener failed at %s", type(event).__name__)

    # -- states

    def _settle(self) -> None:
        """The state that follows from what is open."""
        if self._link is None or self._is_closing:
            return
        open_requests = [entry.request for entry in self._entries.values()]
        if not self._said_hello:
            self._change(WorkerState.STARTING)
        elif any(isinstance(request, LoadModel) for request in open_requests):
            self._change(WorkerState.LOADING)
        elif any(isinstance(request, WORK) for request in open_requests):
            self._change(WorkerState.BUSY)
        else:
            self._change(WorkerState.IDLE)

    def _change(self, new: WorkerState, sentence: str = "") -> None:
        """The one place that sets the state."""
        old = self.state
        if new is not old:
            self.state = new
            log.debug("worker: %s -> %s", old.value, new.value)
            self._emit(StateChanged("", old, new, sentence))

    # -- the process

    def _start(self) -> None:
        loop, over = self._loop, self._link_over
        assert loop is not None
        assert over is not None
        over.clear()
        self._said_hello, self._silent_ticks, self._why = False, 0, ""
        # The link's thread begins at once, but its words come in on this thread, when `link` is known.
        link = Link(
            self._options,
            lambda event: _on_loop(loop, lambda: self._on_event(link, event)),
            lambda status: _on_loop(loop, partial(self._on_link_end, lambda: link, status)),
        )
        self._link = link
        self._change(WorkerState.STARTING)

    def _replace(self, why: str) -> None:
        """Kills the worker; its end starts the next one."""
        if self._link is not None:
            self._why = why
            self._link.kill()

    def _on_link_end(self, link: Callable[[], Link], status: int | None) -> None:
        if link() is not self._link or self._link_over is None:
            return
        self._link = None
        self._link_over.set()
        if not self._is_closing:
            self._on_crash(status)

    def _on_crash(self, status: int | None) -> None:
        why = self._why or _AGAIN
        log.error("the worker ended with status %s: %s", status, why)
        self.ready = None
        now = time.monotonic()
        self._crashes = [at for at in self._crashes if now - at < _CRASHES_WITHIN_S] + [now]
        if len(self._crashes) >= _CRASHES:
            self._change(WorkerState.CRASHED, _GAVE_UP)
            self._end_all(partial(_failed, _GAVE_UP, status))
            return
        self._change(WorkerState.CRASHED, why)
        self._start()
        self._tell_again()

    def _tell_again(self) -> None:
        """A new worker learns the model, the settings, and what is left to do."""
        assert self._link is not None
        entries = list(self._entries.values())
        for setting in self._settings.values():
            self._link.send(self._named(setting))
        if self._last_load is not None and not any(isinstance(one.request, LoadModel) for one in entries):
            self._send(self._named(self._last_load))
        for entry in entries:
            if entry.is_stopping:  # nobody waits for its sound, and the new worker does not know of the stop
                self._end(entry, Stopped(entry.request.request_id, entry.source))
                continue
            request = entry.again()
            if request is None:
                self._end(entry, _failed(_BROKE, None, entry))
            else:
                self._link.send(request)
        self.paused = self.paused and any(isinstance(one.request, Speak) for one in entries)
        if self.paused:
            self._link.send(self._named(Pause()))
        self._settle()

    def _tick(self) -> None:
        """Once a second: a worker that says nothing at all for a while is frozen. Counted in ticks, for computers sleep."""
        assert self._loop is not None
        self._watch = self._loop.call_later(_WATCH_S, self._tick)
        self._silent_ticks += 1
        is_slow = self.state in (WorkerState.STARTING, WorkerState.LOADING)
        limit = _SILENT_TICKS_LOADING if is_slow else _SILENT_TICKS
        if self._link is not None and self._silent_ticks > limit:
            self._silent_ticks = 0
            self._replace(_FROZE)


def _failed(sentence: str, status: int | None, entry: Entry) -> Failed:
    detail = "" if status is None else f"exit status {status}"
    return Failed(entry.request.request_id, ErrorInfo("WorkerCrashed", sentence, detail), entry.source)


def _on_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """From a thread; nothing if the loop has been closed in the meantime."""
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        log.debug("the loop is closed")


async def _within(event: asyncio.Event, timeout_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), timeout_s)
    except TimeoutError:
        return False
    return True
