"""Whether a sound makes a good voice clip: numbers, and what they mean in plain words. Pure; about 0.1 s for 30 s of sound.

Music and several speakers are not looked for: what tells them apart by level and pitch alone is wrong too often to be said.
"""

import enum
from dataclasses import dataclass

import numpy as np

from pocketvoice.audio import levels
from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.echo import ECHO_BELOW_DB, fall_db
from pocketvoice.audio.voice_activity import FRAME_S, activity_of

LEAST_SPEECH_S = 3.0
"""Seconds of speech without which no voice is made."""
GOOD_SPEECH_S = 15.0
"""Of 20 s of sound so much should be speech."""
GOOD_S = 20.0
"""Seconds of sound that a good clip has at least."""
QUIET_DBFS = levels.QUIET_DBFS
"""RMS level below which a clip is too quiet."""
HOT_DBFS = -18.0
"""RMS level above which a clip is too loud."""
NOISY_DB = 12.0
"""How far speech should stand out of what lies behind it."""


class Flaw(enum.Enum):
    """What can be wrong, the worst first."""

    SILENT = "silent"
    """Nothing above -60 dBFS: it blocks."""
    NO_SPEECH = "no speech"
    """Under 3 s of speech: it blocks."""
    CLIPPED = "clipped"
    """Peak 0.99 of full scale or more."""
    TOO_QUIET = "too quiet"
    """RMS level under -46 dBFS (`QUIET_DBFS`)."""
    NOISY = "noisy"
    """The loud frames (90th percentile) are less than 12 dB above the quiet ones (10th)."""
    ECHO = "echo"
    """The room rings for about a second or more."""
    TOO_SHORT = "too short"
    """Under 20 s of sound, or under 15 s of speech."""
    TOO_HOT = "too hot"
    """RMS level over -18 dBFS (`HOT_DBFS`)."""


@dataclass(frozen=True)
class Finding:
    """One flaw of a clip, and what the user is told about it."""

    flaw: Flaw
    sentence: str
    """What is wrong, with its number, and what to do."""
    blocks: bool = False


@dataclass(frozen=True)
class Numbers:
    """What was measured of a clip."""

    duration_s: float
    speech_s: float
    peak: float
    """0 to 1 of full scale."""
    rms_dbfs: float
    range_db: float
    """90th over 10th percentile of the level of 20 ms frames."""
    clipped_samples: int
    fall_db: float | None
    """How far the level falls within 0.15 s after loud sounds; little of it is an echo. None if it could not be told."""


@dataclass(frozen=True)
class QualityReport:
    """The verdict on a clip: what was measured, and what is wrong with it."""

    numbers: Numbers
    findings: tuple[Finding, ...]
    """What is wrong with it, the worst first; empty for a good clip."""

    @property
    def is_blocked(self) -> bool:
        """Whether no voice should be made of it: silence, or under 3 s of speech."""
        return any(finding.blocks for finding in self.findings)

    @property
    def tip(self) -> str:
        """The one sentence that helps most; praise if there is nothing to say."""
        if self.findings:
            return self.findings[0].sentence
        return f"This is a good recording: {self.numbers.speech_s:.0f} s of clear speech."


def quality_of(samples: Samples, sample_rate: int) -> QualityReport:
    """Measures and judges a clip, mono (T,), at any rate."""
    numbers = _measured(samples, sample_rate)
    return QualityReport(numbers, tuple(_findings(numbers)))


def _measured(samples: Samples, sample_rate: int) -> Numbers:
    if not len(samples):
        return Numbers(0.0, 0.0, 0.0, levels.dbfs(0.0), 0.0, 0, None)
    swing = samples - samples.mean(dtype=np.float64).astype(np.float32)  # a constant offset is no sound
    frames = levels.frame_rms_db(swing, sample_rate)
    spread = np.percentile(frames, [10, 90]) if len(frames) else np.zeros(2)
    sizes = np.abs(samples)
    heard = levels.audible(swing)  # a quiet voice is a voice
    return Numbers(
        duration_s=len(samples) / sample_rate,
        speech_s=FRAME_S * int(np.count_nonzero(activity_of(heard, sample_rate).frames())),
        peak=float(sizes.max()),
        rms_dbfs=levels.rms_dbfs(swing),
        range_db=float(spread[1] - spread[0]),
        clipped_samples=int(np.count_nonzero(sizes >= levels.FULL_SCALE)),
        fall_db=fall_db(heard, sample_rate),
    )


