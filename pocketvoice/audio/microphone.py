"""What a microphone's sound is turned into while it comes: one channel, levels, seconds of speech. numpy, one thread, no device."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pocketvoice.audio import levels
from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.voice_activity import FRAME_S, VoiceActivity

_METER_S = 0.3  # the level is shown over so much: long enough to read, short enough to follow speech
_DEAD = 0.01  # of the energy of the loudest channel: 20 dB below, nothing is plugged in there
_RECENT_FRAMES = int(4 / FRAME_S)
_NOW_FRAMES = 10  # 0.2 s


class Mixdown:
    """Several channels to one: their mean, but without dead ones, and without those that would cancel each other."""

    def __init__(self, channels: int) -> None:
        self._products = np.zeros((channels, channels))

    def listen(self, block: npt.NDArray[np.float32]) -> None:
        """Learns from a block (T, channels) how loud the channels are and whether they go together."""
        swing = block.astype(np.float64) - block.mean(axis=0, dtype=np.float64)
        self._products += swing.T @ swing

    def mixed(self, block: npt.NDArray[np.float32]) -> Samples:
        """A block (T, channels) as one channel (T,), mixed by what was heard so far."""
        return np.ascontiguousarray(block @ self._weights())

    def _weights(self) -> npt.NDArray[np.float32]:
        energy = self._products.diagonal()
        loudest = int(np.argmax(energy))
        # Correlation with the loudest channel: one wired the other way round would take its sound away.
        alike = self._products[loudest] > -0.2 * np.sqrt(energy * energy[loudest] + 1e-30)
        used = (energy >= _DEAD * energy[loudest]) & alike
        used[loudest] = True
        return np.asarray(used / used.sum(), np.float32)


@dataclass(frozen=True)
class Reading:
    """What a meter shows at one moment."""

    speech_s: float
    """Seconds of speech since the start."""
    is_speech: bool
    """Whether there was any in the last 0.2 s."""
    rms_dbfs: float
    """Over the last 0.3 s."""
    peak_dbfs: float
    """Since it was read last, of the loudest channel."""
    clipped: bool
    """Whether full scale was reached since the start."""
    speech_dbfs: float | None
    """RMS level of the speech of the last 4 s; None if there was hardly any."""
    silent_s: float
    """Seconds since the last speech, or since the start."""


class SpeechMeter:
    """Measures a recording while it goes on: levels in dBFS, and how much of it is speech."""

    def __init__(self, sample_rate: int) -> None:
        self._activity = VoiceActivity(sample_rate)
        self._newest = np.zeros(int(_METER_S * sample_rate), np.float32)
        self._peak = 0.0
        self._clipped = False

    def add(self, samples: Samples, peak: float) -> None:
        """Takes the next piece, (T,), and the peak amplitude of its loudest channel before it was mixed."""
        self._activity.add(samples)
        self._newest = np.concatenate([self._newest, samples])[-len(self._newest) :]
        self._peak = max(self._peak, peak)
        self._clipped = self._clipped or peak >= levels.FULL_SCALE

    def read(self, last: bool = False) -> Reading:
        """What it shows now; with `last`, at the end, the sound still held by the resampler is counted too."""
        if last:
            self._activity.add(np.zeros(0, np.float32), last=True)
        speech = self._activity.frames()
        peak, self._peak = self._peak, 0.0
        spoken = np.flatnonzero(speech)
        return Reading(
            speech_s=FRAME_S * len(spoken),
            is_speech=bool(speech[-_NOW_FRAMES:].any()),
            rms_dbfs=levels.rms_dbfs(self._newest),
            peak_dbfs=levels.dbfs(peak),
            clipped=self._clipped,
            speech_dbfs=self._speech_dbfs(speech),
            silent_s=FRAME_S * (len(speech) - 1 - int(spoken[-1]) if len(spoken) else len(speech)),
        )

    def _speech_dbfs(self, speech: npt.NDArray[np.bool_]) -> float | None:
        recent = self._activity.levels()[-_RECENT_FRAMES:][speech[-_RECENT_FRAMES:]]
        if len(recent) < _RECENT_FRAMES // 8:
            return None
        return float(10 * np.log10(np.mean(10 ** (recent / 10))))
