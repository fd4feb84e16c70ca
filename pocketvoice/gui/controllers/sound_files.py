"""Names of sound files: the one that is proposed for a text, and the kind of file that a name asks for. No widgets."""

import re
from pathlib import Path

from pocketvoice.audio.sound_kinds import KINDS, WAV, SoundKind
from pocketvoice.errors import InputError

_NAME_LETTERS = 40
_ENDING = re.compile(r"\.(?=.*[a-z])[a-z0-9]{1,5}")


def format_of(path: str | Path) -> SoundKind | None:
    """The kind that a file's name asks for."""
    return KINDS.get(Path(path).suffix.lower())


def named_as(path: Path) -> tuple[Path, SoundKind]:
    """The file for a name, and the kind that its ending asks for; a name without one gets that of WAV.

    Raises InputError for an ending of something else.
    """
    kind = format_of(path)
    if kind is not None:
        return path, kind
    suffix = path.suffix.lower()
    if _ENDING.fullmatch(suffix):
        raise InputError(
            f"Speech can't be saved as {suffix}: give a name that ends with one of {', '.join(KINDS)}."
        )
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
