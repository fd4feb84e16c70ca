"""Latents -> sound: the story of one request on the Mimi side, from the generator's messages to chunks and events.

Knows no threads; `engine.pipeline` runs it on a thread of its own. The sizes of the batches are a fixed schedule, not what
happens to be queued: torch's rounding depends on the size, and the same seed must give the same samples.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.engine.generation import Latent, Message, TakeEnded, TakeStarted
from pocketvoice.errors import GenerationError
from pocketvoice.model.mimi_stream import Decoder

Output = Tensor | SegmentEvent

FADE_IN_S = 0.005  # a fresh decoder state steps, which is heard as a click
FIRST_BATCHES = (1, 1, 2)  # frames a call at the start of the sound; later ones take `max_batch`


class Decoding:
    """Turns messages into outputs, counting samples."""

    def __init__(
        self,
        decoder: Decoder,
        sample_rate: int,
        max_batch: int,
        turn: AbstractContextManager[Any] | None = None,
        begin_take: Callable[[], bool] = lambda: True,
        end_take: Callable[[], None] = lambda: None,
    ) -> None:
        """`turn` is held while the decoder computes.

        `begin_take` waits until the decoder is free for a take, False if it is not wanted any more; `end_take` gives it up.
        """
        self._begin_take = begin_take
        self._end_take = end_take
        self._decoder = decoder
        self._turn = turn or nullcontext()
        self._sample_rate = sample_rate
        self._max_batch = max_batch
        self._calls = 0
        self._pending: list[Tensor] = []
        self._fresh = True
        self._position = 0
        self._replaceable = 0  # samples delivered since the first take of the current segment began

    def run(self, messages: Iterable[Message]) -> Iterator[Output]:
        """Chunks (T,) on the CPU and events in the order in which they are to be heard; raises GenerationError for NaN."""
        for message in messages:
            if isinstance(message, TakeStarted):
                if not self._begin_take():
                    return
                yield self._start(message)
            elif isinstance(message, Latent):
                self._pending.append(message.value)
                if len(self._pending) >= self._batch:
                    yield self._decode()
            elif isinstance(message, TakeEnded):
                yield from self._end(message)

    @property
    def _batch(self) -> int:
        wanted = FIRST_BATCHES[self._calls] if self._calls < len(FIRST_BATCHES) else self._max_batch
        return min(wanted, self._max_batch)

    def _start(self, message: TakeStarted) -> SegmentEvent:
        self._decoder.reset()
        self._fresh = True
        discard = self._replaceable if message.replaces else 0
        self._replaceable = 0
        return self._event(SegmentEventKind.STARTED, message, discard)

    def _end(self, message: TakeEnded) -> Iterator[Output]:
        if self._pending:
            yield self._decode()
        self._end_take()
        if message.failed:
            yield self._event(SegmentEventKind.NO_EOS, message)
        if not message.accepted:
            return
        silence = int(message.segment.pause_after_s * self._sample_rate)
        for start in range(0, silence, self._sample_rate):
            yield self._deliver(
                torch.zeros(min(self._sample_rate, silence - start), dtype=torch.float32, device="cpu")
            )
        yield self._event(SegmentEventKind.FINISHED, message)

    def _decode(self) -> Tensor:
        with self._turn:
            samples = self._decoder.decode(torch.cat(self._pending)).cpu()
        # A sum holds NaN or infinity if one of them does, and costs microseconds.
        if not math.isfinite(float(samples.sum())):
            raise GenerationError(
                "The codec made no sound but values that are no numbers: its weights are damaged, download or copy them again."
            )
        self._pending.clear()
        self._calls += 1
        if self._fresh:
            fade = torch.linspace(0, 1, int(FADE_IN_S * self._sample_rate), dtype=torch.float32, device="cpu")
            length = min(fade.shape[0], samples.shape[0])
            samples[:length] *= fade[:length]
            self._fresh = False
        return self._deliver(samples)

    def _deliver(self, samples: Tensor) -> Tensor:
        self._position += samples.shape[0]
        self._replaceable += samples.shape[0]
        return samples

    def _event(
        self, kind: SegmentEventKind, message: TakeStarted | TakeEnded, discard: int = 0
    ) -> SegmentEvent:
        return SegmentEvent(kind, message.segment, message.index, message.take, self._position, discard)
