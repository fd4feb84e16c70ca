"""The loudspeaker: what the player asks of one (`AudioOutput`), and the real one through PortAudio.

The only module that imports sounddevice, and only when a device is wanted, so that the program starts without PortAudio.
Knows nothing of what is played: it asks `fill` for samples. Every PortAudio call that may wait for the device runs with
a time limit on a helper thread, because a device that vanished can hold such a call for ever.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from pocketvoice.audio.alsa import quiet_alsa
from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.limited import CALL_S, limited, try_limited
from pocketvoice.audio.portaudio_errors import reason, told_import_errors
from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.resampling import ResamplingPump
from pocketvoice.playback.silence import SilenceWatch

log = logging.getLogger(__name__)

LATENCY_S = 0.1
"""The latency asked of the device: enough for a busy machine, short enough for a prompt stop."""

LOST_S = 3.0
"""No request for sound in so long: the device is gone. A headset that wakes up needs up to two seconds."""

_WAKING_S = 1.0
"""A device may take its first samples at once and then sleep on for a moment."""

_SCRATCH = 8192  # samples filled at a time; callbacks ask for a few hundred to a few thousand

Fill = Callable[[Samples], int]
"""Fills the array with the next samples, or silence; called on the audio thread: it must not wait."""


class AudioOutput(Protocol):
    """Plays the mono sound that a `fill` function hands out. One owner thread calls the methods, anyone the properties."""

    def start(self, fill: Fill, sample_rate: int) -> None:
        """Opens the device and begins to ask `fill` for sound; raises AudioDeviceError."""

    def stop(self) -> None:
        """Plays out what the device holds, then rests."""

    def abort(self) -> None:
        """Drops what the device holds, and rests at once."""

    def close(self) -> None:
        """Gives the device back. Twice does no harm, and it never waits long."""

    def wait(self, seconds: float) -> None:
        """Lets so much of the device's time pass."""

    @property
    def latency_s(self) -> float:
        """Time from handing out a sample to hearing it."""

    @property
    def played(self) -> int:
        """How many of the samples handed out since `start`, silence included, were heard."""

    @property
    def failure(self) -> AudioDeviceError | None:
        """Why the device plays no more although nobody stopped it."""


@dataclass(frozen=True)
class DeviceInfo:
    """A device that can play sound."""

    index: int
    """PortAudio's number; changes when devices come and go."""
    name: str
    host_api: str
    """The sound system it belongs to: ALSA, Core Audio, Windows WASAPI ..."""
    channels: int
    default_rate: int
    """The rate it runs at by itself, Hz."""
    is_default: bool


_looking = threading.Lock()  # held while PortAudio's list of devices is read, used or made anew
_open_streams: set[int] = set()  # ids of the outputs whose stream is open; added to under _looking


@contextmanager
def _exclusively() -> Iterator[None]:
    """PortAudio must not be started anew while someone looks at its devices; a hung one is not waited for."""
    if not _looking.acquire(timeout=CALL_S):
        raise _sound_system_hangs()
    try:
        yield
    finally:
        _looking.release()


def list_devices() -> list[DeviceInfo]:
    """The devices that can play; raises AudioDeviceError if PortAudio is missing."""
    sounddevice = _sounddevice()
    with _exclusively():
        return _listed(sounddevice)


def _listed(sounddevice: Any) -> list[DeviceInfo]:
    try:
        apis = sounddevice.query_hostapis()
        default = sounddevice.default.device[1]
        devices = list(sounddevice.query_devices())
    except sounddevice.PortAudioError as exc:
        raise AudioDeviceError(
            f"The sound devices can't be listed: {reason(exc)}.", detail=repr(exc)
        ) from exc
    return [
        DeviceInfo(
            index,
            str(device["name"]),
            str(apis[device["hostapi"]]["name"]),
            int(device["max_output_channels"]),
            int(device["default_samplerate"]),
            index == default,
        )
        for index, device in enumerate(devices)
        if device["max_output_channels"] > 0
    ]


