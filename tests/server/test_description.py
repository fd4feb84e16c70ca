"""The API description against the server: what it allows is answered, what it forbids is refused, in the shapes it promises."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pocketvoice.server.options import Limits
from pocketvoice.worker.parent.client import WorkerClient
from tests.server.conftest import Loop, Served, a_server

KEY = "a-key-for-tests"
CLIP = Path(__file__).parents[2] / "resources/models/builtin_en/voices/slt.flac"
# A schema can't say what a recording is: the tool is given one.
HOOKS = f"""
import pathlib, schemathesis
from hypothesis import strategies as st
schemathesis.openapi.format("binary", st.just(pathlib.Path({str(CLIP)!r}).read_bytes()))
"""

# Nor that a form carries nothing but strings: the number 12 in it is the text "12", which is spoken.
SETTINGS = """
[[operations]]
include-path = "/tts"
checks.negative_data_rejection.enabled = false
"""


@pytest.fixture(scope="module")
def strict(loop: Loop, worker: list[WorkerClient]) -> Iterator[Served]:
    """Short texts, so that hundreds of them are quickly spoken, and a key."""
    with a_server(loop, worker, limits=Limits(text_characters=16), keys=(KEY,)) as running:
        yield running


@pytest.mark.expects_log("No end of speech in segment")  # it also sends texts that are no words
def test_schemathesis_finds_nothing(strict: Served, tmp_path: Path) -> None:
    (tmp_path / "recordings.py").write_text(HOOKS)
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{strict.url}/openapi.json"]
    command += ["--header", f"Authorization: Bearer {KEY}"]
    command += ["--phases", "coverage,fuzzing", "--max-examples", "10", "--seed", "1", "--no-color"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "recordings", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[:3000] + done.stdout[-1500:] + done.stderr[-2000:]
    assert "10 passed" in done.stdout, done.stdout[-3000:]
