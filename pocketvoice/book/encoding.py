"""A sound file with tags, chapters and a cover, through FFmpeg's libraries: the same sound and tags give the same bytes.

One file at a time, on one thread; it appears complete or not at all.
"""

import base64
import errno
import io
import os
import secrets
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from pocketvoice import paths
from pocketvoice.audio.chunk import Samples
from pocketvoice.book.durations import timestamp
from pocketvoice.book.formats import BookFormat
from pocketvoice.errors import InputError, PocketVoiceError, from_os_error

_LANGUAGES = {
    "en": "eng", "fr": "fra", "de": "deu", "it": "ita", "pt": "por", "es": "spa", "nl": "nld", "sv": "swe", "da": "dan",
    "no": "nor", "nb": "nob", "fi": "fin", "pl": "pol", "cs": "ces", "la": "lat", "ru": "rus", "el": "ell", "tr": "tur",
}  # fmt: skip
"""ISO 639-1 to 639-2, as the files want it."""

_PICTURES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n": "image/png"}


@dataclass(frozen=True)
class Tags:
    """What a file says of itself; empty where nothing is known."""

    title: str
    album: str
    author: str
    language: str
    """As in BCP 47."""
    narrator: str = ""
    track: str = ""
    """`3/12`."""

    @property
    def iso_language(self) -> str:
        """Three letters; `und` for an unknown one."""
        code = self.language.replace("_", "-").split("-")[0].lower()
        return code if len(code) == 3 else _LANGUAGES.get(code, "und")

    def metadata(self, kind: BookFormat) -> dict[str, str]:
        """By FFmpeg's names."""
        said = {
            "title": self.title, "album": self.album, "artist": self.author, "album_artist": self.author,
            "composer": self.narrator, "genre": "Audiobook", "track": self.track,
        }  # fmt: skip
        if kind.container == "mp4":
            said["media_type"] = "2"  # an audiobook, for players that sort by it
        else:
            said["language"] = self.iso_language
        return {name: value for name, value in said.items() if value}


@dataclass(frozen=True)
class Cover:
    """A picture, JPEG or PNG."""

    data: bytes
    mime: str


def cover_of(data: bytes, name: str) -> Cover:
    """A picture as it can stand in a file. Raises InputError for what is no JPEG or PNG, or a damaged one."""
    import av

    mime = next((mime for start, mime in _PICTURES.items() if data.startswith(start)), None)
    if mime is None:
        raise InputError(f"The cover {name} is neither a JPEG nor a PNG: convert it first.")
    try:
        with av.open(io.BytesIO(data), "r") as picture:
            next(picture.decode(video=0))
    except (av.error.FFmpegError, StopIteration, IndexError) as exc:
        raise InputError(f"The cover {name} is damaged: choose another picture.", detail=repr(exc)) from exc
    return Cover(data, mime)


@dataclass(frozen=True)
class ChapterMark:
    """Where a chapter stands in a file; samples."""

    title: str
    start: int
    stop: int


