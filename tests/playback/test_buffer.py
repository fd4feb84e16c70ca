"""The buffer keeps order and positions, never waits for the writer, and is silent after an abort."""

import threading
import time

import numpy as np
import pytest

from pocketvoice.playback.buffer import PlaybackBuffer


def ramp(start: int, count: int) -> np.ndarray:
    """Samples that are their own position."""
    return np.arange(start, start + count, dtype=np.float32)


def read(buffer: PlaybackBuffer, count: int) -> np.ndarray:
    out = np.full(count, np.nan, np.float32)
    buffer.read_into(out)
    return out


def test_order_kept_around_the_ring() -> None:
    buffer = PlaybackBuffer(100, 10)
    heard = []
    for start in range(0, 1000, 70):
        assert buffer.write(ramp(start, 70)) == 70
        heard.append(read(buffer, 70))
    assert np.array_equal(np.concatenate(heard), ramp(0, 70 * len(heard)))
    assert buffer.underruns == 0


def test_missing_sound_is_silence() -> None:
    buffer = PlaybackBuffer(100, 10)
    assert not read(buffer, 20).any()
    assert buffer.underruns == 0  # nothing had begun
    buffer.write(ramp(1, 30))
    assert np.array_equal(read(buffer, 50), np.concatenate([ramp(1, 30), np.zeros(20)]))
    read(buffer, 10)
    assert (buffer.underruns, buffer.padded) == (1, 30)
    buffer.write(ramp(31, 5))
    read(buffer, 10)
    assert buffer.underruns == 2


def test_end_is_no_underrun() -> None:
    buffer = PlaybackBuffer(100, 10)
    buffer.write(ramp(0, 30))
    buffer.finish()
    read(buffer, 50)
    assert (buffer.underruns, buffer.padded) == (0, 0)
    assert buffer.progress == (30, 30)


def test_progress_counts_silence_before() -> None:
    buffer = PlaybackBuffer(100, 10)
    read(buffer, 40)
    buffer.write(ramp(0, 30))
    read(buffer, 40)
    read(buffer, 40)
    assert buffer.progress == (30, 70)


def test_full_buffer_holds_writer() -> None:
    buffer = PlaybackBuffer(100, 10)
    assert buffer.write(ramp(0, 150), timeout_s=0.02) == 100
    done: list[int] = []
    writer = threading.Thread(target=lambda: done.append(buffer.write(ramp(100, 150))))
    writer.start()
    heard = [read(buffer, 50)]
    while len(np.concatenate(heard)) < 250:
        time.sleep(0.01)
        if buffer.written - buffer.progress[0] >= 50:
            heard.append(read(buffer, 50))
    writer.join(timeout=5)
    assert done == [150]
    assert np.array_equal(np.concatenate(heard), ramp(0, 250))


def test_abort_frees_writer() -> None:
    buffer = PlaybackBuffer(100, 10)
    done: list[int] = []
    writer = threading.Thread(target=lambda: done.append(buffer.write(ramp(0, 150))))
    writer.start()
    time.sleep(0.02)
    buffer.abort()
    writer.join(timeout=5)
    assert done == [100]
    assert buffer.write(ramp(0, 10)) == 0


@pytest.mark.parametrize("block", [3, 10, 64])
def test_abort_fades_then_silence(block: int) -> None:
    buffer = PlaybackBuffer(1000, 20)
    buffer.write(np.ones(500, np.float32))
    assert read(buffer, block).all()
    buffer.abort()
    heard = np.concatenate([read(buffer, block) for _ in range(20)])
    assert heard[0] == 1
    assert np.abs(np.diff(heard[:20])).max() < 0.06  # no click
    assert not heard[19:].any()
    assert buffer.faded_out
    assert buffer.underruns == 0


def test_reset_begins_anew() -> None:
    buffer = PlaybackBuffer(100, 10)
    buffer.write(ramp(0, 50))
    buffer.abort()
    buffer.reset()
    assert not read(buffer, 50).any()
    assert buffer.write(ramp(7, 5)) == 5
    assert np.array_equal(read(buffer, 5), ramp(7, 5))


def test_discard_drops_the_unread() -> None:
    buffer = PlaybackBuffer(100, 10)
    buffer.write(ramp(0, 90))
    read(buffer, 20)
    assert buffer.discard_after(60) == 30
    assert buffer.written == 60
    buffer.write(ramp(500, 20))
    assert np.array_equal(read(buffer, 60), np.concatenate([ramp(20, 40), ramp(500, 20)]))


def test_discard_too_late_drops_the_rest() -> None:
    buffer = PlaybackBuffer(100, 10)
    buffer.write(ramp(0, 90))
    read(buffer, 50)
    assert buffer.discard_after(30) == 40
    assert buffer.written == 50
    assert buffer.discard_after(80) == 0


def test_two_threads_agree() -> None:
    """A writer that discards at random and a reader at full speed: order and positions hold."""
    buffer = PlaybackBuffer(500, 10)
    random = np.random.default_rng(3)
    stop = threading.Event()
    heard: list[np.ndarray] = []

    def reader() -> None:
        out = np.zeros(37, np.float32)
        while not stop.is_set():
            got = buffer.read_into(out)
            heard.append(out[:got].copy())
            time.sleep(0)

    thread = threading.Thread(target=reader)
    thread.start()
    for _ in range(2000):
        position = buffer.written
        buffer.write(ramp(position, int(random.integers(1, 60))))
        if random.random() < 0.2:
            buffer.discard_after(position + int(random.integers(0, 60)))
    while buffer.progress[0] < buffer.written:
        time.sleep(0.001)
    stop.set()
    thread.join(timeout=5)
    assert np.array_equal(np.concatenate(heard), ramp(0, buffer.written))
