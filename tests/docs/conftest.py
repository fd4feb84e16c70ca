"""A temporary home with the files that the pages speak of, and a shell in which `pocketvoice` and `python` are ours."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.book.conftest import write_epub
from tests.docs.pages import ROOT
from tests.waiting import until

LINKED = ("packaging", "examples", "tests", "pocketvoice", "resources", "pyproject.toml")
"""What commands name by relative paths; there is no `packaging/run` to be started here, which would set up a second .venv."""


@dataclass(frozen=True)
class Shell:
    """A folder to work in, and the environment of its commands."""

    folder: Path
    environment: dict[str, str]

    def run(self, line: str) -> "subprocess.CompletedProcess[str]":
        """A command line, as bash understands it."""
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line], stdin=subprocess.DEVNULL, **self._options(), timeout=120
        )

    @contextmanager
    def running(self, line: str) -> Iterator["subprocess.Popen[str]"]:
        """A command that stays; it is killed at the end if it still runs."""
        process = subprocess.Popen(["bash", "-c", line], stdin=subprocess.DEVNULL, **self._options())
        try:
            yield process
        finally:
            process.kill()
            process.communicate(timeout=30)

    def _options(self) -> dict[str, object]:
        return {
            "cwd": self.folder, "env": self.environment, "text": True,
            "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
        }  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path, recordings: Path) -> Shell:
    """A fresh home, without a network, a model, a sound server or voices."""
    return make_shell(tmp_path, recordings)


def make_shell(home: Path, recordings: Path) -> Shell:
    folder, tools = home / "pocket voice", home / ".venv" / "bin"
    folder.mkdir()
    tools.mkdir(parents=True)
    for name, program in (("pocketvoice", "-m pocketvoice"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {program} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    (folder / ".venv").symlink_to(tools.parent)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    for path in recordings.iterdir():
        (folder / path.name).symlink_to(path)
    text = "The children walked to the harbour. The old boats were lying in the sun.\n"
    for name in ("letter.txt", "book.txt"):
        (folder / name).write_text(text, encoding="utf-8")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("POCKETVOICE_", "HF_", "XDG_"))
    }
    environment = {
        **kept, "HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
        "POCKETVOICE_CACHE_DIR": os.environ["POCKETVOICE_CACHE_DIR"], "POCKETVOICE_OUTPUT": "null",
        "HF_HUB_OFFLINE": "1", "PULSE_SERVER": "unix:/nonexistent", "QT_QPA_PLATFORM": "offscreen",
        "NO_PROXY": "127.0.0.1", "XDG_RUNTIME_DIR": str(home), "TMPDIR": str(home),
    }  # fmt: skip
    return Shell(folder, environment)


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """me.wav, me.mp4 and a folder of recordings: 22 s of a voice that says nothing; and book.epub."""
    import soundfile

    from tests.voices.sounds import babble

    folder = tmp_path_factory.mktemp("recordings")
    samples = babble(22)
    (folder / "recordings").mkdir()
    for path in (folder / "me.wav", folder / "recordings" / "anna.wav", folder / "recordings" / "bert.flac"):
        soundfile.write(path, samples, 24_000)
    write_mp4(folder / "me.mp4", samples)
    write_epub(folder / "book.epub")
    return folder


def write_mp4(path: Path, samples: object) -> None:
    """Sound as a phone records it: AAC in MP4."""
    import av
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=24_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(
            np.asarray(samples, np.float32)[None], format="fltp", layout="mono"
        )
        frame.sample_rate = 24_000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, recordings: Path) -> Iterator[str]:
    """The address of a `pocketvoice serve` with the built-in model."""
    shell = make_shell(tmp_path_factory.mktemp("server"), recordings)
    with shell.running("pocketvoice serve --port 0") as process:
        yield address_of(process)


def address_of(process: "subprocess.Popen[str]", patience_s: float = 60.0) -> str:
    """What a server says on standard error that it speaks at."""
    assert process.stderr is not None
    timer = threading.Timer(patience_s, process.kill)
    timer.start()
    try:
        told = ""
        for line in process.stderr:
            told += line
            if found := re.search(r"Speaking at (\S+)", line):
                return found[1]
    finally:
        timer.cancel()
    raise AssertionError(f"it did not start: {told}")


def wait_for_text(path: Path, words: str, patience_s: float = 60.0) -> None:
    """Until a file holds the words."""
    until(
        lambda: path.exists() and words in path.read_text(encoding="utf-8"),
        patience_s,
        f"{path.name} says {words!r}",
    )
