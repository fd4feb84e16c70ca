"""`doctor`: what this installation has and can do, for the user and for bug reports. Reads, never changes."""

import argparse
import json
import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from pocketvoice import __version__, paths
from pocketvoice.errors import AudioDeviceError
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


def doctor(options: argparse.Namespace) -> int:
    """Prints the report; 0 also when something is missing: the report says so."""
    report = {
        "pocketvoice": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
        "processor": _processor(),
        "engine": _engine(),
        "models": _models(),
        "folders": {
            "data": str(paths.user_data_dir()),
            "cache": str(paths.user_cache_dir()),
            "hub_cache": _hub_cache(),
        },
        "sound": _sound(),
    }
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report)
    return 0


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


def _processor() -> dict[str, Any]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"name": _processor_name(), "cores": usable}


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="ignore").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def _engine() -> dict[str, Any]:
    import torch

    from pocketvoice.model.linear import PRECISIONS, quantized_engine

    return {
        "device": "cpu",
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "precision": "float32 (choose with --precision)",
        "precisions": list(PRECISIONS),
        "int8_backend": quantized_engine(),
        "threads": "1 each for FlowLM and Mimi",
    }


def _models() -> dict[str, Any]:
    installed = [name for name in catalogue.languages() if catalogue.is_installed(name)]
    return {"installed": installed, "default": catalogue.default_language(), "offline": is_offline()}


def _hub_cache() -> dict[str, Any]:
    folder = hub_cache_dir()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return {"path": str(folder), "bytes": size}


def _sound() -> dict[str, Any]:
    from pocketvoice.playback.output import default_device, list_devices

    try:
        chosen = default_device()
        devices = [f"{device.name} ({device.host_api})" for device in list_devices()]
    except AudioDeviceError as error:
        return {"default": None, "devices": [], "problem": error.message}
    return {"default": chosen.name if chosen else None, "devices": devices}


def _print(report: dict[str, Any], indent: str = "") -> None:
    for key, value in report.items():
        if isinstance(value, dict):
            print(f"{indent}{key}:")
            _print(value, indent + "  ")
        else:
            shown = ", ".join(map(str, value)) or "none" if isinstance(value, list) else value
            sys.stdout.write(f"{indent}{key}: {shown}\n")
