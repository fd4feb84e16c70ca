"""A model and a voice for a command: what they need is fetched first, with no torch, and loaded afterwards.

So a user who is offline, or names a config that is not valid, learns it before anything heavy starts and before the
sound device is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pocketvoice.cli.options import ModelOptions, SpeakerOptions
from pocketvoice.cli.progress import tell
from pocketvoice.hub import catalogue
from pocketvoice.hub.download import fetch
from pocketvoice.hub.download_bar import DownloadBar
from pocketvoice.hub.progress import ProgressCallback
from pocketvoice.hub.weights import FetchedWeights, fetch_weights
from pocketvoice.model.config import ModelConfig, load_config
from pocketvoice.voices.stand_in import stand_in
from pocketvoice.worker.child.own_voices import OwnVoices
from pocketvoice.worker.heavy_imports import heavy_imports
from pocketvoice.worker.memory import limit_heaps

if TYPE_CHECKING:
    from pocketvoice.engine.tts_model import TTSModel
    from pocketvoice.engine.voice_state import VoiceState


class Speaker(NamedTuple):
    """A loaded model and the voice it speaks with."""

    model: TTSModel
    voice: VoiceState
    voice_name: str
    """What pronunciations call it."""


def fetch_speaker(options: SpeakerOptions, *, quiet: bool) -> ModelConfig:
    """Brings what the model and its voice need to this disk; returns the model's config."""
    config = fetch_model(options.model, quiet=quiet)
    language = _language(options.model)
    own = OwnVoices().find(options.voice, None if options.model.config else language)
    if own is None:
        with DownloadBar(quiet) as bar:
            fetch(_voice_source(options, language), progress=bar.update)
    return config


def fetch_model(options: ModelOptions, *, quiet: bool) -> ModelConfig:
    """Brings the model's files to this disk; returns its config."""
    address = options.config or str(catalogue.entry(_language(options)).config_path)
    with DownloadBar(quiet) as bar:
        config = load_config(fetch(address, progress=bar.update))
        if options.checkpoint is None:
            fetch_files(config, bar.update)
    return config


def fetch_files(config: ModelConfig, progress: ProgressCallback) -> FetchedWeights | None:
    """Weights and tokenizer; says which bundle was taken, if the config names one."""
    fetched = None
    if config.weights_path is not None:  # first: its error speaks of the model as a whole
        public = config.weights_path_without_voice_cloning
        fetched = fetch_weights(config.weights_path, public, progress=progress)
    for source in (config.flow_lm.weights_path, config.mimi.weights_path):
        if source is not None:
            fetch(source, progress=progress)
    fetch(config.flow_lm.lookup_table.tokenizer_path, progress=progress)
    return fetched


def load_model(options: ModelOptions, *, quiet: bool) -> TTSModel:
    """The model of the options, loaded for two threads of computing: one each for FlowLM and Mimi."""
    limit_heaps()
    with heavy_imports():
        from pocketvoice.engine.tts_model import TTSModel, use_threads

    use_threads(1)
    with DownloadBar(quiet) as bar:
        return TTSModel.load_model(
            None if options.config else _language(options),
            options.config,
            options.temperature,
            options.sampler_decode_steps,
            options.noise_clamp,
            options.eos_threshold,
            options.quantize,
            options.checkpoint,
            options.lsd_decode_steps,
            precision=options.precision or (None if options.quantize else "auto"),
            device=options.device,
            progress=bar.update,
        )


def load_speaker(options: SpeakerOptions, *, quiet: bool) -> Speaker:
    """The model of the options and its voice; a voice of the user's is made ready for the model where it is not."""
    return load_voice(load_model(options.model, quiet=quiet), options, quiet=quiet)


def load_voice(model: TTSModel, options: SpeakerOptions, *, quiet: bool) -> Speaker:
    """The voice of the options for a model that is loaded."""
    voice = _voice(options, options.model.language or model.language)
    if options.voice in catalogue.voice_names() and voice != options.voice:
        tell(
            f"The voice {options.voice} comes with the released models (`pocketvoice models download english`): "
            f"{voice} speaks in its place.",
            quiet=quiet,
        )
    own_voices = OwnVoices(_preparing_told(quiet))
    own = own_voices.find(voice, model.language)
    if own is not None:
        return Speaker(model, own_voices.state(own, model), own.name)
    return Speaker(model, model.get_state_for_audio_prompt(voice, truncate=options.truncate), voice)


def _preparing_told(quiet: bool) -> Callable[[str, float], None]:
    def on_progress(voice: str, fraction: float) -> None:
        if fraction == 0.0:
            tell(f"The voice {voice} is made ready for this model, once.", quiet=quiet)

    return on_progress


def _language(options: ModelOptions) -> str:
    return options.language or catalogue.default_language()


def _voice(options: SpeakerOptions, language: str | None) -> str:
    """The voice that is wanted, or the one of a local model that stands in for it where only released models have it."""
    wanted = options.voice or catalogue.default_voice(language, options.model.is_custom)
    if options.model.is_custom:
        return wanted
    if language is not None:
        titled = catalogue.local_voice(language, wanted)
        if titled is not None and (titled == wanted or OwnVoices().find(wanted, language) is None):
            return titled
    others = catalogue.voices_in_place_of(language, wanted)
    return stand_in(wanted, others) if others else wanted


def _voice_source(options: SpeakerOptions, language: str) -> str:
    """Where the file of the voice lies."""
    voice = _voice(options, None if options.model.config else language)
    if options.model.is_custom:
        return voice
    is_local = catalogue.entry(language).is_local and voice in catalogue.local_voices(language)
    is_prepared = is_local or voice in catalogue.voice_names()
    return catalogue.voice_state_source(language, voice) if is_prepared else voice
