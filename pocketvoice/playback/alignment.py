"""Where in the sound of a segment its sentences begin: at the pauses that fit their lengths best. Numpy; pure functions.

The model speaks several short sentences at once and does not say where each begins. Between two sentences a speaker pauses,
longer than at a comma, and about where the number of letters lets one expect it: a boundary is charged for its distance from
there and paid for the length of its pause, and the boundaries in order that come out cheapest are taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketvoice.audio.chunk import Samples

HOP_S = 0.01
"""Loudness is looked at in frames of this length."""
LEAD_S = 0.06
"""A sentence is taken to begin so long before its first loud frame: soft sounds begin words."""

_PAUSE_LETTERS = 5.0  # the pause between two sentences lasts as long as so many letters
_LEAST_PAUSE_S = 0.04
_LONG_PAUSE_S = 0.6  # longer ones count no more
_PAID_PER_S = 14.0
# Of the level of speech: certainly quiet; the most that counts as quiet above a noise floor.
_QUIET, _NOISE = 0.05, 0.16
# How far off the expected place a boundary is likely to be: seconds, and share of the way.
_SPREAD_S, _SPREAD = 0.25, 0.12
_SEARCH_S = 0.3


@dataclass(frozen=True)
class _Place:
    """Where a sentence might begin; in frames."""

    at: int
    expected_at: float  # compared with what is expected
    paid: float


def sentence_offsets(
    samples: Samples, sample_rate: int, letters: Sequence[float], whole_s: float | None = None
) -> list[int]:
    """The sample at which each sentence begins, given their lengths in letters; the first begins at 0.

    `whole_s` is about how long the sound will be, where `samples` is only its beginning; what is not there is estimated.
    """
    hop = max(1, int(HOP_S * sample_rate))
    loudness = _rms(samples, hop)
    loud = np.flatnonzero(~_quiet(loudness))
    if len(letters) < 2 or not len(loud):
        return _in_proportion(len(samples) if whole_s is None else int(whole_s * sample_rate), letters)
    first, last = int(loud[0]), int(loud[-1]) + 1
    stop = last if whole_s is None else max(last, int(whole_s / HOP_S))
    expected = first + (stop - first) * _shares(letters)
    places = _pauses(loudness, first, last)
    return [0, *(place * hop for place in _cheapest(expected, places, loudness, first, stop))]


def _in_proportion(length: int, letters: Sequence[float]) -> list[int]:
    return [int(length * share) for share in (0.0, *_shares(letters))][: len(letters)]


def _shares(letters: Sequence[float]) -> NDArray[np.float64]:
    """Which part of the sound lies before each sentence but the first."""
    weights = np.asarray(letters, np.float64) + _PAUSE_LETTERS
    return np.asarray(np.cumsum(weights)[:-1] / (weights.sum() - _PAUSE_LETTERS))


def _rms(samples: Samples, hop: int) -> NDArray[np.float32]:
    frames = samples[: len(samples) // hop * hop].reshape(-1, hop)
    return np.asarray(np.sqrt(np.mean(np.square(frames), axis=1)), np.float32)


def _quiet(loudness: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which frames are no speech; a noise between the words is not mistaken for it."""
    if not len(loudness) or not loudness.max():
        return np.ones(len(loudness), bool)
    level = float(np.percentile(loudness[loudness > 0.02 * loudness.max()], 80))
    floor = float(np.percentile(loudness, 4))
    return np.asarray(loudness < max(_QUIET * level, min(2.0 * floor, _NOISE * level)))


def _pauses(loudness: NDArray[np.float32], first: int, last: int) -> list[_Place]:
    """Those between two loud frames."""
    quiet = _quiet(loudness[:last])
    edges = np.flatnonzero(np.diff(quiet.astype(np.int8)))
    found = []
    for begin, end in zip(edges + 1, edges[1:] + 1, strict=False):
        length_s = (end - begin) * HOP_S
        if quiet[begin] and begin > first and length_s >= _LEAST_PAUSE_S:
            lead = min(int(LEAD_S / HOP_S), int(end - begin) // 2)
            paid = _PAID_PER_S * min(length_s, _LONG_PAUSE_S)
            found.append(_Place(int(end) - lead, float(end), paid))
    return found


def _cheapest(
    expected: NDArray[np.float64],
    pauses: list[_Place],
    loudness: NDArray[np.float32],
    first: int,
    stop: int,
) -> list[int]:
    """The frame of each boundary: in order, each at a pause or, unpaid, at the quietest frame near its expected place."""
    spread = _SPREAD_S / HOP_S + _SPREAD * np.minimum(expected - first, stop - expected)
    best: list[tuple[float, int, list[int]]] = [(0.0, -1, [])]  # (cost, last frame, frames): the ways so far
    for aim, width in zip(expected, spread, strict=True):
        ways: list[tuple[float, int, list[int]]] = []
        for place in [*pauses, _Place(_quietest(loudness, aim), float(aim), 0.0)]:
            before = min((way for way in best if way[1] < place.at), default=None, key=lambda way: way[0])
            if before is not None:
                cost = before[0] + ((place.expected_at - aim) / width) ** 2 - place.paid
                ways.append((cost, place.at, [*before[2], place.at]))
        best = ways or [(cost, at + 1, [*frames, at + 1]) for cost, at, frames in best]
    return min(best, key=lambda way: way[0])[2]


def _quietest(loudness: NDArray[np.float32], aim: float) -> int:
    """The quietest frame near; where there is no sound yet, the place itself."""
    reach = int(_SEARCH_S / HOP_S)
    start, stop = max(1, int(aim) - reach), int(aim) + reach
    if stop > len(loudness):
        return max(1, int(aim))
    smooth = np.convolve(loudness[start - 1 : stop + 1], np.ones(3), "valid")
    return start + int(smooth.argmin())
