"""Clearing up what a crash has left in the library: half-written folders and files. A recording that was not saved is kept.

Runs with the library's lock held. Whatever goes is told in the log; nothing that holds a whole clip is deleted.
"""

import logging
import shutil
from contextlib import suppress
from pathlib import Path

from pocketvoice.errors import PocketVoiceError
from pocketvoice.voices import disk, draft, names, record
from pocketvoice.voices.trash import Trash
from pocketvoice.voices.voice import Voice

log = logging.getLogger(__name__)


def sweep(library: Path, trash: Trash) -> None:
    """Takes up all that nobody holds."""
    for folder in disk.abandoned(library):
        voice = _rescued(folder)
        if voice is not None:
            log.warning("a recording that was not saved goes to the trash: %s", folder)
            trash.take(voice, unsaved=True)
        else:
            log.warning("what a crash left is deleted: %s", folder)
            shutil.rmtree(folder, ignore_errors=True)
    _delete_parts(library)


def _rescued(folder: Path) -> Voice | None:
    """The voice of a draft whose clip is whole."""
    if not folder.name.startswith(f"{draft.KIND}-"):
        return None
    with suppress(OSError, PocketVoiceError):
        voice, _ = record.from_json((folder / record.RECORD).read_bytes(), folder)
        if voice.clip is not None and disk.is_whole(voice.clip_path, voice.clip):
            return voice
    return None


def _delete_parts(library: Path) -> None:
    """Temporary files of `atomic_write` in the folders of voices."""
    with suppress(OSError):
        for folder in library.iterdir():
            if names.is_id(folder.name):
                for part in [*folder.glob(".*.part"), *folder.glob(f"{record.STATES}/.*.part")]:
                    log.warning("a half-written file is deleted: %s", part)
                    part.unlink(missing_ok=True)
