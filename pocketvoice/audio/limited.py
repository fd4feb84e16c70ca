"""Calls into the sound system with a time limit: each runs on a helper thread that is left behind if it hangs.

A device that vanished can hold a PortAudio call for ever, and nothing of ours may wait for that. Knows PortAudio only as far
as a hung one must not be ended when Python exits. May be called from any thread but the audio callback.
"""

import atexit
import ctypes
import logging
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from pocketvoice.errors import AudioDeviceError

log = logging.getLogger(__name__)

CALL_S = 2.0
"""The longest a call may take, in seconds."""

T = TypeVar("T")


def limited(call: Callable[[], T], what: str, *, limit_s: float | None = None) -> T:
    """What `call` returns or raises; AudioDeviceError if it takes longer than the limit (`CALL_S`)."""
    limit_s = CALL_S if limit_s is None else limit_s
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        if sys.platform == "win32":  # WASAPI wants COM on each thread that calls it
            ctypes.windll.ole32.CoInitializeEx(None, 0)
        try:
            results.append(call())
        except BaseException as exc:  # outermost in its thread: the caller gets it
            errors.append(exc)

    thread = threading.Thread(target=run, name=f"sound-{what}", daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        _leave_behind()
        raise AudioDeviceError(
            "The sound device does not answer: unplug it and plug it in again, or choose another.",
            detail=f"{what} took over {limit_s} s",
        )
    if errors:
        raise errors[0]
    return results[0]


def try_limited(call: Callable[[], object], what: str) -> bool:
    """Makes the call where nothing is lost if the device refuses it, on the way out; False if it took too long."""
    try:
        limited(call, what)
    except AudioDeviceError as exc:
        log.warning("the sound device hangs: %s", exc.detail)
        return False
    except _refusals() as exc:
        log.warning("the sound device failed at %s: %s", what, exc)
    return True


def _refusals() -> tuple[type[Exception], ...]:
    """What a device's calls raise: PortAudio's own error has a name only once its module is there."""
    portaudio = getattr(sys.modules.get("sounddevice"), "PortAudioError", OSError)
    return (portaudio, OSError, RuntimeError, ValueError)


def _leave_behind() -> None:
    """A call hangs inside PortAudio: ending PortAudio when Python exits would hang as well, so that is called off."""
    end = getattr(sys.modules.get("sounddevice"), "_exit_handler", None)
    if end is not None:
        atexit.unregister(end)
