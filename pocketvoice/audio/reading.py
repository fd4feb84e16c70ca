"""Reads the sound of any file as mono float32, judging the file by its content and never by its suffix.

libsndfile takes what it knows (WAV of every depth, FLAC, Ogg, MP3, AIFF ...), FFmpeg through PyAV the rest (M4A, WebM, the
sound of a video ...). Decodes in blocks and mixes to mono as it goes, so memory follows the length asked for and
not the file's. Does not judge whether the sound is fit for a voice, and keeps no state: any thread may call it.
"""

import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.resample import QUALITY
from pocketvoice.errors import AudioFileError, MissingFileError

# Numbers decoded at a time, over all channels: 4 MB.
_BLOCK_VALUES = 1 << 20
# A pipe can't be rewound for the second decoder, so it is read into memory first.
_MOST_PIPED_BYTES = 256 << 20
_PIPED_BYTES = 1 << 20
PIPE_S = 10.0
"""A pipe from which nothing comes for so long is given up."""
_SLACK_S = 0.5  # headers of compressed files are no more exact
_DATA_SHORT = re.compile(
    r"^data : (\d+) \(should be (\d+)\)", re.MULTILINE
)  # libsndfile on what a WAV claims and has
_STREAMED_BYTES = 0x7FFF0000  # claimed by who writes into a pipe and does not know
_OGG_SHORT = "lacks an end-of-stream bit"
_RATES = range(1_000, 1_000_000)  # Hz; anything else is a damaged header

# FFmpeg also opens playlists, pictures and subtitles, and a playlist may name other files or addresses:
# only containers that carry their own sound are let in.
_CONTAINERS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,aac,loas,ogg,flac,wav,w64,aiff,au,caf,asf,avi,flv,mpegts,mpeg,"
    "amr,amrnb,amrwb,ac3,eac3,dts,ape,wv,tta,tak,mpc,mpc8,dsf,rm,oma,voc"
)


@dataclass(frozen=True, eq=False)
class DecodedAudio:
    """The sound of a file, mixed to mono."""

    samples: Samples
    """float32, shape (T,): the mean of the channels."""
    sample_rate: int
    """Samples a second (Hz), as in the file or as asked for."""
    channels: int
    """How many channels the file has."""
    cut: bool = False
    """True if the file goes on after `samples`: the limit was reached."""
    file_s: float | None = None
    """Length of the whole file in seconds where its header tells it."""
    breaks_off: str = ""
    """A sentence for the user where the file holds less than its header says; else empty."""

    @property
    def duration_s(self) -> float:
        """Length of `samples` in seconds."""
        return len(self.samples) / self.sample_rate


def read_audio(
    source: str | Path | bytes, *, max_s: float | None = None, rate: int | None = None
) -> DecodedAudio:
    """The sound in a file, or in the bytes of one; at most its first `max_s` seconds.

    `rate` (Hz) has it resampled on the way, so that a long file of a high rate needs no more memory than its result. A file
    that breaks off keeps what could be read. Raises MissingFileError, or AudioFileError with one sentence.
    """
    name = "The data" if isinstance(source, bytes) else str(source)
    with _opened(source, name) as file:
        for decode in (_decode_with_soundfile, _decode_with_av):
            file.seek(0)
            mix = _Mono(name, max_s, rate)
            decode(file, mix)
            if mix.length:
                return mix.recording()
    raise AudioFileError(f"{name} holds no sound that can be read: give a WAV, FLAC, OGG, MP3 or M4A file.")


_MOST_LEVEL = 1e6


@dataclass
class _Mono:
    """Collects the blocks that a decoder gives, mixed to mono and resampled, until the limit."""

    name: str
    max_s: float | None
    wanted_rate: int | None = None
    sample_rate: int = 0
    channels: int = 0
    file_s: float | None = None
    length: int = 0
    lacks_bytes: bool = False
    cut: bool = False
    blocks: list[Samples] = field(default_factory=list)
    resampler: Any = None

    def begin(self, sample_rate: int, channels: int, file_s: float | None) -> None:
        if sample_rate not in _RATES:
            raise AudioFileError(f"{self.name} is damaged: it claims a sample rate of {sample_rate} Hz.")
        self.sample_rate, self.channels = sample_rate, channels
        self.file_s = file_s if file_s is not None and 0 < file_s < 1e6 else None
        if self.wanted_rate not in (None, sample_rate):
            import soxr

            self.resampler = soxr.ResampleStream(
                sample_rate, self.wanted_rate, 1, dtype="float32", quality=QUALITY
            )

    def add(self, block: npt.NDArray[np.float32]) -> bool:
        """Takes a block of shape (T, channels); False when no more is wanted."""
        with np.errstate(over="ignore", invalid="ignore"):
            mono = block.mean(axis=1, dtype=np.float32)
        # Full scale is 1, some write 32768; what is beyond a million overflows when it is squared.
        if not (np.abs(mono) < _MOST_LEVEL).all():
            raise AudioFileError(
                f"{self.name} holds values that are no sound (NaN or infinite): export it anew."
            )
        if self.max_s is not None:
            room = int(self.max_s * self.sample_rate) - self.length
            self.cut = len(mono) > room
            mono = mono[:room]
        self.length += len(mono)
        self.blocks.append(mono if self.resampler is None else self.resampler.resample_chunk(mono))
        return not self.cut

    def recording(self) -> DecodedAudio:
        if self.resampler is not None:
            self.blocks.append(self.resampler.resample_chunk(np.zeros(0, np.float32), last=True))
        samples = self._joined()
        rate = self.wanted_rate or self.sample_rate
        return DecodedAudio(samples, rate, self.channels, self.cut, self.file_s, self._broken())

    def _broken(self) -> str:
        length_s = self.length / self.sample_rate
        short_s = 0.0 if self.cut or self.file_s is None else self.file_s - length_s
        if not self.lacks_bytes and short_s < max(_SLACK_S, 0.02 * length_s):
            return ""
        return f"{self.name} breaks off after {length_s:.1f} s: it is damaged or was cut short, copy or export it anew."

    def _joined(self) -> Samples:
        """The blocks as one, each given back as soon as it is copied: a long sound lies in memory once."""
        joined = np.empty(sum(len(block) for block in self.blocks), np.float32)
        at = 0
        self.blocks.reverse()
        while self.blocks:
            block = self.blocks.pop()
            joined[at : at + len(block)] = block
            at += len(block)
        return joined


