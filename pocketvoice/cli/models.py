"""`models`: which models there are, what is installed, where it lies; and downloading one. Needs no torch."""

import json

from pocketvoice.cli import checks, streams
from pocketvoice.cli.loading import fetch_files
from pocketvoice.cli.options import ListOptions, NamedOptions
from pocketvoice.errors import OfflineError
from pocketvoice.hub import catalogue
from pocketvoice.hub.cache import cached_path
from pocketvoice.hub.download import fetch
from pocketvoice.hub.download_bar import DownloadBar
from pocketvoice.model.config import ModelConfig, load_config


def show_all(options: ListOptions) -> int:
    """Prints all models of the catalogue."""
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
        streams.show(f"{entry.name:<26} {entry.language_code:<3} {state:<14} {entry.about}")
    return 0


def download(options: NamedOptions) -> int:
    """Fetches everything that speaking with the model's default voice needs, so that it works offline from now on."""
    entry = checks.known_model(options.name)
    config = load_config(entry.config_path)
    with DownloadBar(options.quiet) as bar:
        fetched = fetch_files(config, bar.update)
        fetch(_default_voice_source(entry), progress=bar.update)
    if not options.quiet:
        streams.show(f"{entry.name} is ready." + (f" {fetched.reason}" if fetched is not None else ""))
    return 0


def show_path(options: NamedOptions) -> int:
    """Prints where the model's config and weights lie; raises OfflineError if the weights are not on this disk."""
    entry = checks.known_model(options.name)
    weights = _weights_on_disk(load_config(entry.config_path))
    if options.json:
        print(json.dumps({"config": str(entry.config_path), "weights": weights}))
        return 0
    if weights is None:
        raise OfflineError(
            f"The weights of {entry.name} are not on this disk: `pocketvoice models download {entry.name}`."
        )
    streams.show(str(entry.config_path))
    streams.show(str(weights))
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
