"""Loudness as numbers: peak and RMS in dBFS (0 is full scale), of a whole sound or of each short frame of it.

Pure functions on mono float32; they judge nothing, the clip rules do.
"""

import numpy as np
import numpy.typing as npt

from pocketvoice.audio.chunk import Samples

QUIET_DBFS = -46.0
"""RMS level below which speech is too quiet."""
SPEECH_DBFS = -26.0
"""RMS level of speech as it should be."""
SILENCE_DBFS = -60.0
"""Below this peak a sound counts as silence: the noise of an open microphone lies about here."""
FULL_SCALE = 0.99
"""An amplitude from which on a sample counts as clipped: some drivers and converters stop just below 1."""
FRAME_S = 0.02
"""Length of the frames that levels are measured in, in seconds."""

_TINY = 1e-12  # keeps the logarithm of pure zeros finite: -240 dB


def dbfs(amplitude: float) -> float:
    """The level of an amplitude (1.0 is full scale) in dBFS; -240 for zero."""
    return float(20 * np.log10(amplitude + _TINY))


def peak_dbfs(samples: Samples) -> float:
    """The largest amplitude in dBFS; -240 if there are no samples."""
    return dbfs(float(np.abs(samples).max())) if len(samples) else dbfs(0.0)


def rms_dbfs(samples: Samples) -> float:
    """The root of the mean square in dBFS; -240 if there are no samples."""
    return dbfs(float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))) if len(samples) else dbfs(0.0)


def audible(samples: Samples) -> Samples:
    """The samples as loud as speech should be if they are too quiet, else as they are; what is silence stays silence."""
    level, peak = rms_dbfs(samples), peak_dbfs(samples)
    if level >= QUIET_DBFS or peak < SILENCE_DBFS:
        return samples
    gain_db = min(SPEECH_DBFS - level, -1.0 - peak)
    return samples * np.float32(10 ** (gain_db / 20))


def frame_length(sample_rate: int) -> int:
    """Samples in one frame of `FRAME_S`."""
    return max(1, int(FRAME_S * sample_rate))


def frame_rms_db(samples: Samples, sample_rate: int) -> npt.NDArray[np.float32]:
    """RMS of each whole frame in dBFS, shape (T // frame,); a last partial frame is left out."""
    rms = np.sqrt(np.mean(np.square(_frames(samples, sample_rate)), axis=1))
    return _db(rms)


def frame_peak_db(samples: Samples, sample_rate: int) -> npt.NDArray[np.float32]:
    """Largest amplitude of each whole frame in dBFS, shape (T // frame,)."""
    peaks = np.abs(_frames(samples, sample_rate)).max(axis=1)
    return _db(peaks)


def _frames(samples: Samples, sample_rate: int) -> Samples:
    length = frame_length(sample_rate)
    count = len(samples) // length
    return samples[: count * length].reshape(count, length)


def _db(amplitudes: Samples) -> npt.NDArray[np.float32]:
    return np.asarray(20 * np.log10(amplitudes + np.float32(_TINY)), dtype=np.float32)
