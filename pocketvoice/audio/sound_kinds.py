"""The kinds of sound file that speech is saved as. Plain data: imports nothing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SoundKind:
    """A kind of sound file."""

    suffix: str
    title: str
    container: str
    """Container format, as libsndfile calls it."""
    coding: str
    """Subtype within the container, as libsndfile calls it."""


WAV = SoundKind(".wav", "WAV", "WAV", "PCM_16")
_ALL = (
    WAV,
    SoundKind(".flac", "FLAC", "FLAC", "PCM_16"),
    SoundKind(".mp3", "MP3", "MP3", "MPEG_LAYER_III"),
    SoundKind(".ogg", "Ogg Vorbis", "OGG", "VORBIS"),
    SoundKind(".opus", "Opus", "OGG", "OPUS"),
)
KINDS = {kind.suffix: kind for kind in _ALL}
