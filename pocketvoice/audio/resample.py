"""Changing the sample rate of a whole sound with libsoxr; the streaming kind lives where the stream does (playback)."""

import numpy as np

from pocketvoice.audio.chunk import Samples

QUALITY = "HQ"
"""soxr's 20-bit quality: flat to 0.91 of the lower band edge, images below -120 dB."""


def resample(samples: Samples, from_rate: int, to_rate: int) -> Samples:
    """The same sound at `to_rate` Hz; the samples themselves when the rates are equal."""
    assert from_rate > 0, f"a sample rate is positive, not {from_rate}"
    assert to_rate > 0, f"a sample rate is positive, not {to_rate}"
    if from_rate == to_rate or not len(samples):
        return samples
    import soxr

    return np.asarray(soxr.resample(samples, from_rate, to_rate, quality=QUALITY), dtype=np.float32)
