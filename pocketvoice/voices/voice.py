"""A voice of the user's: what is known of it, as plain data. Knows no files; `voice_json` reads and writes it."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class FileMark:
    """Checksum and size of a file as it was written, so that damage is found."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class StateMark:
    """A voice state that lies in the voice's folder."""

    model_id: str
    """The exact weights it was made for (`Ready.model_id`); "" if nobody knows (a file of the reference)."""
    file: str
    """Name of the file within the folder `states`."""
    mark: FileMark
    is_followed: bool = True
    """False where the model, when the state was made, left out words of what it was to say."""


@dataclass(frozen=True)
class Voice:
    """An entry of the library. Never changed in place: `VoiceLibrary.update` makes a new one."""

    id: str
    """"v" and 16 hex digits; never changes, and is what settings and requests should carry."""
    name: str
    """For people; unique in the library, upper and lower case alike."""
    language: str = ""
    """ISO 639-1 ("en"); "" if it was not told."""
    created: str = ""
    """When it was made: ISO 8601, UTC."""
    source: str = ""
    """Where the clip came from: a device's or a file's name, never a path."""
    consent: str = ""
    """The sentence that was agreed to; "" if none was."""
    consented: str = ""
    """When that was agreed to: ISO 8601, UTC."""
    seed: int | None = None
    """The take the user chose: `Speak.seed` where the user gives no other. The worker uses it by itself."""
    volume: float = 1.0
    """Loudness it is spoken with, 0 to 2."""
    speed: float = 1.0
    """Tempo it is spoken with, 0.5 to 3."""
    notes: str = ""
    """What the user wrote about it; can be searched."""
    favourite: bool = False
    clip_s: float | None = None
    """Length of the clip in seconds; None if the voice has no clip."""
    clip: FileMark | None = None
    preview: FileMark | None = None
    preview_file: str = "preview.flac"
    """Its name: a new one is written beside the old one, and not over it."""
    states: tuple[StateMark, ...] = ()
    folder: Path = field(default_factory=Path, compare=False)
    """Where its files lie. Not written to `voice.json`."""

    @property
    def has_clip(self) -> bool:
        """Whether it has a recording, so that states for other models can be made."""
        return self.clip is not None

    @property
    def clip_path(self) -> Path:
        """Where its clip lies, if it has one: FLAC, 24 kHz, mono."""
        return self.folder / "clip.flac"

    @property
    def preview_path(self) -> Path:
        """Where its spoken sentence lies, if it has one."""
        return self.folder / self.preview_file


@dataclass(frozen=True)
class NewVoice:
    """What the user says of a voice that is being made. Everything but the name may stay as it is."""

    name: str
    language: str = ""
    consent: str = ""
    """The sentence of `consent.sentence()` if it was agreed to."""
    source: str = ""
    seed: int | None = None
    volume: float = 1.0
    speed: float = 1.0
    notes: str = ""
    favourite: bool = False
