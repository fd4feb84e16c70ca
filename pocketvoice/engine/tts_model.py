"""`TTSModel`: the Python API, a drop-in for the reference package's (pocket-tts 4.0.1), on our own engine.

Requests that overlap on one model take turns of a segment. Importing this module changes no global setting; while a model speaks or
clones, torch's number of threads is borrowed (`engine.threads`).
"""

import contextlib
import itertools
import logging
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import torch
from torch import Tensor, nn

from pocketvoice.audio.clip import USED_S, Clip
from pocketvoice.engine import checks, clone_check, devices, threads, torch_mode, voice_source
from pocketvoice.engine import precision as precisions
from pocketvoice.engine.decoding import Output
from pocketvoice.engine.delivery import Takes, chunks
from pocketvoice.engine.events import SegmentCallback
from pocketvoice.engine.generation import GenerationSettings, NoEosPolicy
from pocketvoice.engine.loading import Fetcher, LoadedModel, load, text_rules
from pocketvoice.engine.noise import NoiseSource
from pocketvoice.engine.reading import READING, Reading, language_of
from pocketvoice.engine.sampling import Sampling
from pocketvoice.engine.speaker import Call, Speaker
from pocketvoice.engine.voice_state import ModelState, VoiceState, to_layers
from pocketvoice.errors import GenerationError, OfflineError
from pocketvoice.hub import catalogue
from pocketvoice.hub.download_bar import DownloadBar, on_terminal
from pocketvoice.hub.progress import ProgressCallback
from pocketvoice.model.config import ModelConfig
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.linear import Precision
from pocketvoice.model.mimi import Mimi
from pocketvoice.text.splitter import Segment, SplitOptions, iter_segments, split_again

if TYPE_CHECKING:
    from pocketvoice.text.normalise import PronunciationRules

log = logging.getLogger(__name__)

AHEAD_S = 30.0
_WITHOUT_NETWORK = 'The model that comes with the program needs none: load_model("builtin_en").'


def use_threads(count: int = 1) -> None:
    """Sets torch's threads per operator for this whole process; FlowLM and Mimi run on a thread each beside that."""
    torch.set_num_threads(count)


