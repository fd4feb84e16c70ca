"""How fast and how evenly the model makes sound: measured as it does; the player collects the more the worse it is.

Written by the engine's thread, read by any. Knows no engine.
"""

import time
from collections.abc import Callable

_STARTING_S = 2.0
"""So much sound from the first chunk on counts as the beginning of a speech, where nothing has been collected yet."""
_LEAST_LATE_S = 0.01
_FORGET = 0.8
"""Of what was seen before counts so much the next time."""


class Pace:
    """The speed of one loaded model."""

    def __init__(self) -> None:
        self.made_per_s: float | None = None
        """Seconds of sound made in a second; None if not known yet."""
        self.late_s = 0.0
        """How much too late a chunk has come at the beginning of the last speeches, had the first been played at once."""

    def measured(self, sound_s: float, took_s: float) -> None:
        """So much sound was made in so much time: the newest counts half."""
        if sound_s >= 0.4 and took_s > 0:
            rate = sound_s / took_s
            self.made_per_s = rate if self.made_per_s is None else (self.made_per_s + rate) / 2

    def began(self, late_s: float) -> None:
        """A speech has begun, and its latest chunk came so late."""
        late_s = max(late_s, _FORGET * self.late_s)
        self.late_s = late_s if late_s > _LEAST_LATE_S else 0.0


class Clock:
    """Runs along while the sound of one job is made, from its first chunk on."""

    def __init__(self, pace: Pace, now_s: Callable[[], float] = time.monotonic) -> None:
        self._pace = pace  # set once
        self._now_s = now_s  # set once
        self._lap = now_s()
        self._began: float | None = None  # when the first chunk came
        self._late_s: float | None = 0.0  # of the latest chunk; None: that was told
        self._since, self._since_s = 0.0, 0.0  # what is measured began then, with so much sound
        self._sound_s = 0.0

    def lap_s(self) -> float:
        """Seconds since the last time this was asked."""
        last, self._lap = self._lap, self._now_s()
        return self._lap - last

    def count(self, sound_s: float) -> None:
        """Counts a chunk that has just come, of `sound_s` seconds."""
        now = self._now_s()
        if self._began is None:
            self._began = self._since = now
            self._since_s = sound_s
        elif self._late_s is not None:
            self._late_s = max(self._late_s, now - self._began - self._sound_s)
            if self._sound_s > _STARTING_S:
                self.close()
        self._sound_s += sound_s
        if self._sound_s - self._since_s > 1.0:
            self._pace.measured(self._sound_s - self._since_s, now - self._since)
            self._since, self._since_s = now, self._sound_s

    def close(self) -> None:
        """No more comes; twice does no harm."""
        if self._began is not None and self._late_s is not None:
            self._pace.began(self._late_s)
            self._late_s = None
