"""The voice that is being made, on disk until it is saved or given up: its sound, and what the user chose. Nothing is lost when
the dialog, the program or the computer ends in the middle. One draft at a time; any thread; knows no widgets.
"""

import dataclasses
import io
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice import paths
from pocketvoice.errors import PocketVoiceError, from_os_error

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Choices:
    """What the user has chosen so far."""

    name: str = ""
    language: str = ""
    consented: bool = False
    sentence: str = ""
    """The sentence that the takes speak."""
    start_s: float = 0.0
    stop_s: float = 0.0
    """The part of the sound; 0 to 0 is the best one."""
    is_recording: bool = False
    """Whether the sound came from the microphone; else from a file."""
    source_name: str = ""
    """Name of the device or the file."""


def sound_path() -> Path:
    """Where the sound lies, if there is one."""
    return _folder() / "sound.flac"


def write_sound(source: "Source", path: Path) -> None:
    """Writes a sound as FLAC; raises OutputError or DiskFullError."""
    import numpy as np
    import soundfile

    made = io.BytesIO()  # libsndfile can't tell of a full disk
    samples = np.clip(source.samples, -1.0, 1.0)
    soundfile.write(made, samples, source.sample_rate, format="FLAC", subtype="PCM_24")
    with paths.atomic_write(path) as file:
        file.write(made.getbuffer())


def save_sound(source: "Source") -> None:
    """Writes the sound instead of an older one, without choices; raises OutputError or DiskFullError."""
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise from_os_error(exc, folder) from exc
    with suppress(OSError):
        _choices_path().unlink()  # they were about another sound
    write_sound(source, sound_path())


def save_choices(choices: Choices) -> None:
    """Writes what was chosen, unless there is no sound that it belongs to; raises OutputError or DiskFullError."""
    if sound_path().exists():
        with paths.atomic_write(_choices_path()) as file:
            file.write(json.dumps(dataclasses.asdict(choices), indent=1).encode())


def load() -> "tuple[Source, Choices] | None":
    """What was saved; None if there is nothing. A sound that can't be read is renamed, and the log says why."""
    from pocketvoice.audio.imported import Source
    from pocketvoice.audio.reading import read_audio

    sound = sound_path()
    if not sound.exists():
        return None
    try:
        recording = read_audio(sound)
    except PocketVoiceError as error:
        _log.warning("the unfinished voice can't be read: %s", error)
        with suppress(OSError):
            sound.replace(sound.with_name("sound.broken.flac"))
        return None
    choices = _read_choices()
    name = choices.source_name or "recording"
    return Source(recording.samples, recording.sample_rate, name), choices


def delete() -> None:
    """Deletes the draft: it was saved as a voice, or given up."""
    for path in (sound_path(), _choices_path()):
        with suppress(OSError):
            path.unlink()


def _folder() -> Path:
    return paths.user_data_dir() / "unfinished-voice"


def _choices_path() -> Path:
    return _folder() / "chosen.json"


def _read_choices() -> Choices:
    """Those fields that have a value of the right type; the others are as at the beginning."""
    try:
        data = json.loads(_choices_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Choices()
    defaults = dataclasses.asdict(Choices())
    fits = {
        name: data[name]
        for name, default in defaults.items()
        if isinstance(data, dict)
        and isinstance(data.get(name), (int, float) if isinstance(default, float) else type(default))
    }
    return Choices(**fits)
