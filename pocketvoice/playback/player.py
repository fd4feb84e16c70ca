"""Plays one stream of sound after the other through an output, and knows what was heard of it.

Knows nothing of text, engine or devices beyond `AudioOutput`. One feeding thread calls `start`, `feed`, `discard_after`, `drain`
and `close`; any thread, and a signal handler, may call `abort` and read the properties. The output's audio thread only
reads the buffer.
"""

import enum
import logging
from types import TracebackType
from typing import Self

from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.buffer import POLL_S, PlaybackBuffer
from pocketvoice.playback.output import AudioOutput

log = logging.getLogger(__name__)

FADE_S = 0.01
"""The fade at a stop: long enough not to click, too short to be heard as sound."""
BUFFER_S = 20.0
"""How far the engine may run ahead of the ear: a failed take of this length can still be dropped unheard."""

_FADED_OUT_S = 0.5  # the longest that close waits for the fade of an abort


class PlayerState(enum.Enum):
    """What the player does; only `Player._change` sets it."""

    IDLE = "idle"
    """No device is open, nothing is played."""
    PLAYING = "playing"
    """The device runs; sound is fed and played."""
    DRAINING = "draining"
    """All sound was fed; the rest of it is being played."""
    FINISHED = "finished"
    """Everything that was fed was heard."""
    STOPPED = "stopped"
    """The user stopped it; nothing more of this stream is heard."""
    FAILED = "failed"
    """The device failed; what was heard until then is known."""


class Player:
    """Feeds an output from a bounded buffer. As a context manager it closes the output at the end."""

    def __init__(self, output: AudioOutput, sample_rate: int, *, buffer_s: float = BUFFER_S) -> None:
        self.sample_rate = sample_rate
        """Of what is fed, in Hz."""
        self._output = output  # set once; the feeding thread calls it
        self._buffer = PlaybackBuffer(int(buffer_s * sample_rate), int(FADE_S * sample_rate))  # set once
        self._state = PlayerState.IDLE  # set by _change
        self._running = False  # feeding thread: the device is open
        self._heard = 0  # anyone; only grows within a stream

    @property
    def state(self) -> PlayerState:
        """What the player does now."""
        return self._state

    @property
    def position(self) -> int:
        """Position of the next sample to be fed, counted from the start of the stream."""
        return self._buffer.written

    @property
    def heard_s(self) -> float:
        """How much of the stream has left the loudspeaker, in seconds."""
        read, given = self._buffer.progress
        self._heard = max(self._heard, read - max(0, given - self._output.played))
        return self._heard / self.sample_rate

    @property
    def underruns(self) -> int:
        """How often the stream broke off because sound came too late."""
        return self._buffer.underruns

    def start(self) -> None:
        """Begins a new stream at position 0, opening the device if need be; raises AudioDeviceError.

        Calling it before there is sound wakes up a device that sleeps. `feed` calls it where it was not called.
        """
        if self._running and self._output.failure is not None:
            self.close()
        self._buffer.reset()
        self._heard = 0
        if not self._running:
            self._buffer.device_started()
            try:
                self._output.start(self._buffer.read_into, self.sample_rate)
            except AudioDeviceError:
                self._change(PlayerState.FAILED)
                raise
            self._running = True
        self._change(PlayerState.PLAYING)

    def feed(self, samples: Samples) -> bool:
        """Queues samples, waiting while the buffer is full; False if the stream was stopped: feed no more.

        Raises AudioDeviceError if the device fails.
        """
        if self._state in (PlayerState.IDLE, PlayerState.FINISHED):
            self.start()
        self._check_output()
        if self._buffer.aborted:
            return False
        return self._buffer.write(samples, wait=self._wait) == len(samples) and not self._buffer.aborted

    def discard_after(self, sample_position: int) -> int:
        """Drops what was fed from this position on and is not yet with the device; returns how many samples.

        The stream goes on at `position`, which is later than asked for if the device already has some of it.
        """
        return self._buffer.discard_after(sample_position)

    def drain(self) -> bool:
        """Waits until everything fed was heard; False if the stream was stopped. Raises AudioDeviceError."""
        if self._state is not PlayerState.PLAYING:
            return not self._buffer.aborted
        self._buffer.finish()
        self._change(PlayerState.DRAINING)
        total_s = self._buffer.written / self.sample_rate
        while self.heard_s < total_s and not self._buffer.aborted:
            self._wait()
        if self._buffer.aborted:
            return False
        self._change(PlayerState.FINISHED)
        return True

    def abort(self) -> None:
        """Stops the sound: a fade of 10 ms, then silence, and `feed` refuses more until the next `start`.

        Returns at once; what the device already holds is still heard, for as long as its latency.
        """
        self._buffer.abort()
        if self._state is not PlayerState.FAILED:
            self._change(PlayerState.STOPPED)

    def close(self) -> None:
        """Gives the device back, after a fade if the stream was stopped. Twice does no harm."""
        if not self._running:
            return
        self._running = False
        try:
            if self._state in (PlayerState.PLAYING, PlayerState.DRAINING):
                self.abort()
            self._wait_for_fade()
        finally:
            if self._output.failure is None:
                self._output.stop()
            self._output.close()
            self._change(PlayerState.IDLE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self) -> None:
        self._check_output()
        self._output.wait(POLL_S)

    def _check_output(self) -> None:
        if self._output.failure is not None:
            raise self._failed(self._output.failure)

    def _failed(self, error: AudioDeviceError) -> AudioDeviceError:
        self._change(PlayerState.FAILED)
        return error

    def _wait_for_fade(self) -> None:
        """Until the fade is with the device; a device that hangs or failed is not waited for."""
        waited_s = 0.0
        while self._buffer.aborted and not self._buffer.faded_out and waited_s < _FADED_OUT_S:
            if self._output.failure is not None:
                return
            self._output.wait(POLL_S)
            waited_s += POLL_S

    def _change(self, to: PlayerState) -> None:
        """The one place that sets the state. An abort wins: a stream that was stopped neither drains nor finishes."""
        old = self._state
        if self._buffer.aborted and to in (PlayerState.DRAINING, PlayerState.FINISHED):
            to = PlayerState.STOPPED
        if to is not old:
            self._state = to
            log.debug("player: %s -> %s", old.value, to.value)
