"""The recorder on a real sound server: what is played into a null sink is recorded from its monitor, at its own rate and level."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests import sound_server
from tests.sound_server import SoundServer
from tests.voices.sounds import babble

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sound_server.missing() is not None, reason=sound_server.missing() or "")

# PortAudio looks at the environment when it starts, so the recorder lives in a process of its own.
CHILD = """
import json, sys, threading, time
from pocketvoice.audio import recorder
from pocketvoice.errors import AudioDeviceError
seconds, most_speech_s, out = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
recorder.MOST_SPEECH_S = most_speech_s
def tell(line):  # in one piece: two threads do
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
states, hints, threads = [], set(), set()
def on_status(status):
    if not states or states[-1] != status.state.value:
        states.append(status.state.value)
        tell(status.state.value)
    hints.add(status.hint)
    threads.add(threading.current_thread().name)
wanted = recorder.Microphone(sys.argv[4]) if len(sys.argv) > 4 else None
try:
    known = [one.name for one in recorder.microphones()]
except AudioDeviceError:
    known = []
one = recorder.Recorder(wanted, on_status)
begun = time.monotonic()
one.start()
while one.status.state.value in ("opening", "recording") and one.status.elapsed_s < seconds and time.monotonic() - begun < 60:
    time.sleep(0.02)
one.stop()
result = {}
try:
    take = one.take(10)
    take.samples.tofile(out)
    result = {"rate": take.sample_rate, "device_rate": take.device_rate, "channels": take.device_channels,
              "speech_s": take.speech_s, "is_whole": take.is_whole}
except AudioDeviceError as error:
    result = {"failure": error.message}
error = one.status.error
tell(json.dumps({**result, "states": states, "hints": sorted(hints), "threads": sorted(threads),
                  "error": error.message if error else "", "known": known, "clipped": one.status.clipped}))
