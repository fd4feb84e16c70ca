"""Volume with a limiter, and how loud the sound is. Numpy on short blocks; belongs to one thread."""

import numpy as np

from pocketvoice.audio.chunk import Samples

_KNEE = 0.8
"""Amplitudes up to here pass unchanged; above, they are bent to stay below full scale."""
_RAMP_S = 0.01


class Gain:
    """Multiplies by a volume that glides to each new value in 10 ms. Exact at 1, silent at 0; limited above 1."""

    def __init__(self, sample_rate: int) -> None:
        self._step = 1 / (_RAMP_S * sample_rate)
        self._now = 1.0
        self.volume = 1.0
        """0 to 2; may be set from any thread."""

    def apply(self, samples: Samples) -> Samples:
        """The samples at the present volume."""
        goal = self.volume
        if goal == self._now == 1.0 or not len(samples):
            return samples
        is_loud = max(goal, self._now) > 1
        gain = self._gliding(len(samples), goal) if goal != self._now else np.float32(goal)
        louder = np.asarray(samples * gain, dtype=np.float32)
        return limited_peaks(louder) if is_loud else louder

    def _gliding(self, count: int, goal: float) -> Samples:
        direction = self._step if goal > self._now else -self._step
        gains = self._now + direction * np.arange(1, count + 1)
        gains = np.minimum(gains, goal) if goal > self._now else np.maximum(gains, goal)
        self._now = float(gains[-1])
        return np.asarray(gains, dtype=np.float32)


def limited_peaks(samples: Samples) -> Samples:
    """Bends what exceeds the knee, so that nothing exceeds full scale and nothing is cut off with an edge."""
    over = np.abs(samples) - np.float32(_KNEE)
    if not (over > 0).any():
        return samples
    room = np.float32(1 - _KNEE)
    bent = np.float32(_KNEE) + room * np.tanh(np.maximum(over, 0) / room)
    result: Samples = np.where(over > 0, np.sign(samples) * bent, samples).astype(np.float32)
    return result
