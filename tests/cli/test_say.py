"""`say`, heard: a real sound server plays it and its monitor is recorded. Without one, the WAV that takes its place."""

import os
import signal
import subprocess
import sys
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.cli.conftest import ENDS, PROGRAM, Done, Speaker, wait_for_handler
from tests.waiting import until

if TYPE_CHECKING:
    from tests.sound_server import Recorder, SoundServer

Cli = Callable[..., Done]
Start = Callable[..., "subprocess.Popen[bytes]"]

TEXT = "The children walked to the harbour. " * 5
LONG = "The children walked to the harbour, where the old boats were lying in the sun. " * 60
QUIET = 0.002
ENDLESS = ["--max-tokens", "30"]


def reference(cli: Cli, speaker: Speaker, *options: object) -> np.ndarray:
    """What `generate` writes, without the silence at the end."""
    assert cli("generate", *speaker.options, *options, "-q", "-o", "written.wav").code == 0
    with wave.open("written.wav") as file:
        samples = np.frombuffer(file.readframes(1 << 30), "<i2").astype(np.float32) / 32768
    return samples[: -int(0.2 * 24_000)]


def likeness(heard: np.ndarray, written: np.ndarray) -> list[tuple[float, int]]:
    """For each 0.2 s of `written`: the best correlation with a part of `heard`, and how much later that is.

    Above 3 kHz the two resamplers in between turn the phase, so it is left out.
    """
    heard, written = low_passed(heard), low_passed(written)
    length, found = 1 << len(heard).bit_length(), []
    spectrum = np.fft.rfft(heard, length)
    for at in range(0, len(written) - 4800, 4800):
        part = written[at : at + 4800]
        later = int(np.argmax(np.fft.irfft(spectrum * np.conj(np.fft.rfft(part, length)))[: len(heard)]))
        match = heard[later : later + 4800]
        norm = np.linalg.norm(part[: len(match)]) * np.linalg.norm(match)
        found.append((float(part[: len(match)] @ match / norm), later - at))
    return found


def low_passed(samples: np.ndarray) -> np.ndarray:
    spectrum = np.fft.rfft(samples)
    spectrum[np.fft.rfftfreq(len(samples), 1 / 24_000) > 3_000] = 0
    return np.fft.irfft(spectrum, len(samples))


def test_what_is_heard_is_what_is_written(
    cli: Cli, start: Start, speaker: Speaker, sound_server: "SoundServer"
) -> None:
    options = [*ENDS, "--seed", 5, "--frames-after-eos", 10, "--strict"]
    written = reference(cli, speaker, *options, "--text", TEXT)
    with sound_server.recording() as recorder:
        process = start("say", TEXT, *speaker.options, *options, env=sound_server.environment())
        out, err = process.communicate(timeout=60)
        time.sleep(0.3)
    assert (process.returncode, out, err) == (0, b"", b"")
    heard = recorder.samples
    likenesses, delays = zip(*likeness(heard, written), strict=True)
    assert np.median(likenesses) > 0.98
    assert np.mean(np.array(likenesses) > 0.97) > 0.8  # a busy machine may leave a gap somewhere
    assert (
        np.diff(delays).min() >= -1
    )  # nothing is heard earlier than its place; the estimate is good to a sample
    around = np.concatenate([heard[: max(0, delays[0] - 240)], heard[delays[-1] + len(written) + 240 :]])
    assert np.abs(around).max() < 0.02  # nothing else was heard
    assert not list(Path().glob("pocketvoice*"))


def test_sound_begins_before_it_is_made(speaker: Speaker, sound_server: "SoundServer") -> None:
    """And a background job of a script, for which the shell ignores Ctrl-C, is silent at once when it is interrupted."""
    arguments = ["say", LONG, *speaker.options, *ENDLESS, "--debug"]
    command = ["/bin/sh", "-c", '"$@" & echo $!; wait $!; echo "code $?"', "sh", *PROGRAM, *arguments]
    environment = {**sound_server.environment(), "PYTHONPATH": str(Path(__file__).parents[2])}
    with (
        sound_server.recording() as recorder,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        ) as shell,
    ):
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
        wait_for_sound(recorder)
        time.sleep(1.0)
        stopped = time.monotonic()
        os.kill(pid, signal.SIGINT)
        out, err = shell.communicate(timeout=30)
        ended = time.monotonic()
        time.sleep(0.5)
    assert out == "code 130\n"
    assert "Traceback" not in err
    assert "player: playing -> stopped" in err
    silent_after = recorder.loud_spans(QUIET)[-1][1] - stopped
    print(f"silence {1000 * silent_after:.0f} ms, exit {1000 * (ended - stopped):.0f} ms after SIGINT")
    assert silent_after < 0.35
    assert ended - stopped < 5