"""


@dataclass
class Recorded:
    """What a recording came to."""

    facts: dict[str, Any]
    samples: np.ndarray


@dataclass
class Room:
    """A server with a stereo sink of 44.1 kHz whose monitor is the microphone."""

    server: SoundServer
    folder: Path

    def record(
        self,
        sound: np.ndarray | None,
        seconds: float,
        *,
        most_speech_s: float = 45.0,
        microphone: str | None = None,
        then: Callable[[], None] | None = None,
    ) -> Recorded:
        """Records while `sound` (T, channels) at 44.1 kHz is played; `then` happens two seconds after the beginning."""
        out = self.folder / "take.f32"
        player: subprocess.Popen[bytes] | None = None
        timer = threading.Timer(2.0, then or (lambda: None))
        lines = []
        with subprocess.Popen(
            [sys.executable, "-c", CHILD, str(seconds), str(most_speech_s), str(out), *([microphone] if microphone else [])],
            cwd=ROOT, env=self.server.environment(), stdout=subprocess.PIPE, text=True,
        ) as child:  # fmt: skip
            assert child.stdout is not None
            for line in child.stdout:
                lines.append(line)
                if line.strip() == "recording":
                    player = self._play(sound) if sound is not None else None
                    timer.start()
        if player is not None:
            player.kill()
            player.wait()
        timer.cancel()
        assert child.returncode == 0
        samples = np.fromfile(out, np.float32) if out.exists() else np.zeros(0, np.float32)
        return Recorded(json.loads(next(line for line in lines if line.startswith("{"))), samples)

    def _play(self, sound: np.ndarray) -> "subprocess.Popen[bytes]":
        path = self.folder / "played.wav"
        soundfile.write(path, sound, 44_100, subtype="FLOAT")
        return subprocess.Popen(["paplay", "-d", "room", str(path)], env=self.server.environment())


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with SoundServer() as server:
        server.pactl("load-module", "module-null-sink", "sink_name=room", "rate=44100", "channels=2")
        server.pactl("set-default-source", "room.monitor")
        yield Room(server, tmp_path)


def likeness(heard: np.ndarray, played: np.ndarray) -> tuple[float, float]:
    """(correlation at the best shift, gain in dB) of what was heard, for what was played; both at 24 kHz."""
    size = 1 << (len(heard) + len(played)).bit_length()
    product = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(played, size)))
    shift = int(np.argmax(product[: len(heard)]))
    part = heard[shift : shift + len(played)]
    same = played[: len(part)]
    gain = np.dot(part, same) / np.dot(same, same)
    return float(np.dot(part, same) / np.sqrt(np.dot(part, part) * np.dot(same, same))), float(
        20 * np.log10(gain)
    )


def both(sound: np.ndarray) -> np.ndarray:
    return np.stack([sound, sound], axis=1)


def test_what_is_said_is_recorded_as_it_is(room: Room) -> None:
    done = room.record(both(babble(6, 44_100)), 5.0)
    assert done.facts["states"] == ["opening", "recording", "done"]
    assert (done.facts["rate"], done.facts["device_rate"], done.facts["channels"]) == (24_000, 44_100, 2)
    assert done.facts["is_whole"]
    assert 5.0 <= len(done.samples) / 24_000 < 7.0
    assert 2.0 < done.facts["speech_s"] < 5.5
    assert done.facts["threads"] in (["MainThread", "recorder"], ["recorder"])
    correlation, gain_db = likeness(done.samples, babble(6, 24_000)[: 3 * 24_000])
    assert correlation > 0.9
    assert abs(gain_db) < 0.5


def test_a_microphone_on_one_channel_keeps_its_level(room: Room) -> None:
    voice = babble(5, 44_100)
    done = room.record(np.stack([voice, np.zeros_like(voice)], axis=1), 4.0)
    _, gain_db = likeness(done.samples, babble(5, 24_000)[: 2 * 24_000])
    assert abs(gain_db) < 0.5


def test_it_ends_by_itself_when_there_is_enough(room: Room) -> None:
    done = room.record(both(babble(15, 44_100)), 60.0, most_speech_s=3.0)
    assert done.facts["states"][-1] == "done"
    assert 3.0 <= done.facts["speech_s"] < 4.5


def test_a_device_that_vanishes_leaves_what_was_recorded(room: Room) -> None:
    done = room.record(
        both(babble(20, 44_100)), 15.0, then=lambda: room.server.pactl("unload-module", "module-null-sink")
    )
    assert done.facts["states"][-1] == "lost"
    assert not done.facts["is_whole"]
    assert "kept" in done.facts["error"]
    assert 1.0 < len(done.samples) / 24_000 < 4.0
    assert done.facts["speech_s"] > 0.5


def test_silence_and_clipping_are_hinted_at(room: Room) -> None:
    silent = room.record(None, 5.0)
    assert any("No voice" in hint for hint in silent.facts["hints"])
    assert silent.facts["speech_s"] == 0
    loud = room.record(both(np.clip(30 * babble(5, 44_100), -1, 1)), 3.0)
    assert loud.facts["clipped"]
    assert any("cut off" in hint for hint in loud.facts["hints"])


def test_a_microphone_is_chosen_by_name(room: Room) -> None:
    done = room.record(both(babble(4, 44_100)), 1.0, microphone="pulse")
    assert {"pulse", "default"} <= set(done.facts["known"])
    assert done.facts["states"][-1] == "done"
    gone = room.record(None, 1.0, microphone="Headset of yesterday")
    assert gone.facts["states"] == ["opening", "failed"]
    assert "Headset of yesterday" in gone.facts["error"]


def test_no_microphone_is_a_sentence(room: Room) -> None:
    room.server.close()
    done = room.record(None, 2.0)
    assert done.facts["states"] == ["opening", "failed"]
    assert done.facts["error"] == done.facts["failure"]
    assert done.facts["error"].endswith(".")
