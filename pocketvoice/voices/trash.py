"""Voices that were removed: kept whole until they are deleted by hand, or are old and many.

A folder `.trash/ID.SECONDS[.unsaved]` each, so that removing and restoring are one rename. The clock is not trusted: the newest
twenty stay whatever it says.
"""

import re
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.errors import UnknownNameError
from pocketvoice.voices import disk, names, voice_json
from pocketvoice.voices.voice import Voice

if TYPE_CHECKING:
    from pocketvoice.voices.library import VoiceLibrary

FOLDER = ".trash"
KEPT_S = 30 * 24 * 3600.0
KEPT_AT_LEAST = 20
_KEY = re.compile(r"(v[0-9a-f]{16})\.(\d{1,15})\.[0-9a-f]{6}(\.unsaved)?")


@dataclass(frozen=True)
class Removed:
    """A voice in the trash."""

    key: str
    """For `restore`."""
    voice: Voice
    removed: float
    """When, seconds since the epoch."""
    size_bytes: int
    unsaved: bool = False
    """A recording that was never saved, because the program ended: found and kept by the sweep."""


class Trash:
    """Belongs to one library."""

    def __init__(self, library: "VoiceLibrary") -> None:
        self._library = library  # set once

    def voices(self) -> list[Removed]:
        """What can be restored, the newest first."""
        found = []
        with suppress(OSError):
            for folder in self._folder.iterdir():
                removed = _look_at(folder)
                if removed is not None:
                    found.append(removed)
        return sorted(found, key=lambda one: (one.removed, one.key), reverse=True)

    def restore(self, key: str) -> Voice:
        """Puts a voice back; if its name is taken now it is called "Anna 2". `key` may also be the voice's id or name."""
        library = self._library
        with disk.locked(library.folder):
            removed = self._get(key)
            folder = self.path_of(removed.key)
            voice = replace(removed.voice, name=library.unique_name(removed.voice.name))
            if voice != removed.voice:
                _, others = voice_json.from_json((folder / voice_json.RECORD).read_bytes(), folder)
                disk.write(folder / voice_json.RECORD, voice_json.to_json(voice, others))
            place = library.folder / voice.id
            disk.move_folder(folder, place)
        return replace(voice, folder=place)

    def delete(self, key: str) -> None:
        """For ever."""
        disk.delete_folder(self.path_of(self._get(key).key), self._library.folder)

    def purge(self) -> int:
        """Deletes what was removed more than 30 days ago, but never the newest twenty; how many. Called at each removal."""
        now = time.time()
        old = [one for one in self.voices()[KEPT_AT_LEAST:] if now - one.removed > KEPT_S]
        for removed in old:
            self.delete(removed.key)
        return len(old)

    def path_of(self, key: str) -> Path:
        """Where it lies."""
        return self._folder / key

    def take(self, voice: Voice, *, unsaved: bool = False) -> str:
        """Moves a voice's folder here; returns the key. The library's lock must be held."""
        disk.make_folder(self._folder)
        newest = max((one.removed for one in self.voices()), default=0.0)
        at = int(max(time.time(), newest + 1))  # a clock that went back does not make it an old one
        key = f"{voice.id}.{at}.{voice_json.salt()}" + (".unsaved" if unsaved else "")
        disk.move_folder(voice.folder, self.path_of(key))
        return key

    def _get(self, key: str) -> Removed:
        wanted = names.folded(names.clean(key))
        for removed in self.voices():
            if key in (removed.key, removed.voice.id) or names.folded(removed.voice.name) == wanted:
                return removed
        raise UnknownNameError(f"There is no voice {key!r} in the trash.")

    @property
    def _folder(self) -> Path:
        return self._library.folder / FOLDER


def _look_at(folder: Path) -> Removed | None:
    """None if it is none, or can't be read: then it stays where it is."""
    found = _KEY.fullmatch(folder.name)
    if found is None:
        return None
    try:
        voice, _ = voice_json.from_json((folder / voice_json.RECORD).read_bytes(), folder)
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    except (OSError, voice_json.VoiceJsonError):
        return None
    return Removed(folder.name, voice, float(found[2]), size, found[3] is not None)
