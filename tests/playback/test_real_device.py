"""The whole way to a real sound server: what its sink plays is recorded and measured. Skipped where there is none."""

import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

RATE = 24_000

PRELUDE = """
import signal, sys, threading, time
import numpy as np
from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.output import SoundDeviceOutput, default_device
from pocketvoice.playback.player import Player

def tone(hz, seconds):
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(int(24000 * seconds)) / 24000)).astype(np.float32)

def tell(*words):
    print(*words, flush=True)

player = Player(SoundDeviceOutput(), 24000)
player.start()
"""

TONE = """
for _ in range(10):
    player.feed(tone(440, 0.1))
player.drain()
tell("drained", time.monotonic(), player.heard_s, player.underruns)
player.close()
"""

ABORT = """
threading.Thread(target=lambda: player.feed(tone(440, 60)), daemon=True).start()
while player.heard_s < 0.5: time.sleep(0.005)
tell("abort", time.monotonic())
player.abort()
player.feed(tone(3000, 1))
time.sleep(0.5)
player.feed(tone(3000, 1))
time.sleep(0.3)
player.close()
"""

INTERRUPT = """
signal.signal(signal.SIGINT, lambda *_: player.abort())
tell("ready")
player.feed(tone(440, 60))
player.drain()
player.close()
tell("stopped")
"""

LOSS = """
try:
    with player:
        tell("ready")
        player.feed(tone(440, 30))
        player.drain()
except AudioDeviceError as error:
    tell("error", str(error))
"""


def speaking(server: Any, script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script],
        env=server.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # ALSA and PortAudio talk there
        text=True,
    )


def line_of(process: subprocess.Popen[str], word: str) -> list[str]:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(word):
            return line.split()[1:]
    raise AssertionError(f"the player said no {word!r} (exit code {process.wait(timeout=10)})")


def strength(samples: np.ndarray, hz: float) -> float:
    """Amplitude of one frequency."""
    waves = np.exp(-2j * np.pi * hz * np.arange(len(samples)) / RATE)
    return float(2 * np.abs(np.mean(samples * waves))) if len(samples) else 0.0


def test_tone_is_heard_whole(sound_server: Any) -> None:
    with sound_server.recording() as recorder:
        with speaking(sound_server, TONE) as process:
            drained_at, heard_s, underruns = map(float, line_of(process, "drained"))
            assert process.wait(timeout=20) == 0
        time.sleep(0.3)
        (begin, end) = (recorder.loud_spans()[0][0], recorder.loud_spans()[-1][1])
    assert heard_s == 1.0
    loud = np.flatnonzero(np.abs(recorder.samples) > 0.01)
    sound = recorder.samples[loud[0] : loud[-1] + 1]
    assert len(sound) / RATE == pytest.approx(1.0, abs=0.03 + 0.05 * underruns)
    middle = sound[2400:21600]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert abs(np.argmax(spectrum) * RATE / len(middle) - 440) < 2
    assert end - begin > 0.95
    assert abs(drained_at - end) < 0.25


def test_abort_is_heard_at_once(sound_server: Any) -> None:
    with sound_server.recording() as recorder:
        with speaking(sound_server, ABORT) as process:
            aborted_at = float(line_of(process, "abort")[0])
            assert process.wait(timeout=20) == 0
        time.sleep(0.3)
    begin, end = recorder.loud_spans()[0][0], recorder.loud_spans()[-1][1]
    assert aborted_at - begin > 0.3
    assert end - aborted_at < 0.3
    assert strength(recorder.samples, 3000) < 1e-4  # what was fed afterwards


def test_signal_stops_the_sound(sound_server: Any) -> None:
    with sound_server.recording() as recorder:
        with speaking(sound_server, INTERRUPT) as process:
            line_of(process, "ready")
            time.sleep(1.0)
            interrupted_at = time.monotonic()
            process.send_signal(signal.SIGINT)
            line_of(process, "stopped")
            assert process.wait(timeout=20) == 0
        time.sleep(0.3)
    assert recorder.loud_spans()[-1][1] - interrupted_at < 0.3


@pytest.mark.parametrize("loss", ["unplugged", "suspended", "server stopped", "server killed"])
def test_lost_device_ends_cleanly(sound_server: Any, loss: str) -> None:
    with speaking(sound_server, LOSS) as process:
        line_of(process, "ready")
        time.sleep(0.3)
        begun = time.monotonic()
        if loss == "unplugged":
            sound_server.pactl("unload-module", "module-null-sink")
        elif loss == "suspended":
            sound_server.pactl("suspend-sink", "test", "1")
        else:
            sound_server.send_signal(signal.SIGSTOP if loss == "server stopped" else signal.SIGKILL)
        try:
            assert line_of(process, "error")[:3] == ["The", "sound", "device"]
            assert process.wait(timeout=20) == 0
            assert time.monotonic() - begun < 12
        finally:
            process.kill()
            sound_server.send_signal(signal.SIGCONT)


def test_hung_server_at_start(sound_server: Any) -> None:
    sound_server.send_signal(signal.SIGSTOP)
    try:
        error, _ = failing_start(sound_server.environment())
        assert error == "The sound system does not answer: restart it, or write to a file instead."
    finally:
        sound_server.send_signal(signal.SIGCONT)


def test_no_server_no_device(sound_server: Any) -> None:
    error, stderr = failing_start({**sound_server.environment(), "PULSE_SERVER": "unix:/nonexistent"})
    # A computer with a sound card plays through ALSA itself.
    assert error in ("", "There is no sound device on this computer: connect one.")
    assert "ALSA lib" not in stderr


def failing_start(environment: dict[str, str]) -> tuple[str, str]:
    """The sentence of the error that opening the default device raises, and all of stderr."""
    script = (
        "from pocketvoice.playback.output import *\n"
        "try: SoundDeviceOutput().start(lambda out: 0, 24000)\n"
        "except AudioDeviceError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return done.stdout.strip(), done.stderr
