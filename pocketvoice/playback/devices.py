"""Loudspeakers by name and host API, which stay the same when devices come and go, and what opens them.

PortAudio's numbers change with every replug, so a number is looked up at the moment of opening.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pocketvoice.errors import AudioDeviceError
from pocketvoice.playback.output import AudioOutput, SoundDeviceOutput, list_devices, refresh_devices

LATENCY_S = 0.07
"""Asked of a device: a stop is heard so much later. The engine beside has less than this at a time of Python's lock."""

LOST_S = 0.8
"""A device that asks for no sound in so long, after it has begun to play, is given up for another."""


@dataclass(frozen=True)
class DeviceId:
    """A device as it is stored."""

    name: str
    host_api: str = ""
    """"" is any."""


OpenOutput = Callable[[DeviceId | None], AudioOutput]
"""Makes an output, not started, for a device; None is the system's default. Raises AudioDeviceError."""


def sound_device(device: DeviceId | None) -> AudioOutput:
    """Opens a real loudspeaker; raises AudioDeviceError if it is not connected."""
    return SoundDeviceOutput(None if device is None else _number(device), latency_s=LATENCY_S, lost_s=LOST_S)


def _number(device: DeviceId) -> int:
    for info in list_devices():
        if info.name == device.name and device.host_api in ("", info.host_api):
            return info.index
    raise AudioDeviceError(f"The sound device {device.name} is not connected: connect it, or choose another.")


def look_again() -> None:
    """Finds devices that came since the start, unless one is open."""
    refresh_devices()