def _findings(numbers: Numbers) -> list[Finding]:
    """The flaws in the order of `Flaw`; of silence nothing else is said."""
    if numbers.rms_dbfs < levels.SILENCE_DBFS - 20 or numbers.peak < 10 ** (levels.SILENCE_DBFS / 20):
        return [
            Finding(
                Flaw.SILENT,
                "There is no sound: choose another microphone, or check that it is not muted.",
                blocks=True,
            )
        ]
    sentences = {
        Flaw.NO_SPEECH: _no_speech(numbers),
        Flaw.CLIPPED: _clipped(numbers),
        Flaw.TOO_QUIET: _too_quiet(numbers),
        Flaw.NOISY: _noisy(numbers),
        Flaw.ECHO: _echo(numbers),
        Flaw.TOO_SHORT: _too_short(numbers),
        Flaw.TOO_HOT: _too_hot(numbers),
    }
    return [Finding(flaw, text, flaw is Flaw.NO_SPEECH) for flaw, text in sentences.items() if text]


def _no_speech(numbers: Numbers) -> str:
    if numbers.speech_s >= LEAST_SPEECH_S:
        return ""
    heard = "no speech" if numbers.speech_s < 0.1 else f"only {numbers.speech_s:.1f} s of speech"
    return f"There is {heard} in it: a voice needs at least {LEAST_SPEECH_S:.0f} s, better 20 to 30."


def _clipped(numbers: Numbers) -> str:
    if numbers.peak < levels.FULL_SCALE:
        return ""
    return (
        f"The loudest parts are cut off (peak {numbers.peak:.0%} of full scale): turn the microphone down, "
        "or speak from further away."
    )


def _too_quiet(numbers: Numbers) -> str:
    if numbers.rms_dbfs >= QUIET_DBFS:
        return ""
    return (
        f"It is too quiet ({numbers.rms_dbfs:.0f} dBFS, wanted are {QUIET_DBFS:.0f} to {HOT_DBFS:.0f}): "
        "come closer, or turn the microphone up."
    )


def _noisy(numbers: Numbers) -> str:
    if numbers.range_db >= NOISY_DB or numbers.speech_s < LEAST_SPEECH_S:
        return ""
    return (
        f"There is noise behind the voice (it is only {numbers.range_db:.0f} dB louder, wanted are {NOISY_DB:.0f}): "
        "find a quieter place, or turn off fans and music."
    )


def _echo(numbers: Numbers) -> str:
    if numbers.fall_db is None or numbers.fall_db >= ECHO_BELOW_DB or numbers.speech_s < LEAST_SPEECH_S:
        return ""
    return (
        f"The room echoes (the voice falls by {numbers.fall_db:.0f} dB at the ends of words, wanted are "
        f"{ECHO_BELOW_DB:.0f}): come closer to the microphone, or record where there are curtains and cushions."
    )


def _too_short(numbers: Numbers) -> str:
    if numbers.duration_s < GOOD_S:
        return f"It is {numbers.duration_s:.0f} s long: a voice becomes better with 20 to 30 s."
    if numbers.speech_s < GOOD_SPEECH_S:
        return f"Only {numbers.speech_s:.0f} of {numbers.duration_s:.0f} s are speech: leave out the long pauses."
    return ""


def _too_hot(numbers: Numbers) -> str:
    if numbers.rms_dbfs <= HOT_DBFS:
        return ""
    return (
        f"It is very loud ({numbers.rms_dbfs:.0f} dBFS, wanted are {QUIET_DBFS:.0f} to {HOT_DBFS:.0f}): "
        "turn the microphone down a little."
    )
