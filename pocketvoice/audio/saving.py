"""A sound file of the kind that its name asks for, written as the sound is made: a WAV, which is converted when it is whole.

libsndfile does the converting. Either way the file appears complete or not at all.
"""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pocketvoice import paths
from pocketvoice.audio.sound_kinds import KINDS, WAV, SoundKind
from pocketvoice.audio.wav import WavWriter
from pocketvoice.errors import Cancelled, InputError, OutputError

_BLOCK_SAMPLES = 1 << 16


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
        convert(whole, target, kind)


def convert(wav: Path, target: Path, kind: SoundKind, cancel: threading.Event | None = None) -> None:
    """Writes `target` from `wav`: complete or not at all. Raises OutputError, DiskFullError, and Cancelled once `cancel` is set."""
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
                if cancel is not None and cancel.is_set():
                    raise Cancelled("Saving was stopped.")
                sink.write(block)
    except (soundfile.LibsndfileError, RuntimeError) as exc:
        raise OutputError(
            f"{target} could not be made as {kind.title}: choose a name that ends with .wav.",
            detail=repr(exc),
        ) from exc
