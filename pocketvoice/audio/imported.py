"""A long sound of any file, on its way to a clip: read at 24 kHz, its best part found, its picture drawn. Any thread; takes seconds."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pocketvoice.audio.chunk import Samples

MOST_READ_S = 900.0
"""Of a longer file the first quarter of an hour is looked at."""
LEAST_S, BEST_S, MOST_S = 3.0, 25.0, 30.0
"""Lengths of a clip: at the least, wanted, at the most."""


@dataclass(frozen=True, eq=False)
class Source:
    """The sound a clip is taken from."""

    samples: Samples
    """Mono, (T,), at `sample_rate`."""
    sample_rate: int
    """24000."""
    name: str
    """The file's or the device's name, never a path."""
    notes: tuple[str, ...] = ()
    """Sentences for the user: only the first 15 minutes are used ..."""

    @property
    def duration_s(self) -> float:
        """Seconds."""
        return len(self.samples) / self.sample_rate


def read_source(path: str | Path) -> Source:
    """The sound of an audio or video file; raises MissingFileError or AudioFileError."""
    raise NotImplementedError


def best_part(samples: Samples, sample_rate: int) -> tuple[int, int]:
    """(start, stop) in samples of the best clip within: about 25 s (at most 30) of speech, well levelled, between pauses."""
    raise NotImplementedError


def snapped(samples: Samples, sample_rate: int, start: int, stop: int) -> tuple[int, int]:
    """A window that the user dragged, with its ends moved (at most 0.4 s) into pauses, and no longer than 30 s."""
    raise NotImplementedError


def waveform(samples: Samples, columns: int) -> npt.NDArray[np.float32]:
    """The picture of a sound: (columns, 2), least and greatest sample of each column."""
    raise NotImplementedError
