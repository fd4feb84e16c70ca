"""WAV files and streams: complete or not at all, and readable while they grow."""

import io
import os
import shutil
import subprocess
import sys
import wave
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from pocketvoice.audio.wav import WavWriter, to_int16
from pocketvoice.errors import DiskFullError, OutputError

RATE = 24_000


def tone(seconds: float = 1.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * 440 * np.arange(int(RATE * seconds)) / RATE)).astype(np.float32)


class Pipe(io.RawIOBase):
    """A stream that can't seek, takes at most 1000 bytes at a time, and may lose its reader."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.gone = False

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        if self.gone:
            raise BrokenPipeError(32, "Broken pipe")
        piece = bytes(data)[:1000]  # type: ignore[call-overload]
        self.data += piece
        return len(piece)


def leftovers(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def test_int16_as_reference() -> None:
    noise = np.random.default_rng(0).normal(0, 0.7, 100_000).astype(np.float32)
    edges = np.array([0, -0.0, 1, -1, 2, -2, 1 / 32767, -1 / 32767, 0.99999994, np.inf, -np.inf], np.float32)
    samples = np.concatenate([noise, edges])
    reference = (torch.from_numpy(samples).clamp(-1, 1) * 32767).short().numpy()
    assert np.array_equal(to_int16(samples), reference)
    assert to_int16(np.array([np.nan], np.float32))[0] == 0


def test_file_complete_on_close(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    with WavWriter(path, RATE) as writer:
        writer.write(tone(0.5))
        writer.write(tone(0.5))
        assert not path.exists()
        assert writer.samples_written == RATE
    with wave.open(str(path)) as sound:
        assert (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) == (1, 2, RATE)
        assert sound.getnframes() == int(1.2 * RATE)
        pcm = np.frombuffer(sound.readframes(RATE * 2), "<i2")
    assert np.array_equal(pcm[: RATE // 2], to_int16(tone(0.5)))
    assert not pcm[RATE:].any()
    assert leftovers(tmp_path) == ["out.wav"]


def test_same_bytes_as_reference(tmp_path: Path) -> None:
    from pocket_tts.data.audio import stream_audio_chunks

    chunks = [tone(0.3), tone(0.2)]
    stream_audio_chunks(tmp_path / "theirs.wav", iter(torch.from_numpy(chunk) for chunk in chunks), RATE)
    with WavWriter(tmp_path / "ours.wav", RATE) as writer:
        for chunk in chunks:
            writer.write(chunk)
    assert (tmp_path / "ours.wav").read_bytes() == (tmp_path / "theirs.wav").read_bytes()


def test_mode_follows_umask(tmp_path: Path) -> None:
    with WavWriter(tmp_path / "out.wav", RATE) as writer:
        writer.write(tone(0.1))
    (tmp_path / "plain").touch()
    assert (tmp_path / "out.wav").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_link_stays_link(tmp_path: Path) -> None:
    (tmp_path / "real.wav").touch(mode=0o640)
    (tmp_path / "link.wav").symlink_to(tmp_path / "real.wav")
    with WavWriter(tmp_path / "link.wav", RATE) as writer:
        writer.write(tone(0.1))
    assert (tmp_path / "link.wav").is_symlink()
    assert soundfile.info(tmp_path / "real.wav").samplerate == RATE
    assert (tmp_path / "real.wav").stat().st_mode & 0o777 == 0o640


def test_abort_leaves_old(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    path.write_bytes(b"old")
    with suppress(KeyboardInterrupt), WavWriter(path, RATE) as writer:
        writer.write(tone())
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert leftovers(tmp_path) == ["out.wav"]


def test_abort_keeps_partial(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    writer = WavWriter(path, RATE, keep_partial=True)
    writer.write(tone(0.5))
    writer.abort()
    assert soundfile.info(path).frames == RATE // 2
    assert leftovers(tmp_path) == ["out.wav"]


def test_abort_of_nothing(tmp_path: Path) -> None:
    WavWriter(tmp_path / "out.wav", RATE, keep_partial=True).abort()
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("to_file", [True, False])
def test_rewind_drops_take(tmp_path: Path, to_file: bool) -> None:
    memory = io.BytesIO()
    with WavWriter(tmp_path / "out.wav" if to_file else memory, RATE, tail_s=0) as writer:
        assert writer.can_rewind
        writer.write(tone(0.5))
        writer.write(np.ones(RATE, np.float32))
        writer.rewind_to(RATE // 2)
        writer.write(-tone(0.25))
    data = (tmp_path / "out.wav").read_bytes() if to_file else memory.getvalue()
    pcm, _ = soundfile.read(io.BytesIO(data), dtype="int16")
    assert np.array_equal(pcm, np.concatenate([to_int16(tone(0.5)), to_int16(-tone(0.25))]))


def test_pipe_never_seeks() -> None:
    pipe = Pipe()
    with WavWriter(pipe, RATE) as writer:  # type: ignore[arg-type]
        assert not writer.can_rewind
        writer.write(tone())
        assert len(pipe.data) == 44 + 2 * RATE  # nothing is held back
    data = bytes(pipe.data)
    assert len(data) == 44 + 2 * int(1.2 * RATE)
    samples, rate = soundfile.read(io.BytesIO(data), dtype="int16")
    assert rate == RATE
    assert np.array_equal(samples[:RATE], to_int16(tone()))
    with wave.open(io.BytesIO(data)) as sound:
        assert len(sound.readframes(10 * RATE)) == len(data) - 44


def test_broken_pipe_passes() -> None:
    pipe = Pipe()
    writer = WavWriter(pipe, RATE)  # type: ignore[arg-type]
    pipe.gone = True
    with pytest.raises(BrokenPipeError) as caught, writer:
        writer.write(tone())
    assert not isinstance(caught.value, OutputError)


def test_redirected_stdout_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    with path.open("wb") as stream:
        stream.write(b"xyz")  # an earlier command of the same shell line
        with WavWriter(stream, RATE, tail_s=0) as writer:
            writer.write(tone())
    assert soundfile.info(io.BytesIO(path.read_bytes()[3:])).frames == RATE


def test_appended_file_is_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    path.write_bytes(b"xyz")
    with path.open("ab") as stream, WavWriter(stream, RATE) as writer:
        assert not writer.can_rewind
        writer.write(tone())
    data = path.read_bytes()[3:]
    assert soundfile.read(io.BytesIO(data))[0].shape == (int(1.2 * RATE),)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_says_so() -> None:
    with pytest.raises(DiskFullError, match="free some space"):
        WavWriter("/dev/full", RATE)
    assert Path("/dev/full").is_char_device()


def test_null_device_survives() -> None:
    with WavWriter(os.devnull, RATE) as writer:
        writer.write(tone(0.1))
    assert not Path(os.devnull).is_file()


def test_bad_targets_have_sentences(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        WavWriter(tmp_path, RATE)
    with pytest.raises(OutputError, match="folder does not exist"):
        WavWriter(tmp_path / "no" / "out.wav", RATE)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_protected_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    path.touch(mode=0o400)
    with pytest.raises(OutputError, match="no permission"):
        WavWriter(path, RATE)


def test_full_disk_keeps_what_fits(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    script = (
        "import resource, signal, sys, numpy as np\n"
        "from pocketvoice.audio.wav import WavWriter\n"
        "from pocketvoice.errors import OutputError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30001, 30001))\n"
        "writer = WavWriter(sys.argv[1], 24000, keep_partial=True)\n"
        "try:\n"
        "    while True: writer.write(np.ones(1920, np.float32))\n"
        "except OutputError: writer.abort()\n"
    )
    path = tmp_path / "out.wav"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=60)
    assert soundfile.info(path).frames == 7 * 1920
    assert path.stat().st_size == 44 + 2 * 7 * 1920


WRITER = (
    "import sys, time, numpy as np\n"
    "from pocketvoice.audio.wav import WavWriter\n"
    "x = (0.5 * np.sin(2 * np.pi * 440 * np.arange(4800) / 24000)).astype(np.float32)\n"
    "with WavWriter(sys.stdout.buffer, 24000) as writer:\n"
    "    for _ in range(5): writer.write(x); time.sleep(0.02)\n"
)


@pytest.mark.parametrize(
    "reader",
    [
        ["ffmpeg", "-loglevel", "error", "-i", "-", "-f", "s16le", "-"],
        ["sox", "-t", "wav", "-", "-t", "raw", "-"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("python_option", [[], ["-u"]], ids=["buffered", "unbuffered"])
def test_growing_pipe_is_read(reader: list[str], python_option: list[str]) -> None:
    if shutil.which(reader[0]) is None:
        pytest.skip(f"{reader[0]} is not installed")
    with subprocess.Popen([sys.executable, *python_option, "-c", WRITER], stdout=subprocess.PIPE) as writer:
        done = subprocess.run(reader, stdin=writer.stdout, capture_output=True, timeout=60, check=True)
    assert writer.returncode == 0
    assert len(done.stdout) == 2 * int(1.2 * RATE)
    assert done.stderr == b""  # no complaint about the size
