"""Writes 16-bit mono WAV as the sound is made: to a file that appears complete or not at all, or to a stream such as stdout.

A stream gets a header with a size that readers take as "until the end", so ffmpeg and sox read it while it grows; the
real size is put in at the end only where that is possible. Knows nothing of where the samples come from. A writer belongs
to one thread at a time.
"""

import errno
import os
import secrets
import shutil
import stat
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

import numpy as np
import numpy.typing as npt

from pocketvoice import paths
from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import from_os_error

TAIL_S = 0.2
"""Silence after the last sample: some players swallow the last moments of a file."""

_HEADER_BYTES = 44
_SAMPLE_BYTES = 2
# sox's mark of a size that is not known; ffmpeg, soundfile and Python's wave read up to it. 12.4 hours at 24 kHz.
_UNKNOWN_BYTES = 0x7FFF_F000


def to_int16(samples: Samples) -> npt.NDArray[np.int16]:
    """16-bit PCM: clipped to full scale, times 32767, cut towards zero (bit for bit what the reference writes)."""
    # A NaN becomes silence here: as a whole number it would be the loudest one there is.
    full = np.clip(np.nan_to_num(samples, nan=0.0), -1, 1).astype(np.float32, copy=False) * np.float32(32767)
    return full.astype("<i2")


class WavWriter:
    """A WAV being written. Use it as a context manager: a clean exit closes it, an exception aborts it.

    `target` is a path or an open binary stream; the stream stays open. A path is written beside itself and renamed when
    it is complete; `keep_partial` keeps what was written by an aborted writer too. Raises OutputError or DiskFullError;
    a reader that went away is a BrokenPipeError.
    """

    def __init__(
        self,
        target: str | Path | BinaryIO,
        sample_rate: int,
        *,
        tail_s: float = TAIL_S,
        keep_partial: bool = False,
    ) -> None:
        self.sample_rate = sample_rate
        self._tail_s = tail_s
        self._keep_partial = keep_partial
        self._written = 0  # samples, without the tail
        self._closed = False
        self._sink = _FileSink(Path(target)) if isinstance(target, str | Path) else _StreamSink(target)
        with ExitStack() as on_failure:
            on_failure.callback(self.abort)
            self._sink.write(_header(sample_rate, _UNKNOWN_BYTES))
            on_failure.pop_all()  # all went well: nothing is called

    @property
    def samples_written(self) -> int:
        """Position of the next sample, counted from the start of the sound."""
        return self._written

    @property
    def can_rewind(self) -> bool:
        """Whether `rewind_to` is possible: not on a pipe."""
        return self._sink.seekable

    def write(self, samples: Samples) -> None:
        """Appends mono float32 samples, full scale at -1 and 1."""
        assert not self._closed, "the WAV is closed"
        self._sink.write(to_int16(samples).tobytes())
        self._written += len(samples)

    def rewind_to(self, sample_position: int) -> None:
        """Drops what was written from `sample_position` on: a take that failed. Only where `can_rewind`."""
        assert not self._closed, "the WAV is closed"
        assert self.can_rewind, "what went into a pipe can't be taken back"
        assert 0 <= sample_position <= self._written, (
            f"{sample_position} is not within {self._written} samples"
        )
        self._sink.truncate(_HEADER_BYTES + _SAMPLE_BYTES * sample_position)
        self._written = sample_position

    def close(self) -> None:
        """Adds the silence at the end, completes the header and puts the file in its place. Twice does no harm."""
        if self._closed:
            return
        with ExitStack() as on_failure:
            on_failure.callback(self.abort)
            tail = int(self.sample_rate * self._tail_s)
            self._sink.write(bytes(_SAMPLE_BYTES * tail))
            self._finish(self._written + tail)
            on_failure.pop_all()
        self._closed = True

    def abort(self) -> None:
        """Ends without completing: the file is as it was before, unless what was written is to be kept."""
        if self._closed:
            return
        with suppress(OSError):  # an error is being handled already, and says more
            if self._keep_partial and self._written:
                if self.can_rewind:
                    self.rewind_to(self._written)  # a full disk may have taken half a sample
                self._finish(self._written)
        self._closed = True
        self._sink.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def _finish(self, samples: int) -> None:
        if self._sink.seekable:
            self._sink.rewrite_start(_header(self.sample_rate, _SAMPLE_BYTES * samples))
        self._sink.commit()


