"""Formats on their way: the first bytes leave with the first frame, and a stream that is cut off is a file."""

import io

import av
import numpy as np
import pytest

from pocketvoice.audio.chunk import Samples
from pocketvoice.server.encoding import FORMATS, encoder

RATE = 24_000
FRAME = 1920


@pytest.fixture(scope="module")
def tone() -> Samples:
    """Two seconds that rise in pitch."""
    time = np.arange(2 * RATE) / RATE
    return (0.3 * np.sin(2 * np.pi * (300 + 200 * time) * time)).astype(np.float32)


def pieces_of(name: str, samples: Samples) -> list[bytes]:
    """What leaves with each frame, and at the end."""
    made = encoder(name, RATE)
    return [*(made.push(samples[at : at + FRAME]) for at in range(0, len(samples), FRAME)), made.finish()]


def decoded(data: bytes, name: str) -> Samples:
    """As any player would."""
    if name == "pcm":
        return np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / 32767
    with av.open(io.BytesIO(data)) as container:
        frames = []
        resampler = av.AudioResampler("flt", "mono", RATE)
        try:
            for frame in container.decode(audio=0):
                frames += [one.to_ndarray()[0] for one in resampler.resample(frame)]
        except (av.FFmpegError, EOFError):  # the frame in which it was cut off
            pass
        return np.concatenate(frames)


@pytest.mark.parametrize("name", FORMATS)
def test_first_bytes_leave_with_the_first_frame(name: str, tone: Samples) -> None:
    assert pieces_of(name, tone)[0]


@pytest.mark.parametrize("name", FORMATS)
def test_sound_survives(name: str, tone: Samples) -> None:
    heard = decoded(b"".join(pieces_of(name, tone)), name)
    assert len(heard) == pytest.approx(len(tone), abs=0.3 * RATE)
    lag = np.argmax(np.correlate(heard[: RATE + 4000], tone[:RATE], "valid"))
    likeness = np.corrcoef(heard[lag : lag + RATE], tone[:RATE])[0, 1]
    assert likeness > 0.98


@pytest.mark.parametrize("name", FORMATS)
def test_cut_off_is_still_a_file(name: str, tone: Samples) -> None:
    data = b"".join(pieces_of(name, tone)[:13])  # a second and a bit, never finished
    heard = decoded(data[: len(data) - 7], name)  # and in the middle of a frame
    assert 0.8 * RATE < len(heard) < 1.2 * RATE


@pytest.mark.parametrize("name", ["wav", "flac"])
def test_lossless_ones_lose_nothing(name: str, tone: Samples) -> None:
    heard = decoded(b"".join(pieces_of(name, tone)), name)
    np.testing.assert_allclose(heard[: len(tone)], tone, atol=2 / 32768)


def test_no_sound_at_all_is_no_failure() -> None:
    for name in FORMATS:
        encoder(name, RATE).finish()
