"""Compiles `pocketvoice/model/kernels/kernels.c`, once for each instruction set, to libraries beside it.

Hatchling calls it when a wheel is built or the project is installed (also editable); by hand it rebuilds them in place:

    python packaging/build_kernels.py

The compiler is that of $CC, else one on PATH that can do it, else Zig's from the Python package index, which pip fetches
for the build only. Without the libraries the engine computes with torch, so a failure is told and ends no installation.
POCKETVOICE_NO_KERNELS=1 leaves them out.
"""

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, where hatchling isn't needed
    BuildHookInterface = object

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "pocketvoice" / "model" / "kernels" / "kernels.c"
SUFFIXES = {"win32": ".dll", "darwin": ".dylib"}  # elsewhere .so; `model.native` looks for the same names
INSTRUCTION_SETS = {"avx512": ["-march=x86-64-v4", "-mavx512vnni"], "avx2": ["-march=x86-64-v3"]}
FLAGS = [
    *("-O3", "-fno-math-errno", "-ffp-contract=fast", "-std=c11", "-shared"),
    *("-Wall", "-Wextra", "-Werror=implicit"),
    *([] if sys.platform == "win32" else ["-fPIC"]),
]
# A compiler may be too old for these instruction sets, or lack the C library's headers.
PROBE = (
    "#include <immintrin.h>\n#include <math.h>\n#include <string.h>\nfloat f(float x) { return expf(x); }\n"
)
LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


class NoKernels(Exception):
    """Why there are no libraries, as the end of a sentence."""


def is_wanted() -> bool:
    """Whether there are kernels for this machine, and nobody has asked to do without."""
    is_x86_64 = platform.machine().lower() in ("x86_64", "amd64") and sys.maxsize > 2**32
    return is_x86_64 and os.environ.get("POCKETVOICE_NO_KERNELS") != "1"


def library_name(isa: str) -> str:
    """The file name of an instruction set's library on this system."""
    return f"{isa}{SUFFIXES.get(sys.platform, '.so')}"


def find_compiler() -> list[str] | None:
    """The beginning of a command that compiles C."""
    if named := os.environ.get("CC", "").strip():
        return shlex.split(named, posix=os.name == "posix")
    for name in ("cc", "gcc", "clang"):
        if (path := shutil.which(name)) and can_compile([path]):
            return [path]
    return [sys.executable, "-m", "ziglang", "cc"] if importlib.util.find_spec("ziglang") else None


def can_compile(compiler: list[str]) -> bool:
    """Whether a compiler knows the newest of the instruction sets and finds the C library's headers."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text(PROBE, encoding="utf-8")
        try:
            compile_library(
                compiler, source, Path(folder, library_name("avx512")), "avx512", subprocess.DEVNULL
            )
        except NoKernels:
            return False
    return True


def flags_for(compiler: list[str], isa: str) -> list[str]:
    """The flags for an instruction set, as that compiler spells them."""
    flags = FLAGS + INSTRUCTION_SETS[isa]
    if "ziglang" not in compiler and Path(compiler[0]).stem != "zig":
        return flags
    # Zig's spelling of instruction sets; without symbols (-s) a library has 80 kB, not 1.1 MB.
    flags = [*(flag.replace("x86-64-v", "x86_64_v") for flag in flags), "-s"]
    # As old a C library as torch asks for: a wheel made here runs on other machines too.
    return flags + (["-target", "x86_64-linux-gnu.2.28"] if platform.libc_ver()[0] == "glibc" else [])


def compile_library(
    compiler: list[str], source: Path, target: Path, isa: str, stderr: int | None = None
) -> None:
    """Writes `target`, which this Python can load; the compiler's own words go to `stderr`."""
    cache = {f"ZIG_{which}_CACHE_DIR": str(target.parent / "cache") for which in ("GLOBAL", "LOCAL")}
    compiling = [*compiler, *flags_for(compiler, isa), str(source), "-o", str(target), "-lm"]
    for command in (compiling, [sys.executable, "-c", LOAD, str(target)]):
        try:
            done = subprocess.run(command, env=os.environ | cache, stdout=subprocess.DEVNULL, stderr=stderr)
        except OSError as exc:
            raise NoKernels(f"{command[0]} does not start: {exc.strerror}") from exc
        if done.returncode:
            what = f"{shlex.join(compiler)} failed" if command is compiling else "the result does not load"
            raise NoKernels(f"{what}, status {done.returncode}")


def rebuild() -> list[Path]:
    """The libraries, all of them or none; whatever comes of it, none of an older source stays."""
    folder = SOURCE.parent
    for old in (path for suffix in (".so", ".dll", ".dylib") for path in folder.glob(f"*{suffix}")):
        old.unlink(missing_ok=True)
    if not is_wanted():
        return []
    if (compiler := find_compiler()) is None:
        raise NoKernels("no C compiler was found")
    names = [library_name(isa) for isa in INSTRUCTION_SETS]
    with tempfile.TemporaryDirectory(prefix=".kernels-", dir=folder) as new:
        for name, isa in zip(names, INSTRUCTION_SETS, strict=True):
            compile_library(compiler, SOURCE, Path(new, name), isa)
        return [Path(new, name).replace(folder / name) for name in names]


def rebuild_or_tell() -> list[Path] | None:
    """The libraries; None if that failed, which is told in a sentence."""
    try:
        return rebuild()
    except (NoKernels, OSError) as exc:
        print(
            f"pocketvoice: the fast kernels could not be built ({exc}); speech is computed with torch, more slowly.",
            file=sys.stderr,
        )
        return None


class KernelsHook(BuildHookInterface):
    """Puts the libraries into the wheel, or into the source tree for an editable installation."""

    def dependencies(self) -> list[str]:
        return ["ziglang"] if is_wanted() and find_compiler() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if libraries := rebuild_or_tell():
            build_data["artifacts"] += [f"/{path.relative_to(ROOT).as_posix()}" for path in libraries]
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform_tag()}"


def platform_tag() -> str:
    from packaging.tags import platform_tags

    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    built = rebuild_or_tell()
    for library in built or []:
        print(f"{library} {library.stat().st_size} bytes")
    sys.exit(1 if built is None else 0)
