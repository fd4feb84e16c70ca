"""Sound for the client's own use: texts that are spoken into its hands, several in turn, no further ahead than it can take.

A turn ends between two segments: when another synthesis is more urgent, or when the client has enough. Whoever has heard nothing
yet is most urgent, but gets no two turns in a row while another one's sound has run out (if it is played as it comes); then it is
the one whose sound runs out first. All turns of a synthesis draw from one stream of noise, so that its sound is that of `generate`
with the same seed, whoever else is served.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from pocketvoice.audio.chunk import AudioChunk, Samples
from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.engine.noise import NoiseSource, NoiseState
from pocketvoice.engine.sampling import Sampling
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.engine.voice_state import VoiceState
from pocketvoice.errors import InputError
from pocketvoice.playback.tempo import Tempo
from pocketvoice.text.segment import Segment
from pocketvoice.worker.child.jobs.job import BackgroundRequest, Job, Send
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.scheduler import Kind, Turn
from pocketvoice.worker.messages import Stats, Synthesize, Synthesized


@dataclass
class _Begun:
    """A segment whose sound is not all sent."""

    segment: Segment
    noise: NoiseState  # where the noise was before it
    sent: int = 0  # samples at speed 1


@dataclass
class _Progress:
    """What a synthesis needs of the engine; the engine's threads only."""

    model: TTSModel
    voice: VoiceState
    noise: NoiseSource
    sampling: Sampling
    segments: Iterator[Segment]
    tempo: Tempo
    begun: deque[_Begun] = field(default_factory=deque)  # FlowLM's thread adds, the sound's takes away


class Synthesis(BackgroundRequest):
    """A request that has not ended. The main loop owns it; its job's thread counts."""

    kind = Kind.SYNTHESIZE

    def __init__(self, request: Synthesize) -> None:
        super().__init__(request.request_id)
        self.request = request  # set once
        self.progress: _Progress | None = None  # None before its first turn
        self.sample_rate = 0  # 0 before its first turn
        self.sent = 0  # samples made for the client, those it has from before a crash included
        self.taken = request.skip
        self.is_over = False  # the last segment was begun
        self.tokens = 0
        self.seed = 0
        self.made_in_s = 0.0
        self.first_sound_s: float | None = None
        self._arrived = time.monotonic()
        self._first: float | None = None  # when the first sound was sent

    def job(self, send: Send) -> Job:
        return SynthesizeOn(self, send)

    @property
    def is_full(self) -> bool:
        """Whether the client has enough for now."""
        ahead = self.sent - self.taken
        return self.sample_rate > 0 and ahead >= self.request.window_s * self.sample_rate

    @property
    def is_done(self) -> bool:
        return self.is_over and self.progress is not None and not self.progress.begun

    @property
    def is_new(self) -> bool:
        """Whether nothing was heard yet."""
        return self._first is None

    @property
    def due(self) -> float:
        """When the next sound is wanted: a monotonic time."""
        return self._arrived if self._first is None else self._first + self.sent / self.sample_rate

    def begin(self, host: ModelHost) -> _Progress:
        """Readies voice and text at the first turn; raises what is wrong with them."""
        if self.progress is None:
            request = self.request
            segments = host.segments(request.text, request)
            first = next(segments)
            tempo = Tempo(host.model.sample_rate)
            tempo.change(request.speed)
            self.seed = _seed_of(host.seed(request.voice, request.seed))
            sampling = host.sampling(request.sampling)
            noise = host.model.noise_source(self.seed, sampling)
            self.progress = _Progress(
                host.model, host.voice(request.voice), noise, sampling, _chain(first, segments), tempo
            )
            self.sample_rate = host.model.sample_rate
        if self.progress.model is not host.model:
            raise InputError("Another model was loaded while this was spoken: ask for it again.")
        return self.progress

    def send(self, samples: Samples, send: Send) -> None:
        """Hands over what the client has not got yet."""
        if self._first is None and len(samples):
            self._first = time.monotonic()
            self.first_sound_s = self._first - self._arrived
        had = min(len(samples), max(0, self.request.skip - self.sent))
        position = self.sent + had
        self.sent += len(samples)
        if len(samples) > had:
            chunk = AudioChunk(samples[had:], self.sample_rate)
            send(Synthesized(self.request_id, chunk, position, self.seed))

    def turn(self) -> Turn:
        """For the scheduler."""
        return Turn(self.request_id, self.due, self.is_new, self.is_full)

    def stats(self) -> Stats:
        sound_s = self.sent / self.sample_rate if self.sample_rate else 0.0
        return Stats(sound_s, self.made_in_s, self.first_sound_s, text_tokens=self.tokens)


class SynthesizeOn(Job):
    """One turn of a synthesis."""

    kind = Kind.SYNTHESIZE

    def __init__(self, synthesis: Synthesis, send: Send) -> None:
        super().__init__(synthesis.request_id)
        self.synthesis = synthesis  # set once
        self.leave = threading.Event()
        """Set by the main loop: the turn ends with the segment."""
        self._send = send

    def run(self, host: ModelHost) -> None:
        synthesis = self.synthesis
        started = time.monotonic()
        progress = synthesis.begin(host)
        stream = host.stream_turn(
            self._segments(progress),
            progress.voice,
            progress.noise,
            progress.sampling,
            self.stop,
            self._on_segment,
        )
        with contextlib.closing(stream) as chunks:
            again = progress.begun[0].sent if progress.begun else 0  # of a segment that was broken off
            for chunk in chunks:
                if self.stop.is_set():
                    break
                new = chunk[min(again, len(chunk)) :]
                again -= len(chunk) - len(new)
                self._hand_over(progress, new)
        synthesis.made_in_s += time.monotonic() - started

    def _segments(self, progress: _Progress) -> Iterator[Segment]:
        """FlowLM's thread: those that were broken off, then new ones while the turn lasts."""
        if progress.begun:
            progress.noise.restore(progress.begun[0].noise)
            broken_off = list(progress.begun)
            yield from (one.segment for one in broken_off)
            if self._is_turn_over:
                return
        for segment in progress.segments:
            self.synthesis.tokens += len(segment.tokens)
            progress.begun.append(_Begun(segment, progress.noise.snapshot()))
            yield segment
            if self._is_turn_over:
                return
        self.synthesis.is_over = True

    @property
    def _is_turn_over(self) -> bool:
        return self.leave.is_set() or self.stop.is_set() or self.synthesis.is_full

    def _hand_over(self, progress: _Progress, samples: Samples) -> None:
        if len(samples):
            progress.begun[0].sent += len(samples)
            self.synthesis.send(progress.tempo.push(samples), self._send)

    def _on_segment(self, event: SegmentEvent) -> None:
        progress = self.synthesis.progress
        if event.kind is SegmentEventKind.FINISHED and progress is not None and not self.stop.is_set():
            self.synthesis.send(progress.tempo.flush(), self._send)
            progress.begun.popleft()


def _seed_of(wanted: int | None) -> int:
    """The one that is wanted, or one by chance: turns need a stream of noise that they can go back in."""
    if wanted is not None:
        return wanted
    import secrets

    return secrets.randbits(63)


def _chain(first: Segment, others: Iterator[Segment]) -> Iterator[Segment]:
    yield first
    yield from others
