"""Whether a sound makes a good voice clip: numbers, and what they mean in plain words. Pure; about 0.1 s for 30 s of sound."""

import enum
from dataclasses import dataclass

from pocketvoice.audio.chunk import Samples


class Flaw(enum.Enum):
    """What can be wrong, the worst first."""

    SILENT = "silent"
    NO_SPEECH = "no speech"
    """Under 3 s of speech: it blocks."""
    CLIPPED = "clipped"
    """Peak 0.99 of full scale or more."""
    TOO_QUIET = "too quiet"
    """RMS under -46 dBFS."""
    NOISY = "noisy"
    """The loud frames (90th percentile) are less than 12 dB above the quiet ones (10th)."""
    ECHO = "echo"
    TOO_SHORT = "too short"
    """Under 20 s of sound."""
    TOO_HOT = "too hot"
    """RMS over -18 dBFS."""


@dataclass(frozen=True)
class Finding:
    """One flaw."""

    flaw: Flaw
    sentence: str
    """What is wrong, with its number, and what to do."""
    blocks: bool = False


@dataclass(frozen=True)
class Numbers:
    """What was measured."""

    duration_s: float
    speech_s: float
    peak: float
    """0 to 1 of full scale."""
    rms_dbfs: float
    range_db: float
    """90th over 10th percentile of the level of 20 ms frames."""
    clipped_samples: int
    echo_s: float | None
    """Reverberation time (60 dB), estimated from the ends of words; None if it could not be told."""


@dataclass(frozen=True)
class QualityReport:
    """The verdict on a clip."""

    numbers: Numbers
    findings: tuple[Finding, ...]
    """The worst first."""

    @property
    def is_blocked(self) -> bool:
        """Whether no voice should be made of it: silence, or under 3 s of speech."""
        return any(finding.blocks for finding in self.findings)

    @property
    def tip(self) -> str:
        """The one sentence that helps most; praise if there is nothing to say."""
        raise NotImplementedError


def quality_of(samples: Samples, sample_rate: int) -> QualityReport:
    """Measures a clip, (T,)."""
    raise NotImplementedError
