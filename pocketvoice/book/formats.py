"""The kinds of audiobook files, and of texts beside them. Plain data: imports nothing heavy."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from pocketvoice.errors import InputError


@dataclass(frozen=True)
class BookFormat:
    """A kind of file, as FFmpeg's libraries are asked for it."""

    suffix: str
    title: str
    container: str
    codec: str
    sample_format: str
    bit_rate: int | None
    """Bits a second; None of what loses nothing."""
    container_options: dict[str, str] = field(default_factory=dict)
    codec_options: dict[str, str] = field(default_factory=dict)

    @property
    def bytes_per_second(self) -> float:
        """About how large it gets."""
        return (self.bit_rate or 190_000) / 8


_M4B = BookFormat(
    ".m4b",
    "M4B audiobook",
    "mp4",
    "aac",
    "fltp",
    64_000,
    {"movflags": "+faststart", "brand": "M4B "},
    {"aac_coder": "fast"},  # nearly twice as fast as the other, and no further from the sound
)
EPUB = BookFormat(".epub", "EPUB 3, read aloud", "epub", "aac", "fltp", 64_000)
"""Text and sound in one file: see `book.epub`."""
EPUB_SOUND = replace(_M4B, suffix=".m4a", container_options={"movflags": "+faststart"})
"""Of each of its chapters."""
FORMATS = {
    each.suffix: each
    for each in (
        _M4B,
        BookFormat(".mp3", "MP3", "mp3", "libmp3lame", "s16p", 64_000, {"id3v2_version": "3"}),
        BookFormat(".opus", "Opus", "ogg", "libopus", "s16", 32_000),
        BookFormat(".flac", "FLAC", "flac", "flac", "s16", None),
        EPUB,
    )
}
"""By the end of a file's name."""

SUBTITLES = ("srt", "vtt", "lrc")
"""Kinds of texts that tell when each sentence is heard."""


def format_of(path: Path) -> BookFormat | None:
    """The format that a file's name asks for; None for a name without an ending, a folder. Raises InputError."""
    suffix = path.suffix.lower()
    if path.is_dir() or not suffix:
        return None
    if suffix not in FORMATS:
        raise InputError(
            f"An audiobook can't be written as {path.suffix}: choose one of {', '.join(FORMATS)}, "
            f"or a folder for a file a chapter, not {path}."
        )
    return FORMATS[suffix]
