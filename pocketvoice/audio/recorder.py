"""The microphone: records at the device's own rate and channels, and tells how it goes. One of two places with sounddevice.

Three threads: the owner's (never waits for the device), PortAudio's callback (copies, nothing else), and the recorder's own, which
opens and closes the device, measures, and calls `on_status`.
"""

import atexit
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pocketvoice.audio.alsa import quiet_alsa
from pocketvoice.audio.limited import CALL_S, limited, try_limited
from pocketvoice.audio.portaudio_errors import reason, told_import_errors
from pocketvoice.audio.recording import (
    MOST_S,
    MOST_SPEECH_S,
    TARGET_DBFS,
    WANTED_S,
    Microphone,
    RecordedTake,
    RecorderState,
    Status,
)
from pocketvoice.audio.resample import resample
from pocketvoice.audio.session import Session, gone, nothing
from pocketvoice.errors import AudioDeviceError

log = logging.getLogger(__name__)

__all__ = [
    "MOST_SPEECH_S", "MOST_S", "TARGET_DBFS", "WANTED_S",
    "Microphone", "Recorder", "RecorderState", "Status", "RecordedTake", "microphones",
]  # fmt: skip


_SAMPLE_RATE = 24_000  # Hz: what the models and all clips have
_TICK_S = 0.05  # between two looks at what came: 20 statuses a second
_SLOW_S = 5.0
"""The longest that opening a device may take: headsets wake up."""
_FIRST_S = 4.0
"""A device that gives nothing in so long after it was opened gives nothing at all. Headsets need two seconds to wake up."""
_LOST_S = 1.5
"""One that has given sound, and then none for so long, is gone."""


def microphones() -> list[Microphone]:
    """The devices that can record, the default one first. May wait for the sound system: not on the GUI's thread.

    Raises AudioDeviceError.
    """
    with _exclusively():
        sounddevice = limited(_sounddevice, "import", limit_s=_SLOW_S)
        if not _open_recorders:
            limited(partial(_look_again, sounddevice), "look for devices", limit_s=_SLOW_S)
        found = [microphone for _, microphone in _listed(sounddevice)]
    return sorted(found, key=lambda microphone: not microphone.is_default)


