"""What the player of speeches has to say, and what it says when asked what is heard: plain data."""

from dataclasses import dataclass

from pocketvoice.errors import PocketVoiceError
from pocketvoice.playback.devices import DeviceId
from pocketvoice.playback.store import Cursor


@dataclass(frozen=True)
class PlayedOut:
    """The speech was heard to its last sample."""

    speech_id: str


@dataclass(frozen=True)
class Sounding:
    """The first sample of a `play` is with the device."""

    speech_id: str


@dataclass(frozen=True)
class Prebuffering:
    """Sound is being collected, for about so many seconds; 0: it plays on."""

    speech_id: str
    seconds: float


@dataclass(frozen=True)
class DeviceMoved:
    """Another device plays now; `lost` if nobody asked for it."""

    speech_id: str
    device: DeviceId | None
    lost: bool


@dataclass(frozen=True)
class DeviceGone:
    """No device plays; it is being looked for."""

    speech_id: str


@dataclass(frozen=True)
class Broken:
    """The speech can't be played."""

    speech_id: str
    error: PocketVoiceError


Notice = PlayedOut | Sounding | Prebuffering | DeviceMoved | DeviceGone | Broken


@dataclass(frozen=True)
class Heard:
    """What the ear hears now."""

    speech_id: str
    cursor: Cursor
    peak_dbfs: float
    rms_dbfs: float
