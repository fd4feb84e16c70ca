"""Reading the library: which folders hold voices, and what their records say. Takes no lock; reads only what has changed."""

import logging
import os
import threading
from pathlib import Path
from typing import Any

from pocketvoice.errors import InputError, UnknownNameError
from pocketvoice.voices import names, voice_json
from pocketvoice.voices.voice import Voice

log = logging.getLogger(__name__)

Print = tuple[int, int, int]
"""What changes when a record is replaced: inode, nanoseconds, bytes."""


class VoiceIndex:
    """The folders of one library, as they were when they were last looked at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder  # set once
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Print, Voice | str]] = {}  # id -> voice or sentence; guarded by _lock

    def voices(self) -> list[Voice]:
        """Favourites first, then by name."""
        found = [entry for entry in self._entries() if isinstance(entry, Voice)]
        return sorted(found, key=lambda voice: (not voice.favourite, names.searchable(voice.name), voice.id))

    def problems(self) -> list[str]:
        """What could not be read."""
        return [entry for entry in self._entries() if isinstance(entry, str) and entry]

    def stamp(self) -> object:
        """Equal as long as nothing has changed."""
        return tuple(sorted(self._prints().items()))

    def read(self, voice_id: str) -> tuple[Voice, dict[str, Any]]:
        """A voice to be changed, and the keys of others in its record; raises InputError."""
        if not names.is_id(voice_id):
            raise UnknownNameError(f"There is no voice with the number {voice_id!r}.")
        folder = self._folder / voice_id
        try:
            data = (folder / voice_json.RECORD).read_bytes()
        except OSError as exc:
            raise UnknownNameError("This voice does not exist any more.", detail=repr(exc)) from exc
        if voice_json.schema_of(data) > voice_json.SCHEMA:
            raise InputError("This voice was saved by a newer pocketvoice: update this one to change it.")
        return voice_json.from_json(data, folder)

    def _entries(self) -> list[Voice | str]:
        prints = self._prints()
        with self._lock:
            self._known = {
                voice_id: self._known[voice_id]
                if voice_id in self._known and self._known[voice_id][0] == found
                else (found, self._look_at(voice_id))
                for voice_id, found in prints.items()
            }
            return [entry for _, entry in self._known.values()]

    def _prints(self) -> dict[str, Print]:
        prints = {}
        try:
            with os.scandir(self._folder) as entries:
                found = [entry.name for entry in entries if names.is_id(entry.name)]
        except OSError:
            return {}
        for voice_id in found:
            try:
                status = (self._folder / voice_id / voice_json.RECORD).stat()
                prints[voice_id] = (status.st_ino, status.st_mtime_ns, status.st_size)
            except OSError:
                if (self._folder / voice_id).is_dir():  # else it was removed just now
                    prints[voice_id] = (0, 0, 0)
        return prints

    def _look_at(self, voice_id: str) -> Voice | str:
        folder = self._folder / voice_id
        try:
            voice, _ = voice_json.from_json((folder / voice_json.RECORD).read_bytes(), folder)
            if voice.id != voice_id:
                raise voice_json.VoiceJsonError("The record belongs to another voice.")
        except (OSError, voice_json.VoiceJsonError) as exc:
            if not folder.exists():
                return ""  # it was removed just now
            log.warning("voice %s: %r %s", folder, exc, getattr(exc, "detail", ""))
            return _sentence(folder)
        return voice


def _sentence(folder: Path) -> str:
    clip = folder / voice_json.CLIP
    remedy = f"make a new voice of its clip {clip}" if clip.is_file() else "import the voice again"
    return f"The voice in {folder} can't be read, for its {voice_json.RECORD} is damaged: {remedy}."
