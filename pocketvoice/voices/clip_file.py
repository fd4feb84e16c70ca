"""The clip of a voice as a file: FLAC, 24 kHz, mono, 24 bits, at the level it was recorded. Made in memory, written in one step."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pocketvoice.errors import ClipError

if TYPE_CHECKING:
    from pocketvoice.audio.chunk import Samples

SAMPLE_RATE = 24_000
MOST_S = 40.0
"""A clip is at most 30 s; some room for one that others made."""


def encoded(samples: Samples) -> bytes:
    """A FLAC file; samples beyond full scale are clipped. Raises ClipError if it is no mono sound of a bearable length."""
    import numpy as np
    import soundfile

    if samples.ndim != 1 or not len(samples):
        raise ClipError("A voice needs a clip with sound in it.")
    if len(samples) > MOST_S * SAMPLE_RATE:
        raise ClipError(
            f"The clip is {len(samples) / SAMPLE_RATE:.0f} s long: choose 20 to 30 seconds of it."
        )
    if not np.isfinite(samples).all():
        raise ClipError("The clip holds values that are no sound (NaN or infinite): record it again.")
    file = io.BytesIO()
    soundfile.write(file, np.clip(samples, -1.0, 1.0), SAMPLE_RATE, format="FLAC", subtype="PCM_24")
    return file.getvalue()


def duration_s(samples: Samples) -> float:
    """Seconds."""
    return round(len(samples) / SAMPLE_RATE, 3)