def refresh_devices() -> None:
    """Has PortAudio look for devices again: it knows those that were there at its start. Does nothing while one is open."""
    sounddevice = _sounddevice()

    def again() -> None:
        sounddevice._terminate()
        sounddevice._initialize()

    with _exclusively():
        if not _open_streams:
            try_limited(again, "look for devices")


def default_device() -> DeviceInfo | None:
    """The device that sound goes to unless another is named; None if there is none."""
    return next((device for device in list_devices() if device.is_default), None)


class SoundDeviceOutput:
    """A loudspeaker through PortAudio."""

    def __init__(
        self, device: str | int | None = None, *, latency_s: float = LATENCY_S, lost_s: float | None = None
    ) -> None:
        """`device` is a name, a part of one, or a number of `list_devices`; None is the default device.

        A device that asks for no sound for `lost_s` (`LOST_S`) is lost; while it wakes up, at first, it has `LOST_S`.
        """
        self._device = int(device) if isinstance(device, str) and device.isdecimal() else device  # set once
        self._asked_latency_s = latency_s  # set once
        self._lost_s = lost_s  # set once
        self._stream: Any = None  # owner
        self._pump: ResamplingPump | None = None  # owner
        self._fill: Fill = _no_sound  # set before the stream starts
        self._rate = 1  # of the device; set before the stream starts
        self._scratch = np.zeros(_SCRATCH, np.float32)  # callback thread only
        self._given = 0  # callback thread only
        self._stamp = (0, 0.0)  # callback: (samples given, monotonic time when the last of them is heard)
        self._called_at = 0.0  # callback, and start: monotonic time of the last sign of life
        self._started_at = 0.0  # owner: monotonic time of the start
        self._running = False  # owner: whether callbacks are expected
        self._silence = SilenceWatch()  # whoever asks for `failure`: the owner
        self._error: AudioDeviceError | None = None  # callback or owner; the first one stays

    @property
    def latency_s(self) -> float:
        """As reported by the device once it is open."""
        stream = self._stream
        return float(stream.latency) if stream is not None else self._asked_latency_s

    @property
    def played(self) -> int:
        """Counted by the device's own clock where it tells one."""
        given, heard_at = self._stamp
        device_played = max(0, given - max(0, int((heard_at - time.monotonic()) * self._rate)))
        return device_played if self._pump is None else self._pump.played(device_played)

    @property
    def failure(self) -> AudioDeviceError | None:
        """The device's own error, or that it asked for no sound for too long."""
        now = time.monotonic()
        is_awake = self._called_at - self._started_at > _WAKING_S
        limit_s = self._lost_s if is_awake and self._lost_s is not None else LOST_S
        if self._error is None and self._running and self._silence.is_lost(now, self._called_at, limit_s):
            self._error = AudioDeviceError(
                "The sound device no longer plays: check that it is connected, or choose another."
            )
        return self._error

    def start(self, fill: Fill, sample_rate: int) -> None:
        """Opens the device at `sample_rate` or, if it refuses, at its own rate with a resampler in between."""
        self.close()
        sounddevice = _sounddevice()
        self._error, self._given, self._stamp = None, 0, (0, time.monotonic())
        with _exclusively():
            self._stream = self._opened(sounddevice, sample_rate)
            _open_streams.add(id(self._stream))
        self._rate = int(self._stream.samplerate)
        self._fill = fill
        if self._rate != sample_rate:
            log.info("the sound device runs at %d Hz: resampling", self._rate)
            self._pump = ResamplingPump(fill, sample_rate, self._rate)
            self._fill = self._pump.ring.read_into
            self._pump.start()
        self._started_at = self._called_at = time.monotonic()
        self._running = True
        try:
            limited(self._stream.start, "start")
        except AudioDeviceError:
            self.close()
            raise

    def stop(self) -> None:
        """Plays out what the device holds, then rests."""
        self._end("stop")

    def abort(self) -> None:
        """Drops what the device holds, and rests at once."""
        self._end("abort")

    def close(self) -> None:
        """Gives the device back; a device that does not answer is left behind."""
        answers = self._end("abort")
        stream, self._stream = self._stream, None
        if self._pump is not None:
            self._pump.close()
            self._pump = None
        if stream is not None and answers and try_limited(stream.close, "close"):
            _open_streams.discard(id(stream))

    def wait(self, seconds: float) -> None:
        """Sleeps so long: the device plays by itself."""
        time.sleep(seconds)

    def _end(self, how: str) -> bool:
        """Ends the stream if it runs; False if the device does not answer."""
        if not self._running:
            return True
        self._running = False
        return try_limited(getattr(self._stream, how), how)

    def _opened(self, sounddevice: Any, sample_rate: int) -> Any:
        """A stream at `sample_rate` or else the device's own rate, mono or else stereo."""
        try:
            info = sounddevice.query_devices(self._device, "output")
        except (ValueError, sounddevice.PortAudioError) as exc:
            raise _no_device(self._device, exc) from exc
        rates = dict.fromkeys((sample_rate, int(info["default_samplerate"])))
        refusal: Exception | None = None
        for rate, channels in [(rate, channels) for rate in rates for channels in (1, 2)]:
            try:
                return limited(partial(self._open_stream, sounddevice, rate, channels), "open")
            except sounddevice.PortAudioError as exc:
                log.debug("the sound device refused %d Hz, %d channels: %s", rate, channels, exc)
                refusal = refusal or exc
        raise AudioDeviceError(
            f"The sound device {info['name']} can't be opened: {reason(refusal)}. "
            "Close the programs that use it, or choose another.",
            detail=repr(refusal),
        ) from refusal

    def _open_stream(self, sounddevice: Any, rate: int, channels: int) -> Any:
        return sounddevice.OutputStream(
            samplerate=rate,
            channels=channels,
            dtype="float32",
            device=self._device,
            latency=self._asked_latency_s,
            callback=self._callback,
            finished_callback=self._on_finished,
        )

    def _callback(self, outdata: Any, frames: int, time_info: Any, _status: Any) -> None:
        """PortAudio's thread: copies, pads and counts, nothing else."""
        now = time.monotonic()
        try:
            for start in range(0, frames, _SCRATCH):
                piece = self._scratch[: min(_SCRATCH, frames - start)]
                self._fill(piece)
                outdata[start : start + len(piece)] = piece[:, None]
        except Exception as exc:  # outermost loop of a foreign thread
            outdata[:] = 0
            self._error = self._error or AudioDeviceError("The sound could not be played.", detail=repr(exc))
        delay_s = time_info.outputBufferDacTime - time_info.currentTime
        if not 0 < delay_s < 10:  # some drivers leave the times at zero
            delay_s = self._asked_latency_s
        self._given += frames
        self._stamp = (self._given, now + delay_s + frames / self._rate)
        self._called_at = now

    def _on_finished(self) -> None:
        """PortAudio's thread: the stream ended; if nobody asked for it, the device is gone."""
        if self._running and self._error is None:
            self._error = AudioDeviceError(
                "The sound device stopped: check that it is connected, or choose another."
            )


