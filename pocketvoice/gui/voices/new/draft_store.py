"""The voice that is being made, kept on disk until it is saved or given up: its sound, and what was chosen. Nothing is lost when
the dialog, the program or the computer ends in the middle. One at a time; any thread; knows no widgets.
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
class Chosen:
    """What the user has chosen so far."""

    name: str = ""
    language: str = ""
    consented: bool = False
    sentence: str = ""
    """That the takes speak."""
    start_s: float = 0.0
    stop_s: float = 0.0
    """The part of the sound; 0 to 0 is the best one."""
    is_recording: bool = False
    """Else it came from a file."""
    source_name: str = ""
    """The device or the file."""


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


def keep_sound(source: "Source") -> None:
    """Keeps another sound; raises OutputError or DiskFullError."""
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise from_os_error(exc, folder) from exc
    with suppress(OSError):
        (folder / "chosen.json").unlink()  # it was about another sound
    write_sound(source, sound_path())


def keep_chosen(chosen: Chosen) -> None:
    """Keeps what was chosen; without a sound there is nothing to keep. Raises OutputError or DiskFullError."""
    if sound_path().exists():
        with paths.atomic_write(_folder() / "chosen.json") as file:
            file.write(json.dumps(dataclasses.asdict(chosen), indent=1).encode())


def load() -> "tuple[Source, Chosen] | None":
    """What was kept; None if there is nothing. What can't be read is put aside and told in the log."""
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
    chosen = _read_chosen()
    name = chosen.source_name or "recording"
    return Source(recording.samples, recording.sample_rate, name), chosen


def forget() -> None:
    """It was saved, or given up."""
    for name in ("sound.flac", "chosen.json"):
        with suppress(OSError):
            (_folder() / name).unlink()


def _folder() -> Path:
    return paths.user_data_dir() / "unfinished-voice"


def _read_chosen() -> Chosen:
    try:
        data = json.loads((_folder() / "chosen.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Chosen()
    defaults = dataclasses.asdict(Chosen())
    fits = {
        name: data[name]
        for name, default in defaults.items()
        if isinstance(data, dict)
        and isinstance(data.get(name), (int, float) if isinstance(default, float) else type(default))
    }
    return Chosen(**fits)