class BookFile:
    """A file being written; use `written`."""

    def __init__(
        self,
        path: Path,
        kind: BookFormat,
        sample_rate: int,
        tags: Tags,
        chapters: Sequence[ChapterMark],
        cover: Cover | None,
    ) -> None:
        import av

        self._rate = sample_rate
        self._kind = kind
        self._pushed = 0
        options = {"fflags": "+bitexact", **kind.container_options}
        self._container: Any = av.open(str(path), "w", format=kind.container, options=options)
        self._stream: Any = self._container.add_stream(
            kind.codec, rate=sample_rate, layout="mono", options={"flags": "+bitexact", **kind.codec_options}
        )
        context: Any = self._stream.codec_context
        if kind.bit_rate is not None:
            context.bit_rate = kind.bit_rate
        context.format = kind.sample_format
        self._stream.metadata["language"] = tags.iso_language
        self._container.metadata.update(self._metadata(tags, chapters, cover))
        self._container.set_chapters(
            [
                {"id": number, "start": mark.start, "end": mark.stop, "time_base": Fraction(1, sample_rate),
                 "metadata": {"title": mark.title}}
                for number, mark in enumerate(chapters)
            ]
        )  # fmt: skip
        picture = self._picture(cover) if kind.container != "ogg" else None
        self._container.start_encoding()
        if picture is not None:
            self._container.mux(picture)
        self._frame_size = context.frame_size or 4096
        self._resampler = av.AudioResampler(kind.sample_format, "mono", sample_rate)
        self._fifo = av.AudioFifo()

    def write(self, samples: Samples) -> None:
        """Appends samples (T,), full scale at -1 and 1."""
        from av.audio.frame import AudioFrame

        full = np.clip(np.nan_to_num(samples), -1, 1).astype(np.float32, copy=False)
        frame = AudioFrame.from_ndarray(np.ascontiguousarray(full)[None], format="flt", layout="mono")
        frame.sample_rate, frame.time_base = self._rate, Fraction(1, self._rate)
        frame.pts = self._pushed
        self._pushed += len(samples)
        for piece in self._resampler.resample(frame):
            self._fifo.write(piece)
        while (whole := self._fifo.read(self._frame_size)) is not None:
            self._container.mux(self._stream.encode(whole))

    def finish(self) -> None:
        rest = self._fifo.read()
        if rest is not None:
            self._container.mux(self._stream.encode(rest))
        self._container.mux(self._stream.encode(None))
        self._container.close()

    def abort(self) -> None:
        with suppress(OSError, ValueError):  # it writes its end, onto a disk that may be full
            self._container.close()

    def _metadata(self, tags: Tags, chapters: Sequence[ChapterMark], cover: Cover | None) -> dict[str, str]:
        said = tags.metadata(self._kind)
        if self._kind.container == "flac":  # its muxer knows no chapters, players know these comments
            for number, mark in enumerate(chapters, 1):
                said[f"CHAPTER{number:03}"] = timestamp(mark.start, self._rate)
                said[f"CHAPTER{number:03}NAME"] = mark.title
        if self._kind.container == "ogg" and cover is not None:
            said["METADATA_BLOCK_PICTURE"] = _flac_picture(cover)
        return said

    def _picture(self, cover: Cover | None) -> Any:
        """The cover as a packet of a stream of its own."""
        if cover is None:
            return None
        import av
        from av.stream import Disposition

        with av.open(io.BytesIO(cover.data), "r") as source:
            picture = source.streams.video[0]
            stream = self._container.add_stream_from_template(picture)
            stream.disposition = Disposition.attached_pic
            packet = next(packet for packet in source.demux(picture) if packet.size)
        packet.stream, packet.pts, packet.dts = stream, 0, 0
        return packet


@contextmanager
def written(
    target: Path,
    kind: BookFormat,
    sample_rate: int,
    tags: Tags,
    chapters: Sequence[ChapterMark],
    cover: Cover | None,
    *,
    part_folder: Path | None = None,
) -> Iterator[BookFile]:
    """A file that is in its place when the block ends well. Raises OutputError, DiskFullError.

    Until then it lies in `part_folder`, on the same disk; None is beside its place.
    """
    from av.error import FFmpegError

    part = (part_folder or target.parent) / f".{target.name[:40]}.{secrets.token_hex(4)}.part"
    paths.unfinished(part)
    book: BookFile | None = None
    is_whole = False
    try:
        book = BookFile(part, kind, sample_rate, tags, chapters, cover)
        yield book
        book.finish()
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
        is_whole = True
    except PocketVoiceError:
        raise
    except (OSError, FFmpegError) as exc:
        # FFmpeg has numbers of its own, too.
        number = exc.errno if exc.errno in errno.errorcode else errno.EIO
        assert number is not None
        raise from_os_error(OSError(number, os.strerror(number)), target) from exc
    finally:
        if book is not None and not is_whole:
            book.abort()
        with suppress(OSError):
            part.unlink()
        paths.finished(part)


def _flac_picture(cover: Cover) -> str:
    """FLAC's picture block, as Ogg carries it."""
    mime = cover.mime.encode()
    head = struct.pack(">II", 3, len(mime)) + mime + struct.pack(">IIIIII", 0, 0, 0, 0, 0, len(cover.data))
    return base64.b64encode(head + cover.data).decode()
