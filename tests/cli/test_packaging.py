"""packaging/run from a folder with a space in its name, with a Python, an apt-get and a uv that only write down what they do."""

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

FAKE_PYTHON = r"""#!/bin/sh
echo "python $*" >> "$LOG"
case "$*" in *"pip install"*) echo "WARNING: a page of pip" >&2 ;; esac
for last; do :; done
case "$*" in
  "-m venv "*) mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;;
  *"pip --version"*) exit "${NO_PIP:-0}" ;;
  *--report*cpu.example*) printf '%s' "$CPU_PLAN" ;;
  *--report*) printf '%s' "$PLAN" ;;
  *"install "*"-e "*)
    printf '#!/bin/sh\necho "ran $*"\n' > "$(dirname "$0")/pocketvoice"
    chmod +x "$(dirname "$0")/pocketvoice"
    if [ -n "$BROKEN" ]; then echo "ERROR: the disk is full"; exit 1; fi ;;
  *"import importlib"*) exit 1 ;; # no torch
esac
"""
OTHERS = {
    "id": 'echo "${FAKE_ID:-1000}"',
    "uname": "echo Linux",
    "dpkg-query": "exit 1",
    "apt-get": 'echo "apt-get $*" >> "$LOG"',
    "env": 'shift; exec "$@"',
    "uv": 'echo "uv $*" >> "$LOG"; exit "${NO_UV:-0}"',
}
CUDA, CPU = '{"name": "nvidia-cublas"}', '{"name": "torch"}'


@dataclass
class Checkout:
    """A copy of what packaging/run reads, and the tools it finds."""

    root: Path
    tools: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def setup_log(self) -> Path:
        return self.root / "build" / "setup.log"

    @property
    def log(self) -> list[str]:
        path = self.tools / "log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def run(self, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        (self.tools / "log").unlink(missing_ok=True)
        environment = {
            "PATH": f"{self.tools}:/usr/bin:/bin",
            "LOG": str(self.tools / "log"),
            "POCKETVOICE_PYTHON": str(self.tools / "my python"),
            "PLAN": CPU,
            **settings,
        }
        command = ["bash", str(self.root / "packaging" / "run"), *arguments]
        return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, timeout=60)


@pytest.fixture
def checkout(tmp_path: Path, repository: Path) -> Checkout:
    root, tools = tmp_path / "pocket voice", tmp_path / "tools"
    shutil.copytree(
        repository / "packaging", root / "packaging", ignore=shutil.ignore_patterns("builtin_voice")
    )
    shutil.copy(repository / "pyproject.toml", root)
    tools.mkdir()
    for name, body in {**OTHERS, "my python": FAKE_PYTHON}.items():
        script = body if body.startswith("#!") else f"#!/bin/sh\n{body}\n"
        (tools / name).write_text(script, encoding="utf-8")
        (tools / name).chmod(0o755)
    (tools / "uv").unlink()
    return Checkout(root, tools)


def asked(checkout: Checkout, *words: str) -> list[str]:
    return [line for line in checkout.log if all(word in line for word in words)]


def test_first_start_sets_up_and_runs(checkout: Checkout) -> None:
    done = checkout.run("say", "Hello there.")
    assert (done.returncode, done.stdout) == (0, "ran say Hello there.\n")
    steps = done.stderr.splitlines()
    assert all(step.startswith("pocketvoice: ") and len(step) < 130 for step in steps), steps
    assert re.search(r"once: .* minutes", steps[0])
    assert [step.split()[1] for step in steps[1:]] == ["making", "installing", "installing", "ready"]
    assert asked(checkout, "-m venv --clear", "pocket voice/.venv")
    assert asked(checkout, "pip install", "constraints.txt", "-e", "pocket voice")
    assert not asked(checkout, "apt-get")


def test_what_pip_says_goes_to_the_log(checkout: Checkout) -> None:
    assert "WARNING" not in checkout.run().stderr
    assert "WARNING: a page of pip" in checkout.setup_log.read_text(encoding="utf-8")


def test_place_of_the_log_is_told_where_it_fails(checkout: Checkout) -> None:
    done = checkout.run(BROKEN="1")
    assert str(checkout.setup_log) in done.stderr.splitlines()[-1]
    assert "ERROR" not in done.stderr
    assert "ERROR: the disk is full" in checkout.setup_log.read_text(encoding="utf-8")
    assert "ERROR: the disk is full" in checkout.run(BROKEN="1", CI="true").stderr


