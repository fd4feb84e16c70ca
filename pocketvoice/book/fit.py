"""Whether the sound of a piece fits its text: as long as its letters take at the voice's pace, and with an end of speech.

The pace is the median over the whole book, known when every piece has been spoken once; so it does not depend on the order in
which they were. Pure functions.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import numpy as np

from pocketvoice.audio.chunk import Samples

_HOP_S = 0.02
_QUIET = 0.06  # of the loudest hops' level
_LONG_PAUSE_S = 0.5  # a silence between words counts no longer
_AROUND_S = 0.15  # of a piece's speech, beside its letters
_LONG_LETTERS = 40  # pieces of so many tell the pace
_SHORT_LETTERS = 12  # where there are too few of these, pieces of so many do
_FEWEST = 4
_TOLERANCE = 1.35  # times as long or as short a long piece may be
_TOLERANCE_LETTERS = 8.0  # more for short ones


@dataclass(frozen=True)
class Take:
    """A take of a piece, as far as its fit goes."""

    number: int
    ended: bool
    """Whether the model ended the speech."""
    speech_s: float
    """From the first sound to the last, long pauses cut short."""


def speech_seconds(samples: Samples, sample_rate: int) -> float:
    """How much speech is in a sound: from the first loud moment to the last, of pauses in it half a second each at most."""
    hop = round(_HOP_S * sample_rate)
    hops = len(samples) // hop
    if not hops:
        return 0.0
    level = np.sqrt(np.mean(np.square(samples[: hops * hop].reshape(hops, hop)), axis=1))
    loud = np.flatnonzero(level > max(_QUIET * float(np.percentile(level, 95)), 1e-4))
    if not len(loud):
        return 0.0
    gaps = np.diff(loud) * _HOP_S
    return float(np.minimum(gaps, _LONG_PAUSE_S).sum()) + _HOP_S


def pace(takes: Iterable[tuple[int, Take]]) -> float | None:
    """Letters a second of a voice, by (letters, take) of what it spoke; None if that is too little to tell."""
    ended = [(letters, take.speech_s) for letters, take in takes if take.ended and take.speech_s > _AROUND_S]
    for least in (_LONG_LETTERS, _SHORT_LETTERS):
        rates = [letters / (seconds - _AROUND_S) for letters, seconds in ended if letters >= least]
        if len(rates) >= _FEWEST:
            return median(rates)
    return None


def misfit(letters: int, take: Take, letters_per_s: float | None) -> float:
    """How far off a take's length is: 1 is just accepted, 0 fits; infinite if the speech did not end.

    Without a pace any length fits.
    """
    if not take.ended or take.speech_s <= 0.0:
        return math.inf
    if letters_per_s is None:
        return 0.0
    expected = _AROUND_S + letters / letters_per_s
    return abs(math.log(take.speech_s / expected)) / math.log(
        _TOLERANCE + _TOLERANCE_LETTERS / max(letters, 1)
    )


def best(letters: int, takes: Iterable[Take], letters_per_s: float | None) -> Take:
    """The take that is heard: the first that fits, else the nearest; of several that never ended the one in parts."""
    ordered = sorted(takes, key=lambda take: take.number)
    for take in ordered:
        if misfit(letters, take, letters_per_s) <= 1.0:
            return take
    return min(ordered, key=lambda take: (misfit(letters, take, letters_per_s), -take.number))
