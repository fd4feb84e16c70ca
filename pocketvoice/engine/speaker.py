"""A network made ready for speaking on the device where its weights lie, and calls of it: the pipeline is put together here.

Calls that overlap take turns of a segment at each of the two stages, in the order in which they ask; a call that nobody listens to
makes its segment to the end and then lets the others pass. Knows no texts beyond segments, and no files.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import Tensor

from pocketvoice.engine import devices, machine, torch_mode
from pocketvoice.engine.decoding import Decoding, Output
from pocketvoice.engine.generation import GenerationSettings, SegmentGenerator, SplitAgain
from pocketvoice.engine.noise import NoiseSource
from pocketvoice.engine.pipeline import Buffers, Pipeline
from pocketvoice.engine.stage import Stage
from pocketvoice.engine.voice_cache import VoiceCache
from pocketvoice.engine.voice_state import ModelState
from pocketvoice.model import mapped
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.linear import Precision
from pocketvoice.model.mimi_stream import decoder_of
from pocketvoice.model.weights import Network
from pocketvoice.text.segment import Segment

DECODER_FRAMES = 4  # frames a call of Mimi's decoder; more make it hardly faster
_POLL_S = 0.02  # how often a call that waits for its turn looks whether to stop


@dataclass(frozen=True)
class Call:
    """What is to be spoken, and how."""

    voice: ModelState
    layers: list[Tensor] | None  # the voice's caches, unless they are in place: see `VoiceCache.layers`
    segments: Iterator[Segment]
    settings: GenerationSettings
    noise: Callable[[], NoiseSource]  # called when the call begins
    split_again: SplitAgain
    decode_steps: int | None  # of the flow head; None: as many as it takes, whenever that changes
    decoder_frames: int  # the most in a call of the decoder; 0 is DECODER_FRAMES
    ahead_s: float
    stop: threading.Event


class _Run:
    """A call that has begun and not ended; it takes the stages under its own identity."""

    def __init__(self, call: Call) -> None:
        self.call = call  # set once
        self.layers = call.layers  # what the cache begins with at the next turn; FlowLM's thread

    @property
    def keeps_history(self) -> bool:
        return self.call.settings.keep_history


class Speaker:
    """FlowLM's step, Mimi's decoder and the voice in the cache, all on one device."""

    def __init__(self, network: Network, model_id: str, decode_steps: int, precision: Precision) -> None:
        flow_lm, mimi = network.flow_lm, network.mimi
        self.step = FlowLMStep(flow_lm, decode_steps, precision, threads=machine.cores())
        self.decode_steps = self.step.decode_steps
        """Steps of the flow head in calls that say nothing of it."""
        self.decoder = decoder_of(mimi, flow_lm.emb_std, flow_lm.emb_mean, precision)
        self.cache = VoiceCache(self.step, model_id)
        self.turn = devices.turn(self.step.device)
        """Held by a thread while the device computes."""
        self._flow_lm = Stage()
        self._mimi = Stage()
        self._owner: _Run | None = None  # whose voice, and what it spoke, is in the cache; guarded by _owning
        self._owning = threading.Lock()
        self._sample_rate = network.config.mimi.sample_rate  # set once
        self._frame_s = 1 / network.config.mimi.frame_rate  # set once
        if self.step.device == devices.CPU:
            # Mimi's convolutions were packed from copies. FlowLM's pages are given back, or used where they lie, one by one.
            for weight in mimi.parameters():
                mapped.release(weight)

    def use_steps(self, steps: int) -> None:
        """Steps of the flow head from now on; while it speaks, from the next frame on."""
        with self.turn:
            self.step.use_steps(steps)
            self.decode_steps = self.step.decode_steps

    def run(self, call: Call) -> Generator[Output, None, None]:
        """Sound and events of a call. Closing it ends its threads before it returns."""
        run = _Run(call)
        buffers = Buffers.within(call.ahead_s, self._frame_s, call.decoder_frames or DECODER_FRAMES)
        generator = SegmentGenerator(
            self.step,
            call.noise(),
            call.settings,
            call.split_again,
            self.turn,
            begin_segment=lambda: self._begin_segment(run, pipeline),
            end_segment=lambda: self._flow_lm.leave(run),
        )
        decoding = Decoding(
            self.decoder,
            self._sample_rate,
            buffers.batch,
            self.turn,
            begin_take=lambda: self._begin_take(run, pipeline),
            end_take=lambda: self._mimi.leave(run),
        )
        pipeline = Pipeline(
            generator.run(call.segments),
            decoding.run,
            sample_rate=self._sample_rate,
            buffers=buffers,
            stop=call.stop,
            hurried=lambda: self._flow_lm.is_wanted or self._mimi.is_wanted,
        )
        try:
            yield from pipeline.run()
        finally:
            self._end(run)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The step is the caller's while the block runs, between two segments of what is being spoken."""
        caller = object()
        self._flow_lm.enter(caller)
        try:
            with self.turn:
                self._give_cache(None)
                self.cache.forget()
                yield
        finally:
            self._flow_lm.leave(caller)

    def _begin_segment(self, run: _Run, pipeline: Pipeline) -> int | None:
        """FlowLM's thread: where the takes of a segment begin in the cache; None if it is not this call's turn yet."""
        if pipeline.is_overfull:
            self._flow_lm.leave(run)  # nobody waits behind one that has no room
            time.sleep(_POLL_S)
            return None
        if not self._flow_lm.enter(run, _POLL_S):
            return None
        with self.turn:
            self._give_cache(run)
            steps = run.call.decode_steps or self.decode_steps
            if steps != self.step.decode_steps:
                self.step.use_steps(steps)
            return self.step.position if run.keeps_history else self.cache.end

    def _begin_take(self, run: _Run, pipeline: Pipeline) -> bool:
        """Mimi's thread: waits for the decoder; False if the call has ended."""
        while not self._mimi.enter(run, _POLL_S):
            if pipeline.is_cancelled:
                return False
        return True

    def _give_cache(self, run: _Run | None) -> None:
        """The cache holds that call's voice and, if it keeps its history, what it has spoken."""
        with self._owning:
            if run is not None and self._owner is run:
                return
            self._write_back()
            if run is not None:
                self.cache.begin(run.call.voice, run.layers)
                self._owner = run
                if run.keeps_history:
                    run.layers = None  # they lie in the voice itself from now on

    def _write_back(self) -> None:
        """What the owner has spoken is added to its voice, if it wants that; then the cache has no owner."""
        owner, self._owner = self._owner, None
        if owner is not None and owner.keeps_history:
            with torch_mode.plain():
                self.cache.write_back(owner.call.voice)

    def _end(self, run: _Run) -> None:
        with self.turn, self._owning:
            if self._owner is run:
                self._write_back()
        self._flow_lm.leave(run)
        self._mimi.leave(run)
