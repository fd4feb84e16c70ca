"""Where the worker's sound goes: real loudspeakers, or null outputs whose sound a test wants to see. Runs in the worker."""

import numpy as np

from pocketvoice.playback.devices import DeviceId, look_again, sound_device
from pocketvoice.playback.null_output import NullOutput
from pocketvoice.playback.output import AudioOutput, list_devices
from pocketvoice.worker.messages import DeviceEntry, DeviceName, OutputKind, WorkerOptions


class Outputs:
    """Makes outputs of the kind that is asked for, and keeps what null outputs heard."""

    def __init__(self, options: WorkerOptions) -> None:
        self._options = options  # set once
        self._made: list[NullOutput] = []  # the player's thread

    def open(self, device: DeviceId | None) -> AudioOutput:
        """Makes an output, not started, for the player; raises AudioDeviceError."""
        if self._options.output is OutputKind.DEVICE:
            return sound_device(device)
        output = NullOutput(latency_s=0.05, real_time=self._options.output is OutputKind.NULL)
        self._made.append(output)
        return output

    def list(self) -> tuple[DeviceEntry, ...]:
        """The loudspeakers there are; may take a while."""
        if self._options.output is not OutputKind.DEVICE:
            return (DeviceEntry(DeviceName("null"), True),)
        look_again()  # nothing happens while a device is open
        return tuple(
            DeviceEntry(DeviceName(one.name, one.host_api), one.is_default) for one in list_devices()
        )

    def save(self) -> None:
        """What was heard, if a test wants it."""
        if self._options.heard_path is not None and self._made:
            np.save(self._options.heard_path, np.concatenate([output.heard for output in self._made]))
