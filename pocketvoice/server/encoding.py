"""Sound as bytes on their way: each format is written as the samples come and is a valid file wherever it is cut off.

WAV has a length that readers take as "until the end"; MP3, ADTS (AAC), Ogg (Opus) and FLAC consist of frames that stand by
themselves. An encoder belongs to one stream; its calls may be made on any thread, one at a time.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.wav import TAIL_S, WavWriter, to_int16

FORMATS = ("mp3", "opus", "aac", "flac", "wav", "pcm")

_AAC_LEAD = 128  # samples: with these the first 80 ms fill the two frames that an AAC encoder wants before it gives one


class Encoder(ABC):
    """Turns samples into the bytes of one file."""

    media_type: str

    @abstractmethod
    def push(self, samples: Samples) -> bytes:
        """Takes samples (T,), float32, and returns the bytes that are ready."""

    @abstractmethod
    def finish(self) -> bytes:
        """Ends the file; returns the bytes that are left."""


class PcmEncoder(Encoder):
    """Raw samples: 16-bit, little-endian, mono, no header."""

    media_type = "audio/pcm"

    def push(self, samples: Samples) -> bytes:
        return to_int16(samples).tobytes()

    def finish(self) -> bytes:
        return b""


class WavEncoder(Encoder):
    """WAV whose length is not known at its start."""

    media_type = "audio/wav"

    def __init__(self, sample_rate: int, *, tail_s: float = TAIL_S) -> None:
        self._sink = _Sink()
        self._wav = WavWriter(self._sink, sample_rate, tail_s=tail_s)  # type: ignore[arg-type]  # what it needs of a stream

    def push(self, samples: Samples) -> bytes:
        self._wav.write(samples)
        return self._sink.take()

    def finish(self) -> bytes:
        self._wav.close()
        return self._sink.take()


@dataclass(frozen=True)
class _Codec:
    """How FFmpeg is asked for a format."""

    media_type: str
    codec: str
    container: str
    sample_format: str
    bit_rate: int | None = None
    container_options: dict[str, str] = field(default_factory=dict)
    codec_options: dict[str, str] = field(default_factory=dict)
    lead: int = 0  # samples of silence before the sound


_CODECS = {
    "mp3": _Codec(
        "audio/mpeg", "libmp3lame", "mp3", "s16p", 96_000, {"write_xing": "0", "id3v2_version": "0"}
    ),
    "opus": _Codec("audio/ogg", "libopus", "ogg", "s16", 48_000, {"page_duration": "20000"}),
    "aac": _Codec("audio/aac", "aac", "adts", "fltp", 96_000, lead=_AAC_LEAD),
    "flac": _Codec(
        "audio/flac", "flac", "flac", "s16", None, {"metadata_header_padding": "0"}, {"frame_size": "960"}
    ),
}


class AvEncoder(Encoder):
    """A format of FFmpeg's, through PyAV."""

    def __init__(self, name: str, sample_rate: int) -> None:
        import av

        how = _CODECS[name]
        self.media_type = how.media_type
        self._rate = sample_rate
        self._sink = _Sink()
        options = {"flush_packets": "1", **how.container_options}
        self._container: Any = av.open(self._sink, "w", format=how.container, options=options)
        self._stream: Any = self._container.add_stream(
            how.codec, rate=sample_rate, layout="mono", options=how.codec_options
        )
        context: Any = self._stream.codec_context
        if how.bit_rate is not None:
            context.bit_rate = how.bit_rate
        context.format = how.sample_format
        context.time_base = Fraction(1, sample_rate)
        context.open()
        self._frame_size: int = context.frame_size
        self._resampler = av.AudioResampler(how.sample_format, "mono", sample_rate)
        self._fifo = av.AudioFifo()
        self._pushed = 0
        self._lead = np.zeros(how.lead, np.float32)

    def push(self, samples: Samples) -> bytes:
        if len(self._lead):
            samples, self._lead = np.concatenate([self._lead, samples]), self._lead[:0]
        for piece in self._resampler.resample(self._frame(samples)):
            self._fifo.write(piece)
        while (frame := self._fifo.read(self._frame_size)) is not None:
            self._container.mux(self._stream.encode(frame))
        return self._sink.take()

    def finish(self) -> bytes:
        rest = self._fifo.read()
        if rest is not None:
            self._container.mux(self._stream.encode(rest))
        self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._sink.take()

    def _frame(self, samples: Samples) -> Any:
        from av.audio.frame import AudioFrame

        full = np.clip(np.nan_to_num(samples), -1, 1).astype(np.float32, copy=False)
        frame = AudioFrame.from_ndarray(full[None], format="flt", layout="mono")
        frame.sample_rate, frame.time_base = self._rate, Fraction(1, self._rate)
        frame.pts = self._pushed
        self._pushed += len(samples)
        return frame


def encoder(name: str, sample_rate: int) -> Encoder:
    """The encoder of one of `FORMATS`."""
    if name == "pcm":
        return PcmEncoder()
    return WavEncoder(sample_rate) if name == "wav" else AvEncoder(name, sample_rate)


class _Sink:
    """A file object that keeps what is written until it is taken."""

    name = "the stream"

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def flush(self) -> None:
        """Does nothing: what is written is kept at once."""

    def seekable(self) -> bool:
        return False

    def take(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data