def test_folder_that_cannot_be_written_is_told(checkout: Checkout) -> None:
    (checkout.root / "build").write_text("a file where the folder should be", encoding="utf-8")
    done = checkout.run()
    assert (done.returncode, done.stdout) == (1, "")
    assert "can't be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_second_start_is_quick_and_asks_nobody(checkout: Checkout) -> None:
    checkout.run()
    begun = time.monotonic()
    assert checkout.run("doctor").stdout == "ran doctor\n"
    assert time.monotonic() - begun < 2
    assert checkout.log == []


def test_cut_off_setup_goes_on(checkout: Checkout) -> None:
    done = checkout.run(BROKEN="1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the setup did not finish; run the same command again" in done.stderr
    assert checkout.run("doctor").stdout == "ran doctor\n"
    assert not asked(checkout, "-m venv")  # what there was is used


def test_environment_without_pip_is_made_anew(checkout: Checkout) -> None:
    checkout.run(BROKEN="1")
    checkout.run(NO_PIP="1")
    assert asked(checkout, "-m ensurepip")
    assert asked(checkout, "-m venv --clear")


def test_moved_folder_is_set_up_again(checkout: Checkout) -> None:
    checkout.run()
    checkout.root = checkout.root.rename(checkout.root.with_name("moved here"))
    assert checkout.run("doctor").stdout == "ran doctor\n"
    assert asked(checkout, "pip install", "-e", "moved here")
    checkout.run()
    assert checkout.log == []


def test_changed_requirements_are_installed(checkout: Checkout) -> None:
    checkout.run()
    with (checkout.root / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    checkout.run()
    assert asked(checkout, "pip install", "-e")


def test_cuda_is_never_taken(checkout: Checkout) -> None:
    done = checkout.run(PLAN=CUDA, CPU_PLAN=CUDA, POCKETVOICE_TORCH_INDEX="http://cpu.example/simple")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no CPU build of torch==" in done.stderr
    assert "POCKETVOICE_ALLOW_CUDA=1" in done.stderr
    assert [line for line in asked(checkout, "pip install") if "--dry-run" not in line] == []


def test_cpu_build_is_looked_for(checkout: Checkout) -> None:
    index = "http://cpu.example/simple"
    assert checkout.run(PLAN=CUDA, CPU_PLAN=CPU).returncode == 1, "no index is known unless one is named"
    assert checkout.run(PLAN=CUDA, CPU_PLAN=CPU, POCKETVOICE_TORCH_INDEX=index).returncode == 0
    (line,) = [line for line in asked(checkout, "pip install", "torch==") if "--dry-run" not in line]
    assert f"--extra-index-url {index}" in line
    assert line.endswith("+cpu")


def test_cuda_on_request(checkout: Checkout) -> None:
    assert checkout.run(PLAN=CUDA, POCKETVOICE_ALLOW_CUDA="1").returncode == 0
    assert not asked(checkout, "--dry-run")


@pytest.mark.parametrize("works", [True, False])
def test_uv_is_used_where_it_is(checkout: Checkout, works: bool) -> None:
    (checkout.tools / "uv").write_text(f"#!/bin/sh\n{OTHERS['uv']}\n", encoding="utf-8")
    (checkout.tools / "uv").chmod(0o755)
    checkout.run(NO_UV="0" if works else "1")
    assert asked(checkout, "uv pip install", "pocket voice/.venv/bin/python", "-e")
    assert bool(asked(checkout, "-m pip install", "-e")) is not works
    assert asked(checkout, "-m pip install", "torch")  # torch is pip's in any case


@pytest.mark.skipif(not Path("/etc/debian_version").exists(), reason="only on Debian")
def test_debian_packages_as_root_only(checkout: Checkout) -> None:
    checkout.run(FAKE_ID="0")
    assert asked(checkout, "apt-get install", "libportaudio2", "libasound2-plugins")


def test_no_python_is_told(checkout: Checkout) -> None:
    for name in ("my python", *(f"python3.{minor}" for minor in range(11, 15)), "python3", "python"):
        (checkout.tools / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (checkout.tools / name).chmod(0o755)
    done = checkout.run()
    assert done.returncode == 1
    assert "Python 3.11 or newer (with venv) was not found" in done.stderr


def test_scripts_are_clean(repository: Path) -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    scripts = ["packaging/run", "packaging/test", "packaging/setup.sh", ".ci/run"]
    done = subprocess.run(
        ["shellcheck", "-x", "-P", str(repository), *scripts], cwd=repository, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_folder_of_the_caller_stays(checkout: Checkout) -> None:
    """Relative paths of the user's are relative to where the user is."""
    checkout.run()
    script = checkout.root / ".venv" / "bin" / "pocketvoice"
    script.write_text("#!/bin/sh\npwd\n", encoding="utf-8")
    assert checkout.run().stdout == f"{os.sep}\n"
