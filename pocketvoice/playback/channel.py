"""From the sound of the store to the sound for the loudspeaker: faded in where it begins in the middle, stretched, at its volume.

Each piece that comes out knows which place of the speech it begins with. Belongs to the player's feeding
thread, but for the volume.
"""

from dataclasses import dataclass

import numpy as np

from pocketvoice.audio.chunk import Samples
from pocketvoice.playback.loudness import Gain
from pocketvoice.playback.store import Cursor
from pocketvoice.playback.tempo import Tempo

_RISE_S = 0.005


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece to be played."""

    samples: Samples
    cursor: Cursor
    """Where its first sample comes from."""
    speed: float


class Channel:
    """One speech on its way, from `begin` to the next `begin`."""

    def __init__(self, sample_rate: int) -> None:
        self.gain = Gain(sample_rate)
        """Its volume may be set from any thread."""
        self._tempo = Tempo(sample_rate)
        self._rise = np.linspace(0, 1, int(_RISE_S * sample_rate), dtype=np.float32)
        self._is_rising = False  # the next piece is to be faded in
        self._base: Cursor | None = None  # where the stretch under way began
        self._out = 0  # samples that came out of it

    @property
    def speed(self) -> float:
        """Seconds of source sound in a second."""
        return self._tempo.speed

    def begin(self, cursor: Cursor) -> None:
        """Sound from another place comes next."""
        self.drop()
        self._is_rising = cursor.offset > 0

    def change_speed(self, speed: float) -> list[Piece]:
        """Goes on at another speed; returns what was still under way."""
        rest = self.flush()
        self._tempo.change(speed)
        return rest

    def take(self, samples: Samples, cursor: Cursor) -> list[Piece]:
        """Takes sound that comes from `cursor`; returns what is ready."""
        if self._is_rising:
            samples = self._risen(samples)
            self._is_rising = False
        if self.speed == 1.0:
            return [Piece(self.gain.apply(samples), cursor, 1.0)]
        if self._base is None:
            self._base, self._out = cursor, 0
        return self._stretched(self._tempo.push(samples))

    def flush(self) -> list[Piece]:
        """What is still under way; the next sound begins a new stretch."""
        pieces = self._stretched(self._tempo.flush())
        self._base = None
        return pieces

    def drop(self) -> None:
        """Forgets what is under way."""
        self._tempo.drop()
        self._base = None

    def _stretched(self, samples: Samples) -> list[Piece]:
        """Where it comes from is counted from the start of the stretch."""
        if self._base is None or not len(samples):
            return []
        base = self._base
        cursor = Cursor(base.segment, base.take, base.offset + int(self._out * self.speed))
        self._out += len(samples)
        return [Piece(self.gain.apply(samples), cursor, self.speed)]

    def _risen(self, samples: Samples) -> Samples:
        risen = samples.copy()
        count = min(len(self._rise), len(samples))
        risen[:count] *= self._rise[:count]
        return risen
