"""A model and a voice for a command: what they need is fetched first, with no torch, and loaded afterwards.

So a user who is offline, or names a config that is not valid, learns it before anything heavy starts and before the
sound device is opened.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from pocketvoice.cli.progress import DownloadBar, tell
from pocketvoice.hub import catalogue
from pocketvoice.hub.download import fetch
from pocketvoice.hub.progress import ProgressCallback
from pocketvoice.hub.weights import FetchedWeights, fetch_weights
from pocketvoice.model.config import ModelConfig, load_config
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


def fetch_speaker(options: argparse.Namespace) -> ModelConfig:
    """Brings what the model and its voice need to this disk; returns the model's config."""
    language = _language(options)
    address = options.config or str(catalogue.entry(language).config_path)
    with DownloadBar(options.quiet) as bar:
        config = load_config(fetch(address, progress=bar.update))
        if getattr(options, "checkpoint", None) is None:
            fetch_files(config, bar.update)
        if (
            "voice" in options
            and OwnVoices().find(options.voice, None if options.config else language) is None
        ):
            fetch(_voice_source(options, language), progress=bar.update)
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


def load_model(options: argparse.Namespace) -> TTSModel:
    """The model that the options name."""
    limit_heaps()
    with heavy_imports():
        from pocketvoice.engine.tts_model import TTSModel, use_threads

    use_threads(1)
    with DownloadBar(options.quiet) as bar:
        return TTSModel.load_model(
            options.language,
            options.config,
            getattr(options, "temperature", None),
            getattr(options, "sampler_decode_steps", 1),
            getattr(options, "noise_clamp", None),
            getattr(options, "eos_threshold", None),
            options.quantize,
            getattr(options, "checkpoint", None),
            getattr(options, "lsd_decode_steps", None),
            precision=options.precision or (None if options.quantize else "auto"),
            device=options.device,
            progress=bar.update,
        )


def load_speaker(options: argparse.Namespace) -> Speaker:
    """The model that the options name, and its voice."""
    model = load_model(options)
    voice = _voice(options, options.language or model.language)
    kept = OwnVoices(lambda name, fraction: _tell_preparing(options, name, fraction))
    own = kept.find(voice, model.language)
    if own is not None:
        return Speaker(model, kept.state(own, model))
    return Speaker(model, model.get_state_for_audio_prompt(voice, truncate=options.truncate))


def _tell_preparing(options: argparse.Namespace, voice: str, fraction: float) -> None:
    if fraction == 0.0:
        tell(options, f"The voice {voice} is made ready for this model, once.")


def _language(options: argparse.Namespace) -> str:
    return str(options.language or catalogue.default_language())


def _voice(options: argparse.Namespace, language: str | None) -> str:
    custom = options.config is not None or options.checkpoint is not None
    return options.voice or catalogue.default_voice(language, custom)


def _voice_source(options: argparse.Namespace, language: str) -> str:
    """Where the file of the voice lies."""
    voice = _voice(options, None if options.config else language)
    custom = options.config is not None or options.checkpoint is not None
    own = not custom and catalogue.entry(language).is_local and voice in catalogue.local_voices(language)
    if own or (not custom and voice in catalogue.voice_names()):
        return catalogue.voice_state_source(language, voice)
    return voice