class _StreamSink:
    """An open binary stream that belongs to someone else. Seeks only in a regular file that is not appended to."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._name = str(getattr(stream, "name", "the output"))
        self.seekable = _can_seek(stream)
        self._start = stream.tell() if self.seekable else 0  # redirected with others, it may begin anywhere

    def write(self, data: bytes) -> None:
        with _mapped(self._name):
            view = memoryview(data)
            while view:  # an unbuffered stream may take only a part
                taken = self._stream.write(view)
                view = view[len(view) if taken is None else taken :]
            self._stream.flush()

    def truncate(self, offset: int) -> None:
        with _mapped(self._name):
            self._stream.seek(self._start + offset)
            self._stream.truncate()

    def rewrite_start(self, data: bytes) -> None:
        with _mapped(self._name):
            end = self._stream.tell()
            self._stream.seek(self._start)
            self._stream.write(data)
            self._stream.seek(end)

    def commit(self) -> None:
        with _mapped(self._name):
            self._stream.flush()

    def discard(self) -> None:
        """What went into a stream stays there."""


class _FileSink(_StreamSink):
    """A file that takes the place of `path` when it is complete."""

    def __init__(self, path: Path) -> None:
        with _mapped(path):
            _check_writable(path)
            self._target = path.resolve()  # a link stays a link
            self._temporary: Path | None = None
            if self._target.exists() and not self._target.is_file():
                raw = self._target.open("wb", buffering=0)  # /dev/null or a pipe: nothing to put in its place
            else:
                part = f".{self._target.name[:40]}.{secrets.token_hex(4)}.part"
                self._temporary = self._target.with_name(part)
                paths.unfinished(self._temporary)
                # Unbuffered: after a full disk no leftover is written again by the next seek.
                raw = self._temporary.open("xb", buffering=0)
        super().__init__(cast(BinaryIO, raw))
        self._name = str(path)

    def commit(self) -> None:
        with _mapped(self._name):
            self._stream.flush()
            if self._temporary is None:
                self._stream.close()
                return
            os.fsync(self._stream.fileno())
            self._stream.close()
            if self._target.exists():
                with suppress(OSError):
                    shutil.copymode(self._target, self._temporary)
            self._temporary.replace(self._target)
            paths.finished(self._temporary)
            self._temporary = None

    def discard(self) -> None:
        with suppress(OSError):
            self._stream.close()
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.unlink()
            paths.finished(self._temporary)


@contextmanager
def _mapped(name: str | Path) -> Iterator[None]:
    """Turns an OSError met while writing `name` into ours; a reader that went away stays a BrokenPipeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as exc:
        raise from_os_error(exc, name) from exc


def _header(sample_rate: int, data_bytes: int) -> bytes:
    """The 44 bytes before the samples of a 16-bit mono WAV."""
    # Sizes have 32 bits: of a sound longer than 24 hours the header tells less than there is.
    data_bytes = min(data_bytes, 0xFFFF_FFFE - 36)
    riff = struct.pack("<4sI4s", b"RIFF", 36 + data_bytes, b"WAVE")
    fmt = struct.pack(
        "<4sIHHIIHH", b"fmt ", 16, 1, 1, sample_rate, sample_rate * _SAMPLE_BYTES, _SAMPLE_BYTES, 16
    )
    return riff + fmt + struct.pack("<4sI", b"data", data_bytes)


def _check_writable(path: Path) -> None:
    """Renaming would replace a folder's or a protected file's entry without asking: refuse as opening it would."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _can_seek(stream: BinaryIO) -> bool:
    """Whether positions in the stream can be trusted: in memory or a regular file, but not after `>>`."""
    try:
        if not stream.seekable():
            return False
        stream.tell()
    except (OSError, AttributeError):
        return False
    try:
        descriptor = stream.fileno()
    except (OSError, AttributeError):
        return True  # in memory
    return stat.S_ISREG(os.fstat(descriptor).st_mode) and not _appends(descriptor)


def _appends(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows can't be asked
        return False
    return bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND)