def _no_sound(out: Samples) -> int:
    out[:] = 0.0
    return 0


_import_hung = False  # a second try would wait for the first


def _sounddevice() -> Any:
    """The module; raises AudioDeviceError if it or the PortAudio library is missing, or the sound system hangs."""
    if _import_hung:
        raise _sound_system_hangs()
    quiet_alsa()
    with told_import_errors():
        return _import_in_time() if sys.platform.startswith("linux") else _import()


def _import_in_time() -> Any:
    """PortAudio looks at all devices at its start, and on Linux waits for a sound server that does not answer."""
    global _import_hung
    try:
        return limited(_import, "import", limit_s=5.0)
    except AudioDeviceError as exc:
        _import_hung = True
        raise _sound_system_hangs() from exc


def _import() -> Any:
    import sounddevice

    return sounddevice


def _sound_system_hangs() -> AudioDeviceError:
    return AudioDeviceError("The sound system does not answer: restart it, or write to a file instead.")


def _no_device(wanted: str | int | None, exc: Exception) -> AudioDeviceError:
    if wanted is None:
        return AudioDeviceError("There is no sound device on this computer: connect one.", detail=repr(exc))
    return AudioDeviceError(
        f"There is no sound device {wanted!r}: `pocketvoice doctor` lists them.", detail=repr(exc)
    )
