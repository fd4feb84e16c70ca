"""The file that a document comes from: opened safely, held open, known by its content. Judges nothing of what is inside.

Opens by descriptor and never through a shell or a library of a format, so that a pipe, a folder or a device is refused
before anything waits for it. A `Source` belongs to one document; it is read under the document's lock.
"""

import errno
import hashlib
import io
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pocketvoice.documents.faults import DocumentError, too_large
from pocketvoice.errors import MissingFileError

MOST_TEXT_BYTES = 64_000_000
"""Of a file that is read whole: thirty long novels."""
MOST_FILE_BYTES = 2_000_000_000
"""Of a file that is read piece by piece: a PDF or an EPUB full of pictures."""

_DIGEST_BYTES = 20


@dataclass(frozen=True, eq=False)
class Source:
    """An open file with its name."""

    name: str
    """The file's name without its folder."""
    file: BinaryIO
    size: int
    """Bytes."""
    path: str = ""
    """Where it lies; empty if it came as bytes."""

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, such as `.pdf`."""
        return Path(self.name).suffix.lower()

    def head(self, count: int) -> bytes:
        """The first bytes."""
        self.file.seek(0)
        return self.file.read(count)

    def data(self, most: int = MOST_TEXT_BYTES) -> bytes:
        """All bytes. Raises DocumentError if there are more than `most`."""
        if self.size > most:
            raise too_large(self.name, most)
        return self.head(most + 1)[:most]

    def digest(self) -> str:
        """The id of the content: BLAKE2b of all bytes, 40 hexadecimal digits."""
        hashed = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        self.file.seek(0)
        while piece := self.file.read(1 << 20):
            hashed.update(piece)
        return hashed.hexdigest()

    def close(self) -> None:
        self.file.close()


def source_of_bytes(data: bytes, name: str) -> Source:
    """The source for bytes that came with a name. Raises DocumentError if there are none."""
    _check_size(len(data), name)
    return Source(Path(name).name or name, io.BytesIO(data), len(data))


def source_at(path: str | Path) -> Source:
    """The source for a file. Raises MissingFileError, or DocumentError for what is no file, is empty or can't be read."""
    name = Path(path).name or str(path)
    try:
        file = _open(path, name)
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise MissingFileError(f"There is no file {path}: check the name.", detail=repr(exc)) from exc
    except (OSError, ValueError) as exc:
        if isinstance(exc, DocumentError):
            raise
        reason = getattr(exc, "strerror", None) or exc
        raise DocumentError(f"{name} can't be opened: {reason}.", detail=repr(exc)) from exc
    size = os.fstat(file.fileno()).st_size
    try:
        _check_size(size, name)
    except DocumentError:
        file.close()
        raise
    return Source(name, file, size, str(path))


def _open(path: str | Path, name: str) -> BinaryIO:
    if not str(path):
        raise FileNotFoundError(errno.ENOENT, "the name is empty")
    # Without O_NONBLOCK opening a pipe waits until somebody writes into it.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    if Path(path).is_dir():
        raise DocumentError(f"{name} is a folder: choose a file in it.")
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DocumentError(f"{name} is a pipe or a device, not a file: save it as a file first.")
    return os.fdopen(descriptor, "rb")


def _check_size(size: int, name: str) -> None:
    if not size:
        raise DocumentError(f"{name} is empty: choose a file that holds text.")
    if size > MOST_FILE_BYTES:
        raise DocumentError(f"{name} is larger than {MOST_FILE_BYTES // 10**9} GB: split it and open a part.")
