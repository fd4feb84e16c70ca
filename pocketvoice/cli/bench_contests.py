"""Whom `bench` measures: ours, and beside it the reference package, each with a model and a voice that are on this disk.

Everything is checked and fetched here: the processes that are measured have no one to tell their troubles to.
"""

import importlib.util
from dataclasses import replace
from pathlib import Path

from pocketvoice.cli import checks
from pocketvoice.cli.loading import fetch_speaker
from pocketvoice.cli.options import BenchOptions, SpeakerOptions
from pocketvoice.engine.bench import OURS, REFERENCE, Contest
from pocketvoice.errors import InputError, MissingFileError
from pocketvoice.hub import catalogue
from pocketvoice.hub.source import LocalFile, parse
from pocketvoice.voices.library import open_library
from pocketvoice.worker.child.own_voices import find_own


def contests_of(options: BenchOptions) -> list[Contest]:
    """Ours first; beside it, with the reference, both its precisions. Raises InputError and what fetching raises."""
    if options.against and importlib.util.find_spec(REFERENCE) is None:
        raise InputError(
            "The reference package is not installed: `pip install pocket-tts==4.0.1` in this environment."
        )
    config, voice = map(_absolute, _config_and_voice(options))
    model = options.speaker.model
    wanted = model.precision or ("int8" if model.quantize else None)
    contenders = [(OURS, precision) for precision in ([wanted] if wanted else ["auto", "float32"])]
    if options.against:
        contenders += [(REFERENCE, "float32"), (REFERENCE, "int8")]
    return [Contest(package, config, voice, precision, options.threads) for package, precision in contenders]


def _absolute(named: str) -> str:
    """A path as one that holds in any folder; a name or an address as it is."""
    if named in catalogue.languages() or named in catalogue.voice_names():
        return named
    place = parse(named)
    return str(place.path.absolute()) if isinstance(place, LocalFile) and place.path.exists() else named


def _config_and_voice(options: BenchOptions) -> tuple[str, str]:
    """What is measured, as names, paths or addresses; everything that they need is on this disk."""
    speaker = options.speaker if options.folder is None else _speaker_of_folder(options, options.folder)
    checks.check_voice(speaker)
    language = speaker.model.language or catalogue.default_language()
    config = speaker.model.config or language
    voice = speaker.voice or catalogue.default_voice(language, speaker.model.is_custom)
    voice = _clip_of_own(voice, None if speaker.model.config else language) or voice
    fetch_speaker(replace(speaker, voice=voice), quiet=options.quiet)
    return _as_files(config, voice) if options.against else (config, voice)


def _speaker_of_folder(options: BenchOptions, folder: Path) -> SpeakerOptions:
    """The config and the voice in --model DIR; a voice that was named goes before the one in it."""
    speaker = options.speaker
    if speaker.model.language is not None or speaker.model.config is not None:
        raise InputError("Give either --model, --language or --config.")
    configs = sorted(folder.glob("*.yaml"))
    if not configs:
        raise MissingFileError(f"The folder {folder} holds no model config (*.yaml).")
    config = next((path for path in configs if path.stem == folder.name), configs[0])
    model = replace(speaker.model, config=str(config))
    return replace(speaker, model=model, voice=speaker.voice or str(folder / "voice.safetensors"))


def _clip_of_own(voice: str, language: str | None) -> str | None:
    """The clip of a voice of the user's, which any package can clone; None if it is no such voice."""
    own = find_own(open_library(), voice, language)
    if own is None:
        return None
    if not own.has_clip:
        raise InputError(f"The voice {own.name} has no clip to measure with: choose another voice.")
    return str(own.clip_path)


def _as_files(config: str, voice: str) -> tuple[str, str]:
    """A model that comes with us by its files: the reference does not know it by name."""
    if config not in catalogue.languages() or not catalogue.entry(config).is_local:
        return config, voice
    entry = catalogue.entry(config)
    is_local = voice in catalogue.local_voices(config)
    return str(entry.config_path), catalogue.voice_state_source(config, voice) if is_local else voice
