"""The player on an ideal device in virtual time: what is fed is heard once, and nothing after a stop."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.null_output import NullOutput
from pocketvoice.playback.player import Player, PlayerState

RATE = 24_000


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 1, int(RATE * seconds)).astype(np.float32)


def sound_in(heard: np.ndarray) -> np.ndarray:
    """What was heard without the silence around it."""
    loud = np.flatnonzero(heard)
    return heard[loud[0] : loud[-1] + 1] if len(loud) else heard[:0]


def test_fed_is_heard_to_the_end() -> None:
    output = NullOutput()
    samples = noise(3)
    with Player(output, RATE) as player:
        assert player.state is PlayerState.IDLE
        for start in range(0, len(samples), 1920):
            assert player.feed(samples[start : start + 1920])
        assert player.state is PlayerState.PLAYING
        assert player.drain()
        assert player.state is PlayerState.FINISHED
        assert player.heard_s == 3.0
        assert np.array_equal(sound_in(output.heard), samples)  # also the last syllable, before it is closed
        assert player.underruns == 0
    assert not output.is_open
    assert player.state is PlayerState.IDLE


def test_slow_loudspeaker_holds_back() -> None:
    output = NullOutput(latency_s=0.05)
    player = Player(output, RATE, buffer_s=0.5)
    player.feed(noise(2))
    assert player.position / RATE - player.heard_s == pytest.approx(0.55, abs=0.02)
    player.close()


def test_heard_follows_the_ear() -> None:
    output = NullOutput(latency_s=0.1)
    player = Player(output, RATE)
    player.start()
    output.advance(0.4)  # the device runs before there is sound
    player.feed(noise(1))
    output.advance(0.05)
    assert player.heard_s == 0
    output.advance(0.25)
    assert player.heard_s == pytest.approx(0.2, abs=0.011)
    output.advance(2)
    assert player.heard_s == 1.0
    player.close()


def test_heard_never_runs_back() -> None:
    output = NullOutput()
    player = Player(output, RATE)
    seen = []
    for seed in range(5):
        player.feed(noise(0.1, seed))
        for _ in range(30):  # 0.15 s: the sound breaks off after each piece
            output.advance(0.005)
            seen.append(player.heard_s)
    assert seen == sorted(seen)
    assert player.underruns == 5
    player.close()


def test_abort_fades_and_is_final() -> None:
    output = NullOutput(latency_s=0.05)
    player = Player(output, RATE)
    player.feed(np.ones(2 * RATE, np.float32))
    output.advance(0.5)
    player.abort()
    assert player.state is PlayerState.STOPPED
    assert not player.feed(noise(1))
    assert not player.drain()
    output.advance(1)
    heard = output.heard
    end = np.flatnonzero(heard)[-1] / RATE
    assert 0.5 <= end <= 0.511
    assert np.abs(np.diff(heard[int(0.4 * RATE) : int(0.6 * RATE)])).max() < 0.01
    player.close()
    assert not np.flatnonzero(output.heard)[-1] / RATE > 0.511


def test_new_stream_after_abort() -> None:
    output = NullOutput()
    player = Player(output, RATE)
    player.feed(np.ones(RATE, np.float32))
    output.advance(0.2)
    player.abort()
    output.advance(0.1)
    player.start()
    second = -noise(0.5)
    assert player.feed(second)
    assert player.drain()
    assert player.heard_s == 0.5
    assert np.array_equal(output.heard[output.heard < 0], second)
    player.close()


def test_second_stream_after_first() -> None:
    output = NullOutput()
    player = Player(output, RATE)
    for seed in (1, 2):
        player.feed(noise(0.3, seed))
        assert player.drain()
        assert player.heard_s == pytest.approx(0.3)
    player.close()


def test_abort_before_sound_is_final() -> None:
    player = Player(NullOutput(), RATE)
    player.start()
    player.abort()
    assert not player.feed(noise(0.1))
    player.close()


def test_failed_take_is_dropped() -> None:
    output = NullOutput()
    player = Player(output, RATE)
    good, failed, retry = noise(1, 1), -noise(1, 2), noise(0.5, 3)
    player.feed(good)
    mark = player.position
    player.feed(failed)
    output.advance(0.5)
    assert player.discard_after(mark) == len(failed)
    assert player.position == mark
    player.feed(retry)
    player.drain()
    assert np.array_equal(sound_in(output.heard), np.concatenate([good, retry]))
    player.close()


def test_take_half_heard_is_cut() -> None:
    output = NullOutput()
    player = Player(output, RATE)
    player.feed(noise(1))
    output.advance(0.6)
    assert player.discard_after(RATE // 2) == pytest.approx(0.4 * RATE, abs=0.01 * RATE)
    assert player.position == pytest.approx(0.6 * RATE, abs=0.01 * RATE)
    player.close()


@pytest.mark.parametrize("how", ["fail", "hang"])
@pytest.mark.parametrize("when", ["feed", "drain"])
def test_lost_device_is_an_error(how: str, when: str) -> None:
    output = NullOutput()
    player = Player(output, RATE, buffer_s=0.5)
    player.feed(noise(0.4))
    getattr(output, how)()
    with pytest.raises(AudioDeviceError, match=r"connect"):
        player.feed(noise(5)) if when == "feed" else player.drain()
    assert player.state is PlayerState.FAILED
    player.close()
    assert not output.is_open


def test_device_comes_back() -> None:
    output = NullOutput()
    player = Player(output, RATE)
    player.feed(noise(0.4))
    output.fail()
    with pytest.raises(AudioDeviceError):
        player.drain()
    player.start()
    assert player.feed(noise(0.2))
    assert player.drain()
    player.close()


def test_refusing_device() -> None:
    player = Player(NullOutput(refuses="There is no sound device on this computer: connect one."), RATE)
    with pytest.raises(AudioDeviceError, match="no sound device"):
        player.start()
    assert player.state is PlayerState.FAILED
    player.close()


def test_closing_early_fades() -> None:
    output = NullOutput()
    with Player(output, RATE) as player:
        player.feed(np.ones(RATE, np.float32))
        output.advance(0.3)
    heard = output.heard
    assert np.flatnonzero(heard)[-1] / RATE < 0.32
    assert np.abs(np.diff(heard[heard > 0])).max() < 0.01


def test_abort_from_another_thread() -> None:
    output = NullOutput(real_time=True, latency_s=0.02)
    player = Player(output, RATE, buffer_s=0.2)
    threading.Timer(0.15, player.abort).start()
    begun = time.monotonic()
    assert not player.feed(noise(30))
    assert 0.1 < time.monotonic() - begun < 1
    player.close()
    assert np.flatnonzero(output.heard)[-1] / RATE < 0.5


def test_abort_in_signal_handler() -> None:
    """The handler runs in the thread that feeds, at any instruction: it must not wait for itself."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no interval timer here")
    output = NullOutput(real_time=True, latency_s=0.02)
    player = Player(output, RATE, buffer_s=0.2)
    old = signal.signal(signal.SIGALRM, lambda *_: player.abort())
    try:
        for _ in range(15):
            player.start()
            signal.setitimer(signal.ITIMER_REAL, 0.03)
            assert not player.feed(noise(5))
    finally:
        signal.signal(signal.SIGALRM, old)
        player.close()


def test_real_time_takes_its_time() -> None:
    output = NullOutput(real_time=True, latency_s=0.05)
    with Player(output, RATE) as player:
        begun = time.monotonic()
        player.feed(noise(0.4))
        player.drain()
        assert 0.44 < time.monotonic() - begun < 1.0
    assert len(sound_in(output.heard)) == int(0.4 * RATE)


def test_no_portaudio_at_import() -> None:
    script = (
        "import sys, pocketvoice.playback, pocketvoice.playback.player, pocketvoice.playback.null_output\n"
        "assert not {'sounddevice', 'soxr', 'torch', 'PySide6'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
