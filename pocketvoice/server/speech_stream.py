"""One text on its way from an engine to a client: an iterator of sound that never holds more than the client can take.

When its owner leaves it, whether at the end, on an error or because the client went away, the engine stops within a step.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from pocketvoice.audio.chunk import AudioChunk
from pocketvoice.server.admission import Admission, AdmissionQueue
from pocketvoice.server.refusals import Refusal, no_model, refusal_of
from pocketvoice.text.pauses import PAUSE_MARK, mark_seconds
from pocketvoice.worker.messages import Failed, Finished, Stats, Stopped, Synthesized
from pocketvoice.worker.parent.client import RequestHandle, WorkerClient

_TELL_S = 0.25  # of sound: the worker is told in steps of this what was taken
_HELD_S = 0.5  # a client that has not taken a piece for so long is slower than the engine
_RETRY_S = 2
_STALLED_S = 10.0  # after so long it keeps no place among the requests that are spoken or wait


def pauses_of(text: str) -> float:
    """Seconds of silence that a text asks for, at speed 1."""
    marks = [mark_seconds(mark) for mark in PAUSE_MARK.finditer(text)]
    return sum(seconds for seconds in marks if seconds is not None)


def check_pauses(text: str, speed: float, sound_s: float) -> None:
    """Raises Refusal if the pauses that a text asks for are longer than its sound may be: nothing of it is made then."""
    if pauses_of(text) / speed > sound_s:
        raise too_long(sound_s)


def too_long(sound_s: float) -> Refusal:
    """What a client is told whose text makes more than so many seconds of sound."""
    return Refusal(
        400,
        f"The speech is longer than {sound_s / 60:g} minutes: send the text in parts, with shorter pauses.",
        code="sound_too_long",
    )


class SpeechStream:
    """The sound of a request; iterate it once."""

    def __init__(
        self,
        client: WorkerClient,
        handle: RequestHandle,
        queue: AdmissionQueue,
        admission: Admission,
        sound_s: float,
    ) -> None:
        """Ends with a Refusal once there are more than `sound_s` seconds of sound."""
        self._sound_s = sound_s
        self._client = client
        self._handle = handle
        self._queue = queue
        self._admission = admission
        self._why: Refusal | None = None  # it was stopped from here
        self.engine = admission.engine
        """Index of the engine that speaks it."""
        self._told = 0  # samples that the worker knows to be taken
        self.has_sound = False
        """Whether a chunk has come."""
        self.stats = Stats()
        """What it came to; known after the last chunk."""

    async def fail(self, refusal: Refusal) -> None:
        """Ends it: who iterates it gets this refusal."""
        if self._why is None:
            self._why = refusal
            await self._handle.stop()

    async def __aiter__(self) -> AsyncIterator[AudioChunk]:
        """Chunks as they are made; raises Refusal if it fails."""
        async for event in self._handle:
            match event:
                case Synthesized():
                    self._check_length(event)
                    self.has_sound = True
                    with self._waiting_for_client():
                        yield event.chunk
                    self._tell(event)
                case Failed():
                    if self._client.ready is None:  # it died of it, and the new one can't load
                        raise no_model(_RETRY_S)
                    raise refusal_of(event.error)
                case Stopped():
                    raise self._why or Refusal(
                        503, "The speech was stopped: the server is closing.", code="stopped"
                    )
                case Finished():
                    self.stats = event.stats

    def _check_length(self, event: Synthesized) -> None:
        if event.position + len(event.chunk.samples) > self._sound_s * event.chunk.sample_rate:
            raise too_long(self._sound_s)

    def _tell(self, event: Synthesized) -> None:
        position = event.position + len(event.chunk.samples)
        if position - self._told >= _TELL_S * event.chunk.sample_rate:
            self._told = position
            self._client.took(self._handle, position)

    @contextmanager
    def _waiting_for_client(self) -> Iterator[None]:
        """While the client has a piece in hand; if that takes longer than a moment, the engine serves others meanwhile."""
        loop = asyncio.get_running_loop()
        timers = (
            loop.call_later(_HELD_S, self._queue.hold, self._admission, True),
            loop.call_later(_STALLED_S, self._queue.stall, self._admission),
        )
        try:
            yield
        finally:
            for timer in timers:
                timer.cancel()
            self._queue.hold(self._admission, False)
