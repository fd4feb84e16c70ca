"""`doctor`: what this installation has and can do, for the user and for bug reports. Reads, never changes."""

import json
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from pocketvoice import __version__, paths
from pocketvoice.cli import streams
from pocketvoice.cli.options import ListOptions
from pocketvoice.engine import machine, trials
from pocketvoice.errors import PocketVoiceError
from pocketvoice.hub import catalogue
from pocketvoice.hub.cache import hub_cache_dir
from pocketvoice.hub.faults import is_offline

PACKAGES = (
    "torch",
    "numpy",
    "sentencepiece",
    "tokenizers",
    "safetensors",
    "huggingface_hub",
    "sounddevice",
    "PySide6-Essentials",
)
BROKEN_INSTALLATION = (ImportError, OSError, RuntimeError, AttributeError, LookupError, TypeError, ValueError)
"""What a library raises of which a part is missing, or belongs to another version."""


def doctor(options: ListOptions) -> int:
    """Prints the report; 0 also when something is missing: the report says so."""
    report = {
        "pocketvoice": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
        "processor": _processor(),
        "engine": _part(_engine),
        "models": _part(_models),
        "folders": {"data": str(paths.user_data_dir()), "cache": str(paths.user_cache_dir())},
        "hub cache": _part(_hub_cache),
        "sound": _part(_sound),
    }
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report)
    return 0


def _part(look: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `look` sees; a part that can't be looked at is a finding, not the end of the report."""
    try:
        return look()
    except PocketVoiceError as error:
        return {"problem": error.message}
    except BROKEN_INSTALLATION as exc:
        return {"problem": f"{type(exc).__name__}: {exc}"}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


def _processor() -> dict[str, Any]:
    return {
        "name": machine.processor(),
        "cores": machine.cores(),
        "instructions": list(machine.instructions()),
    }


def _engine() -> dict[str, Any]:
    from pocketvoice.model.linear import PRECISIONS, quantized_engine

    chosen = {model_id: trial.sentence() for model_id, trial in trials.of_this_machine().items()}
    return {
        "device": "cpu",
        "precisions": [*PRECISIONS, "auto"],
        "precision chosen": chosen or "none yet: a trial is made when a model is first loaded",
        "kernels": _kernels(),
        "int8 backend": quantized_engine(),
        "threads": "1 each for FlowLM and Mimi",
    }


def _kernels() -> str:
    from pocketvoice.model import native

    library = native.library()
    if library is not None:
        return Path(library._name).stem + (", bf16" if library.pv_multiplies_bf16() else "")
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return "none for this processor: torch computes"
    return "none: torch computes, more slowly; install the program again to build them"


def _models() -> dict[str, Any]:
    installed = [name for name in catalogue.languages() if catalogue.is_installed(name)]
    return {"installed": installed, "default": catalogue.default_language(), "offline": is_offline()}


def _hub_cache() -> dict[str, Any]:
    folder = hub_cache_dir()
    found: dict[str, Any] = {"path": str(folder), "bytes": 0}
    if not folder.exists():
        return {**found, "note": "nothing was downloaded so far"}
    problems: list[OSError] = []
    for place, _, names in os.walk(folder, onerror=problems.append):
        for name in names:
            with suppress(OSError):  # it vanished meanwhile
                found["bytes"] += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - what walk gives
    if problems:
        found["problem"] = f"can't be read: {problems[0].strerror} ({problems[0].filename})"
    return found


def _sound() -> dict[str, Any]:
    from pocketvoice.playback.output import list_devices

    devices = list_devices()
    chosen = next((device.name for device in devices if device.is_default), None)
    names = [f"{device.name} ({device.host_api})" for device in devices]
    found: dict[str, Any] = {"default": chosen, "devices": names}
    return found if devices else {**found, "problem": "There is no sound device: `say` writes a WAV instead."}


def _print(report: dict[str, Any], indent: str = "") -> None:
    for key, value in report.items():
        if isinstance(value, dict):
            streams.show(f"{indent}{key}:")
            _print(value, indent + "  ")
        else:
            streams.show(f"{indent}{key}: {_shown(key, value)}")


def _shown(key: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value / 1e6:.0f} MB" if key == "bytes" else "none" if value is None else str(value)
