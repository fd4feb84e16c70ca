"""Fixtures of the command line: a tiny model with a voice, `cli` that runs a command in this process, `start` for a real one."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.waiting import until

if TYPE_CHECKING:
    from tests.model_factory import ModelFactory, ModelFiles
    from tests.sound_server import SoundServer

PROGRAM = [sys.executable, "-m", "pocketvoice"]
ENDS = ["--eos-threshold", "-2000"]
"""Every segment of the tiny model ends as soon as it may: 6 frames and those after the end of speech."""


@dataclass(frozen=True)
class Done:
    """What a command left."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Speaker:
    """A model and a voice on disk, as options of a command."""

    files: "ModelFiles"
    voice: Path

    @property
    def model(self) -> list[str]:
        return ["--config", str(self.files.config)]

    @property
    def options(self) -> list[str]:
        return [*self.model, "--voice", str(self.voice)]


@pytest.fixture(autouse=True)
def surroundings(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No network, no model, no sound server, an empty working folder: whatever the machine of the test has."""
    monkeypatch.chdir(tmp_path)
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("POCKETVOICE_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("PULSE_SERVER", "unix:/nonexistent")


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs a command in this process."""
    from pocketvoice.cli import main

    def run(*arguments: object) -> Done:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        return Done(code, *capfd.readouterr())

    return run


@pytest.fixture
def start(repository: Path) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Starts a command as a process of its own; those that still run at the end are killed."""
    processes: list[subprocess.Popen[bytes]] = []

    def run(*arguments: object, **options: Any) -> "subprocess.Popen[bytes]":
        environment = {**os.environ, "PYTHONPATH": str(repository), **options.pop("env", {})}
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)], env=environment, **{**streams, **options}
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        if process.poll() is None:
            process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        process.wait(timeout=10)


def wait_for_handler(process: "subprocess.Popen[bytes]") -> None:
    """Until the process catches SIGINT and SIGTERM: before that, Python or the shell has the say."""
    wanted = 1 << (signal.SIGINT - 1) | 1 << (signal.SIGTERM - 1)

    def catches() -> bool:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
        return int(caught.split()[1], 16) & wanted == wanted

    until(catches)


@pytest.fixture(scope="session")
def speaker(models: "ModelFactory", tmp_path_factory: pytest.TempPathFactory) -> Speaker:
    """The tiny model, which never ends of itself, with a random voice."""
    from pocketvoice.engine.voice_state import export_model_state
    from tests.model_factory import random_state

    files = models.tiny("never")
    voice = tmp_path_factory.mktemp("voice") / "voice.safetensors"
    export_model_state(random_state(files.raw), voice)
    return Speaker(files, voice)


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds of noise that can serve as a recording."""
    return write_speech(tmp_path_factory.mktemp("clip") / "clip.wav", 21.0)


def write_speech(path: Path, seconds: float) -> Path:
    """A 16-bit WAV of something with the levels, pauses and pitch of speech."""
    import soundfile

    from tests.voices.sounds import babble

    soundfile.write(path, babble(seconds), 24_000)
    return path


def write_noise(path: Path, seconds: float, level: float = 0.1) -> Path:
    """A 16-bit WAV of noise at 24 kHz with a slow swell."""
    import numpy as np
    import soundfile

    length = int(seconds * 24_000)
    swell = 0.6 + 0.4 * np.sin(np.arange(length) / 24_000 * 9)
    soundfile.write(path, level * np.random.default_rng(1).standard_normal(length) * swell, 24_000)
    return path


@pytest.fixture
def sound_server() -> Iterator["SoundServer"]:
    """A private PulseAudio with a null sink `test`."""
    from tests import sound_server

    with sound_server.running_server() as server:
        yield server
