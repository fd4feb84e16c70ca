"""Levels are in dBFS, and resampling keeps the sound."""

import subprocess
import sys

import numpy as np
import pytest

from pocketvoice.audio import levels
from pocketvoice.audio.chunk import AudioChunk
from pocketvoice.audio.resample import resample


def test_known_levels() -> None:
    square = np.tile(np.array([0.5, -0.5], np.float32), 24_000)
    assert levels.peak_dbfs(square) == pytest.approx(-6.02, abs=0.01)
    assert levels.rms_dbfs(square) == pytest.approx(-6.02, abs=0.01)
    assert levels.rms_dbfs(np.sin(np.arange(48_000) / 10).astype(np.float32)) == pytest.approx(
        -3.01, abs=0.05
    )


def test_silence_is_finite() -> None:
    nothing = np.zeros(0, np.float32)
    assert levels.peak_dbfs(nothing) == levels.rms_dbfs(nothing) == pytest.approx(-240)
    assert levels.frame_rms_db(np.zeros(960, np.float32), 24_000).tolist() == pytest.approx([-240, -240])
    assert len(levels.frame_peak_db(nothing, 24_000)) == 0


def test_frames_leave_rest_out() -> None:
    samples = np.concatenate([np.zeros(480), np.full(480, 0.1), np.ones(479)]).astype(np.float32)
    assert levels.frame_peak_db(samples, 24_000).tolist() == pytest.approx([-240, -20])


def test_chunk_knows_its_length() -> None:
    assert AudioChunk(np.zeros(1920, np.float32), 24_000).duration_s == 0.08


@pytest.mark.parametrize(("from_rate", "to_rate"), [(48_000, 24_000), (44_100, 24_000), (8_000, 24_000)])
def test_resampling_keeps_sound(from_rate: int, to_rate: int) -> None:
    tone = np.sin(2 * np.pi * 440 * np.arange(from_rate) / from_rate).astype(np.float32)
    result = resample(tone, from_rate, to_rate)
    assert result.dtype == np.float32
    assert len(result) == to_rate
    expected = np.sin(2 * np.pi * 440 * np.arange(to_rate) / to_rate)
    assert np.abs(result - expected)[1000:-1000].max() < 1e-4


def test_equal_rates_untouched() -> None:
    samples = np.ones(10, np.float32)
    assert resample(samples, 24_000, 24_000) is samples


def test_imports_stay_light() -> None:
    script = (
        "import sys, pocketvoice.audio.wav, pocketvoice.audio.clip\n"
        "assert not {'torch', 'soundfile', 'av', 'soxr', 'sounddevice', 'PySide6'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
