"""`bench`: ours alone and beside the reference, on the tiny model and with one round."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from pocketvoice.cli import bench_report
from pocketvoice.cli.bench import summary_of
from tests.cli.conftest import Done, Speaker, wait_for_handler

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
        "pocketvoice float32", "x real time", "gaps between segments ", "silence put in 0 samples",
        "cold start to first sound: ", "cloning a clip of 25 s: ",
        "latent error, teacher-forced: float32 0.00 %, bf16 ",
    ):  # fmt: skip
        assert words in done.out


def test_builtin_model_by_its_name(cli: Cli) -> None:
    done = cli(
        "bench", "--language", "builtin_en", "--rounds", 1, "--precision", "float32", "--only", "speed"
    )
    assert (done.code, done.err) == (0, "")
    assert "\nbuiltin_en; " in done.out


def test_report_begins_with_its_command(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = ["--model", folder, "--rounds", 1, "--precision", "float32", "--only", "gaps", "--threads", 1]
    monkeypatch.setattr(sys, "argv", ["/a path/__main__.py", "bench", "--model", "my model"])
    assert cli("bench", *line).out.startswith("$ pocketvoice bench --model 'my model'\n")
    assert json.loads(cli("bench", *line, "--json").out)["command"] == "pocketvoice bench --model 'my model'"


def test_beside_the_reference(cli: Cli, folder: Path) -> None:
    if importlib.util.find_spec("pocket_tts") is None:
        pytest.skip("the reference package is not installed")
    parts = ("--only", "speed", "gaps", "cloning")
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
    assert [len(gaps["leads_ms"]) for gaps in report["gaps"]] == [3] * 4
    assert [bar["what"] for bar in report["bars"]] == [
        "speed against pocket_tts float32", "speed against pocket_tts int8",
        "first sound against pocket_tts float32", "first sound against pocket_tts int8",
        "peak memory against pocket_tts float32", "peak memory against pocket_tts int8",
        "cloning speed against pocket_tts float32", "cloning speed against pocket_tts int8",
        "speed of float32 against float32",
        "gaps between segments, ms", "silence put between segments, samples",
    ]  # fmt: skip
    assert done.code == 0


def test_bars_beside_the_reference() -> None:
    rows = [
        {"package": package, "precision": precision, "speed": speed, "first_chunk_ms": first, "layers": 24}
        for package, precision, speed, first in (
            ("pocketvoice", "auto", 8.4, 20.0), ("pocketvoice", "float32", 1.9, 60.0),
            ("pocket_tts", "float32", 2.0, 80.0), ("pocket_tts", "int8", 4.0, 40.0),
        )
    ]  # fmt: skip
    report = {"rows": rows, "cold_start_s": [1.0, 1.0, 2.5, 2.4], "cloning": {"took_s": [1, 1, 3.5, 2.5]}}
    found = [(bar["what"], bar["reached"], bar["bar"], bar["met"]) for bar in bench_report.bars(report)]
    assert found == [
        ("speed against pocket_tts float32", 4.2, 4.0, True),
        ("first sound against pocket_tts float32", 0.25, 1 / 3, True),
        ("first sound against pocket_tts int8", 0.5, 1 / 3, False),
        ("cold start against pocket_tts float32", 0.4, 0.4, True),
        ("cold start against pocket_tts int8", 0.417, 0.4, False),
        ("cloning speed against pocket_tts float32", 3.5, 3.0, True),
        ("cloning speed against pocket_tts int8", 2.5, 3.0, False),
        ("speed of float32 against float32", 0.95, 1.0, False),
    ]


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
    assert "float32: speed of the last minute / the first " in done.out
    assert "; memory grew by " in done.out
    assert "the last five" not in done.out


def test_the_end_of_a_long_text_beside_its_beginning() -> None:
    minutes = [
        {"speed": speed, "resident": 1e8 + 1e6 * speed} for speed in (10, 12, 12, 12, 14, 9, 8, 10, 11, 12)
    ]
    assert summary_of(minutes) == {
        "last_to_first": 1.2, "last_five_to_first_five": 0.8333, "grown_mb": 2.0
    }  # fmt: skip
    assert summary_of(minutes[:9])["last_five_to_first_five"] is None


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
    wait_for_handler(process)
    time.sleep(1.5)  # its children are starting, or are there
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
