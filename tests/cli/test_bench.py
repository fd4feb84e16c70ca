"""`bench`: ours alone and beside the reference, on the tiny model and with one round."""

import importlib.util
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Done, Speaker

Cli = Callable[..., Done]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def folder(speaker: Speaker) -> Path:
    """The tiny model as --model takes it."""
    voice = speaker.files.folder / "voice.safetensors"
    if not voice.exists():
        voice.write_bytes(speaker.voice.read_bytes())
    return speaker.files.folder


def test_ours_alone(cli: Cli, folder: Path) -> None:
    done = cli("bench", "--model", folder, "--rounds", 1, "--precision", "float32")
    assert (done.code, done.err) == (0, "")
    for words in (
        "pocketvoice float32", "x real time", "cold start to first sound: ", "cloning a clip of 25 s: ",
        "latent error, teacher-forced: float32 0.00 %, bf16 ",
    ):  # fmt: skip
        assert words in done.out


def test_builtin_model_by_its_name(cli: Cli) -> None:
    done = cli(
        "bench", "--language", "builtin_en", "--rounds", 1, "--precision", "float32", "--only", "speed"
    )
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("builtin_en; ")


def test_beside_the_reference(cli: Cli, folder: Path) -> None:
    if importlib.util.find_spec("pocket_tts") is None:
        pytest.skip("the reference package is not installed")
    parts = ("--only", "speed", "cloning")
    done = cli("bench", "--model", folder, "--rounds", 1, "--against", "reference", "--json", *parts)
    report = json.loads(done.out)
    names = [(row["package"], row["precision"]) for row in report["rows"]]
    assert names == [
        ("pocketvoice", "auto"), ("pocketvoice", "float32"), ("pocket_tts", "float32"), ("pocket_tts", "int8"),
    ]  # fmt: skip
    assert len({row["sound_s"] for row in report["rows"]}) == 1
    assert report["rows"][0]["computes_in"] in ("float32", "bf16", "int8")
    assert all(
        row["speed"] > 0 and row["first_chunk_ms"] > 0 and row["peak_mb"] > 50 for row in report["rows"]
    )
    assert len(report["cloning"]["took_s"]) == 4
    assert done.code == 0


def test_table_of_threads_and_voices(cli: Cli, folder: Path) -> None:
    done = cli("bench", "--model", folder, "--rounds", 1, "--precision", "int8", "--only", "voices", "--json")
    table = json.loads(done.out)["voices"]
    lines = [(line["threads"], line["voice_s"]) for line in table]
    assert lines == [(1, 5.0), (1, 15.0), (1, 30.0), (2, 5.0), (2, 15.0), (2, 30.0)]
    assert all(line["measured"][0]["speed"] > 0 for line in table)


def test_every_minute_of_a_long_text(cli: Cli, folder: Path) -> None:
    done = cli("bench", "--model", folder, "--precision", "float32", "--long", 2)
    assert (done.code, done.err) == (0, "")
    assert "minute   2: " in done.out
    assert "times as long as the first, memory grew by" in done.out


def test_config_that_is_damaged(cli: Cli, folder: Path) -> None:
    Path("m.yaml").write_text("flow_lm: 3\nmimi: 4\n", encoding="utf-8")
    done = cli("bench", "--model", ".", "--voice", folder / "voice.safetensors", "--rounds", 1)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1


def test_error_of_a_child_is_one_sentence(cli: Cli, speaker: Speaker) -> None:
    from tests.model_factory import changed

    raw = changed(speaker.files.raw, **{"flow_lm.transformer.num_layers": 1})
    Path("m.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    done = cli("bench", "--model", ".", "--voice", speaker.voice, "--rounds", 1)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pocketvoice: The weights do not fit the config: flow_lm.")
    assert done.err.count("\n") == 1


def test_interrupt_ends_the_children_too(start: Start, folder: Path) -> None:
    process = start("bench", "--model", folder, "--rounds", 1000, start_new_session=True)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
