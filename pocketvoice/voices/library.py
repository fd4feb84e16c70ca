"""The voices of the user on disk: found, made, changed, removed. Any thread, any number of processes (a file lock orders them).

Everything that is written is staged, synced and renamed: a crash leaves the old or the new. Reading takes no lock. Errors are
InputError (names, values), OutputError (read-only, locked), DiskFullError. Each method touches the disk for some milliseconds.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from pocketvoice.audio.chunk import Samples
from pocketvoice.voices.draft import Draft
from pocketvoice.voices.trash import Trash
from pocketvoice.voices.voice import NewVoice, Voice


class VoiceLibrary:
    """The folder `voices` in the user's data directory."""

    def __init__(self, folder: Path | None = None, *, reserved: Collection[str] = ()) -> None:
        """`reserved` names are not given to voices (those of the catalogue, so that a name means one voice).

        Touches nothing: the folder is made at the first write, and what a crash left is swept then.
        """
        self.folder = folder or Path()
        self.trash = Trash(self)
        raise NotImplementedError

    def voices(self) -> list[Voice]:
        """All voices: favourites first, then by name. Only files that changed since the last call are read (500: some 10 ms)."""
        raise NotImplementedError

    def problems(self) -> list[str]:
        """One sentence for each folder that could not be read at the last `voices()`, with the remedy."""
        raise NotImplementedError

    def stamp(self) -> object:
        """Compares equal as long as no process has changed the library: poll it (every second or two), then call `voices`."""
        raise NotImplementedError

    def search(self, words: str) -> list[Voice]:
        """Those whose name, language, source or notes hold every word, whatever its case and accents."""
        raise NotImplementedError

    def get(self, key: str) -> Voice:
        """The voice with this id or name (any case); raises UnknownNameError with suggestions."""
        raise NotImplementedError

    def unique_name(self, wanted: str) -> str:
        """`wanted` made clean and free: "Anna", or "Anna 2" if there is an Anna."""
        raise NotImplementedError

    def draft(self, clip: Samples, *, source: str = "", language: str = "") -> Draft:
        """A voice that is not saved yet: its clip (24 kHz, (T,), at most 30 s) is on disk, so that the worker can make its state.

        Lives until `save` or `discard`; if the process dies first, the next sweep puts it into the trash, to be restored.
        """
        raise NotImplementedError

    def add(self, new: NewVoice, clip: Samples) -> Voice:
        """A draft saved at once; states are made when it is first used."""
        raise NotImplementedError

    def update(self, voice_id: str, **changes: Any) -> Voice:
        """Changes fields of `NewVoice`: name, language, seed, volume, speed, notes, favourite (consent too, with its time)."""
        raise NotImplementedError

    def duplicate(self, voice_id: str, name: str | None = None) -> Voice:
        """A copy with all its files under another name ("Anna 2")."""
        raise NotImplementedError

    def remove(self, voice_id: str) -> str:
        """Moves it to the trash; returns the key that `trash.restore` takes."""
        raise NotImplementedError

    def state_path(self, voice: Voice, model_id: str) -> Path | None:
        """The whole state file for these weights; None if there is none or it is damaged (the worker then makes one)."""
        raise NotImplementedError

    def add_state(self, voice_id: str, model_id: str, made: Path) -> Voice:
        """Takes a state file in (copied), instead of an older one for the same weights."""
        raise NotImplementedError

    def claim_state(self, voice_id: str, model_id: str) -> Voice:
        """The user's answer to which model a state without a model id was made for."""
        raise NotImplementedError

    def set_preview(self, voice_id: str, samples: Samples) -> Voice:
        """The spoken sentence that is played from the list; 24 kHz, (T,)."""
        raise NotImplementedError

    def check(self, voice_id: str) -> list[str]:
        """Reads all its files against their checksums: one sentence for the user for each that is damaged or missing."""
        raise NotImplementedError


def open_library(reserved: Collection[str] = ()) -> VoiceLibrary:
    """The user's library."""
    raise NotImplementedError