def _decode_with_soundfile(file: BinaryIO, mix: _Mono) -> None:
    """Adds what libsndfile can read; nothing if it does not know the format."""
    import soundfile

    try:
        with soundfile.SoundFile(file) as sound:
            known = sound.frames / sound.samplerate if sound.samplerate else None
            mix.begin(sound.samplerate, sound.channels, known)
            mix.lacks_bytes = _lacks_bytes(sound.extra_info)
            count = max(1, _BLOCK_VALUES // sound.channels)
            while True:
                block = sound.read(count, dtype="float32", always_2d=True)
                if not len(block) or not mix.add(block):
                    return
    except soundfile.SoundFileError:
        return  # not its format, or broken off: what came before the break is kept


def _lacks_bytes(told: str) -> bool:
    """Whether libsndfile's log on a file says that it was cut short."""
    short = _DATA_SHORT.search(told)
    if short is not None:
        return int(short[2]) < int(short[1]) < _STREAMED_BYTES
    return _OGG_SHORT in told


def _decode_with_av(file: BinaryIO, mix: _Mono) -> None:
    """Adds what FFmpeg can read of the best audio stream; nothing if there is none."""
    import av

    try:
        with av.open(
            file, "r", options={"format_whitelist": _CONTAINERS}, metadata_errors="ignore"
        ) as container:
            stream = container.streams.best("audio")
            if stream is None:
                return
            known = container.duration / av.time_base if container.duration else None
            for block in _blocks_of(container.decode(stream)):
                if not mix.length:
                    mix.begin(block.sample_rate, len(block.layout.channels), known)
                if not mix.add(block.to_ndarray().T):
                    return
    except (av.FFmpegError, ValueError, EOFError) as exc:
        if isinstance(exc, AudioFileError):
            raise
        return  # not its format, or broken off: what came before the break is kept


def _blocks_of(frames: Iterator[Any]) -> Iterator[Any]:
    """The frames as planar float32, all with the rate and layout of the first (AAC may change them under way)."""
    import av

    first: Any = None
    setup: tuple[Any, ...] = ()
    converter: Any = None
    for frame in frames:
        first = first or frame
        now = (frame.format.name, frame.layout.name, frame.sample_rate)
        if now != setup:
            if converter is not None:
                yield from converter.resample(None)
            converter = av.AudioResampler("fltp", first.layout, first.sample_rate)
            setup = now
        yield from converter.resample(frame)
    if converter is not None:
        yield from converter.resample(None)


@contextmanager
def _opened(source: str | Path | bytes, name: str) -> Iterator[BinaryIO]:
    """The source as a seekable binary file without a name, so that no decoder can look at its suffix."""
    if isinstance(source, bytes):
        yield io.BytesIO(_not_empty(source, name))
        return
    try:
        file = _open_file(source, name)
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise MissingFileError(f"There is no file {name}: check the name.", detail=repr(exc)) from exc
    except (OSError, ValueError) as exc:
        if isinstance(exc, AudioFileError):
            raise
        reason = getattr(exc, "strerror", None) or exc
        raise AudioFileError(f"{name} can't be opened: {reason}.", detail=repr(exc)) from exc
    with file:
        yield file


def _open_file(path: str | Path, name: str) -> BinaryIO:
    """Opens by descriptor (such a file has no name); what is no regular file is read into memory, or refused."""
    if not name:
        raise FileNotFoundError("the name is empty")
    mode = Path(path).stat().st_mode
    if stat.S_ISDIR(mode):
        raise AudioFileError(f"{name} is a folder: give the name of a sound file.")
    if stat.S_ISFIFO(mode):
        return io.BytesIO(_not_empty(_piped(path, name), name))
    if not stat.S_ISREG(mode):
        raise AudioFileError(f"{name} is not a file: give the name of a sound file.")
    file = open(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), "rb")  # noqa: PTH123, SIM115
    if not os.fstat(file.fileno()).st_size:
        file.close()
        raise AudioFileError(f"{name} is empty: give a file that holds sound.")
    return file


def _piped(path: str | Path, name: str) -> bytes:
    """What comes out of a named pipe until its writer closes it; AudioFileError if nothing comes for `PIPE_S`."""
    import select

    pieces, size = [], 0
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # else opening it waits for a writer
    try:
        watch = select.poll()
        watch.register(descriptor, select.POLLIN)
        while size < _MOST_PIPED_BYTES:
            ready = watch.poll(PIPE_S * 1000)
            if not ready:
                raise AudioFileError(
                    f"{name} is a pipe from which nothing came for {PIPE_S:g} s: give a sound file."
                )
            piece = os.read(descriptor, _PIPED_BYTES) if ready[0][1] & select.POLLIN else b""
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
    finally:
        os.close(descriptor)
    return b"".join(pieces)


def _not_empty(data: bytes, name: str) -> bytes:
    if not data:
        raise AudioFileError(f"{name} is empty: give a file that holds sound.")
    return data
