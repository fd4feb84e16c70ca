"""Pausing and cutting a buffer: what the two fades of a pause make up, and that nothing leaks."""

import numpy as np
import pytest

from pocketvoice.playback.buffer import PlaybackBuffer

FADE = 40


def sound(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 1, count).astype(np.float32)


def read(buffer: PlaybackBuffer, count: int) -> np.ndarray:
    out = np.empty(count, np.float32)
    buffer.read_into(out)
    return out


@pytest.mark.parametrize("block", [7, 25, 40, 100])
def test_two_fades_make_up_the_sound(block: int) -> None:
    buffer = PlaybackBuffer(1000, FADE)
    samples = sound(600)
    buffer.write(samples)
    before = [read(buffer, block) for _ in range(3)]
    buffer.paused = True
    fading = np.concatenate([read(buffer, block) for _ in range(10)])
    assert not fading[FADE:].any()
    buffer.paused = False
    after = np.concatenate([read(buffer, block) for _ in range(600 // block + 2)])
    start = 3 * block
    assert np.array_equal(np.concatenate(before), samples[:start])
    assert np.allclose(fading[:FADE] + after[:FADE], samples[start : start + FADE], atol=1e-6)
    assert np.array_equal(after[FADE : 600 - start], samples[start + FADE :])
    assert buffer.progress[0] == 600
    assert buffer.underruns == 1  # the end, for nobody called finish


def test_pause_keeps_room_for_its_fade() -> None:
    """A writer fills the ring while it is paused; the fade's samples are still there."""
    buffer = PlaybackBuffer(100, FADE)
    samples = sound(400)
    done = buffer.write(samples, timeout_s=0)
    read(buffer, 20)
    buffer.paused = True
    fading = read(buffer, 60)[:FADE]
    done += buffer.write(samples[done:], timeout_s=0)
    assert done == 160
    buffer.paused = False
    assert np.allclose(read(buffer, FADE) + fading, samples[20 : 20 + FADE], atol=1e-6)


def test_pause_before_the_first_sample() -> None:
    buffer = PlaybackBuffer(1000, FADE)
    buffer.paused = True
    buffer.write(sound(300))
    assert not read(buffer, 200).any()
    buffer.paused = False
    assert np.array_equal(read(buffer, 300), sound(300))


def test_cut_leaves_a_fade() -> None:
    buffer = PlaybackBuffer(1000, FADE)
    buffer.write(np.ones(500, np.float32))
    read(buffer, 100)
    buffer.cut()
    buffer.write(np.full(50, 0.5, np.float32))
    heard = read(buffer, 200)
    assert np.allclose(heard[:FADE], np.linspace(1, 0, FADE), atol=1e-6)
    assert (heard[FADE : FADE + 50] == 0.5).all()
    assert not heard[FADE + 50 :].any()


def test_cut_of_the_unheard_leaves_nothing() -> None:
    buffer = PlaybackBuffer(1000, FADE)
    buffer.write(np.ones(500, np.float32))
    buffer.cut()
    assert not read(buffer, 100).any()


def test_cut_while_paused_leaves_nothing() -> None:
    buffer = PlaybackBuffer(1000, FADE)
    buffer.write(np.ones(500, np.float32))
    read(buffer, 100)
    buffer.paused = True
    read(buffer, 100)
    buffer.cut()
    buffer.write(np.full(50, 0.5, np.float32))
    buffer.paused = False
    assert (read(buffer, 50) == 0.5).all()


def test_abort_while_paused_is_over_at_once() -> None:
    buffer = PlaybackBuffer(1000, FADE)
    buffer.write(np.ones(500, np.float32))
    read(buffer, 100)
    buffer.paused = True
    read(buffer, 100)
    buffer.abort()
    assert not read(buffer, 10).any()
    assert buffer.faded_out


def test_new_device_counts_from_nothing() -> None:
    buffer = PlaybackBuffer(1000, FADE)
    buffer.write(sound(500))
    read(buffer, 200)
    buffer.device_started()
    assert buffer.progress == (200, 0)
    read(buffer, 100)
    assert buffer.progress == (300, 100)
