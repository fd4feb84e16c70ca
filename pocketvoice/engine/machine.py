"""What decides how fast this machine computes: its processor, its cores and torch's build. Loads no torch."""

import os
import platform
import zlib
from functools import cache
from importlib import metadata
from pathlib import Path

INSTRUCTIONS = ("avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")
"""Those that decide how fast the engine is, as Linux names them."""


@cache
def processor() -> str:
    """Its name, as its maker writes it where the system tells."""
    return _told_by_linux().get("model name") or platform.processor() or platform.machine()


@cache
def instructions() -> tuple[str, ...]:
    """Which of `INSTRUCTIONS` it has; empty where the system does not tell."""
    flags = _told_by_linux().get("flags", "").split()
    return tuple(name for name in INSTRUCTIONS if name in flags)


def share(processes: int) -> None:
    """So many processes like this one work side by side from now on: this one counts on its part of the cores."""
    global _sharing
    _sharing = processes


_sharing = 1


def cores() -> int:
    """How many this process may use."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, there // _sharing)


def torch_version() -> str:
    """Version of the installed torch; "missing" without one."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return "missing"


@cache
def kernels() -> str:
    """A name for the compiled kernels that lie beside `model.native`, another one for others."""
    libraries = sorted((Path(__file__).parents[1] / "model" / "kernels").glob("avx*"))
    if not libraries:
        return "no kernels"
    return f"kernels {zlib.crc32(b''.join(path.read_bytes() for path in libraries)):08x}"


def identity() -> str:
    """One line that is another one wherever speeds may differ."""
    speed = f"{cores()} cores", f"torch {torch_version()}", kernels()
    parts = (processor(), "+".join(instructions()), *speed)
    return ", ".join(part for part in parts if part)


@cache
def _told_by_linux() -> dict[str, str]:
    """What /proc/cpuinfo says of the first core; empty elsewhere."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="ignore")
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}
