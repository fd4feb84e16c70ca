"""Feeds a device that runs at another rate: a thread of its own pulls the sound, resamples it, and keeps a short ring full.

The audio callback only reads that ring. Knows nothing of devices and players. `start` and `close` belong to the
output's owner, everything else to the pump's own thread.
"""

import logging
import threading
import time
from collections.abc import Callable

import numpy as np

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.resample import QUALITY
from pocketvoice.playback.buffer import POLL_S, PlaybackBuffer

log = logging.getLogger(__name__)

_BLOCK_S = 0.01
_RING_S = 0.06  # what may lie between the player and the device: it delays a stop by as much


class ResamplingPump:
    """Reads `fill` at one rate and offers `ring` at another."""

    def __init__(self, fill: Callable[[Samples], int], from_rate: int, to_rate: int) -> None:
        import soxr

        self.ring = PlaybackBuffer(int(_RING_S * to_rate), fade=1)
        self._fill = fill
        self._block = np.zeros(int(_BLOCK_S * from_rate), np.float32)
        self._stream = soxr.ResampleStream(from_rate, to_rate, 1, dtype="float32", quality=QUALITY)
        self._ratio = to_rate / from_rate
        self._pulled = 0
        self._closing = False  # set once by close
        self._thread = threading.Thread(target=self._run, name="playback-resampler", daemon=True)
        self.failure: Exception | None = None
        """Why the thread ended by itself; written once by it."""

    def start(self) -> None:
        """Begins to pull sound and to fill the ring."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread; what the ring holds stays readable."""
        self._closing = True
        self.ring.abort()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)
        if self.ring.underruns:
            log.info("the resampler was late %d times", self.ring.underruns)

    def played(self, device_played: int) -> int:
        """How many of the pulled samples were heard when the device has played `device_played` of its own."""
        read, given = self.ring.progress
        heard = read - max(0, given - device_played)
        return max(0, min(self._pulled, int(heard / self._ratio)))

    def _run(self) -> None:
        try:
            while not self._closing:
                self._fill(self._block)
                self._pulled += len(self._block)
                self.ring.write(self._stream.resample_chunk(self._block), wait=self._wait)
        except Exception as exc:  # outermost loop of a thread
            log.exception("the resampler failed")
            self.failure = exc

    def _wait(self) -> None:
        time.sleep(POLL_S)
