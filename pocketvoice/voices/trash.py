"""Voices that were removed: kept whole until the trash is emptied, or they are old and many."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.voices.voice import Voice

if TYPE_CHECKING:
    from pocketvoice.voices.library import VoiceLibrary


@dataclass(frozen=True)
class Removed:
    """A voice in the trash."""

    key: str
    """For `restore`."""
    voice: Voice
    removed: float
    """When, seconds since the epoch (0 if not known)."""
    size_bytes: int
    unsaved: bool = False
    """A recording that was never saved, because the program ended: found and kept by the sweep."""


class Trash:
    """Belongs to one library."""

    def __init__(self, library: "VoiceLibrary") -> None:
        self._library = library

    def voices(self) -> list[Removed]:
        """What can be restored, the newest first."""
        raise NotImplementedError

    def restore(self, key: str) -> Voice:
        """Puts a voice back; if its name is taken now it is called "Anna 2". `key` may also be the voice's id or name."""
        raise NotImplementedError

    def delete(self, key: str) -> None:
        """For ever."""
        raise NotImplementedError

    def purge(self) -> int:
        """Deletes what was removed more than 30 days ago, but never the newest twenty; how many. Called at each removal."""
        raise NotImplementedError

    def path_of(self, key: str) -> Path:
        """Where it lies."""
        raise NotImplementedError
