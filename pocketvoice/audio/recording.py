"""What a recording is about, as plain data: microphones, states, levels, and what was recorded in the end. No devices."""

import enum
from dataclasses import dataclass

from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import AudioDeviceError

WANTED_S = (20.0, 30.0)
"""Seconds of speech that make a good voice."""
MOST_SPEECH_S = 45.0
"""Seconds of speech at which a recording ends by itself."""
MOST_S = 180.0
"""Seconds at which a recording ends by itself, however little speech it holds."""
TARGET_DBFS = (-36.0, -18.0)
"""The target zone of the level meter: RMS of speech over the last 0.3 s (`Status.rms_dbfs`)."""


@dataclass(frozen=True)
class Microphone:
    """A device that can record, by what stays the same when devices come and go."""

    name: str
    host_api: str = ""
    """The sound system it belongs to; "" is any."""
    channels: int = 1
    sample_rate: int = 48_000
    """The rate the device works at by itself, in Hz."""
    is_default: bool = False


class RecorderState(enum.Enum):
    """What a recorder is doing; only its own thread changes it."""

    IDLE = "idle"
    """`start` has not been called yet."""
    OPENING = "opening"
    """The device is being opened; nothing is recorded yet."""
    RECORDING = "recording"
    """Sound comes in and is measured."""
    DONE = "done"
    """Stopped, by the owner or at the limit: `take` has all of it."""
    LOST = "lost"
    """The device vanished: `take` has what came before, `error` says so."""
    FAILED = "failed"
    """The device could not be opened, or gave nothing: `error` says why."""


@dataclass(frozen=True)
class Status:
    """How a recording goes; about 20 times a second."""

    state: RecorderState
    elapsed_s: float = 0.0
    speech_s: float = 0.0
    """Seconds of speech so far."""
    is_speech: bool = False
    """Whether there is speech right now."""
    rms_dbfs: float = -240.0
    """The level of the last 0.3 s."""
    peak_dbfs: float = -240.0
    """The peak since the status before, of the loudest channel."""
    clipped: bool = False
    """Whether a sample since the start reached full scale."""
    hint: str = ""
    """One short sentence while recording: "Speak a little louder." ...; "" if all is well."""
    error: AudioDeviceError | None = None
    """Why, with LOST and FAILED."""


@dataclass(frozen=True, eq=False)
class RecordedTake:
    """The sound of one recording, and what it was recorded with."""

    samples: Samples
    """Mono, (T,), at `sample_rate`; raw level."""
    sample_rate: int
    """24000: resampled from the device's rate."""
    device_rate: int
    device_channels: int
    device_name: str
    speech_s: float
    is_whole: bool
    """False if the device vanished, or sound was lost because the computer was too busy."""
