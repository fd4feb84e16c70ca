"""A piece of sound as everyone in the program passes it on. Knows nothing of files, devices or the text behind it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
"""Mono PCM, shape (T,), full scale at -1 and 1."""


@dataclass(frozen=True, eq=False)
class AudioChunk:
    """A piece of mono sound."""

    samples: Samples
    """float32, shape (T,), full scale at -1 and 1."""
    sample_rate: int
    """Samples a second (Hz)."""

    @property
    def duration_s(self) -> float:
        """How long it sounds, in seconds."""
        return len(self.samples) / self.sample_rate
