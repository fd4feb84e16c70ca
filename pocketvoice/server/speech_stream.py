"""One text on its way from an engine to a client: an iterator of sound that never holds more than the client can take.

When its owner leaves it, whether at the end, on an error or because the client went away, the engine stops within a step.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from pocketvoice.audio.chunk import AudioChunk
from pocketvoice.server.admission import Admission, AdmissionQueue
from pocketvoice.server.refusals import Refusal, refusal_of
from pocketvoice.worker.messages import Failed, Finished, Stats, Stopped, Synthesized
from pocketvoice.worker.parent.client import RequestHandle, WorkerClient

_TELL_S = 0.25  # of sound: the worker is told in steps of this what was taken
_HELD_S = 0.5  # a client that has not taken a piece for so long is slower than the engine


@dataclass(frozen=True)
class Wanted:
    """What is to be spoken, and how. Values are checked; None is the model's own."""

    text: str
    voice: str | None = None
    """As the worker knows it: a name, an id or a file; None is the default voice."""
    speed: float = 1.0
    seed: int | None = None
    temp: float | None = None
    eos_threshold: float | None = None
    noise_clamp: float | None = None
    sampler_decode_steps: int | None = None


class SpeechStream:
    """The sound of a request; iterate it once."""

    def __init__(
        self, client: WorkerClient, handle: RequestHandle, places: AdmissionQueue, place: Admission
    ) -> None:
        self._client = client
        self._handle = handle
        self._places = places
        self._place = place
        self._told = 0  # samples
        self.has_sound = False
        """Whether a chunk has come."""
        self.stats = Stats()
        """What it came to, after the last chunk."""

    async def __aiter__(self) -> AsyncIterator[AudioChunk]:
        """Chunks as they are made; raises Refusal if it fails."""
        async for event in self._handle:
            match event:
                case Synthesized():
                    self.has_sound = True
                    with self._waiting_for_client():
                        yield event.chunk
                    self._tell(event)
                case Failed():
                    raise refusal_of(event.error)
                case Stopped():
                    raise Refusal(503, "The speech was stopped: the server is closing.", code="stopped")
                case Finished():
                    self.stats = event.stats

    def _tell(self, event: Synthesized) -> None:
        position = event.position + len(event.chunk.samples)
        if position - self._told >= _TELL_S * event.chunk.sample_rate:
            self._told = position
            self._client.took(self._handle, position)

    def _waiting_for_client(self) -> "_Waiting":
        return _Waiting(self._places, self._place)


class _Waiting:
    """While it lasts the client has a piece in hand; after a moment its place counts as held."""

    def __init__(self, places: AdmissionQueue, place: Admission) -> None:
        self._places = places
        self._place = place

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_HELD_S, self._places.hold, self._place, True)

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._places.hold(self._place, False)
