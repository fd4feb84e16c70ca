"""The clip of a voice as a file: FLAC, 24 kHz, mono, 24 bits, as loud as it was recorded. Encoded in memory, written at once."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pocketvoice.errors import ClipError

if TYPE_CHECKING:
    from pocketvoice.audio.chunk import Samples

SAMPLE_RATE = 24_000
MOST_S = 40.0
"""Our own clips have at most 30 s; the rest is for clips that other programs made."""


def encoded(samples: Samples) -> bytes:
    """A FLAC file of samples (T,); those beyond full scale are clipped.

    Raises ClipError unless it is a mono sound of more than 0 and at most 40 s without NaN or infinite values.
    """
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
    """Seconds of a clip at 24 kHz, to the millisecond."""
    return round(len(samples) / SAMPLE_RATE, 3)
