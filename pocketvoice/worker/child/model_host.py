"""The model in the worker: loads it, knows its voices, splits texts as it will speak them. Belongs to the engine's thread.

The only module of the worker that touches the engine.
"""

import contextlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pocketvoice.audio.chunk import Samples
from pocketvoice.engine.events import SegmentCallback
from pocketvoice.engine.noise import NoiseSource
from pocketvoice.engine.reading import Reading
from pocketvoice.engine.sampling import Sampling
from pocketvoice.engine.tts_model import TTSModel, use_threads
from pocketvoice.engine.voice_state import VoiceState, export_model_state
from pocketvoice.errors import Cancelled, InputError, PocketVoiceError, UnknownNameError
from pocketvoice.hub import catalogue
from pocketvoice.hub.progress import ProgressCallback
from pocketvoice.text.pronunciations import UserPronunciations
from pocketvoice.text.segment import Segment
from pocketvoice.voices.stand_in import stand_in
from pocketvoice.worker.child.own_voices import OwnVoices
from pocketvoice.worker.child.pace import Clock, Pace
from pocketvoice.worker.messages import Export, LoadModel, Ready, SamplingOptions, Speak, Synthesize

log = logging.getLogger(__name__)

_KEPT_VOICES = 8
_WARM_UP_S = 1.2
_WARM_UP = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, 12."  # a number: its words are loaded too
_AHEAD_S = 4.0  # the speech's store takes all that comes


class ModelHost:
    """At most one loaded model."""

    def __init__(self, threads: int) -> None:
        use_threads(threads)
        self._model: TTSModel | None = None
        self._voices: OrderedDict[str, VoiceState] = OrderedDict()
        self._default_voice = ""
        self._pronunciations = UserPronunciations()
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
        """Loads a model instead of the present one, readies the first voice and measures the speed.

        Whatever it raises, and Cancelled if `cancel` is set before it is done: the present model stays.
        """
        model = TTSModel.load_model(
            catalogue.language_to_load(request.language, request.config),
            request.config,
            request.sampling.temp,
            request.sampling.sampler_decode_steps or 1,
            request.sampling.noise_clamp,
            request.sampling.eos_threshold,
            precision=request.precision or "auto",  # type: ignore[arg-type]  # the engine checks it
            progress=progress,
            cancel=cancel,
        )
        if cancel.is_set():
            raise Cancelled("The model was not loaded.")
        self._model, self.pace = model, Pace()
        self._voices.clear()
        custom = request.config is not None
        own = catalogue.default_voice(request.language or model.language, custom)
        self._default_voice = self._had(request.voice or own)
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

    def _had(self, name: str) -> str:
        """The voice, or the one of the built-in model that stands in for a catalogue voice which that does not have."""
        others = catalogue.voices_in_place_of(self.model.language, name)
        if not others:
            return name
        other = stand_in(name, others)
        log.info("the voice %s comes with the released models: %s speaks in its place", name, other)
        return other

    def seed(self, name: str | None, asked: int | None) -> int | None:
        """The seed that was asked for; else the one that was chosen for a voice of the user's."""
        return asked if asked is not None else self.own.seed(name or self._default_voice, self.model.language)

    def segments(self, text: str, request: Speak | Export | Synthesize) -> Iterator[Segment]:
        """What a text will be spoken in, one by one, as a request wants it; raises EmptyTextError on the first if there is none.

        Its own text is not looked at. From any thread: the splitter is pure.
        """
        rules = self._pronunciations.rules() if request.normalise else None
        rules = rules and rules.for_voice(self._voice_name(request.voice))
        reading = Reading(request.normalise, request.text_language, request.names_emoji, rules)
        return self.model.segments(text, max_tokens=request.max_tokens, reading=reading)

    def _voice_name(self, name: str | None) -> str:
        """What a voice is called where pronunciations are made for it."""
        name = name or self._default_voice
        try:
            own = self.own.find(name, self.model.language)
        except UnknownNameError:
            return name  # said when it is to speak
        return own.name if own is not None else name

    def stream(
        self,
        segments: Iterable[Segment],
        voice: VoiceState,
        stop: threading.Event,
        on_segment: SegmentCallback,
        *,
        max_tokens: int | None,
        seed: int | None,
    ) -> Generator[Samples, None, None]:
        """The sound of segments; one that fails is made again, then in parts. Closing it ends the engine's threads."""
        return _samples(
            self.model.generate_audio_stream(
                voice, "", max_tokens=max_tokens, stop=stop, seed=seed, on_segment=on_segment,
                ahead_s=_AHEAD_S, prepared=iter(segments),
            )
        )  # fmt: skip

    def stream_turn(
        self,
        segments: Iterator[Segment],
        voice: VoiceState,
        noise: NoiseSource,
        sampling: Sampling,
        stop: threading.Event,
        on_segment: SegmentCallback,
    ) -> Generator[Samples, None, None]:
        """The sound of segments, each taken on a thread of the engine when it is begun; takes that failed stay."""
        return _samples(
            self.model.generate_audio_stream(
                voice, "", stop=stop, on_segment=on_segment, no_eos="keep", prepared=segments, noise=noise,
                sampling=sampling,
            )
        )  # fmt: skip

    def sampling(self, asked: SamplingOptions) -> Sampling:
        """What is asked for, and else how the model was loaded; raises InputError for a value out of range."""
        given = {name: value for name, value in asdict(asked).items() if value is not None}
        return replace(self.model.sampling, **given)

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
            segments = self.model.segments(_WARM_UP)
            for chunk in self.stream(segments, state, stop, lambda _: None, max_tokens=None, seed=1):
                clock.count(len(chunk) / self.model.sample_rate)
                sound_s += len(chunk) / self.model.sample_rate if begun else 0.0
                begun = begun or time.monotonic()
                if sound_s > _WARM_UP_S:
                    stop.set()
            clock.close()
            self.pace.measured(sound_s, time.monotonic() - begun)
        except (PocketVoiceError, OSError) as exc:
            log.warning("the voice %s is not ready: %s", self._default_voice, exc)


def _samples(chunks: Generator[Any, None, None]) -> Generator[Samples, None, None]:
    """The chunks, tensors, as arrays; closing it closes them."""
    with contextlib.closing(chunks):
        for chunk in chunks:
            yield chunk.numpy()


def _changed_at(name: str) -> float:
    try:
        return Path(name).stat().st_mtime
    except (OSError, ValueError):
        return 0.0
