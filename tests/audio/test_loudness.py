"""Loudness by BS.1770, against the tones whose loudness the standard states; and the limiter."""

import numpy as np
import pytest

from pocketvoice.audio.loudness import CEILING, SILENCE, LoudnessMeter, limited


def tone(level_db: float, seconds: float, rate: int, hertz: float = 997.0) -> np.ndarray:
    times = np.arange(int(seconds * rate)) / rate
    return (10 ** (level_db / 20) * np.sin(2 * np.pi * hertz * times)).astype(np.float32)


def loudness(samples: np.ndarray, rate: int, step: int = 10_007) -> float:
    meter = LoudnessMeter(rate)
    for start in range(0, len(samples), step):
        meter.push(samples[start : start + step])
    return meter.integrated()


@pytest.mark.parametrize("rate", [48_000, 24_000, 44_100])
def test_a_tone_is_as_loud_as_the_standard_says(rate: int) -> None:
    """A sine of 997 Hz at full scale in one channel is -3.01 LKFS (ITU-R BS.1770-4, annex 1)."""
    assert loudness(tone(0.0, 5, rate), rate) == pytest.approx(-3.01, abs=0.05)
    assert loudness(tone(-20.0, 5, rate), rate) == pytest.approx(-23.01, abs=0.05)


def test_low_tones_count_less_and_high_ones_more() -> None:
    assert loudness(tone(-20.0, 5, 24_000, hertz=30.0), 24_000) < -30
    assert loudness(tone(-20.0, 5, 24_000, hertz=6000.0), 24_000) == pytest.approx(-23.01 + 3.3, abs=0.3)


def test_what_is_quiet_does_not_count() -> None:
    """EBU Tech 3341, case 3: 10 s at -36, 60 s at -23, 10 s at -36; here in one channel, 3 LU below. And silence."""
    whole = np.concatenate(
        [tone(-36, 10, 24_000), tone(-23, 60, 24_000), tone(-36, 10, 24_000), np.zeros(480_000)]
    )
    assert loudness(whole, 24_000) == pytest.approx(-26.01, abs=0.1)


def test_pieces_make_no_difference() -> None:
    samples = np.random.default_rng(1).standard_normal(200_000).astype(np.float32) * 0.05
    assert loudness(samples, 24_000, 317) == pytest.approx(loudness(samples, 24_000, 200_000), abs=1e-9)


def test_silence_has_no_loudness() -> None:
    assert loudness(np.zeros(48_000), 24_000) == SILENCE
    assert loudness(np.zeros(10), 24_000) == SILENCE
    assert LoudnessMeter(24_000).integrated() == SILENCE


def test_limiter_turns_down_only_what_is_too_loud() -> None:
    samples = tone(-6.0, 1, 24_000)
    assert limited(samples) is samples
    samples[10_000:10_050] *= 4
    result = limited(samples)
    assert np.abs(result).max() <= CEILING + 1e-6
    np.testing.assert_array_equal(result[:9_000], samples[:9_000])
    np.testing.assert_array_equal(result[11_000:], samples[11_000:])
    assert np.abs(np.diff(result)).max() < 2 * np.abs(np.diff(samples)).max()
