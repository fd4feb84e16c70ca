"""A sound file of the kind that its name asks for, written as the sound is made: a WAV, which is converted when it is whole.

libsndfile does the converting. Either way the file appears complete or not at all.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pocketvoice import paths
from pocketvoice.audio.wav import WavWriter
from pocketvoice.errors import InputError, OutputError

_BLOCK_SAMPLES = 1 << 16


@dataclass(frozen=True)
class SoundKind:
    """A kind of sound file."""

    title: str
    container: str
    """Container format, as libsndfile calls it."""
    coding: str
    """Subtype within the container, as libsndfile calls it."""


WAV = SoundKind("WAV", "WAV", "PCM_16")
KINDS = {
    ".wav": WAV,
    ".flac": SoundKind("FLAC", "FLAC", "PCM_16"),
    ".mp3": SoundKind("MP3", "MP3", "MPEG_LAYER_III"),
    ".ogg": SoundKind("Ogg Vorbis", "OGG", "VORBIS"),
    ".opus": SoundKind("Opus", "OGG", "OPUS"),
}


def kind_of(path: Path) -> SoundKind:
    """The kind that the name's ending asks for, WAV if it has none; InputError for one that can't be written."""
    suffix = path.suffix.lower()
    if not suffix:
        return WAV
    if suffix not in KINDS:
        raise InputError(
            f"A file ending with {path.suffix} can't be written: choose one of {', '.join(KINDS)}, not {path}."
        )
    return KINDS[suffix]


@contextmanager
def sound_file(target: Path, sample_rate: int) -> Iterator[WavWriter]:
    """A writer whose sound is in `target` when the block ends well. Raises InputError, OutputError or DiskFullError."""
    kind = kind_of(target)
    if kind is WAV:
        with WavWriter(target, sample_rate) as wav:
            yield wav
        return
    with tempfile.TemporaryDirectory(prefix="pocketvoice-") as folder:
        whole = Path(folder) / "speech.wav"
        with WavWriter(whole, sample_rate) as wav:
            yield wav
        _convert(whole, target, kind)


def _convert(wav: Path, target: Path, kind: SoundKind) -> None:
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
                sink.write(block)
    except soundfile.LibsndfileError as exc:
        raise OutputError(
            f"{target} could not be made as {kind.title}: choose a name that ends with .wav.",
            detail=repr(exc),
        ) from exc
