"""Opening a `.pvoice` that anyone may have made: into a folder of ours, under names of ours, or refused with a sentence."""

import hashlib
import json
import stat
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from pocketvoice import paths
from pocketvoice.audio.reading import read_audio
from pocketvoice.errors import AudioFileError, InputError, MissingFileError, PocketVoiceError
from pocketvoice.voices import clip_file, disk, states, voice_json
from pocketvoice.voices.voice import FileMark, StateMark, Voice

FORMAT, VERSION = "pocketvoice voice", 1
MANIFEST = "manifest.json"

MOST_BYTES = 1 << 30
"""Of all files together; a voice of 30 s has 18 MB for a model of 6 layers and 74 MB for one of 24."""
_MOST_ENTRIES = 40
_MOST_DIRECTORY = 1 << 16
_MOST_MANIFEST = 1 << 20
_BLOCK = 1 << 20
_END, _ZIP64 = b"PK\x05\x06", b"PK\x06\x07"
_END_SEARCHED = (1 << 16) + 22 + 20
"""Bytes: a comment, the end record, zip64's locator before it."""


def unpack(path: Path, folder: Path) -> Voice:
    """Its files into `folder`, all checked; the voice as the manifest tells it. Raises InputError, OutputError or DiskFullError."""
    try:
        _check_directory(path)
        with zipfile.ZipFile(path) as package:
            entries = _entries(package, path.name)
            voice = _manifest(package, entries, path.name)
            return _unpacked(package, entries, voice, folder)
    except PocketVoiceError:  # some are OSErrors too
        raise
    except FileNotFoundError as exc:
        raise MissingFileError(f"There is no file {path}: check the name.") from exc
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeError) as exc:
        raise _bad(path.name, "it is damaged or no voice package", exc) from exc
    except OSError as exc:
        raise InputError(f"{path.name} can't be read: {exc.strerror or exc}.", detail=repr(exc)) from exc


def _check_directory(path: Path) -> None:
    """Refuses a zip whose directory is huge: zipfile makes an object of each entry in it before anyone can count them.

    The end record is looked for wherever zipfile may find it (in the last 64 KB; APPNOTE 4.3.16); a zip64 one, which could tell
    other sizes, never belongs to a voice.
    """
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _END_SEARCHED))
        tail = file.read()
    at = tail.find(_END)
    while at >= 0:
        size = int.from_bytes(tail[at + 12 : at + 16], "little")
        if size > _MOST_DIRECTORY or tail[max(0, at - 20) :].startswith(_ZIP64):
            raise _bad(path.name, "it lists too many files", f"directory of {size} bytes")
        at = tail.find(_END, at + 1)


def _entries(package: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """What it holds, if all of it may be in a voice package."""
    found: dict[str, zipfile.ZipInfo] = {}
    infos = [info for info in package.infolist() if info.filename != f"{voice_json.STATES}/"]
    if len(infos) > _MOST_ENTRIES:
        raise _bad(name, f"it holds {len(infos)} files")
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or info.is_dir():
            raise _bad(name, "it holds a link or something else that is no file", info.filename)
        if info.filename in found:
            raise _bad(name, "it holds a file twice", info.filename)
        if info.flag_bits & 0x1:
            raise _bad(name, "it is encrypted", info.filename)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _bad(name, "it is packed in an unknown way", info.filename)
        if not _is_known(info.filename):
            raise _bad(name, "it holds a file that does not belong in it", info.filename)
        found[info.filename] = info
    if sum(info.file_size for info in found.values()) > MOST_BYTES:
        raise _bad(name, f"it would take more than {MOST_BYTES >> 20} MB")
    return found


def _is_known(name: str) -> bool:
    if name in (MANIFEST, voice_json.CLIP, voice_json.PREVIEW):
        return True
    number = name.removeprefix(f"{voice_json.STATES}/").removesuffix(voice_json.STATE_SUFFIX)
    is_number = number.isascii() and number.isdecimal() and len(number) <= 4
    return is_number and name == f"{voice_json.STATES}/{number}{voice_json.STATE_SUFFIX}"


def _manifest(package: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], name: str) -> Voice:
    info = entries.get(MANIFEST)
    if info is None or info.file_size > _MOST_MANIFEST:
        raise _bad(name, "it has no manifest")
    with package.open(info) as file:
        data = file.read(_MOST_MANIFEST + 1)
    try:
        manifest: Any = json.loads(data)
        if manifest["format"] != FORMAT or not isinstance(manifest["version"], int):
            raise ValueError(f"format {manifest['format']!r}")
        if manifest["version"] > VERSION:
            raise InputError(f"{name} was made by a newer pocketvoice: update this one to bring it in.")
        return voice_json.voice_from(manifest["voice"], Path())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        if isinstance(exc, InputError):
            raise
        raise _bad(name, "its manifest is not valid", exc) from exc


def _unpacked(
    package: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], voice: Voice, folder: Path
) -> Voice:
    """The voice with only what is there; every file is checked against the manifest and looked at."""
    name = Path(package.filename or "").name
    disk.make_folder(folder / voice_json.STATES)
    if voice.clip is not None:
        _extract(package, entries, voice_json.CLIP, voice.clip, folder / voice_json.CLIP)
        voice = replace(voice, clip_s=_duration_of(folder / voice_json.CLIP, name))
    else:
        voice = replace(voice, clip_s=None)
    voice = replace(voice, preview_file=voice_json.PREVIEW)
    if voice.preview is not None:
        _extract(package, entries, voice_json.PREVIEW, voice.preview, folder / voice_json.PREVIEW)
        _duration_of(folder / voice_json.PREVIEW, name)
    kept = []
    for state in voice.states:
        file = voice_json.state_file(state.model_id)
        target = folder / voice_json.STATES / file
        if target.exists():
            raise _bad(name, "it holds two states for one model", state.model_id)
        _extract(package, entries, f"{voice_json.STATES}/{state.file}", state.mark, target)
        header = states.read_header(target)
        kept.append(StateMark(state.model_id, file, state.mark, header.is_followed))
    if not kept and not voice.has_clip:
        raise _bad(name, "it holds neither a clip nor a state")
    return replace(voice, states=tuple(kept))


def _extract(
    package: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], entry: str, mark: FileMark, target: Path
) -> None:
    """One file, never more of it than the manifest says."""
    name = Path(package.filename or "").name
    info = entries.get(entry)
    if info is None or info.file_size != mark.size_bytes:
        raise _bad(name, f"{entry} is missing or cut short")
    digest, size = hashlib.sha256(), 0
    with package.open(info) as source, paths.atomic_write(target) as file:
        while block := source.read(_BLOCK):
            size += len(block)
            if size > mark.size_bytes:
                raise _bad(name, f"{entry} is longer than it says")
            digest.update(block)
            file.write(block)
    if FileMark(digest.hexdigest(), size) != mark:
        raise _bad(name, f"{entry} is damaged")


def _duration_of(path: Path, name: str) -> float:
    """Seconds of a clip; raises InputError if it is none."""
    try:
        sound = read_audio(path, max_s=clip_file.MOST_S + 1)
    except AudioFileError as exc:
        raise _bad(name, f"{path.name} holds no sound", exc) from exc
    if sound.cut or sound.sample_rate != clip_file.SAMPLE_RATE or sound.channels != 1:
        raise _bad(name, f"{path.name} is not a clip of at most {clip_file.MOST_S:.0f} s")
    return clip_file.duration_s(sound.samples)


def _bad(name: str, what: str, detail: object = "") -> InputError:
    return InputError(f"{name} can't be brought in: {what}. Export the voice again.", detail=str(detail))
