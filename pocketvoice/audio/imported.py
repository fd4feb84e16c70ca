"""A sound of any file, on its way to a clip: read at 24 kHz, its best part found, its picture drawn. Any thread; takes seconds.

The best part begins and ends in pauses, holds as much speech as possible in about 25 s, and avoids clipping, noise and
long silences. Keeps no state.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.levels import FULL_SCALE, audible
from pocketvoice.audio.reading import read_audio
from pocketvoice.audio.voice_activity import (
    FRAME_S,
    Flags,
    Levels,
    activity_of,
    bridged,
    is_loud,
    noise_floor,
    runs,
)

MOST_READ_S = 900.0
"""Of a longer file the first quarter of an hour is looked at."""
LEAST_S, BEST_S, MOST_S = 3.0, 25.0, 30.0
"""Lengths of a clip in seconds: at the least, wanted, at the most."""

_SAMPLE_RATE = 24_000
_SHORT_S = 20.0  # shorter windows are for sounds that hold no more
_LEAD_FRAMES = 5  # 0.1 s before the first sound
_TAIL_FRAMES = 8  # 0.16 s after the last one: the room rings out
_PAUSE_FRAMES = 6  # 0.12 s: the closure before a plosive inside a word is shorter
_NOISE_FRAMES = 150  # 3 s hold a pause
_SNAP_S = 0.4


@dataclass(frozen=True, eq=False)
class Source:
    """The sound of a file or a recording, from which a clip is taken."""

    samples: Samples
    """Mono, shape (T,), at `sample_rate`, full scale at -1 and 1."""
    sample_rate: int
    """24000 Hz, whatever the file has."""
    name: str
    """The file's or the device's name, never a path."""
    notes: tuple[str, ...] = ()
    """Sentences for the user: only the first 15 minutes are used ..."""

    @property
    def duration_s(self) -> float:
        """How long it sounds, in seconds."""
        return len(self.samples) / self.sample_rate


def read_source(path: str | Path) -> Source:
    """The sound of an audio or video file; raises MissingFileError or AudioFileError."""
    recording = read_audio(path, max_s=MOST_READ_S, rate=_SAMPLE_RATE)
    notes: tuple[str, ...] = ()
    if recording.cut:
        notes = (f"The file is long: its first {MOST_READ_S / 60:.0f} minutes are used.",)
    return Source(recording.samples, recording.sample_rate, Path(path).name, notes)


@dataclass(frozen=True)
class _Frames:
    """What the best part is chosen by, one entry a frame of 20 ms."""

    speech: Flags
    levels: Levels
    """In dBFS, without rumble below the voice."""
    clipped: Flags
    """Whether a sample of the frame reaches full scale."""
    phrases: list[tuple[int, int]]
    """(start, stop) in frames of what is spoken between two pauses of 120 ms and more."""

    @property
    def count(self) -> int:
        return len(self.speech)


def best_part(samples: Samples, sample_rate: int) -> tuple[int, int]:
    """(start, stop) in samples of the best clip within: about 25 s (at most 30) of speech, well levelled, between pauses."""
    frames = _frames_of(samples, sample_rate)
    length = int(FRAME_S * sample_rate)
    if not frames.speech.any():
        return 0, min(len(samples), int(MOST_S * sample_rate))
    windows = list(_windows(frames))
    scores = _scores(frames, windows)
    start, stop = windows[int(np.argmax(scores))]
    return start * length, min(len(samples), stop * length)


def snapped(samples: Samples, sample_rate: int, start: int, stop: int) -> tuple[int, int]:
    """A window that the user dragged, with its ends moved (at most 0.4 s) into pauses, and no longer than 30 s."""
    start, stop = max(0, min(start, stop)), min(len(samples), max(start, stop))
    stop = min(stop, start + int(MOST_S * sample_rate))
    reach = int(_SNAP_S * sample_rate)
    first, last = max(0, start - reach), min(len(samples), stop + reach)
    frames = _frames_of(samples[first:last], sample_rate)
    length = int(FRAME_S * sample_rate)
    if frames.count < 4 * _LEAD_FRAMES:
        return start, stop
    begin = first + length * _quietest(frames, (start - first) // length)
    end = first + length * _quietest(frames, (stop - first) // length)
    if start == 0 or begin >= end:
        begin = start
    if stop == len(samples) or begin >= end:
        end = stop
    return begin, min(end, begin + int(MOST_S * sample_rate))


def waveform(samples: Samples, columns: int) -> npt.NDArray[np.float32]:
    """The picture of a sound: (columns, 2), least and greatest sample of each column."""
    picture = np.zeros((max(0, columns), 2), np.float32)
    if not len(samples) or columns <= 0:
        return picture
    edges = np.linspace(0, len(samples), columns + 1).astype(np.int64)
    starts = np.minimum(edges[:-1], len(samples) - 1)  # more columns than samples: some are drawn twice
    picture[:, 0] = np.minimum.reduceat(samples, starts)
    picture[:, 1] = np.maximum.reduceat(samples, starts)
    return picture


def _frames_of(samples: Samples, sample_rate: int) -> _Frames:
    activity = activity_of(audible(samples), sample_rate)
    speech, levels = activity.frames(), activity.levels()
    length = int(FRAME_S * sample_rate)
    count = min(len(speech), len(samples) // length)
    pieces = samples[: count * length].reshape(count, length)
    peaks = np.maximum(pieces.max(axis=1, initial=0.0), -pieces.min(axis=1, initial=0.0))
    phrases = runs(bridged(speech & is_loud(levels), _PAUSE_FRAMES - 1)[:count])
    return _Frames(speech[:count], levels[:count], peaks >= FULL_SCALE, phrases)


def _windows(frames: _Frames) -> Iterator[tuple[int, int]]:
    """Yields (start, stop) in frames of the windows to choose from: those of 20 to 30 s between two pauses.

    If all speech fits into one window it is the only one; without pauses they end where it is quietest.
    """
    spoken = runs(frames.speech)
    most, least = int(MOST_S / FRAME_S), int(_SHORT_S / FRAME_S)
    all_of_it = max(0, spoken[0][0] - _LEAD_FRAMES), min(frames.count, spoken[-1][1] + _TAIL_FRAMES)
    if all_of_it[1] - all_of_it[0] <= most:
        yield all_of_it
        return
    starts = [max(0, start - _LEAD_FRAMES) for start, _ in frames.phrases]
    stops = [min(frames.count, stop + _TAIL_FRAMES) for _, stop in frames.phrases]
    found = False
    for start in starts:
        for stop in stops[bisect_left(stops, start + least) : bisect_right(stops, start + most)]:
            found = True
            yield start, stop
    if not found:
        yield from _windows_without_pauses(frames)


def _windows_without_pauses(frames: _Frames) -> Iterator[tuple[int, int]]:
    """Yields a window for each second of the sound, which begins and ends where it is quietest."""
    most, least = int(MOST_S / FRAME_S), int(_SHORT_S / FRAME_S)
    for at in range(0, max(1, frames.count - least), int(1 / FRAME_S)):
        begin = _quietest(frames, at) if at else 0
        levels = frames.levels[begin + least : begin + most]
        yield begin, begin + least + (int(np.argmin(levels)) + 1 if len(levels) else 0)


def _scores(frames: _Frames, windows: list[tuple[int, int]]) -> npt.NDArray[np.float64]:
    """The worth of each window, in seconds of speech, less what clipping, noise and a wrong length cost.

    The weights were tried on long recordings: speech counts most, then clean sound, then the wanted length.
    """
    starts, stops = np.array(windows).T
    duration_s = (stops - starts) * FRAME_S
    speech_s = _within(frames.speech, starts, stops) * FRAME_S
    clipped = _within(frames.clipped, starts, stops)
    loudness = _within(np.where(frames.speech, frames.levels, 0), starts, stops)
    spoken = np.maximum(1, speech_s / FRAME_S)
    usual_db = np.median(frames.levels[frames.speech])
    over_noise_db = np.clip(usual_db - noise_floor(frames.levels, _NOISE_FRAMES), 0, 30)
    unusual_db = np.maximum(0, np.abs(loudness / spoken - usual_db) - 2)
    return np.asarray(
        np.minimum(speech_s, BEST_S)
        - 0.3 * np.abs(duration_s - BEST_S)
        - np.minimum(15, 0.5 * clipped)
        - np.minimum(3, 0.5 * unusual_db)
        + 0.6 * _within(over_noise_db, starts, stops) / (stops - starts)
    )


def _within(
    values: npt.NDArray[Any], starts: npt.NDArray[Any], stops: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """The sum of `values` in each window, shape (windows,)."""
    # Differences of running sums: windows overlap, and there are thousands of them in a long file.
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return np.asarray(sums[stops] - sums[starts])


def _quietest(frames: _Frames, at: int) -> int:
    """The frame within 0.4 s of `at` to cut in: in a pause if there is one, and there near `at`."""
    reach = int(_SNAP_S / FRAME_S)
    places = np.arange(max(0, at - reach), min(frames.count, at + reach + 1))
    if not len(places):
        return at
    # In dB: 60 are more than any difference of levels, so speech is cut only if there is nothing else.
    cost = frames.levels[places] + 60.0 * frames.speech[places] + 0.3 * np.abs(places - at)
    return int(places[int(np.argmin(cost))])
