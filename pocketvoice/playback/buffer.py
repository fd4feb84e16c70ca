"""A bounded ring of mono sound between the thread that makes it and the callback that plays it.

Positions are absolute: sample 0 is the first one written since `reset`. Knows nothing of devices; whether silence was an
end or an underrun is told to it by `finish`. Three kinds of thread meet here, and each field says whose it is:
the writer (one at a time: `write`, `discard_after`, `cut`, `finish`, `reset`), the audio callback (`read_into`), and anyone
(`abort`, `paused`, the properties). `abort` and `paused` only set a flag, so a signal handler may use them. Under Python's lock a
plain attribute is written and read whole; the one moment where the writer moves a position that the callback also moves
has a lock that the callback merely tries.
"""

import threading
import time
from collections.abc import Callable

import numpy as np

from pocketvoice.audio.chunk import Samples

POLL_S = 0.005
"""How often a writer looks for room. An event would wake it sooner, but setting one is not safe in a signal handler."""


def _sleep() -> None:
    time.sleep(POLL_S)


class PlaybackBuffer:
    """Sound waiting to be played."""

    def __init__(self, capacity: int, fade: int) -> None:
        """Room for `capacity` samples; after `abort` the sound fades out over `fade` samples."""
        # Behind what was read, `fade` samples stay: a pause plays them again when it ends.
        self._ring = np.zeros(capacity + max(1, fade), np.float32)  # free part: writer; filled part: callback
        self._capacity = capacity  # set once
        self._ramp = np.linspace(1, 0, max(1, fade), dtype=np.float32)  # set once
        self._rise = 1 - self._ramp  # set once: with _ramp it adds up to the sound itself
        self._lock = threading.Lock()  # guards _read and _written where the writer moves them back
        self._written = 0  # writer; moved back only under _lock
        self._read = 0  # callback, under _lock
        self._faded = 0  # callback: how far along _ramp an abort is
        self._held = 0  # callback: samples faded out by a pause, to be faded in again
        self._risen = 0  # callback: how many of them have been
        self._flowing = False  # callback, under _lock: what was read last is what came before `_read`
        self._paused = False  # anyone
        self._given = 0  # callback: samples handed out since the device started, silence included
        self._progress = (0, 0)  # callback: (position read, _given after the last real sample)
        self._short = False  # callback: the last read ran dry
        self._underruns = 0  # callback
        self._padded = 0  # callback: samples of silence played in underruns
        self._finished = False  # writer
        self._aborted = False  # anyone sets it, only reset clears it

    @property
    def capacity(self) -> int:
        """How many samples fit."""
        return self._capacity

    @property
    def written(self) -> int:
        """Position after the last sample written."""
        return self._written

    @property
    def progress(self) -> tuple[int, int]:
        """Position after the last sample read, and how many samples the device had been given by then.

        The second counts silence too, and from the start of the device: compare it with the device's played position.
        """
        return self._progress

    @property
    def underruns(self) -> int:
        """How often the sound broke off because the writer was late."""
        return self._underruns

    @property
    def padded(self) -> int:
        """Samples of silence that were played in underruns."""
        return self._padded

    @property
    def paused(self) -> bool:
        """Whether silence is played instead of what is waiting; stays through `reset`.

        The sound fades out; afterwards it fades in from where the fade began, so that the two make up the whole of it.
        """
        return self._paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._paused = value

    @property
    def aborted(self) -> bool:
        """Whether `abort` was called since the last `reset`."""
        return self._aborted

    @property
    def faded_out(self) -> bool:
        """Whether nothing more of an aborted sound will be heard."""
        return self._aborted and (self._faded >= len(self._ramp) or self._read >= self._written)

    def write(
        self, samples: Samples, *, wait: Callable[[], None] = _sleep, timeout_s: float | None = None
    ) -> int:
        """Appends samples, calling `wait` while there is no room; returns how many went in.

        Fewer than given went in if the buffer was aborted or the time is over. `wait` may raise to give up.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self._finished = False
        done = 0
        while done < len(samples) and not self._aborted:
            room = self.capacity - (self._written - self._read)
            if room:
                done += self._append(samples[done : done + room])
            elif deadline is not None and time.monotonic() >= deadline:
                break
            else:
                wait()
        return done

    def finish(self) -> None:
        """Nothing more will be written, until something is: silence after the last sample is the end and no underrun."""
        self._finished = True

    def discard_after(self, position: int) -> int:
        """Drops what was not yet read from `position` on; returns how many samples that were."""
        with self._lock:
            # Not before `_read`, which lies behind a pause's fade: that comes again whole.
            kept = min(self._written, max(position, self._read))
            dropped = self._written - kept
            self._written = kept
        return dropped

    def cut(self) -> None:
        """Drops what was not yet read but for a fade; what is written next follows it at once."""
        with self._lock:
            silent = not self._flowing or (self._held and not self._risen)
            kept = self._read if silent else min(self._written, self._read + len(self._ramp))
            places = np.arange(self._read, kept) % len(self._ring)
            self._ring[places] *= self._ramp[: kept - self._read]
            self._written = kept
            self._held = self._risen = 0
            self._flowing = self._flowing and kept > self._read

    def device_started(self) -> None:
        """A device begins to read: it counts from 0. Called before it does."""
        self._given = 0
        self._progress = (self._read, 0)

    def abort(self) -> None:
        """Fades out what is being read, then there is silence; what is written afterwards is refused. Never waits."""
        self._aborted = True

    def reset(self) -> None:
        """Empties the buffer for a new sound that begins at position 0."""
        with self._lock:
            self._written = self._read = self._faded = self._held = self._risen = 0
            self._underruns = self._padded = 0
            self._progress = (0, self._progress[1])
            self._short = self._finished = self._aborted = self._flowing = False

    def read_into(self, out: Samples) -> int:
        """Fills `out` with the next samples, and silence where there are none; returns how many are sound.

        For the audio callback: it never waits and allocates no arrays. If the writer is just moving a position, this
        once brings silence.
        """
        got = 0
        if self._lock.acquire(blocking=False):
            try:
                got = self._take(out)
            finally:
                self._lock.release()
        out[got:] = 0.0
        self._given += len(out)
        if got:
            self._progress = (self._read, self._given - (len(out) - got))
        self._count_underrun(got, len(out) - got)
        return got

    def _append(self, samples: Samples) -> int:
        start = self._written % len(self._ring)
        first = min(len(samples), len(self._ring) - start)
        self._ring[start : start + first] = samples[:first]
        self._ring[: len(samples) - first] = samples[first:]
        self._written += len(samples)  # last: only now the callback may see them
        return len(samples)

    def _take(self, out: Samples) -> int:
        if self._aborted:
            return self._take_fading(out)
        if self._held and not self._paused and not self._risen:
            self._read -= self._held
        if self._held and (self._risen or not self._paused):
            risen = self._take_rising(out)
            return risen + (self._take(out[risen:]) if risen < len(out) and not self._held else 0)
        if self._paused:
            return self._take_holding(out) if self._flowing or self._held else 0
        count = self._copy(out, len(out))
        self._flowing = count == len(out)
        return count

    def _take_fading(self, out: Samples) -> int:
        """The end of an aborted sound; one that is paused has faded out already."""
        if self._held and not self._risen:
            self._faded = len(self._ramp)
        count = self._copy(out, len(self._ramp) - self._faded)
        np.multiply(out[:count], self._ramp[self._faded : self._faded + count], out=out[:count])
        self._faded += count
        return count

    def _take_holding(self, out: Samples) -> int:
        """The beginning of a pause."""
        count = self._copy(out, len(self._ramp) - self._held)
        np.multiply(out[:count], self._ramp[self._held : self._held + count], out=out[:count])
        self._held += count
        return count

    def _take_rising(self, out: Samples) -> int:
        """The end of a pause: what it faded out comes again."""
        count = self._copy(out, self._held - self._risen)
        np.multiply(out[:count], self._rise[self._risen : self._risen + count], out=out[:count])
        self._risen += count
        if self._risen == self._held:
            self._held = self._risen = 0
        return count

    def _copy(self, out: Samples, limit: int) -> int:
        count = max(0, min(len(out), self._written - self._read, limit))
        start = self._read % len(self._ring)
        first = min(count, len(self._ring) - start)
        out[:first] = self._ring[start : start + first]
        out[first:count] = self._ring[: count - first]
        self._read += count
        return count

    def _count_underrun(self, got: int, missing: int) -> None:
        """An underrun begins where sound was being read, more is to come, and there is none."""
        if self._finished or self._aborted or self._paused or not self._read or not missing:
            self._short = False
            return
        self._padded += missing
        if got or not self._short:
            self._underruns += 1
        self._short = True
