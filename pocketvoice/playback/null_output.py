"""An ideal loudspeaker without a device, for tests and for machines without sound: it keeps what it plays.

In virtual time it plays only while someone waits or advances it, so that a test of ten seconds takes none and always
ends the same way; in real time a thread plays by the clock. It can be told to fail, to hang, or not to open.
"""

import threading
import time

import numpy as np

from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.output import LOST_S, Fill

_KEPT_S = 600.0  # what is kept of the sound: a forgotten output must not fill the memory


class NullOutput:
    """An ideal device: plays every sample in time and keeps it."""

    def __init__(
        self,
        *,
        latency_s: float = 0.1,
        block_s: float = 0.01,
        real_time: bool = False,
        refuses: str | None = None,
        lost_s: float = LOST_S,
    ) -> None:
        """`refuses` is the sentence of the AudioDeviceError that `start` raises."""
        self._lost_s = lost_s
        self._latency_s = latency_s
        self._block_s = block_s
        self._refuses = refuses
        self._real_time = real_time
        self._rate = 1  # set by start
        self._fill: Fill | None = None  # owner; None while at rest
        self._blocks: list[Samples] = []  # whoever drives the device
        self._given = 0  # whoever drives the device
        self._time_s = 0.0  # virtual device time since start; whoever drives the device
        self._started_at = 0.0  # monotonic; set by start
        self._failure: AudioDeviceError | None = None  # anyone
        self._hung_at_s: float | None = None  # anyone
        self._thread: threading.Thread | None = None  # owner
        self.is_open = False
        """Whether it was started and not closed."""

    @property
    def latency_s(self) -> float:
        """Seconds from handing out a sample to hearing it, as given."""
        return self._latency_s

    @property
    def played(self) -> int:
        """All that was handed out longer than the latency ago."""
        return max(0, min(self._given, round((self._now() - self._latency_s) * self._rate)))

    @property
    def failure(self) -> AudioDeviceError | None:
        """What `fail` was given, or that it hangs for a while now."""
        if (
            self._failure is None
            and self._hung_at_s is not None
            and self._now() - self._hung_at_s > self._lost_s
        ):
            self.fail("The sound device no longer plays: check that it is connected, or choose another.")
        return self._failure

    @property
    def heard(self) -> Samples:
        """Everything that came out of the loudspeaker so far, silence included."""
        blocks = np.concatenate([*self._blocks, np.zeros(0, np.float32)])
        return blocks[: self.played]

    def start(self, fill: Fill, sample_rate: int) -> None:
        """Begins to play; raises AudioDeviceError if it was made to refuse."""
        if self._refuses is not None:
            raise AudioDeviceError(self._refuses)
        self.close()
        self._rate, self._fill, self._failure, self._hung_at_s = sample_rate, fill, None, None
        self._blocks, self._given, self._time_s = [], 0, 0.0
        self._started_at = time.monotonic()
        self.is_open = True
        if self._real_time:
            self._thread = threading.Thread(target=self._run, name="null-output", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Plays out what it holds, then rests."""
        if self._fill is not None and self._failure is None:
            self._rest()
            self.wait(self._latency_s)
        self._rest()

    def abort(self) -> None:
        """Drops what it holds and rests at once."""
        self._rest()
        keep = self.played
        self._blocks = [np.concatenate([*self._blocks, np.zeros(0, np.float32)])[:keep]]
        self._given = keep

    def close(self) -> None:
        """Gives the device back."""
        self._rest()
        self.is_open = False

    def wait(self, seconds: float) -> None:
        """Sleeps in real time; in virtual time lets the device play for so long."""
        if self._real_time:
            time.sleep(seconds)
        else:
            self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Lets so many seconds of virtual time pass."""
        self._time_s += seconds
        self._play_until(self._time_s)

    def fail(self, sentence: str = "The sound device was unplugged: connect it, or choose another.") -> None:
        """Lets the device vanish: it plays no more and says so."""
        self._failure = AudioDeviceError(sentence)

    def hang(self) -> None:
        """The device asks for no more sound, and does not say so."""
        self._hung_at_s = self._now()

    def _now(self) -> float:
        return time.monotonic() - self._started_at if self._real_time else self._time_s

    def _play_until(self, now_s: float) -> None:
        """Asks for each block whose time has come."""
        size = max(1, round(self._block_s * self._rate))
        while self._fill is not None and self._given + size <= now_s * self._rate + 0.5:
            if self._hung_at_s is not None or self._failure is not None:
                return
            block = np.empty(size, np.float32)
            self._fill(block)
            if self._given < _KEPT_S * self._rate:
                self._blocks.append(block)
            self._given += size

    def _run(self) -> None:
        while self._fill is not None:
            self._play_until(self._now())
            time.sleep(self._block_s / 2)

    def _rest(self) -> None:
        self._fill = None
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=1.0)
