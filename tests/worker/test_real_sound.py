"""The whole way from a request to a real sound server: what its sink plays is recorded and timed. Skipped where there is none."""

import asyncio
import os
import signal
import tempfile
import time
import wave
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pocketvoice.worker.messages import (
    DeviceChanged,
    Devices,
    OutputKind,
    Position,
    SentenceStarted,
    Started,
    Stopped,
    WorkerState,
)
from tests.sound_server import RATE, Recorder, SoundServer, running_server
from tests.waiting import until_async
from tests.worker.conftest import LiveWorker, finished, live_worker

# Of the device: its own latency (0.1 s asked), the recorder's 10 ms pieces and what a busy machine adds.
DEVICE_S = 0.35


@pytest.fixture(scope="module")
def server() -> Iterator[SoundServer]:
    with running_server() as server:
        yield server


@pytest.fixture(scope="module")
def loud_worker(server: SoundServer, model_files: dict[str, str]) -> Iterator[LiveWorker]:
    """A worker that plays into the sink. The process takes its environment from ours."""
    kept = dict(os.environ)
    os.environ.update(server.environment())
    try:
        with live_worker(model_files, output=OutputKind.DEVICE) as worker:
            yield worker
    finally:
        os.environ.clear()
        os.environ.update(kept)


@pytest.fixture
def worker(loud_worker: LiveWorker) -> Iterator[LiveWorker]:
    loud_worker.events.clear()
    yield loud_worker
    loud_worker.run(_stop(loud_worker))


async def _stop(worker: LiveWorker) -> None:
    await (await worker.client.stop()).result()


def sound_end(recorder: Recorder) -> float:
    return recorder.loud_spans(0.001)[-1][1]


async def begun(recorder: Recorder) -> float:
    """When the sound began, once it has."""
    return (await until_async(lambda: recorder.loud_spans(0.001), 10))[0][0]


def test_speech_is_heard_and_stops(worker: LiveWorker, server: SoundServer, long_text: str) -> None:
    """Warm: the device is open. Click to sound, and stop to silence."""
    starts, stops = [], []

    async def once() -> None:
        with server.recording() as recorder:
            await asyncio.sleep(0.1)
            asked = time.monotonic()
            handle = await worker.client.speak(long_text)
            starts.append(await begun(recorder) - asked)
            await asyncio.sleep(0.6)
            asked = time.monotonic()
            assert isinstance(await handle.stop(), Stopped)
            await asyncio.sleep(0.6)
            stops.append(sound_end(recorder) - asked)

    for _ in range(3):
        worker.run(once())
    print(
        f"\nspeak to sound {[round(one, 3) for one in starts]}, stop to silence {[round(one, 3) for one in stops]}"
    )
    assert np.median(starts[1:]) < 0.2 + DEVICE_S
    assert np.median(stops) < 0.1 + DEVICE_S
    assert all(event.stats.first_sound_s < 0.3 for event in worker.of(Stopped))


def test_speech_has_no_holes(worker: LiveWorker, server: SoundServer, text: str) -> None:
    """Against the file of the same seed: as long, and no silence that is not in it."""

    async def story(path: str) -> np.ndarray:
        await finished(await worker.client.export(text, path, seed=5))
        await asyncio.sleep(0.5)
        with server.recording() as recorder:
            await finished(await worker.client.speak(text, seed=5))
            await asyncio.sleep(0.5)
        return recorder.samples

    with tempfile.TemporaryDirectory() as folder:
        heard = worker.run(story(f"{folder}/same.wav"))
        with wave.open(f"{folder}/same.wav") as file:
            written = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
    holes = [longest_silence(sound) for sound in (heard, written)]
    lengths = [len(trimmed(sound)) / RATE for sound in (heard, written)]
    print(f"\nlongest silence heard {holes[0]:.3f} s, written {holes[1]:.3f} s; lengths {lengths}")
    assert holes[0] < holes[1] + 0.03
    assert abs(lengths[0] - lengths[1]) < 0.05