class TTSModel:
    """A loaded model that clones voices and speaks. Make one with `TTSModel.load_model()`."""

    def __init__(
        self,
        loaded: LoadedModel,
        *,
        temp: float,
        sampler_decode_steps: int,
        noise_clamp: float | None,
        eos_threshold: float,
        precision: Precision,
        fetcher: Fetcher | None = None,
    ) -> None:
        Sampling(temp, noise_clamp, eos_threshold, sampler_decode_steps)  # raises what is wrong with them
        self.temp = temp
        self.noise_clamp = noise_clamp
        self.eos_threshold = eos_threshold
        self.precision = precision
        self.threads = 1  # torch's threads an operator while it speaks, in each of the two stages
        self.max_decoder_frames_per_call = 0  # 0: as many as are worth it
        self._loaded = loaded
        self._fetcher = fetcher or Fetcher()
        self._speaker = Speaker(loaded.network, loaded.model_id, sampler_decode_steps, precision)
        self._rules = text_rules(self.config)
        self._streams = 0  # that have begun and not ended; guarded by _opening
        self._opening = threading.Lock()

    @classmethod
    @torch_mode.plain()
    def load_model(
        cls,
        language: str | None = None,
        config: str | Path | None = None,
        temp: float | None = None,
        sampler_decode_steps: int = 1,
        noise_clamp: float | None = None,
        eos_threshold: float | None = None,
        quantize: bool = False,
        checkpoint: str | Path | None = None,
        lsd_decode_steps: int | None = None,
        *,
        precision: precisions.Choice | None = None,
        device: str | torch.device = "cpu",
        progress: ProgressCallback | None = None,
        cancel: threading.Event | None = None,
    ) -> Self:
        """Loads a model by language name or by config; downloads what is missing.

        Args:
            language: a name of the catalogue, e.g. "english", "french_24l". Without `language` and `config`: english,
                as in the reference.
            config: a YAML config instead: a path, `https://...` or `hf://owner/repo/file.yaml@revision`.
            temp: variance of the noise; None is the config's (0.3).
            sampler_decode_steps: steps of the flow head (`lsd`; a `flow_matching` head needs 16 or more).
            noise_clamp: truncates the noise to +-this; None does not.
            eos_threshold: logit above which speech ends; None is the config's (-4).
            quantize: int8, the same as `precision="int8"`.
            checkpoint: a training checkpoint (.pt) instead of the config's weights; averaged (EMA) weights preferred.
            lsd_decode_steps: the old name of `sampler_decode_steps`.
            precision: "float32" (exact; what None means), "bf16", "int8", or "auto": the fastest on this machine that is exact
                enough, by a trial of a second or two that is remembered; on another device than the CPU it is float32.
            device: "cpu", "cuda", "cuda:1", ... or "mps": where it computes, in float32 or bf16 if that is not the CPU. Sound and
                voice states are on the CPU always.
            progress: called with `hub.progress.DownloadProgress` while files are downloaded; None shows a line on standard error
                where that is a terminal.
            cancel: set it from another thread to stop a download (errors.Cancelled).

        Raises:
            InputError (a ValueError): what was asked for contradicts itself or does not exist.
            ConfigError, WeightsError: a file is not valid. HubError and its kinds: the download. EnvironmentFault: the device
                has no room for the model.
        """
        if lsd_decode_steps is not None:
            log.warning("lsd_decode_steps is deprecated, use sampler_decode_steps")
            sampler_decode_steps = lsd_decode_steps
        checks.whole("sampler_decode_steps", sampler_decode_steps, 1)
        place = devices.find(device)
        choice = precisions.check(precision, quantize, place)
        if progress is None and on_terminal():
            progress = DownloadBar().update
        fetcher = Fetcher(progress, cancel)
        try:
            loaded = load(language, config, checkpoint, fetcher)
        except OfflineError as exc:
            if language is not None or config is not None:
                raise
            raise OfflineError(f"{exc.message} {_WITHOUT_NETWORK}", detail=exc.detail) from exc
        settings = loaded.network.config
        log.info("%s: %s", loaded.model_id, loaded.cloning_reason)
        with devices.moved(loaded.network, place):
            return cls(
                loaded,
                temp=settings.default_temperature if temp is None else temp,
                sampler_decode_steps=sampler_decode_steps,
                noise_clamp=noise_clamp,
                eos_threshold=settings.default_eos_threshold if eos_threshold is None else eos_threshold,
                precision=precisions.resolve(choice, loaded.network, loaded.model_id, place),
                fetcher=Fetcher(progress),
            )

    @property
    def sample_rate(self) -> int:
        """Samples a second of what it speaks (24000)."""
        return self.config.mimi.sample_rate

    @property
    def device(self) -> torch.device:
        """The device on which it computes."""
        return self._speaker.step.device

    @property
    def config(self) -> ModelConfig:
        """The config it was loaded from."""
        return self._loaded.network.config

    @property
    def model_id(self) -> str:
        """Language or config name, and a fingerprint of the exact weights: voice states belong to it."""
        return self._loaded.model_id

    @property
    def language(self) -> str | None:
        """Its name in the catalogue; None for a config of the user's."""
        return self._loaded.language

    @property
    def origin(self) -> Path:
        """Where the config was read from."""
        return Path(self._loaded.origin)

    @property
    def has_voice_cloning(self) -> bool:
        """Whether clips are made into voices. It can be set: False refuses them; True is of no use to weights that can't."""
        return self._loaded.has_voice_cloning

    @has_voice_cloning.setter
    def has_voice_cloning(self, wanted: bool) -> None:
        self._loaded = replace(self._loaded, has_voice_cloning=wanted)

    @property
    def flow_lm(self) -> FlowLM:
        """The weights of FlowLM as a torch module; speaking uses copies of some of them, so changing them changes nothing."""
        return self._loaded.network.flow_lm

    @property
    def mimi(self) -> Mimi:
        """The weights of Mimi as a torch module, likewise."""
        return self._loaded.network.mimi

    def parameters(self) -> Iterator[nn.Parameter]:
        """All weights, FlowLM's and then Mimi's."""
        yield from self.flow_lm.parameters()
        yield from self.mimi.parameters()

    def eval(self) -> Self:
        """As for any torch module; the model never trains."""
        return self

    def cpu(self) -> Self:
        """Computes on the CPU from now on; raises as `to` does."""
        return self.to("cpu")

    @property
    def cloning_reason(self) -> str:
        """One sentence: which weights are loaded, and why."""
        return self._loaded.cloning_reason

    @property
    def sampling(self) -> Sampling:
        """How a call draws that says nothing of it: the attributes, which anyone may set; raises InputError."""
        return Sampling(self.temp, self.noise_clamp, self.eos_threshold, self.sampler_decode_steps)

    @property
    def sampler_decode_steps(self) -> int:
        """Steps of the flow head."""
        return self._speaker.decode_steps

    @sampler_decode_steps.setter
    @torch_mode.plain()
    def sampler_decode_steps(self, steps: int) -> None:
        checks.whole("sampler_decode_steps", steps, 1)
        self._speaker.use_steps(steps)

    @torch_mode.plain()
    def to(
        self, device: str | torch.device | torch.dtype | None = None, dtype: torch.dtype | None = None
    ) -> Self:
        """Computes on that device, or in that kind of numbers (torch.float32, torch.bfloat16), from now on.

        Raises:
            InputError: there is no such device, or it does not compute in that precision. EnvironmentFault: it has no room
            for the model. GenerationError: the model is speaking. In all cases it stays as it is.
        """
        if isinstance(device, torch.dtype):
            device, dtype = None, device
        place = self.device if device is None else devices.find(device)
        precision = self.precision if dtype is None else precisions.of_dtype(dtype)
        if (place, precision) != (self.device, self.precision):
            precisions.check_device(precision, place)
            with self._silent(), devices.moved(self._loaded.network, place):
                self._speaker = Speaker(
                    self._loaded.network, self.model_id, self.sampler_decode_steps, precision
                )
                self.precision = precision
        return self

    @torch_mode.plain()
    def load_training_checkpoint(self, path: str | Path) -> None:
        """Speaks with the weights of a training checkpoint (.pt) from now on, averaged (EMA) ones where it has them.

        Raises MissingFileError, WeightsError, HubError; GenerationError if the model is speaking. Then nothing has changed.
        """
        config = None if self.language else self._loaded.origin
        loaded = load(self.language, config, path, self._fetcher)
        with self._silent(), devices.moved(loaded.network, self.device):
            self._speaker = Speaker(
                loaded.network, loaded.model_id, self.sampler_decode_steps, self.precision
            )
            self._loaded = loaded

    @torch_mode.plain()
    def get_state_for_audio_prompt(
        self, audio_conditioning: Path | str | Tensor, truncate: bool = False, *, strict: bool = False
    ) -> VoiceState:
        """The voice state for a voice.

        Args:
            audio_conditioning: a voice name of the catalogue, an audio file (any format) or a `.safetensors` state by path,
                `https://` or `hf://` address, or samples [channels, T] at the model's rate.
            truncate: take the start of a clip of more than five minutes, whatever `strict` says. The clip is always cut at a
                pause, to what the model follows: 30 s, less with the built-in one.
            strict: refuse a clip that is too short, too long or holds no speech, as the command line does; else it is taken with
                a warning, as the reference takes it.

        Returns:
            The state, to be passed to `generate_audio`; it can be saved with `export_model_state`. What is wrong with the clip,
            and a voice that the model was heard not to follow, are warnings in the log and `origin.notes`.

        Raises:
            MissingFileError (a FileNotFoundError), UnknownNameError, AudioFileError, ClipError, VoiceStateError,
            CloningUnavailableError (ValueErrors), HubError.
        """
        followed_s = catalogue.clip_seconds(self.language) or USED_S
        rules = voice_source.ClipRules(self.sample_rate, followed_s, truncate, strict)
        if isinstance(audio_conditioning, Tensor):
            voice_source.check_cloning(self._loaded)
            clip = voice_source.clip_of_tensor(audio_conditioning, rules)
            return self._clone(clip, "samples")
        source = str(audio_conditioning)
        prepared = voice_source.load_prepared(self._loaded, source, self._fetcher)
        if prepared is not None:
            # One that does not fit is refused here, not when it speaks.
            to_layers(prepared, self._speaker.cache.shape)
            return prepared
        clip = voice_source.load_clip_file(source, self._fetcher, rules)
        voice_source.check_cloning(self._loaded)
        return self._clone(clip, source)

    def _clone(self, clip: Clip, source: str) -> VoiceState:
        with threads.borrowed(threads.for_clips()), self._speaker.alone():
            state = voice_source.clone(self._loaded, self._speaker.step, clip, source, self.precision)
            self.noise_source(None).draw()  # as the reference
        if catalogue.clip_seconds(self.language) is not None:  # a model that loses its way easily
            clone_check.listen(self, state)
        return state

    def segments(
        self,
        text: str,
        options: SplitOptions | None = None,
        *,
        max_tokens: int | None = None,
        reading: Reading = READING,
    ) -> Iterator[Segment]:
        """The segments in which `text` would be spoken, one by one; raises EmptyTextError on the first if there is none."""
        options = options or self._split_options(max_tokens, reading)
        return iter_segments(text, self._loaded.tokenizer, self._rules, options)

    def _split_options(
        self, max_tokens: int | None, reading: Reading = READING, *, strict: bool = False
    ) -> SplitOptions:
        own = catalogue.MAX_TOKENS if strict else catalogue.max_tokens(self.language)
        return SplitOptions(
            max_tokens=own if max_tokens is None else max_tokens,
            strict=strict,
            language=None if strict else language_of(reading, self.model_id),
            names_emoji=reading.names_emoji,
            pronunciations=reading.pronunciations if reading.normalise and not strict else None,
        )

    def noise_source(self, seed: int | None, sampling: Sampling | None = None) -> NoiseSource:
        """The noise of a call, at its start; None draws as the model does."""
        drawn = sampling or self.sampling
        return NoiseSource(seed, self._speaker.step.latent_dim, drawn.temp, drawn.noise_clamp)

    def generate_audio(
        self,
        model_state: ModelState,
        text_to_generate: str,
        max_tokens: int | None = catalogue.MAX_TOKENS,
        frames_after_eos: int | None = None,
        copy_state: bool = True,
        *,
        seed: int | None = None,
        strict: bool = False,
        normalise: bool = True,
        language: str | None = None,
        names_emoji: bool = False,
        pronunciations: "PronunciationRules | None" = None,
        no_eos: NoEosPolicy = "retry",
        on_segment: SegmentCallback | None = None,
        stop: threading.Event | None = None,
    ) -> Tensor:
        """The whole sound of a text, samples (T,) at `sample_rate`; failed takes are left out.

        Arguments and errors as in `generate_audio_stream`.
        """
        takes = Takes(on_segment)
        for samples in self.generate_audio_stream(
            model_state, text_to_generate, max_tokens, frames_after_eos, copy_state, stop,
            seed=seed, strict=strict, normalise=normalise, language=language, names_emoji=names_emoji,
            pronunciations=pronunciations, no_eos=no_eos,
            on_segment=takes.on_segment,
        ):  # fmt: skip
            takes.add(samples)
        return takes.joined()

    def generate_audio_stream(
        self,
        model_state: ModelState,
        text_to_generate: str,
        max_tokens: int | None = catalogue.MAX_TOKENS,
        frames_after_eos: int | None = None,
        copy_state: bool = True,
        stop: threading.Event | None = None,
        *,
        seed: int | None = None,
        strict: bool = False,
        normalise: bool = True,
        language: str | None = None,
        names_emoji: bool = False,
        pronunciations: "PronunciationRules | None" = None,
        no_eos: NoEosPolicy = "retry",
        on_segment: SegmentCallback | None = None,
        ahead_s: float = AHEAD_S,
        split_options: SplitOptions | None = None,
        prepared: Iterator[Segment] | None = None,
        noise: NoiseSource | None = None,
        sampling: Sampling | None = None,
    ) -> Generator[Tensor, None, None]:
        """The sound of a text in chunks, as soon as each is made.

        Args:
            model_state: a voice state.
            text_to_generate: any length; `[pause:500ms]` and line breaks are silences unless `strict`.
            max_tokens: the most tokens a segment may have; None is what suits the model (with a small vocabulary more than 50).
            frames_after_eos: 80 ms frames after the end of speech; None is the model's or the text's own number.
            copy_state: False lets the segments follow each other in the state, which is extended in place.
            stop: set it from anywhere: the stream ends within one step.
            seed: repeats the sound exactly (same text, voice and precision); None draws from torch's global generator.
            strict: segments exactly as the reference makes them; the text is not normalised.
            normalise: numbers, dates, signs and abbreviations are spoken in words, as `pocketvoice text` prints them.
            language: of the text, for that (`en`, `pt-BR`, `french`); None is the model's own.
            names_emoji: emoji are called by their names, while `normalise` is on; else they are skipped.
            pronunciations: words that are spoken otherwise, while `normalise` is on.
            no_eos: what to do when a segment reaches its length limit without an end of speech: "retry" it once and then
                split it, or "keep" the take. A failed take may have been delivered already: the event of the next one says
                how many samples to drop.
            on_segment: called with a `SegmentEvent` in order with the chunks, on the consumer's thread.
            ahead_s: seconds of sound made before they are taken, at most (but at least four frames, 0.32 s).
            split_options: instead of `max_tokens` and `strict`: all options of the splitter.
            prepared: instead of the text's own segments: taken one by one on a thread of the stream, when each is begun.
            noise: instead of a fresh one of `seed`: goes on where it is (see `noise_source`).
            sampling: for this call instead of the model's own attributes.

        Yields:
            Samples (T,), float32, at `sample_rate`.

        Raises:
            EmptyTextError, VoiceStateError, UnknownNameError for the language (ValueErrors) at once; GenerationError when the model
            fails. Closing the iterator stops both threads before it returns.
        """
        drawn = sampling or self.sampling
        checks.whole("max_tokens", max_tokens, 1)
        checks.whole("frames_after_eos", frames_after_eos, 0)
        checks.whole("seed", seed, 0, 2**64 - 1)
        reading = Reading(normalise, language, names_emoji, pronunciations)
        options = split_options or self._split_options(max_tokens, reading, strict=strict)
        segments = _started(self.segments(text_to_generate, options)) if prepared is None else prepared
        layers = self._speaker.cache.layers(model_state)
        own = (
            frames_after_eos
            if frames_after_eos is not None
            else self.config.model_recommended_frames_after_eos
        )
        call = Call(
            model_state,
            layers,
            segments,
            GenerationSettings(
                eos_threshold=drawn.eos_threshold,
                frame_rate=self.config.mimi.frame_rate,
                frames_after_eos=own,
                no_eos=no_eos,
                keep_history=not copy_state,
                several_takes=not options.strict,
            ),
            noise=lambda: noise or self.noise_source(seed, drawn),
            split_again=self._splitter(options),
            decode_steps=None if sampling is None else sampling.sampler_decode_steps,
            decoder_frames=self.max_decoder_frames_per_call,
            ahead_s=ahead_s,
            stop=stop or threading.Event(),
        )
        return chunks(self._speak(call), on_segment)

    def _speak(self, call: Call) -> Generator[Output, None, None]:
        with self._opening:
            self._streams += 1
            speaker = self._speaker
        try:
            with threads.borrowed(self.threads):
                yield from speaker.run(call)
        finally:
            with self._opening:
                self._streams -= 1

    @contextlib.contextmanager
    def _silent(self) -> Iterator[None]:
        """Nothing is spoken while the block runs; GenerationError if a stream has begun and not ended."""
        with self._opening:
            if self._streams:
                raise GenerationError(
                    "This model is already speaking: close its streams first, or load a second model."
                )
            yield

    def _splitter(self, options: SplitOptions) -> Callable[[Segment], list[Segment]]:
        return lambda segment: split_again(segment, self._loaded.tokenizer, self._rules, options)


def _started(segments: Iterator[Segment]) -> Iterator[Segment]:
    """The same segments; a text without any is refused now, not when it is to be spoken."""
    return itertools.chain([next(segments)], segments)
