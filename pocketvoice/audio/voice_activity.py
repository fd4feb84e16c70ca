"""Where in a sound someone speaks: by level over the noise, and by the pitch that voices have. numpy; for one thread at a time.

Works at 8 kHz in frames of 20 ms, so that a recording and a file are judged alike. Typing, clapping, hiss and hum are not
speech; gusts of wind and music with a melody may pass for it, and so does a television.
"""

import numpy as np
import numpy.typing as npt

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.resample import QUALITY

FRAME_S = 0.02
"""Length of a frame, in seconds."""

_RATE = 8_000
_HOP = int(FRAME_S * _RATE)
_WINDOW = 2 * _HOP  # 40 ms hold two periods of the lowest voice
_LAGS = slice(_RATE // 400, _RATE // 70)  # pitch of 70 to 400 Hz
_PERIODIC = 0.5  # of the energy repeats after one period
_LEAST_DBFS = -55.0  # quieter is not speech, whatever the noise is
_OVER_NOISE_DB = 9.0
_NOISE_FRAMES = 500  # the noise is what the quietest tenth of 10 s is
_NEAR_FRAMES = 15  # consonants are speech within 0.3 s of a voiced sound
_BRIDGED_FRAMES = 15  # so are pauses within a sentence
_LEAST_FRAMES = 8  # 0.16 s
_BATCH = 2_000  # frames at a time: memory
_PIECE = 1 << 20  # samples
_TINY = 1e-12

Flags = npt.NDArray[np.bool_]
Levels = npt.NDArray[np.float32]


class VoiceActivity:
    """Listens to a sound as it comes, and tells of each frame whether it is speech and how loud."""

    def __init__(self, sample_rate: int) -> None:
        import soxr

        self._stream = soxr.ResampleStream(sample_rate, _RATE, 1, dtype="float32", quality=QUALITY)
        self._rest: Samples = np.zeros(_WINDOW - _HOP, np.float32)
        self._levels: list[Levels] = []
        self._voiced: list[Flags] = []

    def add(self, samples: Samples, last: bool = False) -> None:
        """The next piece, mono (T,), of any length; `last` brings out what the resampler still holds."""
        sound = np.concatenate([self._rest, self._stream.resample_chunk(samples, last=last)])
        count = max(0, (len(sound) - _WINDOW) // _HOP + 1)
        for first in range(0, count, _BATCH):
            self._look_at(sound, first, min(count, first + _BATCH))
        self._rest = sound[count * _HOP :]

    def frames(self) -> Flags:
        """For each whole 20 ms so far whether it is speech; later sound may change the last 0.3 s."""
        return speech_frames(self.levels(), np.concatenate([*self._voiced, np.zeros(0, np.bool_)]))

    def levels(self) -> Levels:
        """The level of each frame in dBFS, without rumble below the voice."""
        return np.concatenate([*self._levels, np.zeros(0, np.float32)])

    def _look_at(self, sound: Samples, first: int, stop: int) -> None:
        piece = sound[first * _HOP : (stop - 1) * _HOP + _WINDOW]
        # The spectrum of power, transformed back, is the autocorrelation: it peaks at the period of a voice. Divided by that of
        # the taper, which makes long lags look weak.
        windows = np.lib.stride_tricks.sliding_window_view(piece, _WINDOW)[::_HOP]
        spectra = np.square(np.abs(np.fft.rfft(windows * _TAPER, _FFT, axis=1)))
        spectra[:, :_RUMBLE] = 0.0
        repeats = np.fft.irfft(spectra, _FFT, axis=1)
        energy = repeats[:, 0] / _TAPER_ENERGY
        self._levels.append((10 * np.log10(energy + _TINY)).astype(np.float32))
        periodic = repeats[:, _LAGS] / _TAPER_REPEATS[_LAGS]
        self._voiced.append(periodic.max(axis=1) > _PERIODIC * energy * _TAPER_ENERGY + _TINY)


_FFT = 512  # more than a window and the longest lag: the autocorrelation must not wrap around
_RUMBLE = int(70 * _FFT / _RATE)  # bins below 70 Hz, the lowest voice
_TAPER = np.hanning(_WINDOW).astype(np.float32)
_TAPER_ENERGY = float(np.square(_TAPER).sum())
_TAPER_REPEATS = np.correlate(_TAPER, _TAPER, "full")[_WINDOW - 1 :] / _TAPER_ENERGY


def activity_of(samples: Samples, sample_rate: int) -> VoiceActivity:
    """What was found in a whole sound, mono (T,), at any rate."""
    activity = VoiceActivity(sample_rate)
    for start in range(0, len(samples), _PIECE):  # the resampler copies what it is given
        activity.add(samples[start : start + _PIECE])
    activity.add(samples[:0], last=True)
    return activity


def speech_frames(levels: Levels, voiced: Flags) -> Flags:
    """Which frames are speech: loud enough over the noise around them, near a voiced sound, and no mere blip."""
    if not len(levels):
        return np.zeros(0, np.bool_)
    loud = is_loud(levels)
    speech = loud & _near(loud & voiced, _NEAR_FRAMES)
    return _without_short(bridged(speech, _BRIDGED_FRAMES), _LEAST_FRAMES)


def is_loud(levels: Levels) -> Flags:
    """Which frames stand out of the noise around them."""
    return np.asarray(levels > np.maximum(noise_floor(levels) + _OVER_NOISE_DB, _LEAST_DBFS))


def noise_floor(levels: Levels, frames: int = _NOISE_FRAMES) -> Levels:
    """The level of the noise at each frame: the 10th percentile of the block of so many frames (10 s) it lies in."""
    if not len(levels):
        return levels
    blocks = [levels[at : at + frames] for at in range(0, len(levels), frames)]
    # A short block at the end may hold no pause: it is judged with the one before it.
    if len(blocks) > 1 and len(blocks[-1]) < frames // 2:
        blocks[-2:] = [np.concatenate(blocks[-2:])]
    return np.concatenate([np.full(len(block), np.percentile(block, 10), np.float32) for block in blocks])


def runs(flags: Flags) -> list[tuple[int, int]]:
    """The (start, stop) of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]


def _near(flags: Flags, reach: int) -> Flags:
    """Flags that are True within `reach` frames of one that is."""
    sums = np.concatenate([[0], np.cumsum(flags)])
    places = np.arange(len(flags))
    return np.asarray(sums[np.minimum(places + reach + 1, len(flags))] > sums[np.maximum(places - reach, 0)])


def bridged(flags: Flags, most: int) -> Flags:
    """The flags with gaps of at most `most` frames between two True closed."""
    closed = flags.copy()
    for start, stop in runs(~flags):
        if start > 0 and stop < len(flags) and stop - start <= most:
            closed[start:stop] = True
    return closed


def _without_short(flags: Flags, least: int) -> Flags:
    """The flags without runs of True of fewer than `least` frames."""
    kept = flags.copy()
    for start, stop in runs(flags):
        if stop - start < least:
            kept[start:stop] = False
    return kept