class Recorder:
    """One recording. The owner calls `start`, `stop` or `abort`, and reads `status`; `on_status` comes on the recorder's thread."""

    def __init__(
        self, microphone: Microphone | None = None, on_status: Callable[[Status], None] | None = None
    ) -> None:
        """Opens nothing yet; without a `microphone` it will be the system's default. `on_status` is called on its thread."""
        self._wanted = microphone  # set once
        self._on_status = on_status  # set once
        self._blocks: queue.SimpleQueue[npt.NDArray[np.float32]] = queue.SimpleQueue()
        self._overflowed = False  # callback thread writes
        self._ending = threading.Event()  # owner: to be ended
        self._forgotten = threading.Event()  # owner: `abort`
        self._over = threading.Event()  # recorder's thread: nothing changes any more
        self._closed = threading.Event()  # recorder's thread: the device is given back, or left behind
        self._status = Status(RecorderState.IDLE)  # recorder's thread writes whole ones
        self._session: Session | None = None  # recorder's thread, until it is over

    @property
    def status(self) -> Status:
        """How the recording goes, as last told; may be read from any thread."""
        return self._status

    def start(self) -> None:
        """Begins, and returns at once: RECORDING or FAILED comes as a status."""
        assert self._status.state is RecorderState.IDLE, "a recorder records once"
        self._tell(Status(RecorderState.OPENING))
        threading.Thread(target=self._run, name="recorder", daemon=True).start()

    def stop(self) -> None:
        """Ends it, and returns at once: DONE (or LOST, FAILED) comes as a status."""
        self._ending.set()

    def abort(self) -> None:
        """Ends it and forgets the sound; returns at once, and no status comes any more."""
        self._forgotten.set()
        self._ending.set()

    def take(self, timeout_s: float = 5.0) -> RecordedTake:
        """What was recorded, once the state is DONE or LOST (waits for that); raises AudioDeviceError if there is nothing."""
        if not self._over.wait(timeout_s):
            raise AudioDeviceError("The microphone does not answer: unplug it and plug it in again.")
        session, status = self._session, self._status
        if session is None or not session.blocks:
            raise status.error or AudioDeviceError("Nothing was recorded: try again.")
        samples = session.mixdown.mixed(np.concatenate(session.blocks))
        return RecordedTake(
            samples=resample(samples, session.rate, _SAMPLE_RATE),
            sample_rate=_SAMPLE_RATE,
            device_rate=session.rate,
            device_channels=session.channels,
            device_name=session.name,
            speech_s=status.speech_s,
            is_whole=status.state is RecorderState.DONE and not self._overflowed,
        )

    def wait_until_closed(self) -> None:
        """Waits until the device is given back, but no longer than that may take."""
        self._closed.wait(2 * CALL_S + 1.0)

    # -- the recorder's thread

    def _run(self) -> None:
        try:
            with _exclusively():
                stream, name = limited(self._opened, "open", limit_s=_SLOW_S)
            try:
                self._session = Session(int(stream.samplerate), int(stream.channels), name)
                self._record(self._session)
            finally:
                self._close(stream)
        except AudioDeviceError as exc:
            log.warning("recording: %s (%s)", exc, exc.detail)
            self._fail(exc)
        except Exception as exc:  # outermost loop of a thread
            log.exception("the recorder failed")
            self._fail(AudioDeviceError("The recording failed: try again.", detail=repr(exc)))
        finally:
            self._over.set()
            self._closed.set()

    def _fail(self, error: AudioDeviceError) -> None:
        self._tell(replace(self._status, state=RecorderState.FAILED, error=error))

    def _record(self, session: "Session") -> None:
        """Takes in sound until the owner ends it, it is long enough, or the device is gone."""
        last_sound, limit_s = time.monotonic(), _FIRST_S
        while True:
            ended = self._ending.wait(_TICK_S)
            if self._drain(session):
                last_sound, limit_s = time.monotonic(), _LOST_S
                self._tell(session.status(RecorderState.RECORDING))
            now = self._status
            if ended or now.speech_s >= MOST_SPEECH_S or now.elapsed_s >= MOST_S:
                self._tell(session.status(RecorderState.DONE, last=True) if session.blocks else nothing())
                return
            if time.monotonic() - last_sound > limit_s:
                self._tell(gone(session))
                return

    def _drain(self, session: "Session") -> bool:
        """Takes in what the callback has put there since the last time; False if that is nothing."""
        blocks = []
        while not self._blocks.empty():
            blocks.append(self._blocks.get())
        if blocks:
            session.add(np.concatenate(blocks))
        return bool(blocks)

    def _callback(self, indata: Any, _frames: int, _time: Any, status: Any) -> None:
        """PortAudio's thread: copies, nothing else, for it must return before the next block comes."""
        self._blocks.put(indata.copy())
        if status.input_overflow:
            self._overflowed = True

    def _opened(self) -> tuple[Any, str]:
        """Opens the device: a running stream at its own rate if it takes that, and the device's name.

        Raises AudioDeviceError if it takes none of the ways tried, or is not there.
        """
        sounddevice = _sounddevice()
        index, microphone = _found(_listed(sounddevice), self._wanted)
        refusal: Exception | None = None
        for rate, channels in _ways(microphone):
            try:
                stream = sounddevice.InputStream(
                    samplerate=rate,
                    channels=channels,
                    dtype="float32",
                    device=index,
                    latency="high",
                    callback=self._callback,
                )
            except (sounddevice.PortAudioError, ValueError) as exc:
                log.debug("%s refused %d Hz, %d channels: %s", microphone.name, rate, channels, exc)
                refusal = refusal or exc
                continue
            _open_recorders.add(self)
            try:
                stream.start()
            except sounddevice.PortAudioError as exc:
                refusal = refusal or exc
                self._close(stream)
                continue
            if self._over.is_set():  # it took so long that nobody waits any more
                self._close(stream)
            return stream, microphone.name
        raise AudioDeviceError(
            f"The microphone {microphone.name} can't be opened: {reason(refusal)}. "
            "Close the programs that use it, allow access to it, or choose another.",
            detail=repr(refusal),
        ) from refusal

    def _close(self, stream: Any) -> None:
        """Gives the device back; one that does not answer is left behind, and counts as open."""
        if try_limited(stream.abort, "abort") and try_limited(stream.close, "close"):
            _open_recorders.discard(self)

    def _tell(self, status: Status) -> None:
        if status.state is not self._status.state:
            log.info("recorder: %s -> %s", self._status.state.value, status.state.value)
        self._status = status
        if status.state in (RecorderState.DONE, RecorderState.LOST, RecorderState.FAILED):
            self._over.set()  # first: the listener may ask for the take
        if self._on_status is None or self._forgotten.is_set():
            return
        try:
            self._on_status(status)
        except Exception:  # someone else's code: its mistake must not end the recording
            log.exception("a listener of the recorder failed")


