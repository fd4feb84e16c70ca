"""The voices of the user on disk: found, made, changed, removed. Any thread, any number of processes (a file lock orders them).

Everything that is written is staged, synced and renamed: a crash leaves the old or the new. Reading takes no lock. Errors are
InputError (names, values), OutputError (read-only, locked), DiskFullError. Each method touches the disk for some milliseconds.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice import paths
from pocketvoice.errors import InputError
from pocketvoice.voices import clip_file, disk, staging, states, voice_json
from pocketvoice.voices.draft import Draft
from pocketvoice.voices.index import VoiceIndex
from pocketvoice.voices.store import VoiceStore
from pocketvoice.voices.trash import KEPT_AT_LEAST, Trash
from pocketvoice.voices.voice import NewVoice, StateMark, Voice

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pocketvoice.audio.chunk import Samples

_CHANGEABLE = {"name", "language", "seed", "volume", "speed", "notes", "favourite", "consent"}


class VoiceLibrary(VoiceIndex):
    """The folder `voices` in the user's data directory: what `VoiceIndex` finds in it, and every change to it."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        reserved: Collection[str] = (),
        lock_timeout_s: float = disk.LOCK_S,
        trash_keeps: int = KEPT_AT_LEAST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`reserved` names are not given to voices (those of the catalogue, so that a name means one voice).

        Touches nothing: the folder is made at the first write, and what a crash left is cleared up then.
        """
        super().__init__(folder or paths.user_data_dir() / "voices", reserved)
        self.trash = Trash(self, kept_at_least=trash_keeps, clock=clock)
        self.store = VoiceStore(self, self.trash, lock_timeout_s)
        """For `Draft` and `packages`, which bring complete folders."""

    # -- making

    def draft(self, clip: Samples, *, source: str = "", language: str = "") -> Draft:
        """A voice that is not saved yet: its clip (24 kHz, (T,), at most 30 s) is on disk, so that the worker can make its state.

        Lives until `save` or `discard`; if the process dies first, the next recovery puts it into the trash, to be restored.
        """
        self.recover()
        return Draft(self.store, clip, source=source, language=language)

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
        voice, _ = self.read(voice_id)
        with staging.staged(self.folder, staging.NEW) as folder:
            with disk.written_to(folder):
                _copy_files(voice, folder)
            copy = replace(voice, id=states.new_id(), name=name or voice.name, favourite=False, folder=folder)
            return self.store.add_folder(copy, rename=name is None)

    # -- changing

    def update(self, voice_id: str, **changes: Any) -> Voice:
        """Changes fields of `NewVoice`: name, language, seed, volume, speed, notes, favourite (consent too, with its time)."""
        assert changes.keys() <= _CHANGEABLE, f"{changes.keys() - _CHANGEABLE} can't be changed"
        values = voice_json.checked_values(changes)
        if values.get("consent"):
            values["consented"] = states.now()
        return self.store.change(voice_id, lambda voice: replace(voice, **values))

    def remove(self, voice_id: str) -> str:
        """Moves it to the trash; returns the key that `trash.restore` takes."""
        return self.store.remove(voice_id)

    def set_preview(self, voice_id: str, samples: Samples) -> Voice:
        """Keeps the spoken sentence that is played from the list: samples (T,) at 24 kHz."""
        data = clip_file.encoded(samples)

        def write(voice: Voice) -> Voice:
            other = next(name for name in voice_json.PREVIEWS if name != voice.preview_file)
            return replace(voice, preview_file=other, preview=disk.write(voice.folder / other, data))

        return self.store.change(voice_id, write)

    # -- states

    def state_path(self, voice: Voice, model_id: str) -> Path | None:
        """The whole state file for these weights; None if there is none or it is damaged (the worker then makes one)."""
        return states.whole_path(voice, states.find(voice, model_id))

    def add_state(self, voice_id: str, model_id: str, made: Path) -> Voice:
        """Copies a state file in, instead of an older one for the same weights; raises VoiceStateError."""
        header = states.read_header(made)

        def write(voice: Voice) -> Voice:
            file = voice_json.state_file(model_id)
            if any(state.file == file for state in voice.states):  # never over one that is in use
                file = f"{voice_json.salt()}-{file}"
            with disk.written_to(voice.folder):
                (voice.folder / voice_json.STATES).mkdir(exist_ok=True)
                mark = disk.copy(made, voice.folder / voice_json.STATES / file)
            return states.with_state(voice, StateMark(model_id, file, mark, header.is_followed))

        return self.store.change(voice_id, write)

    def claim_state(self, voice_id: str, model_id: str) -> Voice:
        """Takes the user's answer to which model a state without a model id was made for; raises InputError if there is none."""

        def claimed(voice: Voice) -> Voice:
            unknown = states.unknown(voice)
            if unknown is None:
                raise InputError(f"The voice {voice.name} has no state whose model is not known.")
            others = replace(voice, states=tuple(one for one in voice.states if one is not unknown))
            return states.with_state(others, replace(unknown, model_id=model_id))

        return self.store.change(voice_id, claimed)

    # -- damage

    def check(self, voice_id: str) -> list[str]:
        """Reads all its files against their checksums: one sentence for the user for each that is damaged or missing."""
        return states.damage(self.read(voice_id)[0])

    def recover(self) -> None:
        """Clears up after a crash, once in the life of a library. The methods that write call it first."""
        self.store.recover()


def open_library(reserved: Collection[str] = ()) -> VoiceLibrary:
    """The library in the user's data directory."""
    return VoiceLibrary(reserved=reserved)


def _copy_files(voice: Voice, folder: Path) -> None:
    """Copies its files as they are, damaged ones too: the copy is no better than the original, and no worse."""
    (folder / voice_json.STATES).mkdir()
    wanted = [
        voice_json.CLIP,
        voice.preview_file,
        *(f"{voice_json.STATES}/{state.file}" for state in voice.states),
    ]
    for name in wanted:
        if (voice.folder / name).is_file():
            disk.copy(voice.folder / name, folder / name)
