"""Voices that were removed: kept whole until they are deleted by hand, or are old and many.

A folder `.trash/ID.SECONDS[.unsaved]` each, so that removing and restoring are one rename. The clock is not trusted: the newest
twenty stay whatever it says.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pocketvoice.errors import UnknownNameError
from pocketvoice.voices import disk, names, staging, voice_json
from pocketvoice.voices.voice import Voice

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pocketvoice.voices.index import VoiceIndex

FOLDER = ".trash"
KEPT_S = 30 * 24 * 3600.0
KEPT_AT_LEAST = 20
_KEY = re.compile(r"(v[0-9a-f]{16})\.(\d{1,15})\.[0-9a-f]{6}(\.unsaved)?")


@dataclass(frozen=True)
class Removed:
    """A voice in the trash."""

    key: str
    """What `Trash.restore` and `Trash.delete` take."""
    voice: Voice
    removed: float
    """When, seconds since the epoch."""
    size_bytes: int
    unsaved: bool = False
    """A recording that was never saved because the program ended: found and kept by the recovery."""


class Trash:
    """The removed voices of one library. Any thread, any number of processes."""

    def __init__(
        self,
        index: VoiceIndex,
        *,
        kept_at_least: int = KEPT_AT_LEAST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`index` tells the library's folder and which names are free in it; `clock` tells seconds since the epoch."""
        self._index = index  # set once
        self._kept_at_least = kept_at_least  # set once
        self._clock = clock  # set once

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
        """Puts a voice back, as "Anna 2" if its name is taken now. `key` may also be the voice's id or name.

        Raises UnknownNameError if it is not here.
        """
        library = self._index.folder
        with disk.locked(library):
            removed = self._get(key)
            folder = self.path_of(removed.key)
            voice = replace(removed.voice, name=self._index.unique_name(removed.voice.name))
            if voice != removed.voice:
                _, others = voice_json.from_json((folder / voice_json.FILE).read_bytes(), folder)
                disk.write(folder / voice_json.FILE, voice_json.to_json(voice, others))
            place = library / voice.id
            disk.move_folder(folder, place)
        return replace(voice, folder=place)

    def delete(self, key: str) -> None:
        """Deletes a voice for ever; raises UnknownNameError if it is not here."""
        staging.delete_folder(self.path_of(self._get(key).key), self._index.folder)

    def purge(self) -> int:
        """Deletes what was removed more than 30 days ago, but never the newest twenty; how many. Called at each removal."""
        now = self._clock()
        old = [one for one in self.voices()[self._kept_at_least :] if now - one.removed > KEPT_S]
        for removed in old:
            self.delete(removed.key)
        return len(old)

    def path_of(self, key: str) -> Path:
        """The folder of a removed voice."""
        return self._folder / key

    def take(self, voice: Voice, *, unsaved: bool = False) -> str:
        """Moves a voice's folder here; returns the key. The library must be locked."""
        disk.make_folder(self._folder)
        newest = max((one.removed for one in self.voices()), default=0.0)
        # A clock that went back does not make it an old one.
        at = int(max(self._clock(), newest + 1))
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
        return self._index.folder / FOLDER


def _look_at(folder: Path) -> Removed | None:
    """The voice in a folder of the trash; None if there is none that can be read: the folder stays as it is."""
    found = _KEY.fullmatch(folder.name)
    if found is None:
        return None
    try:
        voice, _ = voice_json.from_json((folder / voice_json.FILE).read_bytes(), folder)
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    except (OSError, voice_json.VoiceJsonError):
        return None
    return Removed(folder.name, voice, float(found[2]), size, found[3] is not None)
