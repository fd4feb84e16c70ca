"""Voices on their way to another machine: one `.pvoice` zip each, and the `.safetensors` files of the reference.

A `.pvoice` holds `manifest.json` (format, version, the voice, checksums), and the files it lists: `clip.flac`, `preview.flac`,
`states/N.safetensors`. What comes from outside is not trusted: sizes are bounded, names never become paths, links and unknown files
are refused, checksums must fit.
"""

import dataclasses
import json
import logging
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketvoice import paths
from pocketvoice.errors import InputError
from pocketvoice.voices import disk, names, staging, states, voice_json
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.unpacking import FORMAT, MANIFEST, VERSION, unpack
from pocketvoice.voices.voice import StateMark, Voice

log = logging.getLogger(__name__)

SUFFIX = ".pvoice"
_MOST_FILES = 1000


@dataclass(frozen=True)
class Imported:
    """What became of files that were brought in."""

    voices: tuple[Voice, ...]
    notes: tuple[str, ...] = ()
    """Sentences for the user: another name, a state whose model is not known ..."""
    failures: tuple[str, ...] = ()
    """Of a folder: one sentence for each file that could not be brought in."""


def suggested_name(voice: Voice) -> str:
    """A file name for the voice that every system takes."""
    return names.file_stem(voice.name) + SUFFIX


def export_voice(library: VoiceLibrary, voice_id: str, target: Path, *, with_clip: bool = True) -> Path:
    """Writes one `.pvoice` file, atomically; without the clip it speaks only with the models it has states for.

    Damaged files are left out. Raises InputError if there would be nothing in it that speaks, OutputError or DiskFullError.
    """
    voice = library.get(voice_id)
    files = _whole_files(voice, with_clip)
    if not any(name != voice_json.PREVIEW for name in files):
        left_out = voice.has_clip and not with_clip and not voice.states
        why = "its clip is left out and it has no state yet" if left_out else "its files are damaged"
        raise InputError(f"The voice {voice.name} can't be exported: {why}.")
    manifest = {"format": FORMAT, "version": VERSION, "voice": _told(voice, files)}
    with (
        paths.atomic_write(target) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as package,
    ):
        package.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))
        for name, path in files.items():
            package.write(path, name)
    return target


def _whole_files(voice: Voice, with_clip: bool) -> dict[str, Path]:
    """Name in the package -> file, without damaged ones."""
    found = {}
    if with_clip and voice.clip is not None and disk.is_whole(voice.clip_path, voice.clip):
        found[voice_json.CLIP] = voice.clip_path
    if voice.preview is not None and disk.is_whole(voice.preview_path, voice.preview):
        found[voice_json.PREVIEW] = voice.preview_path
    for index, state in enumerate(voice.states):
        path = states.whole_path(voice, state)
        if path is not None:
            found[f"{voice_json.STATES}/{index}{voice_json.STATE_SUFFIX}"] = path
    return found


def _told(voice: Voice, files: dict[str, Path]) -> dict[str, Any]:
    """The voice as it stands in the manifest: with the states under the names they have in the package."""
    told = [
        dataclasses.replace(state, file=f"{index}{voice_json.STATE_SUFFIX}")
        for index, state in enumerate(voice.states)
        if f"{voice_json.STATES}/{index}{voice_json.STATE_SUFFIX}" in files
    ]
    kept = dataclasses.replace(
        voice,
        clip=voice.clip if voice_json.CLIP in files else None,
        clip_s=voice.clip_s if voice_json.CLIP in files else None,
        preview=voice.preview if voice_json.PREVIEW in files else None,
        preview_file=voice_json.PREVIEW,
        states=tuple(told),
    )
    data: dict[str, Any] = json.loads(voice_json.to_json(kept))
    return data


def import_voices(library: VoiceLibrary, source: Path, *, model_id: str = "", language: str = "") -> Imported:
    """Brings in a `.pvoice`, a `.safetensors`, or a folder of them.

    `model_id` says which weights a file of the reference was made for, where the file itself does not. Raises InputError
    (MissingFileError, VoiceStateError) for a single file, OutputError or DiskFullError.
    """
    library.recover()
    if not source.is_dir():
        return _import_file(library, source, model_id, language)
    try:
        found = sorted(
            path for path in source.iterdir() if path.suffix.lower() in (SUFFIX, voice_json.STATE_SUFFIX)
        )
    except OSError as exc:
        raise InputError(f"The folder {source} can't be read: {exc.strerror or exc}.") from exc
    if not found:
        raise InputError(
            f"The folder {source.name} holds no {SUFFIX} and no {voice_json.STATE_SUFFIX} files."
        )
    if len(found) > _MOST_FILES:
        raise InputError(
            f"The folder {source.name} holds {len(found)} voices: bring in at most {_MOST_FILES} at once."
        )
    return _import_all(library, found, model_id, language)


def _import_all(library: VoiceLibrary, found: list[Path], model_id: str, language: str) -> Imported:
    """What can be brought in is, and the rest is told; a full disk ends it."""
    voices: list[Voice] = []
    notes: list[str] = []
    failures: list[str] = []
    for path in found:
        try:
            one = _import_file(library, path, model_id, language)
            voices += one.voices
            notes += one.notes
        except InputError as error:
            log.info("%s: %s (%s)", path, error, error.detail)
            failures.append(f"{path.name}: {error}")
    return Imported(tuple(voices), tuple(notes), tuple(failures))


def _import_file(library: VoiceLibrary, path: Path, model_id: str, language: str) -> Imported:
    if path.suffix.lower() == voice_json.STATE_SUFFIX:
        return _import_state(library, path, model_id, language)
    with staging.staged(library.folder, staging.NEW) as folder:
        read = unpack(path, folder)
        voice = dataclasses.replace(read, id=states.new_id(), favourite=False, folder=folder)
        added = library.store.add_folder(voice, rename=True)
    return Imported((added,), tuple(_notes(read.name, added)))


def _import_state(library: VoiceLibrary, path: Path, model_id: str, language: str) -> Imported:
    header = states.read_header(path)
    made_for = header.model_id or model_id
    with staging.staged(library.folder, staging.NEW) as folder:
        disk.make_folder(folder / voice_json.STATES)
        file = voice_json.state_file(made_for)
        mark = disk.copy(path, folder / voice_json.STATES / file)
        voice = Voice(
            states.new_id(),
            names.clean(path.stem) or "Voice",
            language,
            states.now(),
            source=names.clean(path.name),
            states=(StateMark(made_for, file, mark, header.is_followed),),
            folder=folder,
        )
        added = library.store.add_folder(voice, rename=True)
    return Imported((added,), tuple(_notes(voice.name, added)))


def _notes(wanted: str, voice: Voice) -> list[str]:
    """What the user should know of a voice that was brought in."""
    notes = []
    if voice.name != wanted:
        notes.append(f"There was a voice named {wanted} already: the new one is called {voice.name}.")
    if not voice.has_clip:
        known = [state.model_id for state in voice.states if state.model_id]
        model = " and ".join(known) or "the model it was made for, which the file does not name"
        notes.append(f"{voice.name} came without its clip: it speaks only with {model}.")
    if not voice.consent:
        notes.append(
            f"{voice.name} came without a statement that the speaker agreed: use it only if they did."
        )
    return notes
