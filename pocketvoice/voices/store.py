"""The writing side of the library: puts complete folders into place and rewrites `voice.json`, with the library locked.

Any thread, any number of processes (a file lock orders them). Raises InputError (names, values), OutputError (read-only, locked)
and DiskFullError.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pocketvoice.errors import PocketVoiceError
from pocketvoice.voices import disk, voice_json
from pocketvoice.voices.recovery import delete_leftovers, recover

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pocketvoice.voices.index import VoiceIndex
    from pocketvoice.voices.trash import Trash
    from pocketvoice.voices.voice import Voice

log = logging.getLogger(__name__)


class VoiceStore:
    """Changes the folders of one library."""

    def __init__(self, index: VoiceIndex, trash: Trash, lock_timeout_s: float = disk.LOCK_S) -> None:
        """`lock_timeout_s`: how long a change waits for another process before it raises OutputError."""
        self._index = index  # set once
        self._trash = trash  # set once
        self._lock_timeout_s = lock_timeout_s  # set once
        self._recovering = threading.Lock()
        self._is_recovered = False  # guarded by _recovering

    @property
    def folder(self) -> Path:
        """The library's folder."""
        return self._index.folder

    def recover(self) -> None:
        """Clears up after a crash, once in the life of the store. `change` and `remove` call it before they write."""
        with self._recovering:
            if not self._is_recovered:
                with disk.locked(self.folder, self._lock_timeout_s):
                    recover(self.folder, self._trash)
                self._is_recovered = True

    def add_folder(self, voice: Voice, *, rename: bool) -> Voice:
        """Writes `voice.json` into a staged folder and renames it into the library.

        A name that is taken is made free with `rename` ("Anna 2"), and raises InputError without.
        """
        with disk.locked(self.folder, self._lock_timeout_s):
            name = self._index.unique_name(voice.name) if rename else self._index.check_name(voice.name)
            voice = replace(voice, name=name)
            disk.write(voice.folder / voice_json.FILE, voice_json.to_json(voice))
            place = self.folder / voice.id
            disk.move_folder(voice.folder, place)
        log.info("voice %s (%s) saved", voice.id, voice.name)
        return replace(voice, folder=place)

    def change(self, voice_id: str, change: Callable[[Voice], Voice]) -> Voice:
        """Reads `voice.json`, applies `change`, and writes it, all with the library locked; returns the new voice."""
        self.recover()
        with disk.locked(self.folder, self._lock_timeout_s):
            voice, others = self._index.read(voice_id)
            new = change(voice)
            if new.name != voice.name:
                new = replace(new, name=self._index.check_name(new.name, but=voice_id))
            disk.write(voice.folder / voice_json.FILE, voice_json.to_json(new, others))
            delete_leftovers(new)
        return new

    def remove(self, voice_id: str) -> str:
        """Moves a voice to the trash; returns the key that `Trash.restore` takes."""
        self.recover()
        with disk.locked(self.folder, self._lock_timeout_s):
            key = self._trash.take(self._index.read(voice_id)[0])
        # It was removed, even if older ones can't be deleted.
        with suppress(PocketVoiceError):
            self._trash.purge()
        return key
