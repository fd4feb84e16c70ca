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
    assert "pocketvoice" in done.out
    assert "x real time" in done.out


def test_builtin_model_by_its_name(cli: Cli) -> None:
    done = cli("bench", "--language", "builtin_en", "--rounds", 1, "--precision", "float32")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("builtin_en, float32")


def test_beside_the_reference(cli: Cli, folder: Path) -> None:
    if importlib.util.find_spec("pocket_tts") is None:
        pytest.skip("the reference package is not installed")
    done = cli(
        "bench",
        "--model",
        folder,
        "--rounds",
        1,
        "--precision",
        "float32",
        "--against",
        "reference",
        "--json",
    )
    (result,) = json.loads(done.out)
    assert (done.code, [row["package"] for row in result["rows"]]) == (0, ["pocketvoice", "pocket_tts"])
    ours, theirs = result["rows"]
    assert ours["sound_s"] == theirs["sound_s"]
    assert result["ratios"]["speed"] == pytest.approx(ours["speed"] / theirs["speed"], rel=0.01)


def test_config_that_is_damaged(cli: Cli, folder: Path) -> None:
    Path("m.yaml").write_text("flow_lm: 3\nmimi: 4\n", encoding="utf-8")
    done = cli("bench", "--model", ".", "--voice", folder / "voice.safetensors", "--rounds", 1)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the failed child's pipes
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
