"""`models` and `voices`: what there is, what is installed, where it lies. Needs no torch."""

import argparse
import json
import sys
from typing import Any

from pocketvoice.cli import checks
from pocketvoice.cli.model import fetch_files
from pocketvoice.cli.progress import DownloadBar
from pocketvoice.errors import OfflineError
from pocketvoice.hub import catalogue
from pocketvoice.hub.cache import cached_path
from pocketvoice.hub.download import fetch
from pocketvoice.model.config import ModelConfig, load_config


def models(options: argparse.Namespace) -> int:
    """Lists, downloads or finds models."""
    actions = {"list": _list_models, "download": _download, "path": _path}
    return actions[options.action](options)


def _list_models(options: argparse.Namespace) -> int:
    entries = [(catalogue.entry(name), catalogue.is_installed(name)) for name in catalogue.languages()]
    if options.json:
        rows = [
            {
                "name": entry.name, "language": entry.language_code, "layers": entry.layers,
                "size_bytes": entry.size_bytes, "installed": installed, "about": entry.about,
            }
            for entry, installed in entries
        ]  # fmt: skip
        print(json.dumps(rows, indent=2))
        return 0
    for entry, installed in entries:
        state = "installed" if installed else f"about {entry.size_bytes / 1e6:.0f} MB"
        print(f"{entry.name:<26} {entry.language_code:<3} {state:<14} {entry.about}")
    return 0


def _download(options: argparse.Namespace) -> int:
    """Everything that speaking with the model's default voice needs, so that it works offline from now on."""
    entry = checks.known_model(options.name)
    config = load_config(entry.config_path)
    with DownloadBar(options.quiet) as bar:
        fetched = fetch_files(config, bar.update)
        fetch(_default_voice_source(entry), progress=bar.update)
    if not options.quiet:
        print(f"{entry.name} is ready." + (f" {fetched.reason}" if fetched is not None else ""))
    return 0


def _path(options: argparse.Namespace) -> int:
    entry = checks.known_model(options.name)
    weights = _weights_on_disk(load_config(entry.config_path))
    if options.json:
        print(json.dumps({"config": str(entry.config_path), "weights": weights}))
        return 0
    if weights is None:
        raise OfflineError(
            f"The weights of {entry.name} are not on this disk: `pocketvoice models download {entry.name}`."
        )
    print(entry.config_path)
    print(weights)
    return 0


def _default_voice_source(entry: catalogue.ModelEntry) -> str:
    """A prepared state, or the clip that a local model without voices of its own clones."""
    voice = catalogue.default_voice(entry.name)
    is_name = voice in catalogue.voice_names() or (
        entry.is_local and voice in catalogue.local_voices(entry.name)
    )
    return catalogue.voice_state_source(entry.name, voice) if is_name else voice


def _weights_on_disk(config: ModelConfig) -> str | None:
    for source in (config.weights_path, config.weights_path_without_voice_cloning):
        path = cached_path(source) if source else None
        if path is not None:
            return str(path)
    return None


def voice_rows() -> list[dict[str, Any]]:
    """The voices of the catalogue and those of local models, as JSON."""
    default_of: dict[str, list[str]] = {}
    own: dict[str, str] = {}
    for name in catalogue.languages():
        entry = catalogue.entry(name)
        if entry.is_local:
            own.update(dict.fromkeys(catalogue.local_voices(name), name))
            continue
        codes = default_of.setdefault(catalogue.default_voice(name), [])
        if entry.language_code not in codes:
            codes.append(entry.language_code)
    rows: list[dict[str, Any]] = [
        {"name": voice, "default_for": default_of.get(voice, []), "clip": catalogue.voice_clip_source(voice)}
        for voice in catalogue.voice_names()
    ]
    return rows + [{"name": voice, "default_for": [], "model": model} for voice, model in own.items()]


def voices(options: argparse.Namespace) -> int:
    """Lists the voices of the catalogue and those of local models."""
    if options.json:
        json.dump(voice_rows(), sys.stdout, indent=2)
        print()
        return 0
    for row in voice_rows():
        spoken = ", ".join(row["default_for"])
        note = f"default for {spoken}" if spoken else f"of {row['model']}" if "model" in row else ""
        print(f"{row['name']:<16} {note}".rstrip())
    return 0
