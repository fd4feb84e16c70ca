"""A network made ready for speaking on the device where its weights lie, and one call of it: the pipeline is put together here.

Serves one call at a time; whoever owns it sees to that. Knows no texts beyond segments, and no files.
"""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import Tensor

from pocketvoice.engine import devices, machine
from pocketvoice.engine.decoding import Decoding, Output
from pocketvoice.engine.generation import GenerationSettings, SegmentGenerator, SplitAgain
from pocketvoice.engine.noise import NoiseSource
from pocketvoice.engine.pipeline import Buffers, Pipeline
from pocketvoice.engine.voice_cache import VoiceCache
from pocketvoice.engine.voice_state import ModelState
from pocketvoice.model import mapped
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.linear import Precision
from pocketvoice.model.mimi_stream import decoder_of
from pocketvoice.model.weights import Network
from pocketvoice.text.segment import Segment

DECODER_FRAMES = 4  # frames a call of Mimi's decoder; more make it hardly faster


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


class Speaker:
    """FlowLM's step, Mimi's decoder and the voice in the cache, all on one device."""

    def __init__(self, network: Network, model_id: str, decode_steps: int, precision: Precision) -> None:
        flow_lm, mimi = network.flow_lm, network.mimi
        self.step = FlowLMStep(flow_lm, decode_steps, precision, threads=machine.cores())
        self.decoder = decoder_of(mimi, flow_lm.emb_std, flow_lm.emb_mean, precision)
        self.cache = VoiceCache(self.step, model_id)
        self.turn = devices.turn(self.step.device)
        """Held by a thread while the device computes."""
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

    def run(self, call: Call) -> Generator[Output, None, None]:
        """Sound and events of a call. Closing it ends its threads before it returns."""
        with self._decoding_in(call.decode_steps):
            with self.turn:
                self.cache.begin(call.voice, call.layers)
            buffers = Buffers.within(call.ahead_s, self._frame_s, call.decoder_frames or DECODER_FRAMES)
            generator = SegmentGenerator(self.step, call.noise(), call.settings, call.split_again, self.turn)
            pipeline = Pipeline(
                generator.run(call.segments),
                Decoding(self.decoder, self._sample_rate, buffers.batch, self.turn).run,
                sample_rate=self._sample_rate,
                buffers=buffers,
                stop=call.stop,
            )
            try:
                yield from pipeline.run()
            finally:
                if call.settings.keep_history:
                    with self.turn:
                        self.cache.write_back(call.voice)

    @contextmanager
    def _decoding_in(self, steps: int | None) -> Iterator[None]:
        """While the block runs the flow head takes so many steps."""
        own = self.step.decode_steps
        if steps is None or steps == own:
            yield
            return
        self.use_steps(steps)
        try:
            yield
        finally:
            self.use_steps(own)