def wait_for_sound(recorder: "Recorder", timeout_s: float = 60.0) -> None:
    until(lambda: recorder.loud_spans(QUIET), timeout_s, "something is heard")


@pytest.mark.parametrize(
    ("number", "after_s"),
    [(signal.SIGINT, 0.0), (signal.SIGTERM, 0.5), (signal.SIGHUP, 1.0), (signal.SIGINT, 1.6)],
)
def test_signals_while_it_loads(
    start: Start, speaker: Speaker, sound_server: "SoundServer", number: signal.Signals, after_s: float
) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("these tests were started with nohup, and who ignores a signal means it")
    process = start("say", "-q", LONG, *speaker.options, *ENDLESS, env=sound_server.environment())
    wait_for_handler(process)  # while Python itself is starting it has a say of its own
    time.sleep(after_s)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (128 + number, b"", b"")


def test_interrupt_while_the_rest_is_played(
    start: Start, speaker: Speaker, sound_server: "SoundServer"
) -> None:
    options = [*ENDS, "--frames-after-eos", 100, "--max-tokens", 200]
    with sound_server.recording() as recorder:
        process = start(
            "say", "Hello to you.", *speaker.options, *options, "--debug", env=sound_server.environment()
        )
        assert process.stderr is not None
        for line in process.stderr:
            if b"playing -> draining" in line:
                break
        time.sleep(0.5)
        stopped = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        time.sleep(0.5)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert recorder.loud_spans(QUIET)[-1][1] - stopped < 0.35


def test_device_lost_in_the_middle(start: Start, speaker: Speaker, sound_server: "SoundServer") -> None:
    with sound_server.recording() as recorder:
        process = start("say", LONG, *speaker.options, *ENDLESS, "-q", env=sound_server.environment())
        wait_for_sound(recorder)
        sound_server.pactl("unload-module", "module-null-sink")
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(b"pocketvoice: The sound device ")
    assert err.count(b"\n") == 1, err


def test_unknown_device_is_refused(start: Start, speaker: Speaker, sound_server: "SoundServer") -> None:
    process = start(
        "say", "Hello.", *speaker.options, "--output-device", "Walkman", env=sound_server.environment()
    )
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (2, b"")
    assert err == b"pocketvoice: There is no sound device 'Walkman': `pocketvoice doctor` lists them.\n"
    assert not list(Path().glob("*.wav"))


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> str:
    """A computer without PortAudio; the sentence it says."""
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    return "The sound library PortAudio is missing"


def test_without_portaudio_it_writes_a_file(cli: Cli, speaker: Speaker, deaf: str) -> None:
    done = cli("say", TEXT, *speaker.options, *ENDS, "--seed", 5)
    assert (done.code, done.out) == (0, "")
    first, second = done.err.splitlines()
    assert first.startswith(deaf)
    assert first.endswith("The speech is written to pocketvoice.wav instead.")
    assert second.endswith(" s of speech written to pocketvoice.wav.")
    with wave.open("pocketvoice.wav") as file:
        assert file.getnframes() > 24_000


def test_no_promise_without_a_file(cli: Cli, speaker: Speaker, deaf: str) -> None:
    for arguments in (
        ["Hello.", *speaker.options, "-o", "no/such.wav"],
        ["Hello.", *speaker.model, "--voice", str(speaker.files.weights)],
    ):
        done = cli("say", *arguments)
        assert (done.code, done.out) == (2, "")
        assert "instead" not in done.err
    assert not list(Path().glob("*.wav"))


def test_named_device_is_not_replaced(cli: Cli, speaker: Speaker, deaf: str) -> None:
    done = cli("say", "Hello.", *speaker.options, "--output-device", "3")
    assert (done.code, done.out, done.err.startswith(f"pocketvoice: {deaf}")) == (2, "", True)


def test_without_a_device_it_writes_a_file(start: Start, speaker: Speaker) -> None:
    process = start("say", "Hello there, you.", *speaker.options, *ENDS, "-o", "a.wav")
    out, err = process.communicate(timeout=60)
    if b"instead" not in err and process.returncode == 0:
        pytest.skip("this computer has a sound card, which has just spoken")
    assert (process.returncode, out) == (0, b"")
    assert b"There is no sound device on this computer" in err
    assert Path("a.wav").exists()
