"""Each flaw of a clip is found, named with its number, and the one that matters most is told first."""

import numpy as np
import pytest

from pocketvoice.audio.quality import Flaw, QualityReport, quality_of
from tests.voices.sounds import RATE, babble

RANDOM = np.random.default_rng(0)


def flaws(sound: np.ndarray) -> list[Flaw]:
    return [finding.flaw for finding in report(sound).findings]


def report(sound: np.ndarray) -> QualityReport:
    return quality_of(sound.astype(np.float32), RATE)


def noise(length_s: float, dbfs: float) -> np.ndarray:
    return 10 ** (dbfs / 20) * RANDOM.standard_normal(int(length_s * RATE))


def in_room(sound: np.ndarray, seconds: float) -> np.ndarray:
    """With as much reflected as direct sound, decaying by 60 dB in so many seconds."""
    length = int(1.2 * seconds * RATE)
    echo = RANDOM.standard_normal(length) * 10 ** (-3 * np.arange(length) / RATE / seconds)
    echo /= np.sqrt(np.square(echo).sum())
    echo[0] += 1
    size = 1 << (len(sound) + length).bit_length()
    wet = np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(echo, size))[: len(sound)]
    return wet * np.sqrt(np.mean(np.square(sound)) / np.mean(np.square(wet)))


def test_a_good_clip_is_praised() -> None:
    verdict = report(babble(25))
    assert verdict.findings == ()
    assert not verdict.is_blocked
    assert "good" in verdict.tip
    assert verdict.numbers.duration_s == pytest.approx(25)
    assert verdict.numbers.rms_dbfs == pytest.approx(-26, abs=0.1)


@pytest.mark.parametrize(
    ("sound", "found"),
    [
        (babble(25, rms_dbfs=-47), [Flaw.TOO_QUIET]),
        (babble(25, rms_dbfs=-45), []),
        (babble(25, rms_dbfs=-17), [Flaw.TOO_HOT]),
        (babble(25, rms_dbfs=-19), []),
        (np.clip(6 * babble(25), -1, 1), [Flaw.CLIPPED, Flaw.TOO_HOT]),
        (babble(25) + noise(25, -31), [Flaw.NOISY]),
        (babble(25) + noise(25, -55), []),
        (in_room(babble(25), 1.5), [Flaw.ECHO]),
        (in_room(babble(25), 0.4), []),
        (babble(12), [Flaw.TOO_SHORT]),
        (np.concatenate([babble(12), np.zeros(14 * RATE)]), [Flaw.TOO_SHORT]),
        (babble(25) + 0.2, []),
    ],
    ids=[
        "quiet", "nearly quiet", "hot", "nearly hot", "clipped", "noisy", "hiss", "echo", "furnished", "short", "pauses", "offset",
    ],
)  # fmt: skip
def test_flaws_are_found(sound: np.ndarray, found: list[Flaw]) -> None:
    assert flaws(sound) == found
    assert not report(sound).is_blocked


@pytest.mark.parametrize(
    ("sound", "flaw"),
    [
        (np.zeros(20 * RATE), Flaw.SILENT),
        (np.full(20 * RATE, 0.3), Flaw.SILENT),
        (np.zeros(0), Flaw.SILENT),
        (noise(20, -30), Flaw.NO_SPEECH),
        (np.concatenate([babble(2.4), np.zeros(20 * RATE)]), Flaw.NO_SPEECH),
        (0.2 * np.sin(0.06 * np.arange(20 * RATE)), Flaw.NO_SPEECH),
    ],
    ids=["silence", "offset", "nothing", "noise", "2 s of speech", "tone"],
)
def test_only_these_block(sound: np.ndarray, flaw: Flaw) -> None:
    verdict = report(sound)
    assert verdict.is_blocked
    assert verdict.findings[0].flaw is flaw


def test_the_worst_is_told_first_with_its_number() -> None:
    verdict = report(babble(12, rms_dbfs=-50))
    assert [finding.flaw for finding in verdict.findings] == [Flaw.TOO_QUIET, Flaw.TOO_SHORT]
    assert verdict.tip == verdict.findings[0].sentence
    assert "-50 dBFS" in verdict.tip
    assert verdict.tip.count(".") == 1
