"""Folders in the making, which are renamed into the library when they are complete. Knows folders, not voices.

A staging folder has a lock file beside it that its maker holds: a lock that can be taken belongs to nobody any more.
"""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import Timeout

from pocketvoice.voices import disk

FOLDER = ".staging"
DRAFT, NEW, DEAD = "draft", "new", "dead"
"""What a staging folder is for, the first part of its name: a recording not saved yet, a voice being added, one being deleted."""


class Staging:
    """A folder in the making, held by this process until `close`."""

    def __init__(self, library: Path, kind: str) -> None:
        """Makes the folder; `kind` tells the recovery after a crash what it was.

        Takes the library's lock for a moment, so that no recovery finds the folder before this process holds it.
        """
        root = library / FOLDER
        disk.make_folder(root)
        self.folder = root / f"{kind}-{secrets.token_hex(8)}"  # set once
        with disk.locked(library), ExitStack() as on_failure:
            self._lock = disk.file_lock(self.folder.with_suffix(".lock"))
            on_failure.callback(self.close)
            self._lock.acquire(timeout=disk.LOCK_S)
            disk.make_folder(self.folder)
            on_failure.pop_all()

    def close(self) -> None:
        """Deletes what is left of the folder and releases it. Calling it twice does no harm."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):
            Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release(force=True)


@contextmanager
def staged(library: Path, kind: str) -> Iterator[Path]:
    """A folder to write in, which the block then renames into place; what is left of it is deleted."""
    staging = Staging(library, kind)
    try:
        yield staging.folder
    finally:
        staging.close()


def abandoned(library: Path) -> Iterator[Path]:
    """Staging folders whose makers have ended, each held while the caller looks at it. The library must be locked."""
    root = library / FOLDER
    if not root.is_dir():
        return
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        lock = disk.file_lock(folder.with_suffix(".lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            yield folder
        finally:
            if not folder.exists():
                Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()
    for lock_path in root.glob("*.lock"):
        if not lock_path.with_suffix("").exists():
            lock_path.unlink(missing_ok=True)


def delete_folder(folder: Path, library: Path) -> None:
    """Deletes a folder by way of staging, so that half of one never lies where whole ones are looked for."""
    with staged(library, DEAD) as staging_folder:
        disk.move_folder(folder, staging_folder / folder.name)
