"""Reading the library: which folders hold voices, and what their `voice.json` says. Takes no lock; reads only what has changed."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice.errors import InputError, UnknownNameError
from pocketvoice.voices import names, voice_json
from pocketvoice.voices.voice import Voice

if TYPE_CHECKING:
    from collections.abc import Collection

log = logging.getLogger(__name__)

FileStamp = tuple[int, int, int]
"""Inode, time of change in nanoseconds, size in bytes of a `voice.json`: at least one differs when it was replaced."""


class VoiceIndex:
    """The voices of one library folder, as they were at the last look. Any thread."""

    def __init__(self, folder: Path, reserved: Collection[str] = ()) -> None:
        """`reserved` names count as taken: those of the catalogue, so that a name means one voice."""
        self.folder = folder  # set once
        self._reserved = frozenset(names.folded(name) for name in reserved)  # set once
        self._lock = threading.Lock()
        # Voice id -> the voice, or a sentence about what is wrong with it; guarded by _lock.
        self._known: dict[str, tuple[FileStamp, Voice | str]] = {}

    def voices(self) -> list[Voice]:
        """All voices: favourites first, then by name. Only files that changed since the last call are read (500: some 10 ms)."""
        found = [entry for entry in self._entries() if isinstance(entry, Voice)]
        return sorted(found, key=lambda voice: (not voice.favourite, names.searchable(voice.name), voice.id))

    def problems(self) -> list[str]:
        """One sentence for each folder that can't be read, with the remedy."""
        return [entry for entry in self._entries() if isinstance(entry, str) and entry]

    def stamp(self) -> object:
        """Compares equal as long as no process has changed the library: poll it (every second or two), then call `voices`."""
        return tuple(sorted(self._stamps().items()))

    def search(self, words: str) -> list[Voice]:
        """The voices whose name, language, source or notes hold every word, whatever its case and accents."""
        wanted = names.searchable(words).split()
        return [voice for voice in self.voices() if all(word in _words_of(voice) for word in wanted)]

    def get(self, key: str) -> Voice:
        """The voice with this id or name (any case); raises UnknownNameError with suggestions."""
        voices = self.voices()
        wanted = names.folded(names.clean(key))
        for voice in voices:
            if key == voice.id or names.folded(voice.name) == wanted:
                return voice
        raise _unknown(key, [voice.name for voice in voices])

    def read(self, voice_id: str) -> tuple[Voice, dict[str, Any]]:
        """Reads a voice that is to be changed, and the keys of its `voice.json` that this version does not know.

        Raises UnknownNameError if it is gone, and InputError if its file is damaged or of a newer version.
        """
        if not names.is_id(voice_id):
            raise UnknownNameError(f"There is no voice with the number {voice_id!r}.")
        folder = self.folder / voice_id
        try:
            data = (folder / voice_json.FILE).read_bytes()
        except OSError as exc:
            raise UnknownNameError("This voice does not exist any more.", detail=repr(exc)) from exc
        if voice_json.schema_of(data) > voice_json.SCHEMA:
            raise InputError("This voice was saved by a newer pocketvoice: update this one to change it.")
        return voice_json.from_json(data, folder)

    def unique_name(self, wanted: str) -> str:
        """`wanted` made clean and free: "Anna", or "Anna 2" if there is an Anna."""
        return names.free_name(wanted, self._taken())

    def check_name(self, name: str, but: str = "") -> str:
        """The clean name; raises InputError if another voice (not the one with the id `but`) has it."""
        checked = names.checked(name)
        if names.folded(checked) in self._taken(but):
            is_own = names.folded(checked) not in self._reserved
            other = "You have a voice" if is_own else "The catalogue has a voice"
            raise InputError(f"{other} named {checked}: choose another name.")
        return checked

    def _taken(self, but: str = "") -> set[str]:
        return {names.folded(voice.name) for voice in self.voices() if voice.id != but} | self._reserved

    def _entries(self) -> list[Voice | str]:
        stamps = self._stamps()
        with self._lock:
            self._known = {
                voice_id: self._known[voice_id]
                if voice_id in self._known and self._known[voice_id][0] == stamp
                else (stamp, self._look_at(voice_id))
                for voice_id, stamp in stamps.items()
            }
            return [entry for _, entry in self._known.values()]

    def _stamps(self) -> dict[str, FileStamp]:
        stamps = {}
        try:
            with os.scandir(self.folder) as entries:
                found = [entry.name for entry in entries if names.is_id(entry.name)]
        except OSError:
            return {}
        for voice_id in found:
            try:
                status = (self.folder / voice_id / voice_json.FILE).stat()
                stamps[voice_id] = (status.st_ino, status.st_mtime_ns, status.st_size)
            except OSError:
                if (self.folder / voice_id).is_dir():  # else it was removed just now
                    stamps[voice_id] = (0, 0, 0)
        return stamps

    def _look_at(self, voice_id: str) -> Voice | str:
        """The voice in a folder, or a sentence for the user; "" if the folder was removed just now."""
        folder = self.folder / voice_id
        try:
            voice, _ = voice_json.from_json((folder / voice_json.FILE).read_bytes(), folder)
            if voice.id != voice_id:
                raise voice_json.VoiceJsonError(f"The {voice_json.FILE} belongs to another voice.")
        except (OSError, voice_json.VoiceJsonError) as exc:
            if not folder.exists():
                return ""
            log.warning("voice %s: %r %s", folder, exc, getattr(exc, "detail", ""))
            return _sentence(folder)
        return voice


def _words_of(voice: Voice) -> str:
    return names.searchable("\n".join((voice.name, voice.language, voice.source, voice.notes)))


def _sentence(folder: Path) -> str:
    clip = folder / voice_json.CLIP
    remedy = f"make a new voice of its clip {clip}" if clip.is_file() else "import the voice again"
    return f"The voice in {folder} can't be read, for its {voice_json.FILE} is damaged: {remedy}."


def _unknown(key: str, known: list[str]) -> UnknownNameError:
    import difflib

    near = difflib.get_close_matches(key, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "see `pocketvoice voices list`."
    return UnknownNameError(f"You have no voice named {key!r}: {hint}", suggestions=near)
