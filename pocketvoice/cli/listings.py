"""`models` and `voices`: what there is, what is installed, where it lies. Needs no torch."""

import argparse
import json
import sys
from typing import Any

from pocketvoice.cli.progress import DownloadBar
from pocketvoice.errors import OfflineError
from pocketvoice.hub import catalogue
from pocketvoice.hub.cache import cached_path
from pocketvoice.hub.download import fetch
from pocketvoice.hub.weights import fetch_weights
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
    entry = catalogue.entry(options.name)
    config = load_config(entry.config_path)
    with DownloadBar(options.quiet) as bar:
        fetch(config.flow_lm.lookup_table.tokenizer_path, progress=bar.update)
        if config.weights_path is not None:
            fetched = fetch_weights(
                config.weights_path, config.weights_path_without_voice_cloning, progress=bar.update
            )
            print(f"{entry.name} is ready. {fetched.reason}")
    return 0


def _path(options: argparse.Namespace) -> int:
    entry = catalogue.entry(options.name)
    config = load_config(entry.config_path)
    weights = _weights_on_disk(config)
    if options.json:
        print(json.dumps({"config": str(entry.config_path), "weights": weights}))
        return 0
    print(entry.config_path)
    if weights is None:
        raise OfflineError(
            f"The weights of {entry.name} are not on this disk: `pocketvoice models download {entry.name}`."
        )
    print(weights)
    return 0


def _weights_on_disk(config: ModelConfig) -> str | None:
    for source in (config.weights_path, config.weights_path_without_voice_cloning):
        path = cached_path(source) if source else None
        if path is not None:
            return str(path)
    return None


def voices(options: argparse.Namespace) -> int:
    """Lists the voices of the catalogue and those of local models."""
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
    rows += [{"name": voice, "default_for": [], "model": model} for voice, model in own.items()]
    if options.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
        return 0
    for row in rows:
        spoken = ", ".join(row["default_for"])
        note = f"default for {spoken}" if spoken else f"of {row['model']}" if "model" in row else ""
        print(f"{row['name']:<16} {note}".rstrip())
    return 0
