"""Kinds of sound files, and the conversion of a WAV into them with libsndfile. Blocks: call it on a thread. No widgets."""

import re
import threading
from dataclasses import dataclass
from pathlib import Path

from pocketvoice import paths
from pocketvoice.errors import Cancelled, InputError, OutputError

_BLOCK_SAMPLES = 1 << 16
_NAME_LETTERS = 40
_ENDING = re.compile(r"\.(?=.*[a-z])[a-z0-9]{1,5}")


@dataclass(frozen=True)
class SoundFormat:
    """A kind of sound file that speech can be saved as."""

    suffix: str
    title: str
    container: str
    """Container format, as libsndfile calls it."""
    coding: str
    """Subtype within the container, as libsndfile calls it."""


FORMATS = (
    SoundFormat(".wav", "WAV", "WAV", "PCM_16"),
    SoundFormat(".flac", "FLAC", "FLAC", "PCM_16"),
    SoundFormat(".mp3", "MP3", "MP3", "MPEG_LAYER_III"),
    SoundFormat(".opus", "Opus", "OGG", "OPUS"),
    SoundFormat(".ogg", "Ogg Vorbis", "OGG", "VORBIS"),
)
WAV = FORMATS[0]


def format_of(path: str | Path) -> SoundFormat | None:
    """The format that a file's name asks for."""
    suffix = Path(path).suffix.lower()
    return next((kind for kind in FORMATS if kind.suffix == suffix), None)


def named_as(path: Path) -> tuple[Path, SoundFormat]:
    """The file for a name, and the format that its ending asks for; a name without one gets that of WAV.

    Raises InputError for an ending of something else.
    """
    suffix = path.suffix.lower()
    kind = format_of(path)
    if kind is not None:
        return path, kind
    if _ENDING.fullmatch(suffix):
        known = ", ".join(kind.suffix for kind in FORMATS)
        raise InputError(f"Speech can't be saved as {suffix}: give a name that ends with one of {known}.")
    return path.with_name(path.name + WAV.suffix), WAV


def name_for(text: str) -> str:
    """A file's name, without suffix, that tells what the text is: its first words."""
    words = re.sub(r"[^\w\s'-]+", " ", text.strip().split("\n", 1)[0]).split()
    name = ""
    for word in words:
        if len(f"{name} {word}") > _NAME_LETTERS:
            break
        name = f"{name} {word}".strip()
    return name or "speech"


def convert(wav: Path, target: Path, kind: SoundFormat, cancel: threading.Event) -> None:
    """Writes `target` from `wav`: complete or not at all. Raises Cancelled, OutputError, DiskFullError."""
    import soundfile

    try:
        with (
            paths.atomic_write(target) as file,
            soundfile.SoundFile(wav) as source,
            soundfile.SoundFile(
                file, "w", source.samplerate, 1, format=kind.container, subtype=kind.coding
            ) as sink,
        ):
            while len(block := source.read(_BLOCK_SAMPLES, dtype="float32")):
                if cancel.is_set():
                    raise Cancelled("Saving was stopped.")
                sink.write(block)
    except (soundfile.LibsndfileError, RuntimeError) as exc:
        raise OutputError(
            f"{target.name} could not be made as {kind.title}: save it as WAV instead.", detail=repr(exc)
        ) from exc
