"""Segments -> latents: the story of one request on the FlowLM side, as a generator of messages.

Knows no threads and no sound; `engine.pipeline` runs it on a thread of its own and stops it between two messages. It owns the
FlowLM step while it runs. Rules and their reasons: end of speech is ignored on the first frames (some voices start with a high
logit), a text without one within tokens / 3 + 2 seconds has failed, one or two words alone are worth several takes.
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor

from pocketvoice.engine.noise import NoiseSource
from pocketvoice.errors import GenerationError
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.text.splitter import Segment

NoEosPolicy = Literal["retry", "keep"]

FIRST_EOS_FRAME = 6
TOKENS_PER_SECOND = 3.0
SPARE_SECONDS = 2.0
SHORT_TAKES = 3
FITTING = math.log(1.8)  # a short take fits when its length is within this factor of the expected


@dataclass(frozen=True)
class GenerationSettings:
    """What a request asks of the model."""

    eos_threshold: float  # the end-of-speech logit above which a segment ends
    frame_rate: float  # Hz
    frames_after_eos: int | None = None  # instead of the segment's own number
    no_eos: NoEosPolicy = "retry"  # what to do with a segment that does not end
    keep_history: bool = False
    """Segments follow each other in the KV cache instead of each starting from the voice."""
    several_takes: bool = True  # for segments of one or two words


@dataclass(frozen=True)
class TakeStarted:
    """Latents of a take follow."""

    segment: Segment
    index: int
    take: int
    replaces: bool  # an earlier take of the same segment, or of the segment this is a part of, has been sent


@dataclass(frozen=True)
class Latent:
    """One frame, normalised, (1, latent_dim)."""

    value: Tensor


@dataclass(frozen=True)
class TakeEnded:
    """No more latents of this take; `failed` if the length limit came before the end of speech."""

    segment: Segment
    index: int
    take: int
    failed: bool
    accepted: bool  # False: another take follows and replaces it


@dataclass(frozen=True)
class Working:
    """Nothing to send yet (a frame of a take that is judged first, a wait for the step): a moment to look whether to stop."""


Message = TakeStarted | Latent | TakeEnded | Working
SplitAgain = Callable[[Segment], list[Segment]]


def frame_limit(tokens: int, frame_rate: float) -> int:
    """The most frames a segment of so many tokens may take."""
    return math.ceil((tokens / TOKENS_PER_SECOND + SPARE_SECONDS) * frame_rate)


def expected_frames(text: str, frame_rate: float) -> float:
    """How long a short text is likely to sound: about 14 letters a second and a quarter of a second around."""
    return frame_rate * (0.25 + len(text.strip()) / 14)


class SegmentGenerator:
    """Speaks segments one after the other, each in a turn at the step, from the voice that lies in its cache."""

    def __init__(
        self,
        step: FlowLMStep,
        noise: NoiseSource,
        settings: GenerationSettings,
        split_again: SplitAgain,
        turn: AbstractContextManager[Any] | None = None,
        begin_segment: Callable[[], int | None] | None = None,
        end_segment: Callable[[], None] = lambda: None,
    ) -> None:
        """`turn` is held while the step computes.

        `begin_segment` asks for the step and gives the position in its cache where takes begin, or None if others have it still;
        `end_segment` gives it up. Without them the step is this generator's alone.
        """
        self._start: int = step.position  # where every take begins; moves only with `keep_history`
        self._begin_segment = begin_segment or (lambda: self._start)
        self._end_segment = end_segment
        self._turn = turn or nullcontext()
        self._step = step
        self._noise = noise
        self._settings = settings
        self._split_again = split_again

    def run(self, segments: Iterable[Segment]) -> Iterator[Message]:
        """The messages of all segments."""
        for index, segment in enumerate(segments):
            if not segment.tokens:
                yield from _pause_alone(segment, index)
                continue
            while (start := self._begin_segment()) is None:
                yield Working()
            self._start = start
            try:
                yield from self._spoken(segment, index)
            finally:
                self._end_segment()

    def _spoken(self, segment: Segment, index: int) -> Iterator[Message]:
        if segment.is_short and self._settings.several_takes and not self._settings.keep_history:
            yield from self._best_of_several(segment, index)
        else:
            yield from self._with_retry(segment, index)

    def _with_retry(self, segment: Segment, index: int) -> Iterator[Message]:
        """A take; if it does not end, another one; then, if that does not either, the segment in parts."""
        retry = self._settings.no_eos == "retry"
        last = 1 if retry else 0
        for take in range(last + 1):
            yield TakeStarted(segment, index, take, replaces=take > 0)
            failed = yield from self._take(segment)
            parts = self._split_again(segment) if failed and retry and take == last else []
            accepted = not failed or (take == last and len(parts) < 2)
            yield self._ended(TakeEnded(segment, index, take, failed, accepted))
            if accepted:
                return
        for number, part in enumerate(parts):
            yield TakeStarted(part, index, last + 1, replaces=number == 0)
            failed = yield from self._take(part)
            yield self._ended(TakeEnded(part, index, last + 1, failed, accepted=True))

    def _best_of_several(self, segment: Segment, index: int) -> Iterator[Message]:
        """One or two words garble often: the first take whose length fits, else the nearest, is sent, and only that."""
        expected = expected_frames(segment.text, self._settings.frame_rate)
        best: tuple[float, bool, list[Latent]] = (math.inf, True, [])
        for take in range(SHORT_TAKES):
            latents: list[Latent] = []
            failed = yield from self._collect(segment, latents)
            misfit = math.inf if failed else abs(math.log(max(1, len(latents)) / expected))
            if take == 0 or misfit < best[0]:
                best = misfit, failed, latents
            if misfit < FITTING:
                break
        yield TakeStarted(segment, index, 0, replaces=False)
        yield from best[2]
        yield self._ended(TakeEnded(segment, index, 0, best[1], accepted=True))

    def _ended(self, message: TakeEnded) -> TakeEnded:
        if message.accepted and self._settings.keep_history:
            self._start = self._step.position
        return message

    def _take(self, segment: Segment) -> Generator[Message, None, bool]:
        """Sends the frames as they come; true if the length limit came first."""
        frames = self._frames(segment)
        while True:
            try:
                yield Latent(next(frames))
            except StopIteration as end:
                return bool(end.value)

    def _collect(self, segment: Segment, latents: list[Latent]) -> Generator[Message, None, bool]:
        """Keeps the frames; true if the length limit came first."""
        frames = self._frames(segment)
        while True:
            try:
                latents.append(Latent(next(frames)))
                yield Working()
            except StopIteration as end:
                return bool(end.value)

    def _frames(self, segment: Segment) -> Generator[Tensor, None, bool]:
        """The model's story of one take: text in, then frame by frame until the end of speech and a little more."""
        settings = self._settings
        more = segment.frames_after_eos if settings.frames_after_eos is None else settings.frames_after_eos
        with self._turn:
            self._step.transformer.rewind(self._start)
            self._step.transformer.reserve(self._start + len(segment.tokens) + self._limit(segment))
            self._step.append_text(segment.tokens)
        self._noise.draw()  # the reference samples once from the text as well: kept, so that a seed means the same
        latent: Tensor | None = None
        stop_at: int | None = None
        for frame in range(self._limit(segment)):
            if stop_at is not None and frame >= stop_at:
                # Likewise for the frame after the last, which the reference computes and drops, but keeps in the state.
                noise = self._noise.draw()
                if settings.keep_history:
                    with self._turn:
                        self._step.step(latent, noise)
                break
            with self._turn:
                latent, eos = self._step.step(latent, self._noise.draw())
            if math.isnan(eos):
                raise GenerationError(
                    "The model computes no numbers: its weights or the voice are damaged, get them anew."
                )
            if stop_at is None and frame >= FIRST_EOS_FRAME and eos > settings.eos_threshold:
                stop_at = frame + more
                if more == 0:
                    break
            yield latent
        return stop_at is None

    def _limit(self, segment: Segment) -> int:
        return frame_limit(len(segment.tokens), self._settings.frame_rate)


def _pause_alone(segment: Segment, index: int) -> Iterator[Message]:
    yield TakeStarted(segment, index, 0, replaces=False)
    yield TakeEnded(segment, index, 0, failed=False, accepted=True)