# -- PortAudio

_looking = threading.Lock()  # held while PortAudio's list of devices is read, used or made anew
_open_recorders: set[Recorder] = set()  # guarded by _looking where it is added to


@contextmanager
def _exclusively() -> Iterator[None]:
    """Lets one thread at a time at PortAudio's list of devices; raises AudioDeviceError if another one hangs there."""
    if not _looking.acquire(timeout=_SLOW_S):
        raise AudioDeviceError("The sound system does not answer: restart it.")
    try:
        yield
    finally:
        _looking.release()


def _sounddevice() -> Any:
    """The module; raises AudioDeviceError if it or the PortAudio library is missing."""
    quiet_alsa()
    with told_import_errors():
        import sounddevice
    _end_before_portaudio()
    return sounddevice


@cache
def _end_before_portaudio() -> None:
    """When Python exits PortAudio is ended, which hangs if a device is being closed meanwhile: recorders end first."""
    atexit.register(_end_all)  # behind sounddevice's own, so it runs before


def _end_all() -> None:
    for recorder in list(_open_recorders):
        recorder.abort()
    for recorder in list(_open_recorders):
        recorder.wait_until_closed()


def _look_again(sounddevice: Any) -> None:
    """Starts PortAudio anew, since it knows only the devices that were there at its start."""
    try:
        sounddevice._terminate()
        sounddevice._initialize()
    except sounddevice.PortAudioError as exc:
        raise AudioDeviceError(f"The sound system can't be used: {reason(exc)}.", detail=repr(exc)) from exc


def _listed(sounddevice: Any) -> list[tuple[int, Microphone]]:
    try:
        apis = sounddevice.query_hostapis()
        default = sounddevice.default.device[0]
        devices = list(sounddevice.query_devices())
    except sounddevice.PortAudioError as exc:
        raise AudioDeviceError(f"The microphones can't be listed: {reason(exc)}.", detail=repr(exc)) from exc
    return [
        (
            index,
            Microphone(
                str(device["name"]),
                str(apis[device["hostapi"]]["name"]),
                int(device["max_input_channels"]),
                int(device["default_samplerate"]),
                index == default,
            ),
        )
        for index, device in enumerate(devices)
        if device["max_input_channels"] > 0
    ]


def _found(listed: list[tuple[int, Microphone]], wanted: Microphone | None) -> tuple[int, Microphone]:
    """The wanted device, or the default one; raises AudioDeviceError if it is not there."""
    for index, microphone in listed:
        if wanted is None and microphone.is_default:
            return index, microphone
        if wanted is None or microphone.name != wanted.name:
            continue
        if wanted.host_api in ("", microphone.host_api):
            return index, microphone
    if wanted is None and listed:
        return listed[0]
    if wanted is None:
        raise AudioDeviceError("There is no microphone on this computer: connect one.")
    raise AudioDeviceError(f"The microphone {wanted.name} is not connected: connect it, or choose another.")


def _ways(microphone: Microphone) -> list[tuple[int, int]]:
    """(rate, channels) to open it with, the best first: its own rate, and no more than stereo."""
    most = max(1, microphone.channels)
    counts = dict.fromkeys((min(2, most), 1, most if most <= 32 else 2))
    rates = dict.fromkeys((microphone.sample_rate, 48_000, 44_100, 16_000))
    return [(rate, channels) for rate in rates for channels in counts]
