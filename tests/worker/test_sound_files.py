"""Sound files played as they are: whole, in part, beside speech, and what can't be played."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.worker.messages import OutputKind, Position, SentenceStarted, Started, Stopped
from pocketvoice.worker.parent.client import WorkerClient
from tests.worker.conftest import LiveWorker, failed, finished, live_worker

RATE = 24_000


@pytest.fixture
def tune(tmp_path: Path) -> Path:
    """One second, rising from 200 Hz, at another rate and in stereo."""
    at_s = np.arange(44_100) / 44_100
    tone = 0.5 * np.sin(2 * np.pi * (200 * at_s + 150 * at_s**2))
    path = tmp_path / "tune.flac"
    soundfile.write(path, np.stack([tone, tone], axis=1), 44_100)
    return path


def test_part_of_a_file_is_heard(tune: Path, tmp_path: Path, model_files: dict[str, str]) -> None:
    heard_path = tmp_path / "heard.npy"

    async def story(client: WorkerClient) -> None:
        await finished(await client.set_speed(2.0))  # a recording keeps its own
        await finished(await client.play_file(str(tune), start_s=0.25, stop_s=0.75))

    with live_worker(model_files, output=OutputKind.NULL_VIRTUAL, heard_path=str(heard_path)) as worker:
        worker.run(story(worker.client))
    heard = np.load(heard_path)
    sound, _ = soundfile.read(tune, dtype="float32", always_2d=True)
    wanted = np.interp(np.arange(int(0.75 * RATE)) / RATE, np.arange(len(sound)) / 44_100, sound[:, 0])[
        int(0.25 * RATE) :
    ]
    first = int(np.abs(heard).argmax() > 0 and np.flatnonzero(np.abs(heard) > 1e-3)[0])
    shift = max(range(-40, 41), key=lambda lag: float(_at(heard, first + lag, len(wanted)) @ wanted))
    part = _at(heard, first + shift, len(wanted))
    assert np.abs(part - wanted)[200:-200].max() < 0.02
    assert np.abs(heard).sum() == pytest.approx(np.abs(wanted).sum(), rel=0.03)  # and nothing else


def _at(sound: np.ndarray, start: int, count: int) -> np.ndarray:
    padded = np.pad(sound, (count, count))
    return padded[count + start : 2 * count + start]


def test_speech_goes_on_after_a_file(worker: LiveWorker, tune: Path, text: str) -> None:
    async def story() -> None:
        speech = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, speech)
        sound = await worker.client.play_file(str(tune))
        await finished(sound)
        positions = worker.of(Position, sound.request_id)
        assert 0.5 < positions[-1].heard_s <= positions[-1].total_s == pytest.approx(1.0, abs=0.01)
        await worker.until(lambda: any(one.resumed for one in worker.of(Started, speech.request_id)))
        await speech.stop()

    worker.run(story())


def test_file_is_stopped(worker: LiveWorker, tune: Path) -> None:
    async def story() -> None:
        for wait in (False, True):  # while it is read, and while it plays
            sound = await worker.client.play_file(str(tune))
            if wait:
                await worker.until_event(Started, sound)
            assert isinstance(await sound.stop(), Stopped)

    worker.run(story())


@pytest.mark.parametrize("name", ["missing.wav", "words.wav", "end.wav"])
def test_what_is_no_sound_is_said(worker: LiveWorker, tmp_path: Path, name: str) -> None:
    (tmp_path / "words.wav").write_text("no sound at all")
    soundfile.write(tmp_path / "end.wav", np.zeros(2400), RATE)

    async def story() -> None:
        end = await failed(await worker.client.play_file(str(tmp_path / name), start_s=5.0))
        assert end.error.kind in ("MissingFileError", "AudioFileError")
        assert name in end.error.message

    worker.run(story())
