"""A private PulseAudio with a null sink named `test`, and a recorder of what it plays: a loudspeaker and an ear for tests.

PortAudio looks at the environment when it starts, so whatever is to play runs in a subprocess with `server.environment()`.
"""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes.util import find_library
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from tests.waiting import until

RATE = 24_000
_PIECE_S = 0.01


def missing() -> str | None:
    """Why there can be no sound server here; None if there can."""
    programs = [name for name in ("pulseaudio", "pactl", "parec") if shutil.which(name) is None]
    if programs:
        return f"{', '.join(programs)} not installed (apt-get install pulseaudio pulseaudio-utils)"
    if find_library("portaudio") is None:
        return "PortAudio is not installed (apt-get install libportaudio2)"
    if not list(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")):
        return "ALSA's PulseAudio plugin is not installed (apt-get install libasound2-plugins)"
    return None


class Recorder:
    """Records the monitor of the sink; every 10 ms piece has the time at which it arrived."""

    def __init__(self, environment: dict[str, str]) -> None:
        command = ["parec", "-d", "test.monitor", "--format=s16le", f"--rate={RATE}", "--channels=1"]
        self._process = subprocess.Popen(
            [*command, "--latency-msec=10"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._pieces: list[np.ndarray] = []
        self._times: list[float] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        assert self._process.stdout is not None
        while piece := self._process.stdout.read(int(_PIECE_S * RATE) * 2):
            self._times.append(time.monotonic())
            self._pieces.append(np.frombuffer(piece[: len(piece) // 2 * 2], "<i2"))

    def wait_until_recording(self, timeout_s: float = 10.0) -> None:
        """Until the first piece arrived: what is played from now on is heard."""
        until(lambda: self._pieces, timeout_s, "the recorder hears anything, if only silence")

    def stop(self) -> None:
        """Ends the recording."""
        self._process.terminate()
        self._process.wait(timeout=10)
        self._thread.join(timeout=10)
        if self._process.stdout is not None:
            self._process.stdout.close()

    @property
    def samples(self) -> np.ndarray:
        """All that was heard, float32 at 24 kHz."""
        pieces = list(self._pieces)
        return np.concatenate([*pieces, np.zeros(0, np.int16)]).astype(np.float32) / 32768

    def loud_spans(self, threshold: float = 0.01) -> list[tuple[float, float]]:
        """(begin, end) in `time.monotonic` seconds of each run of pieces that hold sound."""
        spans: list[tuple[float, float]] = []
        previous = False
        for piece, at in zip(list(self._pieces), list(self._times), strict=False):
            loud = bool(len(piece)) and float(np.abs(piece).max()) / 32768 > threshold
            if loud and previous:
                spans[-1] = (spans[-1][0], at)
            elif loud:
                spans.append((at - _PIECE_S, at))
            previous = loud
        return spans


class SoundServer:
    """A running PulseAudio of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="pv-sound-")
        Path(self._folder).chmod(0o700)
        self._socket = f"{self._folder}/native"
        modules = [
            f"module-native-protocol-unix auth-anonymous=1 socket={self._socket}",
            "module-null-sink sink_name=test rate=48000",
        ]
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--log-level=error"]
        self._process = subprocess.Popen(
            [*command, *(part for module in modules for part in ("-L", module))],
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_up()

    def environment(self) -> dict[str, str]:
        """The environment for a process that is to play here."""
        return {
            **os.environ,
            "XDG_RUNTIME_DIR": self._folder,
            "PULSE_RUNTIME_PATH": self._folder,
            "PULSE_STATE_PATH": self._folder,
            "PULSE_SERVER": f"unix:{self._socket}",
        }

    def pactl(self, *arguments: str) -> str:
        """Runs pactl here: `unload-module module-null-sink` unplugs the device, `suspend-sink test 1` hangs it."""
        return subprocess.run(
            ["pactl", *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout

    @contextmanager
    def recording(self) -> Iterator[Recorder]:
        """Records the sink as long as the block runs, and keeps it awake."""
        recorder = Recorder(self.environment())
        try:
            recorder.wait_until_recording()
            yield recorder
        finally:
            recorder.stop()

    def send_signal(self, number: int) -> None:
        """SIGSTOP makes a server that does not answer, SIGCONT wakes it up."""
        self._process.send_signal(number)

    def close(self) -> None:
        """Ends the server."""
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=5)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait_until_up(self, timeout_s: float = 15.0) -> None:
        def is_up() -> bool:
            try:
                return "test" in self.pactl("list", "short", "sinks")
            except subprocess.SubprocessError:
                return False

        try:
            until(is_up, timeout_s, "pulseaudio starts")
        except AssertionError:
            self.close()
            raise


@contextmanager
def running_server() -> Iterator[SoundServer]:
    """One for tests, which are skipped where there can be none."""
    reason = missing()
    if reason:
        pytest.skip(f"no sound server: {reason}")
    with SoundServer() as server:
        yield server
