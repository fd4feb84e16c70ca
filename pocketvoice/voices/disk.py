"""Writing so that a crash leaves the old or the new: locks, staging folders, sync, rename. Knows folders, not voices.

A staging folder has a lock file beside it that its maker holds: a lock that can be taken belongs to nobody any more. Foreign
OSErrors leave as OutputError or DiskFullError.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pocketvoice import paths
from pocketvoice.errors import OutputError, PocketVoiceError, from_os_error
from pocketvoice.voices.voice import FileMark

STAGING = ".staging"
LOCK_S = 15.0
"""How long another process may hold the library before we give up: it holds it for milliseconds."""
_BLOCK = 1 << 20


@contextmanager
def written_to(place: Path) -> Iterator[None]:
    """Maps the OSErrors of the block."""
    try:
        yield
    except PocketVoiceError:
        raise
    except OSError as exc:
        raise from_os_error(exc, place) from exc


def make_folder(folder: Path) -> None:
    """With its parents, and so that it outlives a power cut."""
    if folder.is_dir():
        return
    with written_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """A rename is on the disk only when its folder is. Systems that can't sync folders do it by themselves."""
    if os.name == "nt":
        return
    with suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def mark_of(path: Path) -> FileMark:
    """Checksum and size of a file; raises OSError."""
    digest = hashlib.sha256()
    size = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return FileMark(digest.hexdigest(), size)


def mark_of_bytes(data: bytes) -> FileMark:
    """The same of what will be written."""
    return FileMark(hashlib.sha256(data).hexdigest(), len(data))


def is_whole(path: Path, mark: FileMark) -> bool:
    """Whether a file is as it was written."""
    try:
        return path.stat().st_size == mark.size_bytes and mark_of(path) == mark
    except OSError:
        return False


def write(path: Path, data: bytes) -> FileMark:
    """A whole file, instead of an older one; also the folder's entry is on the disk afterwards."""
    with paths.atomic_write(path) as file:
        file.write(data)
    with written_to(path):
        sync_folder(path.parent)
    return mark_of_bytes(data)


def copy(source: Path, target: Path) -> FileMark:
    """A whole copy, instead of an older file."""
    with source.open("rb") as original, paths.atomic_write(target) as file:
        shutil.copyfileobj(original, file, _BLOCK)
    with written_to(target):
        sync_folder(target.parent)
    return mark_of(target)


def move_folder(source: Path, target: Path) -> None:
    """Renames a folder into place; `target` must not exist."""
    with written_to(target):
        source.rename(target)
        sync_folder(target.parent)
        if source.parent != target.parent:
            sync_folder(source.parent)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the library, against threads and processes; raises OutputError if another one does not let go."""
    make_folder(folder)
    lock = _lock(folder / ".lock")
    try:
        lock.acquire(timeout=LOCK_S)
    except Timeout as exc:
        raise OutputError(
            "Another pocketvoice is busy with the voices: wait a moment and try again.", detail=str(exc)
        ) from exc
    try:
        yield
    finally:
        lock.release()


def _lock(path: Path) -> FileLock:
    """A lock that any thread may let go; a place that can't be written is told at once, not after the time limit."""
    with written_to(path), path.open("ab"):
        pass
    return FileLock(path, thread_local=False)


class Staging:
    """A folder in the making, held by this process until `close`."""

    def __init__(self, library: Path, kind: str) -> None:
        """`kind` tells the sweep what it was. Takes the library's lock for a moment, so that no sweep sees half of it."""
        root = library / STAGING
        make_folder(root)
        self.folder = root / f"{kind}-{secrets.token_hex(8)}"  # set once
        with locked(library):
            self._lock = _lock(self.folder.with_suffix(".lock"))
            try:
                self._lock.acquire(timeout=LOCK_S)
                make_folder(self.folder)
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Deletes what is left of it. Twice does no harm."""
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
    """Folders in staging whose makers have ended, each held while the caller looks at it. Hold the library's lock."""
    root = library / STAGING
    if not root.is_dir():
        return
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        lock = _lock(folder.with_suffix(".lock"))
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
    """For ever, by way of staging: half of a folder is never where a whole one is looked for."""
    with staged(library, "dead") as grave:
        move_folder(folder, grave / folder.name)
