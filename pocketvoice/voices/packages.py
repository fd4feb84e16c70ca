"""Voices on their way to another machine: one `.pvoice` zip each, and the `.safetensors` files of the reference.

What comes from outside is not trusted: sizes are bounded, names never become paths, links and strangers are refused.
"""

from dataclasses import dataclass
from pathlib import Path

from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import Voice

SUFFIX = ".pvoice"


@dataclass(frozen=True)
class Imported:
    """What became of files that were brought in."""

    voices: tuple[Voice, ...]
    notes: tuple[str, ...] = ()
    """Sentences for the user: another name, a state whose model is not known ..."""
    failures: tuple[str, ...] = ()
    """Of a folder: one sentence for each file that could not be brought in."""


def export_voice(library: VoiceLibrary, voice_id: str, target: Path, *, with_clip: bool = True) -> Path:
    """Writes one `.pvoice` file, atomically; without the clip it speaks only with the models it has states for.

    Raises InputError if there would be nothing in it that speaks, OutputError or DiskFullError.
    """
    raise NotImplementedError


def import_voices(library: VoiceLibrary, source: Path, *, model_id: str = "", language: str = "") -> Imported:
    """Brings in a `.pvoice`, a `.safetensors`, or a folder of them.

    `model_id` says which weights a file of the reference was made for, where the file itself does not. Raises InputError
    (MissingFileError, VoiceStateError) for a single file, OutputError or DiskFullError.
    """
    raise NotImplementedError
