"""What one recording has brought so far, and what is to be said of it. Belongs to the recorder's thread; no devices."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pocketvoice.audio.microphone import Mixdown, SpeechMeter
from pocketvoice.audio.recording import TARGET_DBFS, RecorderState, Status
from pocketvoice.errors import AudioDeviceError


class Session:
    """The sound of one recording so far, with its levels. Used by the recorder's thread only."""

    def __init__(self, rate: int, channels: int, name: str) -> None:
        self.rate, self.channels, self.name = rate, channels, name
        self.blocks: list[npt.NDArray[np.float32]] = []
        self.mixdown = Mixdown(channels)
        self._meter = SpeechMeter(rate)
        self._count = 0

    def add(self, block: npt.NDArray[np.float32]) -> None:
        """Takes the next piece, (T, channels), as the device gave it."""
        self.blocks.append(block)
        self._count += len(block)
        self.mixdown.listen(block)
        self._meter.add(self.mixdown.mixed(block), float(np.abs(block).max()))

    def status(self, state: RecorderState, last: bool = False) -> Status:
        """How the recording goes, in `state`; with `last`, at its end, nothing is advised any more."""
        reading = self._meter.read(last)
        return Status(
            state,
            elapsed_s=self._count / self.rate,
            speech_s=reading.speech_s,
            is_speech=reading.is_speech,
            rms_dbfs=reading.rms_dbfs,
            peak_dbfs=reading.peak_dbfs,
            clipped=reading.clipped,
            hint="" if last else self._hint(reading.speech_dbfs, reading.silent_s, reading.clipped),
        )

    def _hint(self, speech_dbfs: float | None, silent_s: float, clipped: bool) -> str:
        if clipped:
            return "Too loud, the sound is cut off: move away from the microphone and begin again."
        if silent_s > 4.0:
            return "No voice is heard: speak, or check the microphone."
        if speech_dbfs is not None and speech_dbfs < TARGET_DBFS[0]:
            return "Speak a little louder, or come closer."
        if speech_dbfs is not None and speech_dbfs > TARGET_DBFS[1]:
            return "Speak a little softer, or move away."
        return ""


def nothing() -> Status:
    """The status of a recording that was ended before any sound came."""
    return Status(RecorderState.FAILED, error=AudioDeviceError("Nothing was recorded: try again."))


def gone(session: Session) -> Status:
    """The status of a recording whose device is lost, or has never given a sound."""
    if not session.blocks:
        error = AudioDeviceError(f"The microphone {session.name} gives no sound: choose another.")
        return Status(RecorderState.FAILED, error=error)
    error = AudioDeviceError("The microphone was lost: what was recorded until then is kept.")
    return replace(session.status(RecorderState.LOST, last=True), error=error)
