"""`export-voice`: a recording to a voice file that speaks, and a folder of them of which the good ones are made."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import safetensors
import soundfile

from pocketvoice.audio import reading
from pocketvoice.cli.export_voice import SMALL_MODEL
from tests.cli.conftest import ENDS, Done, Speaker, write_noise, write_speech

Cli = Callable[..., Done]


def test_voice_file_speaks(cli: Cli, speaker: Speaker, clip: Path) -> None:
    done = cli("export-voice", *speaker.model, clip, "mine.safetensors")
    assert done == Done(0, "", "Voice file mine.safetensors written.\n")
    with safetensors.safe_open("mine.safetensors", framework="np") as file:
        assert file.metadata()["model_id"].startswith(speaker.files.folder.name)
    wanted = ["generate", *speaker.model, *ENDS, "-q", "--seed", 1]
    assert cli(*wanted, "--voice", "mine.safetensors", "-o", "state.wav").code == 0
    assert cli(*wanted, "--voice", clip, "-o", "clip.wav").code == 0
    assert Path("state.wav").read_bytes() == Path("clip.wav").read_bytes()


def test_folder_as_target_of_one_recording(cli: Cli, speaker: Speaker, clip: Path) -> None:
    Path("voices").mkdir()
    assert cli("export-voice", *speaker.model, "-q", clip, "voices") == Done(0, "", "")
    assert [path.name for path in Path("voices").iterdir()] == ["clip.safetensors"]


def test_folder_of_recordings(cli: Cli, speaker: Speaker, clip: Path) -> None:
    Path("clips").mkdir()
    samples, rate = soundfile.read(clip)
    soundfile.write("clips/good.flac", samples, rate)
    write_noise(Path("clips/short.wav"), 0.2)
    Path("clips/notes.txt").write_text("not a recording", encoding="utf-8")
    done = cli("export-voice", *speaker.model, "clips", "voices/all")
    assert (done.code, done.out) == (2, "")
    first, second = sorted(done.err.splitlines())
    assert first == "Voice file voices/all/good.safetensors written."
    assert second.startswith("pocketvoice: clips/short.wav: The clip is only 0.2 s long")
    assert [path.name for path in Path("voices/all").iterdir()] == ["good.safetensors"]


def test_small_model_is_honest(cli: Cli, clip: Path) -> None:
    """It makes a voice file that speaks, and says what to expect."""
    done = cli("export-voice", "--language", "builtin_en", clip, "mine.safetensors")
    written = "Voice file mine.safetensors written."
    assert done.code == 0
    small, used, told = done.err.splitlines()
    assert (small, told) == (SMALL_MODEL, written)
    assert "21 s long: its first" in used
    wanted = ["generate", "--language", "builtin_en", "-q", "-t", "Hello there.", "-o", "said.wav"]
    assert cli(*wanted, "--voice", "mine.safetensors").code == 0
    assert len(soundfile.read("said.wav")[0]) > 0


def test_long_recording_on_request(cli: Cli, speaker: Speaker, clip: Path) -> None:
    write_speech(Path("long.wav"), 310.0)
    done = cli("export-voice", *speaker.model, "--truncate", "long.wav", "long.safetensors")
    assert done.code == 0
    assert done.err.startswith("pocketvoice: The clip is 5.2 minutes long")


def test_noise_is_refused(cli: Cli, speaker: Speaker) -> None:
    write_noise(Path("fan.wav"), 22.0)
    done = cli("export-voice", *speaker.model, "fan.wav", "fan.safetensors")
    assert (done.code, done.out) == (2, "")
    assert "No voice can be made of this. There is no speech in it" in done.err
    assert not Path("fan.safetensors").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_read_once(cli: Cli, speaker: Speaker, clip: Path) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(clip.read_bytes(),))
    writer.start()
    done = cli("export-voice", *speaker.model, "-q", "pipe", "piped.safetensors")
    writer.join(10)
    assert done == Done(0, "", "")
    assert Path("piped.safetensors").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_from_which_nothing_comes_is_given_up(
    cli: Cli, speaker: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("pipe")
    monkeypatch.setattr(reading, "PIPE_S", 0.05)
    done = cli("export-voice", *speaker.model, "pipe", "piped.safetensors")
    assert (done.code, done.err) == (
        2, "pocketvoice: pipe is a pipe from which nothing came for 0.05 s: give a sound file.\n",
    )  # fmt: skip
