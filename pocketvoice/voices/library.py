"""The voices of the user on disk: found, made, changed, removed. Any thread, any number of processes (a file lock orders them).

Everything that is written is staged, synced and renamed: a crash leaves the old or the new. Reading takes no lock. Errors are
InputError (names, values), OutputError (read-only, locked), DiskFullError. Each method touches the disk for some milliseconds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice import paths
from pocketvoice.errors import InputError, PocketVoiceError, UnknownNameError
from pocketvoice.voices import clip_file, disk, names, states, voice_json
from pocketvoice.voices.draft import Draft
from pocketvoice.voices.index import VoiceIndex
from pocketvoice.voices.recovery import delete_strangers, recover
from pocketvoice.voices.trash import Trash
from pocketvoice.voices.voice import NewVoice, StateMark, Voice

if TYPE_CHECKING:
    from pocketvoice.audio.chunk import Samples

log = logging.getLogger(__name__)

_CHANGEABLE = {"name", "language", "seed", "volume", "speed", "notes", "favourite", "consent"}


class VoiceLibrary:
    """The folder `voices` in the user's data directory."""

    def __init__(self, folder: Path | None = None, *, reserved: Collection[str] = ()) -> None:
        """`reserved` names are not given to voices (those of the catalogue, so that a name means one voice).

        Touches nothing: the folder is made at the first write, and what a crash left is swept then.
        """
        self.folder = folder or paths.user_data_dir() / "voices"  # set once
        self.trash = Trash(self)
        self._reserved = frozenset(names.folded(name) for name in reserved)  # set once
        self._shelf = VoiceIndex(self.folder)
        self._sweeping = threading.Lock()
        self._swept = False  # guarded by _sweeping

    # -- finding

    def voices(self) -> list[Voice]:
        """All voices: favourites first, then by name. Only files that changed since the last call are read (500: some 10 ms)."""
        return self._shelf.voices()

    def problems(self) -> list[str]:
        """One sentence for each folder that can't be read, with the remedy."""
        return self._shelf.problems()

    def stamp(self) -> object:
        """Compares equal as long as no process has changed the library: poll it (every second or two), then call `voices`."""
        return self._shelf.stamp()

    def search(self, words: str) -> list[Voice]:
        """Those whose name, language, source or notes hold every word, whatever its case and accents."""
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

    def unique_name(self, wanted: str) -> str:
        """`wanted` made clean and free: "Anna", or "Anna 2" if there is an Anna."""
        return names.free_name(wanted, self._taken())

    # -- making

    def draft(self, clip: Samples, *, source: str = "", language: str = "") -> Draft:
        """A voice that is not saved yet: its clip (24 kHz, (T,), at most 30 s) is on disk, so that the worker can make its state.

        Lives until `save` or `discard`; if the process dies first, the next recover puts it into the trash, to be restored.
        """
        self.recover()
        return Draft(self, clip, source=source, language=language)

    def add(self, new: NewVoice, clip: Samples) -> Voice:
        """A draft saved at once; states are made when it is first used."""
        self.check_name(new.name)
        draft = self.draft(clip, source=new.source, language=new.language)
        try:
            return draft.save(new)
        finally:
            draft.discard()

    def duplicate(self, voice_id: str, name: str | None = None) -> Voice:
        """A copy with all its files under another name ("Anna 2")."""
        self.recover()
        voice = self._by_id(voice_id)
        with disk.staged(self.folder, "new") as folder:
            with disk.written_to(folder):
                _copy_files(voice, folder)
            copy = replace(voice, id=states.new_id(), name=name or voice.name, favourite=False, folder=folder)
            return self.settle(copy, rename=name is None)

    # -- changing

    def update(self, voice_id: str, **changes: Any) -> Voice:
        """Changes fields of `NewVoice`: name, language, seed, volume, speed, notes, favourite (consent too, with its time)."""
        assert changes.keys() <= _CHANGEABLE, f"{changes.keys() - _CHANGEABLE} can't be changed"
        values = voice_json.checked_values(changes)
        if values.get("consent"):
            values["consented"] = states.now()
        return self.rewrite(voice_id, lambda voice: replace(voice, **values))

    def remove(self, voice_id: str) -> str:
        """Moves it to the trash; returns the key that `trash.restore` takes."""
        self.recover()
        with disk.locked(self.folder):
            key = self.trash.take(self._by_id(voice_id))
        with suppress(PocketVoiceError):
            self.trash.purge()
        return key

    def set_preview(self, voice_id: str, samples: Samples) -> Voice:
        """The spoken sentence that is played from the list; 24 kHz, (T,)."""
        data = clip_file.encoded(samples)

        def write(voice: Voice) -> Voice:
            other = next(name for name in voice_json.PREVIEWS if name != voice.preview_file)
            return replace(voice, preview_file=other, preview=disk.write(voice.folder / other, data))

        return self.rewrite(voice_id, write)

    # -- states

    def state_path(self, voice: Voice, model_id: str) -> Path | None:
        """The whole state file for these weights; None if there is none or it is damaged (the worker then makes one)."""
        return states.whole_path(voice, states.find(voice, model_id))

    def add_state(self, voice_id: str, model_id: str, made: Path) -> Voice:
        """Takes a state file in (copied), instead of an older one for the same weights; raises VoiceStateError."""
        states.read_header(made)

        def write(voice: Voice) -> Voice:
            file = voice_json.state_file(model_id)
            if any(state.file == file for state in voice.states):  # never over one that is in use
                file = f"{voice_json.salt()}-{file}"
            with disk.written_to(voice.folder):
                (voice.folder / voice_json.STATES).mkdir(exist_ok=True)
                mark = disk.copy(made, voice.folder / voice_json.STATES / file)
            return states.with_state(voice, StateMark(model_id, file, mark))

        return self.rewrite(voice_id, write)

    def claim_state(self, voice_id: str, model_id: str) -> Voice:
        """The user's answer to which model a state without a model id was made for."""

        def claimed(voice: Voice) -> Voice:
            unknown = next((state for state in voice.states if not state.model_id), None)
            if unknown is None:
                raise InputError(f"The voice {voice.name} has no state whose model is not known.")
            others = replace(voice, states=tuple(one for one in voice.states if one is not unknown))
            return states.with_state(others, replace(unknown, model_id=model_id))

        return self.rewrite(voice_id, claimed)

    # -- keeping

    def check(self, voice_id: str) -> list[str]:
        """Reads all its files against their checksums: one sentence for the user for each that is damaged or missing."""
        return states.damage(self._by_id(voice_id))

    def recover(self) -> None:
        """Once in the life of a library: clears up after a crash. The other methods call it before they write."""
        with self._sweeping:
            if not self._swept:
                with disk.locked(self.folder):
                    recover(self.folder, self.trash)
                self._swept = True

    # -- for the parts of the library

    def check_name(self, name: str, but: str = "") -> str:
        """The clean name; raises InputError if another voice (not the one with the id `but`) has it."""
        checked = names.checked(name)
        if names.folded(checked) in self._taken(but):
            is_own = names.folded(checked) not in self._reserved
            other = "You have a voice" if is_own else "The catalogue has a voice"
            raise InputError(f"{other} named {checked}: choose another name.")
        return checked

    def settle(self, voice: Voice, *, rename: bool) -> Voice:
        """Puts a staged voice into its place: writes `voice.json`, then renames its folder. `rename` frees its name."""
        with disk.locked(self.folder):
            name = self.unique_name(voice.name) if rename else self.check_name(voice.name)
            voice = replace(voice, name=name)
            disk.write(voice.folder / voice_json.RECORD, voice_json.to_json(voice))
            place = self.folder / voice.id
            disk.move_folder(voice.folder, place)
        log.info("voice %s (%s) saved", voice.id, voice.name)
        return replace(voice, folder=place)

    def rewrite(self, voice_id: str, change: Callable[[Voice], Voice]) -> Voice:
        """Reads `voice.json`, changes it, and writes it, with the library locked."""
        self.recover()
        with disk.locked(self.folder):
            voice, others = self._shelf.read(voice_id)
            new = change(voice)
            if new.name != voice.name:
                new = replace(new, name=self.check_name(new.name, but=voice_id))
            disk.write(voice.folder / voice_json.RECORD, voice_json.to_json(new, others))
            delete_strangers(new)
        return new

    def _by_id(self, voice_id: str) -> Voice:
        return self._shelf.read(voice_id)[0]

    def _taken(self, but: str = "") -> set[str]:
        return {names.folded(voice.name) for voice in self.voices() if voice.id != but} | self._reserved


def open_library(reserved: Collection[str] = ()) -> VoiceLibrary:
    """The user's library."""
    return VoiceLibrary(reserved=reserved)


def _words_of(voice: Voice) -> str:
    return names.searchable("\n".join((voice.name, voice.language, voice.source, voice.notes)))


def _copy_files(voice: Voice, folder: Path) -> None:
    """Its files as they are, damaged ones too: the copy is no better than the original, and no worse."""
    (folder / voice_json.STATES).mkdir()
    wanted = [
        voice_json.CLIP,
        voice.preview_file,
        *(f"{voice_json.STATES}/{state.file}" for state in voice.states),
    ]
    for name in wanted:
        if (voice.folder / name).is_file():
            disk.copy(voice.folder / name, folder / name)


def _unknown(key: str, known: list[str]) -> UnknownNameError:
    import difflib

    near = difflib.get_close_matches(key, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "see `pocketvoice voices list`."
    return UnknownNameError(f"You have no voice named {key!r}: {hint}", suggestions=near)
