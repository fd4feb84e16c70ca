"""Writing so that a crash leaves the old file or the new one: locks, checksums, sync, rename. Knows files and folders, not voices.

Foreign OSErrors leave as OutputError or DiskFullError.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pocketvoice import paths
from pocketvoice.errors import OutputError, PocketVoiceError, from_os_error
from pocketvoice.voices.voice import FileMark

LOCK_S = 15.0
"""How long another process may hold the library before we give up: it holds it for milliseconds."""
_BLOCK = 1 << 20


@contextmanager
def written_to(place: Path) -> Iterator[None]:
    """Raises OSErrors of the block as OutputError or DiskFullError that name the place."""
    try:
        yield
    except PocketVoiceError:
        raise
    except OSError as exc:
        raise from_os_error(exc, place) from exc


def make_folder(folder: Path) -> None:
    """Makes a folder with its parents, synced so that it outlives a power cut."""
    if folder.is_dir():
        return
    with written_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Syncs the entries of a folder: a rename is on the disk only then. Windows does it by itself."""
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
    """Checksum and size of a file that will hold these bytes."""
    return FileMark(hashlib.sha256(data).hexdigest(), len(data))


def is_whole(path: Path, mark: FileMark) -> bool:
    """Whether a file is as it was written."""
    try:
        return path.stat().st_size == mark.size_bytes and mark_of(path) == mark
    except OSError:
        return False


def write(path: Path, data: bytes) -> FileMark:
    """Writes a whole file, replacing an older one, and syncs its folder."""
    with paths.atomic_write(path) as file:
        file.write(data)
    with written_to(path):
        sync_folder(path.parent)
    return mark_of_bytes(data)


def copy(source: Path, target: Path) -> FileMark:
    """Copies a whole file, replacing an older one, and syncs its folder."""
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
def locked(folder: Path, timeout_s: float = LOCK_S) -> Iterator[None]:
    """Holds the library against threads and processes; raises OutputError if another one does not let go in time."""
    make_folder(folder)
    lock = file_lock(folder / ".lock")
    try:
        lock.acquire(timeout=timeout_s)
    except Timeout as exc:
        raise OutputError(
            "Another pocketvoice is busy with the voices: wait a moment and try again.", detail=str(exc)
        ) from exc
    try:
        yield
    finally:
        lock.release()


def file_lock(path: Path) -> FileLock:
    """A lock that any thread may release; raises OutputError at once where the file can't be written."""
    # filelock itself would try again until its time limit.
    with written_to(path), path.open("ab"):
        pass
    return FileLock(path, thread_local=False)
