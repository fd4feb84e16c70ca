"""A voice between recording and saving: a folder in staging that this process holds. Not for two threads at once."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from pocketvoice.errors import InputError, PocketVoiceError
from pocketvoice.voices import clip_file, disk, staging, states, voice_json
from pocketvoice.voices.voice import NewVoice, StateMark, Voice

if TYPE_CHECKING:
    from pathlib import Path

    from pocketvoice.audio.chunk import Samples
    from pocketvoice.voices.store import VoiceStore

log = logging.getLogger(__name__)

_NAME = "Unsaved recording"


class Draft:
    """A voice that is not saved yet. `VoiceLibrary.draft` makes one."""

    def __init__(self, store: VoiceStore, clip: Samples, *, source: str, language: str) -> None:
        """Writes `voice.json` and the clip; raises ClipError, OutputError or DiskFullError."""
        self._store = store  # set once
        data = clip_file.encoded(clip)
        self._staging = staging.Staging(store.folder, staging.DRAFT)
        self._model_ids: dict[str, str] = {}  # file -> model id
        self._voice = Voice(
            states.new_id(), _NAME, language, states.now(), source,
            clip_s=clip_file.duration_s(clip), clip=disk.mark_of_bytes(data), folder=self._staging.folder,
        )  # fmt: skip
        with ExitStack() as on_failure:
            on_failure.callback(self.discard)
            # `voice.json` first: after a crash, a clip that fits the one beside it can be rescued.
            disk.write(self._staging.folder / voice_json.FILE, voice_json.to_json(self._voice))
            disk.make_folder(self._staging.folder / voice_json.STATES)
            disk.write(self._voice.clip_path, data)
            on_failure.pop_all()

    @property
    def clip_path(self) -> Path:
        """The clip as FLAC: `source` of the worker's CloneVoice."""
        return self._voice.clip_path

    def state_path(self, model_id: str) -> Path:
        """Where CloneVoice is to write the state for these weights (`path`); it is saved with the voice.

        Speak and Preview take it as `voice=str(path)`, so that takes with several seeds can be heard before saving.
        """
        file = voice_json.state_file(model_id)
        self._model_ids[file] = model_id
        return self._voice.folder / voice_json.STATES / file

    def set_preview(self, samples: Samples) -> None:
        """Keeps the sentence as it was spoken in the chosen take: samples (T,) at 24 kHz."""
        mark = disk.write(self._voice.preview_path, clip_file.encoded(samples))
        self._voice = replace(self._voice, preview=mark)

    def save(self, new: NewVoice) -> Voice:
        """Adds it to the library, with the states and the preview that were made; the draft is over.

        Raises InputError if the name is taken or empty, and the errors of writing: the draft stays then.
        """
        if not self._voice.folder.is_dir():
            raise InputError("This recording was saved or discarded already.")
        values = {key: value for key, value in vars(new).items() if key != "source" or value}
        checked = voice_json.checked_values(values)
        with disk.written_to(self._voice.folder):
            found = tuple(self._states())
        consented = states.now() if new.consent else ""
        voice = replace(self._voice, **checked, consented=consented, states=found)
        saved = self._store.add_folder(voice, rename=False)
        self._staging.close()
        return saved

    def discard(self) -> None:
        """Deletes it. Calling it twice, or after `save`, does no harm."""
        self._staging.close()

    def _states(self) -> list[StateMark]:
        """The states that the worker has made; a damaged one is left out and made again when it is needed."""
        found = []
        for file, model_id in self._model_ids.items():
            path = self._voice.folder / voice_json.STATES / file
            try:
                header = states.read_header(path)
                found.append(StateMark(model_id, file, disk.mark_of(path), header.is_followed))
            except PocketVoiceError as error:
                log.info("%s: %s", path, error)
        return found
