"""A bounded ring of mono sound between the thread that makes it and the callback that plays it.

Positions are absolute: sample 0 is the first one written since `reset`. Knows nothing of devices; whether silence was an
end or an underrun is told to it by `finish`. Three kinds of thread meet here, and each field says whose it is:
the writer (one thread: `write`, `discard_after`, `finish`, `reset`), the audio callback (`read_into`), and anyone (`abort`,
the properties). `abort` only sets a flag, so a signal handler may call it. Under Python's lock a plain attribute is written
and read whole; the one moment where the writer moves a position that the callback also moves has a lock that the
callback merely tries.
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
        self._ring = np.zeros(capacity, np.float32)  # free part: writer; filled part: callback
        self._ramp = np.linspace(1, 0, max(1, fade), dtype=np.float32)  # set once
        self._lock = threading.Lock()  # guards _read and _written where the writer moves them back
        self._written = 0  # writer; moved back only under _lock
        self._read = 0  # callback, under _lock
        self._faded = 0  # callback: how far along _ramp it is
        self._given = 0  # callback: samples handed out since the device started, silence included
        self._progress = (0, 0)  # callback: (position read, _given after the last real sample)
        self._short = False  # callback: the last read ran dry
        self._underruns = 0  # callback
        self._padded = 0  # callback: samples of silence played in underruns
        self._finished = False  # writer
        self._aborted = False  # anyone sets it, only reset clears it

    @property
    def capacity(self) -> int:
        """Samples that fit."""
        return len(self._ring)

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
    def aborted(self) -> bool:
        """Whether `abort` was called since the last `reset`."""
        return self._aborted

    @property
    def faded_out(self) -> bool:
        """Whether nothing more of an aborted sound will be read."""
        return self._aborted and (self._faded >= len(self._ramp) or self._read >= self._written)

    def write(
        self, samples: Samples, *, wait: Callable[[], None] = _sleep, timeout_s: float | None = None
    ) -> int:
        """Appends samples, calling `wait` while there is no room; returns how many went in.

        Fewer than given went in if the buffer was aborted or the time is over. `wait` may raise to give up.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
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
        """Nothing more will be written: silence after the last sample is the end and no underrun."""
        self._finished = True

    def discard_after(self, position: int) -> int:
        """Drops what was not yet read from `position` on; returns how many samples that were."""
        with self._lock:
            kept = min(self._written, max(position, self._read))
            dropped = self._written - kept
            self._written = kept
        return dropped

    def abort(self) -> None:
        """Fades out what is being read, then there is silence; what is written afterwards is refused. Never waits."""
        self._aborted = True

    def reset(self) -> None:
        """Empties the buffer for a new sound that begins at position 0."""
        with self._lock:
            self._written = self._read = self._faded = 0
            self._underruns = self._padded = 0
            self._progress = (0, self._progress[1])
            self._short = self._finished = self._aborted = False

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
        start = self._written % self.capacity
        first = min(len(samples), self.capacity - start)
        self._ring[start : start + first] = samples[:first]
        self._ring[: len(samples) - first] = samples[first:]
        self._written += len(samples)  # last: only now the callback may see them
        return len(samples)

    def _take(self, out: Samples) -> int:
        aborted = self._aborted
        count = min(len(out), self._written - self._read)
        if aborted:
            count = min(count, len(self._ramp) - self._faded)
        start = self._read % self.capacity
        first = min(count, self.capacity - start)
        out[:first] = self._ring[start : start + first]
        out[first:count] = self._ring[: count - first]
        if aborted:
            np.multiply(out[:count], self._ramp[self._faded : self._faded + count], out=out[:count])
            self._faded += count
        self._read += count
        return count

    def _count_underrun(self, got: int, missing: int) -> None:
        """An underrun begins where sound was being read, more is to come, and there is none."""
        if self._finished or self._aborted or not self._read or not missing:
            self._short = False
            return
        self._padded += missing
        if got or not self._short:
            self._underruns += 1
        self._short = True