def trimmed(sound: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(np.abs(sound) > 0.003)
    return sound[loud[0] : loud[-1] + 1]


def longest_silence(sound: np.ndarray) -> float:
    """Seconds, within the sound."""
    loud = np.flatnonzero(np.abs(trimmed(sound)) > 0.003)
    return float(np.diff(loud).max()) / RATE


def test_interrupt_is_prompt(worker: LiveWorker, long_text: str) -> None:
    """From the new request to the first sample of its sound in the device's buffer."""

    async def story() -> list[float]:
        took = []
        for _ in range(6):
            handle = await worker.client.speak(long_text)
            await worker.until_event(SentenceStarted, handle)
            await asyncio.sleep(0.15)
        await handle.stop()
        for event in worker.of(Stopped)[1:]:
            took.append(event.stats.first_sound_s)
        return took

    took = worker.run(story())
    print(f"\ninterrupt to first sample {[round(one, 3) for one in took]}")
    assert np.median(took) < 0.2


def test_sentence_follows_the_ear(worker: LiveWorker, server: SoundServer, text: str) -> None:
    async def story() -> float:
        await asyncio.sleep(0.5)  # what was stopped before is still on its way
        with server.recording() as recorder:
            handle = await worker.client.speak(text)
            await worker.until_event(SentenceStarted, handle)
            told = time.monotonic()
            first = await begun(recorder)
            await finished(handle)
            return told - first

    assert abs(worker.run(story())) < 0.2


@pytest.mark.parametrize("loss", ["unplugged", "suspended"])
@pytest.mark.expects_log("the sound device was lost")
def test_lost_device_is_found_again(
    worker: LiveWorker, server: SoundServer, text: str, long_text: str, loss: str
) -> None:
    async def pactl(*words: str) -> None:
        await asyncio.to_thread(server.pactl, *words)

    async def story() -> None:
        handle = await worker.client.speak(long_text)
        await worker.until_event(SentenceStarted, handle, 2)
        await pactl(
            *(["unload-module", "module-null-sink"] if loss == "unplugged" else ["suspend-sink", "test", "1"])
        )
        lost_at = worker.of(Position)[-1].heard_s
        await asyncio.sleep(1.5)
        if loss == "unplugged":
            await pactl("load-module", "module-null-sink", "sink_name=test", "rate=48000")
        else:
            await pactl("suspend-sink", "test", "0")
        plugged = time.monotonic()
        count = len(worker.of(Position))
        await worker.until(lambda: len(worker.of(Position)) > count + 10)
        print(
            f"\n{loss}: sound {time.monotonic() - plugged:.2f} s after it came back, {worker.of(DeviceChanged)}"
        )
        assert -0.4 < worker.of(Position)[count].heard_s - lost_at < 1.0
        assert worker.of(DeviceChanged) or loss == "suspended"
        assert isinstance(await handle.stop(), Stopped)

    worker.run(story())


def test_stop_with_a_hung_device(worker: LiveWorker, server: SoundServer, long_text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(long_text)
        await worker.until_event(SentenceStarted, handle)
        await asyncio.to_thread(server.pactl, "suspend-sink", "test", "1")
        await asyncio.sleep(0.3)
        asked = time.monotonic()
        assert isinstance(await handle.stop(), Stopped)
        assert time.monotonic() - asked < 0.5
        assert worker.client.state is WorkerState.IDLE
        await asyncio.to_thread(server.pactl, "suspend-sink", "test", "0")
        again = await worker.client.speak(long_text)
        await worker.until_event(Started, again)
        await worker.until_event(Position, again, 5)

    worker.run(story())


def test_devices_are_named(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.list_devices()
        await finished(handle)
        (found,) = worker.of(Devices)
        assert any(entry.is_default for entry in found.devices)
        chosen: Any = next(entry.device for entry in found.devices if entry.device.name == "pulse")
        speech = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, speech)
        await finished(await worker.client.set_device(chosen))
        await worker.until(lambda: worker.of(DeviceChanged))
        assert worker.of(DeviceChanged)[0].device == chosen
        await worker.until_event(SentenceStarted, speech, 2)
        await speech.stop()

    worker.run(story())


def test_quit_with_a_hung_sound_server(model_files: dict[str, str], text: str) -> None:
    kept = dict(os.environ)
    with running_server() as server:
        os.environ.update(server.environment())
        try:
            with live_worker(model_files, output=OutputKind.DEVICE) as worker:
                handle = worker.run(worker.client.speak(text))
                worker.run(worker.until_event(SentenceStarted, handle))
                server.send_signal(signal.SIGSTOP)
                asked = time.monotonic()
                worker.run(handle.stop())
                stopped = time.monotonic()
                worker.run(worker.client.close())
                assert stopped - asked < 0.5
                assert time.monotonic() - stopped < 3
        finally:
            server.send_signal(signal.SIGCONT)
            os.environ.clear()
            os.environ.update(kept)
