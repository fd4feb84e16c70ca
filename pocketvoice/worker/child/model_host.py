"""The model in the worker: loads it, knows its voices, splits texts as it will speak them. Belongs to the engine's thread.

The only module of the worker that touches the engine.
"""

import contextlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from pocketvoice.audio.chunk import Samples
from pocketvoice.engine.events import SegmentCallback
from pocketvoice.engine.noise import NoiseSource
from pocketvoice.engine.tts_model import TTSModel, use_threads
from pocketvoice.engine.voice_state import VoiceState, export_model_state
from pocketvoice.errors import GenerationError, InputError, PocketVoiceError
from pocketvoice.hub import catalogue
from pocketvoice.hub.progress import ProgressCallback
from pocketvoice.text.splitter import Segment, sentences_of
from pocketvoice.worker.child.own_voices import OwnVoices
from pocketvoice.worker.child.pace import Clock, Pace
from pocketvoice.worker.child.text_blocks import Plan
from pocketvoice.worker.messages import LoadModel, Ready

log = logging.getLogger(__name__)

_KEPT_VOICES = 8
_WARM_UP_S = 1.2
_WARM_UP = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve."
_AHEAD_S = 4.0  # the speech's store takes all that comes


class ModelHost:
    """At most one loaded model."""

    def __init__(self, threads: int) -> None:
        use_threads(threads)
        self._model: TTSModel | None = None
        self._voices: OrderedDict[str, VoiceState] = OrderedDict()
        self._default_voice = ""
        self.own = OwnVoices()
        """The voices of the user's library."""
        self.pace = Pace()
        """Seconds of sound made in a second; written by the engine's thread, read by any."""

    @property
    def model(self) -> TTSModel:
        """The loaded one; raises InputError if there is none."""
        if self._model is None:
            raise InputError("No model is loaded: choose one first.")
        return self._model

    def load(self, request: LoadModel, progress: ProgressCallback, cancel: threading.Event) -> Ready:
        """Loads a model instead of the present one, readies the first voice and measures the speed."""
        self._model, self.pace = None, Pace()  # first, for memory does not hold two
        self._voices.clear()
        model = TTSModel.load_model(
            request.language,
            request.config,
            request.temp,
            request.sampler_decode_steps,
            eos_threshold=request.eos_threshold,
            precision=request.precision or "auto",  # type: ignore[arg-type]  # the engine checks it
            progress=progress,
            cancel=cancel,
        )
        self._model = model
        custom = request.config is not None
        own = catalogue.default_voice(request.language or model.language, custom)
        self._default_voice = request.voice or own
        self._warm_up()
        return Ready(
            request.request_id,
            model_id=model.model_id,
            language=model.language,
            precision=model.precision,
            sample_rate=model.sample_rate,
            cloning=model.has_voice_cloning,
            cloning_reason=model.cloning_reason,
            default_voice=self._default_voice,
            real_time_factor=self.pace.made_per_s,
        )

    def voice(self, name: str | None) -> VoiceState:
        """The state of a voice; the last ones stay in memory. A file that changed is read again."""
        name = name or self._default_voice
        own = self.own.find(name, self.model.language)
        key = f"{name}|{_changed_at(name)}" if own is None else f"{own.id}|{own.clip or own.states}"
        state = self._voices.get(key)
        if state is None:
            state = (
                self.model.get_state_for_audio_prompt(name)
                if own is None
                else self.own.state(own, self.model)
            )
            self._voices[key] = state
            if len(self._voices) > _KEPT_VOICES:
                self._voices.popitem(last=False)
        self._voices.move_to_end(key)
        return state

    def seed(self, name: str | None, asked: int | None) -> int | None:
        """The seed that was asked for; else the one that was chosen for a voice of the user's."""
        return asked if asked is not None else self.own.seed(name or self._default_voice, self.model.language)

    def plan(self, text: str, max_tokens: int | None) -> Plan:
        """How the text will be spoken; raises EmptyTextError. From any thread: the splitter is pure."""
        segments = list(self.segments(text, max_tokens))
        return Plan([segment.span for segment in segments], sentences_of(segments))

    def stream(
        self,
        text: str,
        voice: VoiceState,
        stop: threading.Event,
        on_segment: SegmentCallback,
        *,
        max_tokens: int | None,
        seed: int | None,
    ) -> Generator[Samples, None, None]:
        """The sound of a text; raises EmptyTextError and the like at once. Closing it ends the engine's threads."""
        chunks = self.model.generate_audio_stream(
            voice, text, max_tokens=max_tokens, stop=stop, seed=seed, on_segment=on_segment, ahead_s=_AHEAD_S
        )

        def samples() -> Generator[Samples, None, None]:
            with contextlib.closing(chunks):
                for chunk in chunks:
                    yield chunk.numpy()

        return samples()

    def segments(self, text: str, max_tokens: int | None) -> Iterator[Segment]:
        """What a text will be spoken in, one by one; raises EmptyTextError on the first if there is none."""
        return self.model.segments(text, max_tokens=max_tokens)

    def stream_segments(
        self,
        segments: Iterator[Segment],
        voice: VoiceState,
        noise: NoiseSource,
        stop: threading.Event,
        on_segment: SegmentCallback,
    ) -> Generator[Samples, None, None]:
        """The sound of the segments, each taken on a thread of the engine when it is begun; failed takes stay."""
        chunks = self.model.generate_audio_stream(
            voice, "", stop=stop, on_segment=on_segment, no_eos="keep", prepared=segments, noise=noise
        )

        def samples() -> Generator[Samples, None, None]:
            with contextlib.closing(chunks):
                for chunk in chunks:
                    yield chunk.numpy()

        return samples()

    @contextlib.contextmanager
    def sampling(
        self,
        temp: float | None,
        eos_threshold: float | None,
        noise_clamp: float | None,
        sampler_decode_steps: int | None,
    ) -> Iterator[None]:
        """While the block runs, the model samples so; None leaves it as it was loaded."""
        model = self.model
        before = model.temp, model.eos_threshold, model.noise_clamp, model.sampler_decode_steps
        asked = temp, eos_threshold, noise_clamp, sampler_decode_steps
        try:
            _sample(model, *(now if now is not None else was for now, was in zip(asked, before, strict=True)))
            yield
        finally:
            _sample(model, *before)

    def export_voice(self, source: str, path: str, truncate: bool) -> tuple[str, ...]:
        """Makes a voice file; returns sentences on how the clip was cut."""
        own = self.own.find(source, self.model.language)
        if own is not None:
            state = self.own.state(own, self.model)
        else:
            state = self.model.get_state_for_audio_prompt(source, truncate=truncate)
        export_model_state(state, path)
        return state.origin.notes

    def _warm_up(self) -> None:
        """The first words are slow, and cost nothing while no one waits for them."""
        try:
            state = self.voice(None)
            stop = threading.Event()
            sound_s, begun, clock = 0.0, 0.0, Clock(self.pace)
            for chunk in self.stream(_WARM_UP, state, stop, lambda _: None, max_tokens=None, seed=1):
                clock.count(len(chunk) / self.model.sample_rate)
                sound_s += len(chunk) / self.model.sample_rate if begun else 0.0
                begun = begun or time.monotonic()
                if sound_s > _WARM_UP_S:
                    stop.set()
            clock.close()
            self.pace.measured(sound_s, time.monotonic() - begun)
        except (PocketVoiceError, OSError) as exc:
            log.warning("the voice %s is not ready: %s", self._default_voice, exc)


def _sample(model: TTSModel, temp: Any, eos_threshold: Any, noise_clamp: Any, steps: Any) -> None:
    model.temp, model.eos_threshold, model.noise_clamp = temp, eos_threshold, noise_clamp
    if model.sampler_decode_steps != steps:
        model.sampler_decode_steps = steps


def _changed_at(name: str) -> float:
    try:
        return Path(name).stat().st_mtime
    except (OSError, ValueError):
        return 0.0


def as_error(exc: BaseException) -> PocketVoiceError:
    """An error for the user."""
    if isinstance(exc, PocketVoiceError):
        return exc
    return GenerationError("The model failed while speaking: try again.", detail=repr(exc))
