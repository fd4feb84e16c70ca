"""The device of a player: opened when needed, replaced when lost, given back after a while. Belongs to the feeding thread.

Nothing here waits long for a device: one that hangs is closed on a thread of its own and left behind.
"""

import logging
import threading
import time
from collections.abc import Callable

from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.buffer import PlaybackBuffer
from pocketvoice.playback.devices import DeviceId, OpenOutput
from pocketvoice.playback.output import AudioOutput

log = logging.getLogger(__name__)

GIVE_UP_S = 8.0
"""So long a lost device is looked for before the speech fails."""
_BETWEEN_TRIES_S = 0.25


class _Reader:
    """What one device reads through: a device that was left must not take the sound of the next one when it wakes up."""

    def __init__(self, buffer: PlaybackBuffer) -> None:
        self._buffer = buffer
        self.active = True

    def read_into(self, out: Samples) -> int:
        """Fills `out` for the audio callback: silence once the device was left."""
        if self.active:
            return self._buffer.read_into(out)
        out[:] = 0.0
        return 0


class Loudspeaker:
    """An output that reads from a buffer."""

    def __init__(
        self,
        open_output: OpenOutput,
        buffer: PlaybackBuffer,
        sample_rate: int,
        *,
        look_again: Callable[[], None] | None = None,
        give_up_s: float = GIVE_UP_S,
    ) -> None:
        """`look_again` has the sound system look for new devices; a lost one is looked for during `give_up_s`."""
        self._give_up_s = give_up_s  # set once
        self._open_output = open_output  # set once
        self._buffer = buffer  # set once
        self._sample_rate = sample_rate  # set once
        self._look_again = look_again  # set once
        self._reader = _Reader(buffer)  # of the open device; feeding thread
        self._leaving: threading.Thread | None = None  # closes a lost device; feeding thread
        self.wanted: DeviceId | None = None
        """The chosen device; feeding thread only."""
        self.output: AudioOutput | None = None
        """The open one; written by the feeding thread, its properties may be read by any."""

    @property
    def failure(self) -> AudioDeviceError | None:
        """Why the open device no longer plays."""
        output = self.output
        return output.failure if output is not None else None

    @property
    def unheard(self) -> int:
        """Samples handed to the device that have not left it yet."""
        output = self.output
        return max(0, self._buffer.progress[1] - output.played) if output is not None else 0

    def wait(self, seconds: float) -> None:
        """Lets so much of the device's time pass; while paused, time by the clock."""
        if self.output is None or self._buffer.paused:
            time.sleep(seconds)
        else:
            self.output.wait(seconds)

    def open(self) -> None:
        """Opens the wanted device, unless one is open; raises AudioDeviceError."""
        if self.output is None:
            self._start(self.wanted)

    def close(self) -> None:
        """Gives the device back, if one is open."""
        output, self.output = self.output, None
        if output is not None:
            output.close()

    def leave(self) -> None:
        """Gives up a device that may hang, without waiting for it."""
        output, self.output = self.output, None
        self._reader.active = False
        if output is not None:
            self._leaving = threading.Thread(target=output.close, name="playback-leave", daemon=True)
            self._leaving.start()
            self._leaving.join(0.05)

    def find(self, given_up: Callable[[], bool]) -> DeviceId | None:
        """Opens the wanted device or else the default, trying for a while; returns which one plays.

        Raises AudioDeviceError when there is none, or `given_up` says so.
        """
        deadline = time.monotonic() + self._give_up_s
        while True:
            for device in dict.fromkeys((self.wanted, None)):
                try:
                    self._start(device)
                except AudioDeviceError as exc:
                    log.info("no sound through %s: %s", device.name if device else "the default device", exc)
                    last = exc
                else:
                    return device
            if given_up() or time.monotonic() > deadline:
                raise last
            time.sleep(_BETWEEN_TRIES_S)
            self.refresh()

    def refresh(self) -> None:
        """Has the sound system look for devices that came since it started, unless one is being left."""
        if self._look_again is not None and (self._leaving is None or not self._leaving.is_alive()):
            self._look_again()

    def _start(self, device: DeviceId | None) -> None:
        output = self._open_output(device)
        self._buffer.device_started()
        self._reader = _Reader(self._buffer)
        output.start(self._reader.read_into, self._sample_rate)
        self.output = output
