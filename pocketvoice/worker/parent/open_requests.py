"""The requests that have not ended, on the parent's side: their handles, and what to do about each when the worker dies.

Lives on the loop's thread. Decision: after a crash speech goes on by itself, under the same id, at the start of the sentence
that was being heard; exports, clones and loads begin again; a request that was at work in two crashes is given up. Controls
(pause, seek, ...) end as Failed, for the moment they were meant for is gone; speed, volume, device and pause stay in force.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

from pocketvoice.worker.messages import (
    TERMINAL,
    CloneVoice,
    Event,
    Export,
    Level,
    LoadModel,
    PlayFile,
    Position,
    Preview,
    Priority,
    Request,
    SentenceStarted,
    Speak,
    Started,
    Synthesize,
    Synthesized,
    Terminal,
)

_MOST_TRIES = 2

WORK = (Speak, Preview, PlayFile, Export, Synthesize, CloneVoice)
"""Requests that keep the worker busy."""


class RequestHandle:
    """One request: its events, and a way to stop it. `async for event in handle` ends after the terminal event."""

    def __init__(self, request_id: str, stop: Callable[[str], Awaitable[None]]) -> None:
        self.request_id = request_id
        self._stop = stop
        self._events: list[Event] = []  # those no iterator has taken: the newest of each frequent kind
        self._changed = asyncio.Event()
        self._terminal: asyncio.Future[Terminal] = asyncio.get_running_loop().create_future()

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Its events from the first on, the terminal one last. For one consumer: an event is handed out once.

        A slow consumer finds only the newest Position and Level.
        """
        while True:
            while self._events:
                event = self._events.pop(0)
                yield event
                if isinstance(event, TERMINAL):
                    return
            if self.done:
                return
            self._changed.clear()
            await self._changed.wait()

    async def result(self) -> Terminal:
        """Waits for the end and tells how it ended; never raises for a Failed."""
        return await asyncio.shield(self._terminal)

    @property
    def done(self) -> bool:
        """Whether the terminal event has come."""
        return self._terminal.done()

    async def stop(self) -> Terminal:
        """Ends the request and waits for its end: a worker that does not obey within two seconds is replaced."""
        if not self.done:
            await self._stop(self.request_id)
        return await self.result()

    def take(self, event: Event) -> None:
        """For the client: an event of this request."""
        assert not self.done, f"{event} after the end"
        if isinstance(event, Position | Level):
            self._events = [one for one in self._events if type(one) is not type(event)]
        self._events.append(event)
        if isinstance(event, TERMINAL):
            self._terminal.set_result(event)
        self._changed.set()


class Entry:
    """A request that has not ended."""

    def __init__(self, request: Request, handle: RequestHandle) -> None:
        self.request = request
        self.handle = handle
        self.is_stopping = False
        """Its stop was asked for."""
        self._source = request.start if isinstance(request, Speak) else 0
        self._broke_at: int | None = None
        self._is_at_work = False
        self._received = 0  # samples of a synthesis
        self._seed: int | None = None  # with which these were made
        self._tries = 0

    @property
    def source(self) -> int | None:
        """For a speech: the start of the sentence being heard."""
        return self._source if isinstance(self.request, Speak) else None

    def take(self, event: Event) -> None:
        """Notes how far it is, and hands the event on."""
        if isinstance(event, SentenceStarted | Position):
            self._source = event.span[0]
        elif isinstance(event, Started):
            self._is_at_work = True
        elif isinstance(event, Synthesized):
            self._received, self._seed = event.position + len(event.chunk.samples), event.seed
        self.handle.take(event)

    def again(self) -> Request | None:
        """What to send to the next worker; None if it is to be given up."""
        match self.request:
            case Speak():
                return self._speak_again()
            case Synthesize():
                return self._synthesize_again()
            case Preview() | Export() | CloneVoice() | LoadModel():
                self._tries += 1
                return self.request if self._tries < _MOST_TRIES else None
        return None

    def _synthesize_again(self) -> Synthesize | None:
        """The same sound is made again, and what was received is left out."""
        assert isinstance(self.request, Synthesize)
        self._tries += 1
        if self._tries >= _MOST_TRIES:
            return None
        seed = self.request.seed if self._seed is None else self._seed
        return replace(self.request, skip=self._received, seed=seed)

    def _speak_again(self) -> Speak | None:
        assert isinstance(self.request, Speak)
        if self._is_at_work:
            self._tries = self._tries + 1 if self._source == self._broke_at else 1
            self._broke_at = self._source
            self._is_at_work = False
            if self._tries >= _MOST_TRIES:
                return None
        priority = self.request.priority
        if priority is Priority.INTERRUPT:  # it has done so already
            priority = Priority.ENQUEUE
        return replace(self.request, start=self._source, priority=priority)
