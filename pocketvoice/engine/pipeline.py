"""Two threads and a consumer: FlowLM on one, Mimi on the other, joined by a bounded queue; the consumer pulls at its pace.

The whole pipeline runs ahead of its consumer by a given number of seconds and no further. Stopping (an event, or closing the
iterator) takes effect between two messages, that is within one step, and both threads are joined before it returns.
"""

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from pocketvoice.engine.decoding import Output
from pocketvoice.engine.generation import Message
from pocketvoice.errors import GenerationError, PocketVoiceError

_POLL_S = 0.02  # how often a waiting thread looks whether to stop


class RunAhead:
    """The seconds of sound made but not yet taken; the maker waits while they are too many."""

    def __init__(
        self, limit_s: float, cancelled: Callable[[], bool], hurried: Callable[[], bool] = lambda: False
    ) -> None:
        self._limit_s = limit_s  # set once
        self._cancelled = cancelled  # set once
        self._hurried = hurried  # set once
        self._changed = threading.Condition()
        self._ahead_s = 0.0  # guarded by _changed

    def wait_for_room(self, seconds: float) -> None:
        """Takes `seconds` of room, waiting for it unless cancelled or hurried. A piece always fits into nothing."""
        with self._changed:
            while self._ahead_s > 0 and self._exceeds(seconds) and not (self._cancelled() or self._hurried()):
                self._changed.wait(_POLL_S)
            self._ahead_s += seconds

    @property
    def is_overfull(self) -> bool:
        """Whether there is more than the limit, for it was made in a hurry."""
        return self._exceeds(0.0)

    def _exceeds(self, seconds: float) -> bool:
        return self._ahead_s + seconds > self._limit_s + 1e-6

    def taken(self, seconds: float) -> None:
        """The consumer has taken `seconds`."""
        with self._changed:
            self._ahead_s -= seconds
            self._changed.notify()


@dataclass(frozen=True)
class Buffers:
    """How many frames may be where, so that all together they are not more than `ahead_s` (nor less than four frames)."""

    batch: int  # decoded in one call
    between: int  # in the queue between the two threads
    outputs_s: float  # made and waiting for the consumer, seconds

    @classmethod
    def within(cls, ahead_s: float, frame_s: float, most: int) -> "Buffers":
        """Buffers for a request; batches of `most` frames where there is room for them."""
        frames = max(4, int(ahead_s / frame_s + 1e-6))
        batch = max(1, min(most, frames // 2 - 1))
        between = 8 if frames >= 12 + 2 * batch else 1
        on_the_way = between + 1 + batch  # in the queue, in the generator's hand, collected for a batch
        return cls(batch, between, (frames - on_the_way) * frame_s)


class Pipeline:
    """One request, from the generator's messages to the consumer."""

    def __init__(
        self,
        messages: Iterator[Message],
        decode: Callable[[Iterable[Message]], Iterator[Output]],
        *,
        sample_rate: int,
        buffers: Buffers,
        stop: threading.Event,
        hurried: Callable[[], bool] = lambda: False,
    ) -> None:
        """While `hurried` sound is made beyond what the buffers hold: others wait for the model."""
        self._messages = messages
        self._decode = decode
        self._sample_rate = sample_rate
        self._stop = stop  # the caller's
        self._closed = threading.Event()  # ours: the consumer went away
        # Written by the thread that fails, read after it has ended.
        self._failure: BaseException | None = None
        self._ahead = RunAhead(buffers.outputs_s, self._cancelled, hurried)
        self._latents: queue.Queue[Message | None] = queue.Queue(buffers.between)
        self._outputs: queue.SimpleQueue[Output | None] = queue.SimpleQueue()  # bounded by _ahead

    def run(self) -> Generator[Output, None, None]:
        """Starts both threads; yields until the end, a stop or a failure, which is raised here."""
        threads = [
            threading.Thread(target=self._guard, args=(work,), name=name, daemon=True)
            for work, name in ((self._make_latents, "flow_lm"), (self._make_sound, "mimi"))
        ]
        for thread in threads:
            thread.start()
        try:
            while (output := self._outputs.get()) is not None:
                if isinstance(output, Tensor):
                    self._ahead.taken(self._seconds(output))
                yield output
                if self._stop.is_set():
                    break
        finally:
            self._closed.set()
            for thread in threads:
                thread.join()
        if self._failure is not None and not self._stop.is_set():
            raise _explained(self._failure)

    @property
    def is_cancelled(self) -> bool:
        """Whether nothing more is wanted."""
        return self._cancelled()

    @property
    def is_overfull(self) -> bool:
        """Whether more sound waits for the consumer than the buffers should hold."""
        return self._ahead.is_overfull

    def _cancelled(self) -> bool:
        return self._closed.is_set() or self._stop.is_set() or self._failure is not None

    def _seconds(self, samples: Tensor) -> float:
        return samples.shape[0] / self._sample_rate

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            with torch.no_grad():
                work()
        except BaseException as exc:  # the outermost loop of a thread: the consumer gets it
            self._failure = exc
            self._outputs.put(None)

    def _make_latents(self) -> None:
        for message in self._messages:
            if self._cancelled():
                break
            self._put(message)  # may wait long
            if self._cancelled():
                break
        self._put(None)

    def _put(self, message: Message | None) -> None:
        while not self._closed.is_set():
            try:
                self._latents.put(message, timeout=_POLL_S)
            except queue.Full:
                if self._failure is not None:
                    return
            else:
                return

    def _received(self) -> Iterator[Message]:
        while not self._cancelled():
            try:
                message = self._latents.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if message is None:
                return
            yield message

    def _make_sound(self) -> None:
        for output in self._decode(self._received()):
            if isinstance(output, Tensor):
                self._ahead.wait_for_room(self._seconds(output))
            if self._cancelled():
                break
            self._outputs.put(output)
        self._outputs.put(None)


def _explained(failure: BaseException) -> BaseException:
    """The failure of a thread for the caller: our own errors as they are, others as a GenerationError."""
    if isinstance(failure, PocketVoiceError) or not isinstance(failure, Exception):
        return failure
    error = GenerationError(
        "The model failed while speaking: try again, or load it again.", detail=repr(failure)
    )
    error.__cause__ = failure
    return error
