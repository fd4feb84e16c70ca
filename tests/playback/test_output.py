"""The PortAudio output against a small honest sounddevice: refused rates, missing library, hanging calls."""

import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pocketvoice.audio import limited
from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback import output
from pocketvoice.playback.output import SoundDeviceOutput, default_device, list_devices
from pocketvoice.playback.player import Player

RATE = 24_000
DEVICES = [
    {"name": "Microphone", "hostapi": 0, "max_output_channels": 0, "default_samplerate": 48000.0},
    {"name": "Speakers", "hostapi": 0, "max_output_channels": 2, "default_samplerate": 48000.0},
    {"name": "Headset", "hostapi": 0, "max_output_channels": 2, "default_samplerate": 44100.0},
]


class PortAudioError(Exception):
    pass


class Stream:
    """Calls back by the clock, as a device would, and keeps what it was given."""

    def __init__(self, *, samplerate: int, channels: int, callback: Any, **options: Any) -> None:
        self.samplerate, self.channels, self.callback, self.options = samplerate, channels, callback, options
        self.latency = options["latency"]
        self.played: list[np.ndarray] = []
        self.running = False
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self.running = True
        self.thread.start()

    def stop(self) -> None:
        self.running = False
        self.thread.join()

    abort = stop

    def close(self) -> None:
        pass

    def _run(self) -> None:
        frames = self.samplerate // 100
        times = SimpleNamespace(currentTime=0.0, outputBufferDacTime=self.latency)
        while self.running:
            block = np.full((frames, self.channels), np.nan, np.float32)
            self.callback(block, frames, times, None)
            self.played.append(block)
            time.sleep(0.01)


class FakeSoundDevice:
    """The parts of the module that are used."""

    PortAudioError = PortAudioError

    def __init__(self, rates: set[int], channels: set[int]) -> None:
        self.rates, self.channels = rates, channels
        self.default = SimpleNamespace(device=[0, 1])
        self.streams: list[Stream] = []

    def query_hostapis(self) -> list[dict[str, str]]:
        return [{"name": "Fake Audio"}]

    def query_devices(self, device: str | int | None = None, kind: str | None = None) -> Any:
        if kind is None:
            return DEVICES
        if isinstance(device, str):
            found = [one for one in DEVICES if device.lower() in str(one["name"]).lower()]
            if not found:
                raise ValueError(f"No output device matching {device!r}")
            return found[0]
        return DEVICES[self.default.device[1] if device is None else device]

    def OutputStream(self, **options: Any) -> Stream:
        if options["samplerate"] not in self.rates or options["channels"] not in self.channels:
            raise PortAudioError("Error opening OutputStream: Invalid sample rate [PaErrorCode -9997]")
        self.streams.append(Stream(**options))
        return self.streams[-1]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeSoundDevice:
    module = FakeSoundDevice({24_000, 48_000}, {1, 2})
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    return module


def tone(seconds: float, rate: int = RATE) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * 440 * np.arange(int(rate * seconds)) / rate)).astype(np.float32)


def played(stream: Stream) -> np.ndarray:
    sound = np.concatenate(stream.played)
    loud = np.flatnonzero(np.abs(sound[:, 0]) > 1e-3)
    return sound[loud[0] : loud[-1] + 1]


def test_devices_that_play(fake: FakeSoundDevice) -> None:
    assert [device.name for device in list_devices()] == ["Speakers", "Headset"]
    default = default_device()
    assert default is not None
    assert (default.name, default.host_api, default.default_rate) == ("Speakers", "Fake Audio", 48_000)
    fake.default.device[1] = -1
    assert default_device() is None


def test_asked_rate_is_used(fake: FakeSoundDevice) -> None:
    with Player(SoundDeviceOutput("headset"), RATE) as player:
        player.feed(tone(0.2))
        assert player.drain()
        assert player.heard_s == 0.2
    stream = fake.streams[0]
    assert (stream.samplerate, stream.channels, stream.options["latency"]) == (RATE, 1, 0.1)
    assert np.abs(played(stream)[:, 0] - tone(0.2)[1 : len(played(stream)) + 1]).max() == 0


def test_stereo_only_device(fake: FakeSoundDevice) -> None:
    fake.channels = {2}
    with Player(SoundDeviceOutput(), RATE) as player:
        player.feed(tone(0.1))
        player.drain()
    sound = played(fake.streams[0])
    assert np.array_equal(sound[:, 0], sound[:, 1])


def test_refused_rate_is_resampled(fake: FakeSoundDevice) -> None:
    fake.rates = {48_000}
    with Player(SoundDeviceOutput(), RATE) as player:
        player.start()
        player.feed(tone(0.5))
        assert player.drain()
        assert player.heard_s == 0.5
    sound = played(fake.streams[0])[:, 0]
    assert len(sound) == pytest.approx(24_000, abs=20)
    expected = tone(0.5, 48_000)
    lags = range(-50, 50)  # the filter rings a little before the tone begins
    fits = [np.abs(sound[2000:20000] - expected[2000 + lag : 20000 + lag]).max() for lag in lags]
    assert min(fits) < 0.01
    assert not [thread for thread in threading.enumerate() if thread.name == "playback-resampler"]


def test_nothing_opens(fake: FakeSoundDevice) -> None:
    fake.rates = set()
    with pytest.raises(AudioDeviceError) as caught:
        SoundDeviceOutput().start(lambda out: 0, RATE)
    assert str(caught.value) == (
        "The sound device Speakers can't be opened: Error opening OutputStream: Invalid sample rate. "
        "Close the programs that use it, or choose another."
    )


def test_unknown_device(fake: FakeSoundDevice) -> None:
    with pytest.raises(
        AudioDeviceError, match=r"There is no sound device 'Radio': `pocketvoice doctor` lists"
    ):
        SoundDeviceOutput("Radio").start(lambda out: 0, RATE)


def test_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(AudioDeviceError, match="PortAudio is missing"):
        list_devices()
    with pytest.raises(AudioDeviceError, match="PortAudio is missing"):
        SoundDeviceOutput().start(lambda out: 0, RATE)


@pytest.mark.expects_log("the sound device hangs")
def test_hanging_close_is_left_behind(fake: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "CALL_S", 0.1)
    device = SoundDeviceOutput()
    device.start(lambda out: 0, RATE)
    stream = fake.streams[0]
    release = threading.Event()
    monkeypatch.setattr(stream, "abort", release.wait)
    begun = time.monotonic()
    device.close()
    assert time.monotonic() - begun < 1
    release.set()
    stream.stop()


def test_silent_device_is_lost(fake: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "LOST_S", 0.1)
    device = SoundDeviceOutput()
    device.start(lambda out: 0, RATE)
    time.sleep(0.05)
    assert device.failure is None
    fake.streams[0].stop()
    ends = time.monotonic() + 5
    while device.failure is None and time.monotonic() < ends:
        time.sleep(0.005)  # a player looks as often
    assert device.failure is not None
    assert "no longer plays" in str(device.failure)
    device.close()


def test_error_in_the_sound_is_kept(fake: FakeSoundDevice) -> None:
    def broken(out: np.ndarray) -> int:
        raise ZeroDivisionError

    device = SoundDeviceOutput()
    device.start(broken, RATE)
    time.sleep(0.05)
    assert device.failure is not None
    assert "ZeroDivisionError" in device.failure.detail
    device.close()
    assert not np.concatenate(fake.streams[0].played).any()
