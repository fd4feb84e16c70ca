"""Any sound file is read by what it holds, whatever it is called; what holds no sound says so in one sentence."""

import io
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.audio import reading
from pocketvoice.audio.reading import read_audio
from pocketvoice.errors import AudioFileError, MissingFileError

RATE = 48_000
SECONDS = 2.0
LOUD = 0.75 * (np.sin(2 * np.pi * 440 * np.arange(int(RATE * SECONDS)) / RATE)).astype(np.float32)
STEREO = np.stack([LOUD, LOUD / 3], axis=1)  # the mean has amplitude 0.5
MEAN = STEREO.mean(axis=1)

FORMATS = [
    ("WAV", "PCM_U8", 8e-3),
    ("WAV", "PCM_16", 1e-4),
    ("WAV", "PCM_24", 1e-6),
    ("WAV", "PCM_32", 1e-6),
    ("WAV", "FLOAT", 1e-6),
    ("WAV", "DOUBLE", 1e-6),
    ("WAVEX", "PCM_16", 1e-4),
    ("WAVEX", "PCM_24", 1e-6),
    ("WAVEX", "FLOAT", 1e-6),
    ("RF64", "PCM_16", 1e-4),
    ("AIFF", "PCM_24", 1e-6),
    ("FLAC", "PCM_16", 1e-4),
    ("FLAC", "PCM_24", 1e-6),
    ("OGG", "VORBIS", None),
    ("OGG", "OPUS", None),
    ("MP3", "MPEG_LAYER_III", None),
]


def encoded(fmt: str, subtype: str, samples: np.ndarray = STEREO, rate: int = RATE) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=fmt, subtype=subtype)
    return file.getvalue()


def encoded_by_av(container: str, codec: str) -> bytes:
    import av

    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = output.add_stream(codec, rate=RATE)
        stream.layout = "stereo"
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(STEREO.T), format="fltp", layout="stereo")
        frame.sample_rate, frame.pts = RATE, 0
        output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return file.getvalue()


