"""How long a device has not asked for sound, as far as it could have: where nobody has a turn, no device is lost."""

_LOOKS = 4
"""So many looks in a row at least must find no sign before a device counts as lost."""


class SilenceWatch:
    """Adds up the time between looks. A look that comes late counts little: what held it up has held up the device's thread, too.

    It is looked at by one thread, every few milliseconds while sound plays.
    """

    def __init__(self) -> None:
        self._sign_at = 0.0
        self._looked_at = 0.0
        self._silent_s = 0.0

    def is_lost(self, now: float, sign_at: float, limit_s: float) -> bool:
        """Whether there has been no sign of life for `limit_s`; `sign_at` is when the last one came, by the same clock as `now`."""
        if sign_at != self._sign_at:
            self._sign_at, self._silent_s = sign_at, 0.0
        else:
            self._silent_s += min(now - self._looked_at, limit_s / _LOOKS)
        self._looked_at = now
        return self._silent_s > limit_s
