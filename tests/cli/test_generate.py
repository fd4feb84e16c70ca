"""`generate`: the file it writes, the WAV it streams, what it says beside that, and how it ends when it is broken off."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import ENDS, Done, Speaker
from tests.waiting import until

Cli = Callable[..., Done]
Start = Callable[..., "subprocess.Popen[bytes]"]

LONG = "The children walked to the harbour, where the old boats were lying in the sun. " * 60


def samples_of(path: Path | str | io.BytesIO) -> np.ndarray:
    with wave.open(str(path) if isinstance(path, str | Path) else path) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        return np.frombuffer(file.readframes(1 << 30), "<i2")


def test_file_is_16_bit_with_silence_at_the_end(cli: Cli, speaker: Speaker) -> None:
    done = cli("generate", *speaker.options, *ENDS, "--text", "Good morning to you.", "-o", "a.wav")
    assert (done.code, done.out) == (0, "")
    assert "s of speech written to a.wav" in done.err
    samples = samples_of("a.wav")
    tail = int(0.2 * 24_000)
    assert not samples[-tail:].any()
    assert samples[: -tail - 10].any()
    assert (len(samples) - tail) % 1920 == 0
    assert os.listdir() == ["a.wav"]  # noqa: PTH208


@pytest.mark.parametrize(
    ("suffix", "kind"), [("mp3", "MP3"), ("flac", "FLAC"), ("ogg", "OGG"), ("opus", "OGG")]
)
def test_the_name_decides_the_kind_of_file(cli: Cli, speaker: Speaker, suffix: str, kind: str) -> None:
    import soundfile

    done = cli("generate", *speaker.options, *ENDS, "--text", "Good morning to you.", "-o", f"a.{suffix}")
    assert (done.code, done.out) == (0, "")
    with soundfile.SoundFile(f"a.{suffix}") as file:
        assert file.format == kind
        assert abs(file.read()).max() > 0.001
    assert os.listdir() == [f"a.{suffix}"]  # noqa: PTH208


@pytest.mark.parametrize("name", ["a.m4b", "a.txt", "a.wav.gz"])
def test_an_ending_that_can_not_be_written_is_refused(cli: Cli, speaker: Speaker, name: str) -> None:
    done = cli("generate", *speaker.options, "--text", "Good morning.", "-o", name)
    assert done.code == 2
    assert "choose one of .wav, .flac, .mp3, .ogg, .opus" in done.err
    assert os.listdir() == []  # noqa: PTH208


@pytest.mark.parametrize(("voice", "speaks"), [("alba", "slt"), ("marius", "rms")])
def test_a_catalogue_voice_has_a_stand_in_in_the_built_in_model(cli: Cli, voice: str, speaks: str) -> None:
    done = cli(
        "generate", "--language", "builtin_en", "--voice", voice, "--text", "Hello there.", "-o", "a.wav"
    )
    assert done.code == 0
    assert f"The voice {voice} comes with the released models" in done.err
    assert f"{speaks} speaks in its place" in done.err
    assert samples_of("a.wav").any()


def test_a_built_in_voice_has_a_name_people_can_say(cli: Cli) -> None:
    options = ("--language", "builtin_en", "--text", "Hello there.", "--seed", 1)
    for voice, file in (("slt", "a.wav"), ("sally", "b.wav")):
        assert "in its place" not in cli("generate", *options, "--voice", voice, "-o", file).err
    assert (samples_of("a.wav") == samples_of("b.wav")).all()
    assert "Sally, of builtin_en" in cli("voices").out


def test_default_names_and_text(cli: Cli, speaker: Speaker) -> None:
    assert cli("generate", *speaker.options, *ENDS, "-q") == Done(0, "", "")
    assert samples_of("tts_output.wav").any()


@pytest.mark.filterwarnings("ignore:torch.quantize_per:UserWarning")
def test_every_flag_of_the_reference(cli: Cli, speaker: Speaker) -> None:
    flags = [
        "--quiet", "--sampler-decode-steps", "2", "--temperature", "0.5", "--noise-clamp", "2.5", "--frames-after-eos", "5",
        "--device", "cpu", "--max-tokens", "40", "--quantize", "--output-path", "a.wav", "--text", "Good morning to you.",
    ]  # fmt: skip
    assert cli("generate", *speaker.options, *ENDS, *flags) == Done(0, "", "")
    assert len(samples_of("a.wav")) == 1920 * (6 + 5) + 4800  # 6 frames that may not end, and 5 more


def test_old_name_of_the_steps(cli: Cli, speaker: Speaker) -> None:
    done = cli("generate", *speaker.options, *ENDS, "--text", "Good morning.", "--lsd-decode-steps", "2")
    assert done.code == 0
    assert "lsd_decode_steps is deprecated" in done.err


def test_seed_repeats_the_sound(cli: Cli, speaker: Speaker) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        assert cli("generate", *speaker.options, *ENDS, "-q", "--seed", seed, "-o", f"{name}.wav").code == 0
    assert Path("a.wav").read_bytes() == Path("b.wav").read_bytes() != Path("c.wav").read_bytes()


def test_json_is_all_on_stdout(cli: Cli, speaker: Speaker) -> None:
    done = cli("generate", *speaker.options, *ENDS, "--json", "-o", "a.wav")
    made = json.loads(done.out)
    assert (done.code, done.err, made["output_path"], made["sample_rate"]) == (0, "", "a.wav", 24_000)
    assert made["seconds"] == pytest.approx((len(samples_of("a.wav")) - 4800) / 24_000, abs=0.001)
    assert made["model_id"].startswith(speaker.files.folder.name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_from_standard_input(
    cli: Cli, speaker: Speaker, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Good morning, José."
    cli("generate", *speaker.options, *ENDS, "-q", "--seed", 1, "--text", text, "-o", "given.wav")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode(encoding))))
    done = cli("generate", *speaker.options, *ENDS, "-q", "--seed", 1, "--text", "-", "-o", "piped.wav")
    assert done.code == 0
    assert Path("piped.wav").read_bytes() == Path("given.wav").read_bytes()


def test_failed_takes_are_told_and_left_out(cli: Cli, speaker: Speaker) -> None:
    done = cli("generate", *speaker.options, "--text", "Good morning to you.", "-o", "a.wav")
    assert done.code == 0
    assert done.err.startswith("pocketvoice: No end of speech in segment 0")


def test_failure_leaves_the_old_file(cli: Cli, speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    from pocketvoice.cli import generate

    def broken(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(generate, "write", broken)
    Path("a.wav").write_bytes(b"old")
    assert cli("generate", *speaker.options, "-o", "a.wav") == Done(130, "", "")
    assert Path("a.wav").read_bytes() == b"old"
    assert os.listdir() == ["a.wav"]  # noqa: PTH208


def test_stream_equals_file(speaker: Speaker, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Nothing but a WAV goes to standard output, whatever else is told."""
    from pocketvoice.cli import main

    wanted = ["generate", *speaker.options, *ENDS, "--seed", "3", "--debug"]
    assert main([*wanted, "-o", "a.wav"]) == 0
    capfdbinary.readouterr()
    assert main([*wanted, "-o", "-"]) == 0
    assert capfdbinary.readouterr().out[44:] == Path("a.wav").read_bytes()[44:]


