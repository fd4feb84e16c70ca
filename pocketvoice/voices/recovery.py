"""Clearing up what a crash has left in the library: half-written folders and files. A recording that was not saved is kept.

Runs with the library locked. The log names whatever is deleted; nothing that holds a whole clip is.
"""

from __future__ import annotations

import logging
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from pocketvoice.errors import PocketVoiceError
from pocketvoice.voices import disk, names, staging, voice_json

if TYPE_CHECKING:
    from pathlib import Path

    from pocketvoice.voices.trash import Trash
    from pocketvoice.voices.voice import Voice

log = logging.getLogger(__name__)


def recover(library: Path, trash: Trash) -> None:
    """Moves unsaved recordings of dead processes to the trash; deletes their other staging folders and all leftover files."""
    for folder in staging.abandoned(library):
        voice = _rescued(folder)
        if voice is not None:
            log.warning("a recording that was not saved goes to the trash: %s", folder)
            delete_leftovers(voice)
            trash.take(voice, unsaved=True)
        else:
            log.warning("what a crash left is deleted: %s", folder)
            shutil.rmtree(folder, ignore_errors=True)
    _delete_all_leftovers(library)


def _rescued(folder: Path) -> Voice | None:
    """The voice of a draft whose clip is whole."""
    if not folder.name.startswith(f"{staging.DRAFT}-"):
        return None
    with suppress(OSError, PocketVoiceError):
        voice, _ = voice_json.from_json((folder / voice_json.FILE).read_bytes(), folder)
        if voice.clip is not None and disk.is_whole(voice.clip_path, voice.clip):
            return voice
    return None


def delete_leftovers(voice: Voice) -> None:
    """Deletes files that `voice.json` does not name any more, or not yet: after a change, and of a change that broke off.

    Only names that this program gives; whatever else lies in the folder is the user's.
    """
    known = {state.file for state in voice.states}
    old = [
        path
        for path in (voice.folder / voice_json.STATES).glob(f"*{voice_json.STATE_SUFFIX}")
        if path.name not in known
    ]
    old += [voice.folder / name for name in voice_json.PREVIEWS if name != voice.preview_file]
    old += [*voice.folder.glob(".*.part"), *voice.folder.glob(f"{voice_json.STATES}/.*.part")]
    for path in old:
        with suppress(FileNotFoundError, PermissionError):
            path.unlink()
            log.info("not needed any more: %s", path)


def _delete_all_leftovers(library: Path) -> None:
    """Those of every voice whose `voice.json` can be read."""
    with suppress(OSError):
        for folder in library.iterdir():
            if names.is_id(folder.name):
                with suppress(OSError, voice_json.VoiceJsonError):
                    voice, _ = voice_json.from_json((folder / voice_json.FILE).read_bytes(), folder)
                    delete_leftovers(voice)
