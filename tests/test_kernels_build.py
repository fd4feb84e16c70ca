"""From `kernels.c` and its headers to libraries that load, with the compilers that are there, in a copy of what building reads."""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BUILT = [
    "packaging/build_kernels.py",
    "pocketvoice/__init__.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".gitignore",
]
KERNELS = "pocketvoice/model/kernels"
SMALL = "#ifdef _WIN32\n__declspec(dllexport)\n#endif\nint pv_abi(void) { return 7; }\n"
HAS_COMPILER = any(shutil.which(name) for name in ("cc", "gcc", "clang"))
BOUND = re.compile(r'"(pv_\w+)":')
HAS = "import ctypes, sys; print(*(n for n in sys.argv[2:] if not hasattr(ctypes.CDLL(sys.argv[1]), n)))"
ASK = "import ctypes, sys; print(*(ctypes.CDLL(path)[sys.argv[1]]() for path in sys.argv[2:]))"

pytestmark = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="the kernels are for x86-64"
)
with_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="needs a C compiler")
with_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
with_zig = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs ziglang")


@pytest.fixture
def checkout(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a small source: the real one takes seconds to compile."""
    root = tmp_path / "pocket voice"
    for name in BUILT:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(repository / name, root / name)
    (root / "resources").mkdir()
    (root / KERNELS).mkdir(parents=True)
    (root / KERNELS / "kernels.c").write_text(SMALL, encoding="utf-8")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("POCKETVOICE_NO_KERNELS", raising=False)
    return root


@pytest.fixture
def builder(checkout: Path) -> ModuleType:
    """The build script of the checkout, as hatchling loads it."""
    spec = importlib.util.spec_from_file_location(
        "build_kernels", checkout / "packaging" / "build_kernels.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def real_source(checkout: Path, repository: Path) -> None:
    for path in (repository / KERNELS).glob("*.[ch]"):
        shutil.copy(path, checkout / KERNELS)


def hook(builder: ModuleType, root: Path) -> Any:
    pytest.importorskip("hatchling")
    return builder.KernelsHook(str(root), {}, None, None, "", "wheel")


def build(checkout: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(checkout / "packaging" / "build_kernels.py")]
    return subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=240
    )


def libraries(checkout: Path) -> list[Path]:
    """Everything in the folder but the sources: what is left half-written is found too."""
    return sorted(path for path in (checkout / KERNELS).iterdir() if path.suffix not in (".c", ".h"))


def answers(function: str, paths: list[Path]) -> list[str]:
    """What the function tells in each library."""
    return printed(ASK, function, *map(str, paths))


def printed(code: str, *arguments: str) -> list[str]:
    """The words that a process of its own prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def assert_both_are_built(checkout: Path, builder: ModuleType) -> None:
    paths = libraries(checkout)
    assert [path.name for path in paths] == sorted(map(builder.library_name, ("avx512", "avx2")))
    assert len(set(answers("pv_abi", paths))) == 1


@with_compiler
@pytest.mark.usefixtures("real_source")
def test_compiler_of_the_system(checkout: Path, builder: ModuleType, repository: Path) -> None:
    done = build(checkout)
    assert (done.returncode, done.stderr) == (0, ""), "there are no warnings either"
    assert_both_are_built(checkout, builder)
    bound = BOUND.findall((repository / "pocketvoice/model/c_structures.py").read_text(encoding="utf-8"))
    assert len(bound) > 10
    for path in libraries(checkout):
        assert printed(HAS, str(path), *bound) == [], f"{path.name} lacks what `model.c_structures` names"


@with_zig
@pytest.mark.usefixtures("real_source")
def test_zig_where_no_compiler_is(checkout: Path, builder: ModuleType) -> None:
    done = build(checkout, PATH=str(checkout))
    assert (done.returncode, done.stderr) == (0, "")
    assert_both_are_built(checkout, builder)
    of_zig = answers("pv_supported", libraries(checkout))
    if HAS_COMPILER:
        build(checkout)
        assert of_zig == answers("pv_supported", libraries(checkout)), "they run on the same processors"


@with_compiler
def test_named_compiler_is_taken(checkout: Path, tmp_path: Path) -> None:
    mine = tmp_path / "my cc"
    mine.write_text(f'#!/bin/sh\necho mine >&2\nexec {shutil.which("cc")} "$@"\n', encoding="utf-8")
    mine.chmod(0o755)
    done = build(checkout, CC=f"'{mine}' -DNAMED")
    assert (done.returncode, done.stderr) == (0, "mine\nmine\n")


@with_compiler
def test_broken_source_leaves_no_library(checkout: Path) -> None:
    build(checkout)
    assert len(libraries(checkout)) == 2
    (checkout / KERNELS / "kernels.c").write_text("int pv_abi(void) { return }\n", encoding="utf-8")
    done = build(checkout)
    assert done.returncode == 1
    assert "speech is computed with torch, more slowly." in done.stderr.splitlines()[-1]
    assert libraries(checkout) == []


@with_compiler
def test_library_that_does_not_load_is_none(checkout: Path) -> None:
    source = checkout / KERNELS / "kernels.c"
    source.write_text("int elsewhere(void);\nint pv_abi(void) { return elsewhere(); }\n", encoding="utf-8")
    done = build(checkout)
    assert done.returncode == 1
    assert "pocketvoice: the fast kernels could not be built" in done.stderr.splitlines()[-1]
    assert libraries(checkout) == []


@pytest.mark.parametrize("compiler", ["/nowhere/cc", "false"])
def test_compiler_that_fails_is_told(checkout: Path, compiler: str) -> None:
    (checkout / KERNELS / "avx2.so").write_bytes(b"of an older source")
    done = build(checkout, CC=compiler)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert compiler in done.stderr
    assert libraries(checkout) == []


def test_kernels_can_be_left_out(checkout: Path) -> None:
    (checkout / KERNELS / "avx2.so").write_bytes(b"of an older source")
    done = build(checkout, POCKETVOICE_NO_KERNELS="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert libraries(checkout) == []


def test_zig_is_asked_for_without_compiler(
    checkout: Path, builder: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    monkeypatch.setattr(sys, "path", [])  # nor is ziglang here already
    importlib.invalidate_caches()
    assert hook(builder, checkout).dependencies() == ["ziglang"]
    monkeypatch.setenv("POCKETVOICE_NO_KERNELS", "1")
    assert hook(builder, checkout).dependencies() == []


@with_compiler
def test_nothing_is_asked_for_with_compiler(checkout: Path, builder: ModuleType) -> None:
    assert hook(builder, checkout).dependencies() == []


def test_compiler_too_old_is_passed_over(
    checkout: Path, builder: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cc", "gcc", "clang"):
        (checkout / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (checkout / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{checkout}:/usr/bin:/bin")
    assert "ziglang" in (builder.find_compiler() or ["ziglang"])


def make_wheel(checkout: Path, folder: Path, *options: str) -> zipfile.ZipFile:
    """The wheel pip builds; without an index, with the hatchling that is installed here."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--quiet",
    ]
    done = subprocess.run(
        [*command, "-w", str(folder), str(checkout), *options], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


@with_compiler
def test_wheel_is_of_its_platform(checkout: Path, builder: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    with make_wheel(checkout, tmp_path / "wheels") as wheel:
        assert wheel.filename is not None
        assert "-py3-none-" in wheel.filename
        assert not wheel.filename.endswith("-any.whl")
        # The libraries, no sources.
        names = sorted(name for name in wheel.namelist() if name.startswith(KERNELS))
        assert names == sorted(f"{KERNELS}/{builder.library_name(isa)}" for isa in ("avx512", "avx2"))
        paths = [Path(wheel.extract(name, tmp_path)) for name in names]
    assert answers("pv_abi", paths) == ["7", "7"]


@with_compiler
def test_wheel_without_kernels_is_of_any(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("hatchling")
    monkeypatch.setenv("CC", "false")
    with make_wheel(checkout, tmp_path / "wheels") as wheel:
        assert str(wheel.filename).endswith("-py3-none-any.whl")
        assert [name for name in wheel.namelist() if "kernels/avx" in name] == []


SETUP = """
set -eu
. "$1/packaging/setup.sh"
install_debian_packages() { :; }
install_torch() { :; }
uv() { return 1; }
uname() { echo x86_64; }
make_environment() { mkdir -p "$VENV/bin"; ln -sf /bin/true "$VENV/bin/python"; }
venv_pip() { echo "kernels: ${POCKETVOICE_NO_KERNELS:-wanted}" >> "$ASKED"; [ "${POCKETVOICE_NO_KERNELS:-0}" = "$PIP_ENDS" ]; }
setup server
"""


def set_up(checkout: Path, repository: Path, pip_ends: str = "0") -> "subprocess.CompletedProcess[str]":
    """packaging/setup.sh with a pip that only says whether it was asked for the kernels, in a file that becomes `stdout`;
    with "1" it can't make them."""
    asked = checkout / "asked"
    asked.write_text("")
    for name in ("setup.sh", "constraints.txt"):
        shutil.copy(repository / "packaging" / name, checkout / "packaging")
    command = ["bash", "-c", SETUP, "bash", str(checkout)]
    environment = {**os.environ, "PIP_ENDS": pip_ends, "ASKED": str(asked)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "", "the set-up speaks on standard error alone"
    done.stdout = asked.read_text()
    return done


@with_bash
def test_changed_kernels_are_built_anew(checkout: Path, repository: Path) -> None:
    assert set_up(checkout, repository).stdout == "kernels: wanted\n"
    assert set_up(checkout, repository).stdout == ""
    for name in (
        f"{KERNELS}/kernels.c",
        f"{KERNELS}/layers.h",
        f"{KERNELS}/mimi_decoder.inc.h",
        "packaging/build_kernels.py",
    ):
        with (checkout / name).open("a", encoding="utf-8") as file:
            file.write("\n")
        assert set_up(checkout, repository).stdout == "kernels: wanted\n", name
        assert set_up(checkout, repository).stdout == "", name


@with_bash
def test_setup_does_without_kernels_if_it_must(checkout: Path, repository: Path) -> None:
    done = set_up(checkout, repository, pip_ends="1")
    assert (done.returncode, done.stdout) == (0, "kernels: wanted\nkernels: 1\n")
    assert "trying without the compiled kernels" in done.stderr


@with_bash
@pytest.mark.parametrize("there", [True, False])
def test_missing_kernels_are_told(checkout: Path, repository: Path, there: bool) -> None:
    if there:
        (checkout / KERNELS / "avx2.so").touch()
    done = set_up(checkout, repository)
    assert done.returncode == 0
    assert ("the fast kernels could not be built" in done.stderr) is not there