@pytest.mark.parametrize("reader", ["ffmpeg", "sox"])
def test_programs_read_the_growing_stream(
    start: Start, speaker: Speaker, reader: str, tmp_path: Path
) -> None:
    if shutil.which(reader) is None:
        pytest.skip(f"{reader} is not installed")
    raw = tmp_path / "heard.raw"
    commands = {
        "ffmpeg": ["ffmpeg", "-loglevel", "error", "-flush_packets", "1", "-i", "-", "-f", "s16le", "-y", str(raw)],
        "sox": ["sox", "-V1", "-t", "wav", "-", "-t", "raw", "-e", "signed", "-b", "16", str(raw)],
    }  # fmt: skip
    endless = ["--text", LONG, "--max-tokens", "20"]
    process = start("generate", *speaker.options, *endless, "-q", "-o", "-")
    with subprocess.Popen(commands[reader], stdin=process.stdout, stderr=subprocess.PIPE) as reading:
        process.stdout.close()  # type: ignore[union-attr]
        until(lambda: raw.exists() and raw.stat().st_size > 8_192, 60, "the reader writes")
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert reading.wait(timeout=30) == 0
    assert np.fromfile(raw, "<i2").any()


def test_reader_that_goes_is_no_error(start: Start, speaker: Speaker) -> None:
    process = start("generate", *speaker.options, "--text", LONG, "--max-tokens", 20, "-q", "-o", "-")
    assert process.stdout is not None
    assert len(process.stdout.read(1000)) == 1000
    process.stdout.close()
    assert process.wait(timeout=30) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""


def test_terminal_takes_no_sound(start: Start) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = start("generate", "-o", "-", stdout=theirs)
    os.close(theirs)
    assert process.wait(timeout=30) == 2
    assert process.stderr is not None
    assert b"Standard output is a terminal" in process.stderr.read()
    os.close(ours)


def test_progress_on_a_terminal_only(start: Start, speaker: Speaker) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = start(
        "generate", *speaker.options, "--text", LONG[:800], "--max-tokens", 30, "-o", "a.wav", stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while b"x real time" not in shown:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    os.close(ours)
    assert b" s of sound, " in shown
    assert os.listdir() == ["a.wav"]  # noqa: PTH208 - what was made until then
