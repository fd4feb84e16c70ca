"""`voices`: a voice is made, found, kept, moved and spoken with from the command line."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import soundfile

from pocketvoice.voices.library import open_library
from tests import sound_server as sounds
from tests.cli.conftest import Done
from tests.voices.sounds import babble, write_state

if TYPE_CHECKING:
    from tests.model_factory import ModelFactory
    from tests.sound_server import SoundServer

Cli = Callable[..., Done]
PERMISSION = "permission"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    soundfile.write(tmp_path / "zoe.wav", babble(22), 24_000)
    return tmp_path / "zoe.wav"


@pytest.fixture
def zoe(cli: Cli, recording: Path) -> dict[str, object]:
    done = cli(
        "voices", "add", recording, "--name", "Zoe", "--language", "en", "--consent", "--seed", 5, "--json"
    )
    assert done.code == 0, done.err
    return dict(json.loads(done.out))


def names(cli: Cli) -> list[str]:
    return [row["name"] for row in json.loads(cli("voices", "list", "--json").out) if row.get("own")]


def test_a_voice_is_made_of_a_recording(cli: Cli, zoe: dict[str, object]) -> None:
    assert zoe["name"] == "Zoe"
    assert PERMISSION in str(zoe["consent"])
    assert 20 <= float(str(zoe["clip_s"])) <= 22
    shown = json.loads(cli("voices", "show", "zoe", "--json").out)
    assert shown["id"] == zoe["id"]
    assert shown["problems"] == []
    assert "Zoe" in cli("voices").out.splitlines()[0]
    assert "alba" in cli("voices", "list").out
    open_library().update(str(zoe["id"]), speed=1.2)
    assert "speed      1.2 (in the window)" in cli("voices", "show", "zoe").out.splitlines()


def test_nothing_is_made_without_consent_or_speech(cli: Cli, recording: Path, tmp_path: Path) -> None:
    done = cli("voices", "add", recording, "--name", "Zoe")
    assert done.code == 2
    assert PERMISSION in done.err
    soundfile.write(
        tmp_path / "noise.wav", 0.02 * np.random.default_rng(0).standard_normal(10 * 24_000), 24_000
    )
    for arguments, words in (
        (("noise.wav", "--consent"), "no speech"),
        (("nothing.wav", "--consent"), "no file"),
        ((recording, "--consent", "--name", "alba"), "catalogue"),
        ((recording, "--consent", "--start", 20, "--stop", 10), "--start"),
    ):
        done = cli("voices", "add", *arguments)
        assert done.code == 2
        assert words in done.err
        assert len(done.err.splitlines()) == 1
    assert names(cli) == []


def test_a_chosen_part_is_taken(cli: Cli, recording: Path) -> None:
    done = cli("voices", "add", recording, "--consent", "--start", 4, "--stop", 12, "--json")
    made = json.loads(done.out)
    assert (made["name"], made["clip_s"]) == ("zoe", 8.0)
    assert "20 to 30" in made["tip"]


def test_what_the_built_in_model_makes_of_it_is_said(cli: Cli, recording: Path) -> None:
    done = cli("voices", "add", recording, "--name", "Zoe", "--consent")
    assert done.code == 0
    assert "The built-in model follows no more than 4.5 s of a clip" in done.err


def test_voices_are_renamed_copied_removed_and_brought_back(cli: Cli, zoe: dict[str, object]) -> None:
    assert cli("voices", "rename", "Zoe", "Zoë").code == 0
    assert cli("voices", "duplicate", "zoë").code == 0
    assert names(cli) == ["Zoë", "Zoë 2"]
    assert cli("voices", "remove", zoe["id"]).code == 0
    assert names(cli) == ["Zoë 2"]
    (removed,) = json.loads(cli("voices", "trash", "--json").out)
    assert removed["name"] == "Zoë"
    assert "Zoë" in cli("voices", "trash").out
    assert cli("voices", "restore", "Zoë").code == 0
    assert names(cli) == ["Zoë", "Zoë 2"]
    assert cli("voices", "remove", "nobody").code == 2
    assert cli("voices", "delete", "Zoë").code == 2  # only what is in the trash
    cli("voices", "remove", "Zoë 2")
    assert cli("voices", "delete", "Zoë 2").code == 0
    assert json.loads(cli("voices", "trash", "--json").out) == []


def test_a_voice_goes_to_another_machine(
    cli: Cli, zoe: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("voices", "export", "Zoe", tmp_path).code == 0
    assert cli("voices", "export", "Zoe", tmp_path / "zoe.zip").code == 2
    monkeypatch.setenv("POCKETVOICE_DATA_DIR", str(tmp_path / "other machine"))
    assert names(cli) == []
    done = cli("voices", "import", tmp_path / "Zoe.pvoice", "--json")
    (voice,) = json.loads(done.out)["voices"]
    assert (voice["name"], voice["consent"], voice["seed"]) == ("Zoe", zoe["consent"], 5)
    write_state(tmp_path / "in" / "foreign.safetensors", "")
    (tmp_path / "in" / "bad.pvoice").write_text("no zip")
    done = cli("voices", "import", tmp_path / "in")
    assert done.code == 2
    assert "bad.pvoice" in done.err
    assert names(cli) == ["foreign", "Zoe"]


def test_it_speaks_by_its_name(
    cli: Cli, zoe: dict[str, object], models: "ModelFactory", tmp_path: Path
) -> None:
    model = ["--config", models.tiny("at_once").config]
    speak = ["generate", *model, "--text", "Hello there."]
    for voice, target in (("Zoe", "a.wav"), (zoe["id"], "b.wav")):
        done = cli(*speak, "--voice", voice, "-o", tmp_path / target)
        assert done.code == 0, done.err
    assert cli(*speak, "--voice", "Zoe", "--seed", 6, "-o", tmp_path / "c.wav").code == 0
    first, second, third = ((tmp_path / name).read_bytes() for name in ("a.wav", "b.wav", "c.wav"))
    assert first == second != third
    assert len(json.loads(cli("voices", "show", "Zoe", "--json").out)["states"]) == 1
    assert cli("export-voice", *model, "Zoe", tmp_path).code == 0
    assert (
        cli(*speak, "--voice", tmp_path / "Zoe.safetensors", "--seed", 5, "-o", tmp_path / "e.wav").code == 0
    )
    assert (tmp_path / "e.wav").read_bytes() == first
    mistyped = cli(*speak, "--voice", "Zoey")
    assert (mistyped.code, "did you mean Zoe?" in mistyped.err) == (2, True)
    cli("voices", "remove", "Zoe")
    assert cli(*speak, "--voice", str(zoe["id"]), "-o", tmp_path / "d.wav").code == 2


def test_it_is_measured_by_its_name(cli: Cli, zoe: dict[str, object], models: "ModelFactory") -> None:
    model = ["--config", models.tiny("at_once").config, "--rounds", 1, "--only", "speed"]
    done = cli("bench", *model, "--precision", "float32", "--voice", "Zoe")
    assert done.code == 0, done.err


@pytest.mark.skipif(sounds.missing() is not None, reason=sounds.missing() or "")
def test_a_voice_is_recorded_with_the_microphone(
    sound_server: "SoundServer", start: Callable[..., "subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    sound_server.pactl("load-module", "module-null-sink", "sink_name=room", "rate=48000")
    sound_server.pactl("set-default-source", "room.monitor")
    soundfile.write(tmp_path / "said.wav", babble(30), 24_000)
    environment = {**sound_server.environment(), "POCKETVOICE_DATA_DIR": os.environ["POCKETVOICE_DATA_DIR"]}
    with subprocess.Popen(["paplay", "-d", "room", str(tmp_path / "said.wav")], env=environment) as player:
        record = ["voices", "record", "--name", "Mine", "--consent", "--seconds", "6", "--json"]
        done = start(*record, env=environment)
        out, err = done.communicate(timeout=60)
        player.kill()
    assert done.returncode == 0, err
    made = json.loads(out)
    assert made["name"] == "Mine"
    assert 6 <= made["clip_s"] < 12
    assert b"aloud" in err