def assert_the_tone(samples: np.ndarray, rate: int) -> None:
    assert samples.dtype == np.float32
    assert samples.ndim == 1
    middle = samples[rate // 2 : rate * 3 // 2]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert abs(np.argmax(spectrum) * rate / len(middle) - 440) < 2
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(0.5 / np.sqrt(2), rel=0.05)


@pytest.mark.parametrize(("fmt", "subtype", "tolerance"), FORMATS)
@pytest.mark.parametrize("name", ["clip.raw", "clip", "clip.mp3", "clip.txt"])
def test_content_not_suffix(
    tmp_path: Path, fmt: str, subtype: str, tolerance: float | None, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(encoded(fmt, subtype))
    recording = read_audio(path)
    assert (recording.sample_rate, recording.channels, recording.cut) == (RATE, 2, False)
    assert_the_tone(recording.samples, RATE)
    if tolerance:
        assert np.abs(recording.samples - MEAN).max() <= tolerance


@pytest.mark.parametrize(
    ("container", "codec"),
    [
        ("ipod", "aac"),
        ("mp4", "aac"),
        ("adts", "aac"),
        ("webm", "libopus"),
        ("matroska", "aac"),
        ("mpegts", "aac"),
    ],
)
def test_formats_of_ffmpeg(tmp_path: Path, container: str, codec: str) -> None:
    path = tmp_path / "clip.wav"
    path.write_bytes(encoded_by_av(container, codec))
    recording = read_audio(str(path))
    assert (recording.sample_rate, recording.channels) == (RATE, 2)
    assert recording.duration_s == pytest.approx(SECONDS, abs=0.1)
    assert_the_tone(recording.samples, RATE)


def test_bytes_are_read() -> None:
    assert np.abs(read_audio(encoded("WAV", "FLOAT")).samples - MEAN).max() <= 1e-6


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipe_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    feeder = threading.Thread(target=path.write_bytes, args=(encoded_by_av("matroska", "aac"),))
    feeder.start()
    recording = read_audio(path)
    feeder.join(timeout=10)
    assert_the_tone(recording.samples, RATE)


@pytest.mark.parametrize("fmt", ["WAV", "FLAC", "MP3", "AIFF"])
def test_truncated_keeps_start(fmt: str) -> None:
    data = encoded(fmt, "MPEG_LAYER_III" if fmt == "MP3" else "PCM_16")
    recording = read_audio(data[: len(data) * 6 // 10])
    assert 0.9 < recording.duration_s < 1.3


def test_truncated_matroska_keeps_start() -> None:
    data = encoded_by_av("matroska", "aac")
    assert 0.5 < read_audio(data[: len(data) * 6 // 10]).duration_s < 1.5


def test_unfinished_header_is_read() -> None:
    data = bytearray(encoded("WAV", "PCM_16"))
    at = data.index(b"data") + 4
    for size in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x00\xf0\xff\x7f"):
        data[at : at + 4] = size
        assert read_audio(bytes(data)).duration_s == SECONDS


@pytest.mark.parametrize("make", [lambda: encoded("WAV", "PCM_16"), lambda: encoded_by_av("webm", "libopus")])
def test_limit_cuts(make: object) -> None:
    recording = read_audio(make(), max_s=0.5)  # type: ignore[operator]
    assert recording.cut
    assert recording.duration_s == 0.5
    assert recording.file_s == pytest.approx(SECONDS, abs=0.1)
    assert not read_audio(make(), max_s=3).cut  # type: ignore[operator]


def test_long_file_fits_in_memory(tmp_path: Path) -> None:
    """Half an hour of silence in a small FLAC: with a limit, only the start is decoded."""
    path = tmp_path / "long.flac"
    with soundfile.SoundFile(path, "w", RATE, 1, "PCM_16") as sound:
        for _ in range(30):
            sound.write(np.zeros(60 * RATE, np.int16))
    script = (
        "import resource, sys\n"
        "from pocketvoice.audio.reading import read_audio\n"
        "read_audio(sys.argv[1], max_s=1)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "recording = read_audio(sys.argv[1], max_s=301)\n"
        "assert recording.cut and abs(recording.file_s - 1800) < 1\n"
        "used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
        "assert used < 200_000, used\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=60)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_not_finite_refused(value: float) -> None:
    samples = STEREO.copy()
    samples[1000, 0] = value
    with pytest.raises(AudioFileError, match="NaN or infinite"):
        read_audio(encoded("WAV", "FLOAT", samples))


def test_absurd_rate_refused() -> None:
    data = bytearray(encoded("WAV", "PCM_16"))
    data[24:28] = (2_000_000_000).to_bytes(4, "little")
    with pytest.raises(AudioFileError):
        read_audio(bytes(data))


def test_many_channels() -> None:
    samples = np.tile(MEAN[:4800, None], (1, 64))
    recording = read_audio(encoded("WAV", "PCM_16", samples))
    assert recording.channels == 64
    assert np.abs(recording.samples - MEAN[:4800]).max() < 1e-4


def random_bytes(seed: int, count: int) -> bytes:
    return random.Random(seed).randbytes(count)


NO_SOUND = {
    "text": b"Dear diary, today nothing was said.\n" * 50,
    "zeros": bytes(50_000),
    "one byte": b"x",
    "png": b"\x89PNG\r\n\x1a\n" + random_bytes(1, 1000),
    "pdf": b"%PDF-1.7\n" + random_bytes(2, 1000),
    "zip": b"PK\x03\x04" + random_bytes(3, 1000),
    "playlist": b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n",
    "subtitles": b"1\n00:00:01,000 --> 00:00:02,000\nHello.\n",
    "safetensors": (60).to_bytes(8, "little")
    + b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}      ',
    "riff cut in header": b"RIFF\x24\x00\x00\x00WAVEfmt ",
    "id3 without sound": b"ID3\x04\x00\x00\x00\x00\x00\x00" + random_bytes(4, 500),
    "wav of nothing": encoded("WAV", "PCM_16", STEREO[:0]),
    **{f"random {seed}": random_bytes(seed, 5000) for seed in range(10, 20)},
}


@pytest.mark.parametrize("name", NO_SOUND)
def test_no_sound_says_so(tmp_path: Path, name: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(NO_SOUND[name])
    with pytest.raises(AudioFileError) as caught:
        read_audio(path)
    assert str(caught.value) == (
        f"{path} holds no sound that can be read: give a WAV, FLAC, OGG, MP3 or M4A file."
    )


@pytest.mark.parametrize("name", ["no_such.wav", "no_such/clip.wav"])
def test_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(MissingFileError, match=r"There is no file .*: check the name"):
        read_audio(tmp_path / name)


def test_other_refusals(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    with pytest.raises(AudioFileError, match="is empty"):
        read_audio(tmp_path / "empty.wav")
    with pytest.raises(AudioFileError, match="is empty"):
        read_audio(b"")
    with pytest.raises(AudioFileError, match="is a folder"):
        read_audio(tmp_path)
    with pytest.raises(AudioFileError, match="is not a file"):
        read_audio(os.devnull)
    with pytest.raises(MissingFileError):
        read_audio("")
    with pytest.raises(AudioFileError, match="can't be opened"):
        read_audio("a\0b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("begun", [False, True], ids=["no writer", "a writer that stops"])
def test_pipe_from_which_nothing_comes_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    monkeypatch.setattr(reading, "PIPE_S", 0.2)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR) if begun else None
    if writer is not None:
        os.write(writer, b"RIFF")
    with pytest.raises(AudioFileError, match="nothing came for"):
        read_audio(path)
    if writer is not None:
        os.close(writer)
