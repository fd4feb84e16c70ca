"""A real engine whose model file is cut short and gone: every path says 503 and when to come back; it recovers with the file."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from pocketvoice.engine.voice_state import export_model_state
from pocketvoice.server.service import ServedModel, engines
from tests.model_factory import ModelFactory, ModelFiles, changed, random_state, write_config
from tests.server.conftest import SENTENCE, Loop, Served, a_server

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals"),
    pytest.mark.expects_log(
        "the worker ended", "an engine has no model", "No end of speech", "link to the worker"
    ),
]
ASKED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "/tts", {"data": {"text": SENTENCE}}),
    ("POST", "/generate", {"json": {"text": SENTENCE}}),
    ("POST", "/stream", {"json": {"text": SENTENCE}}),
    ("POST", "/v1/audio/speech", {"json": {"input": SENTENCE, "model": "tts-1", "voice": "alloy"}}),
    ("GET", "/health", {}),
    ("GET", "/voices", {}),
    ("GET", "/v1/models", {}),
)


@pytest.fixture
def files(models: ModelFactory, tmp_path: Path) -> ModelFiles:
    """A copy of the tiny model, to be broken."""
    made = models.tiny("never")
    copy = ModelFiles(Path(shutil.copytree(made.folder, tmp_path / made.folder.name)))
    write_config(copy.config, changed(made.raw, weights_path=str(copy.weights)))
    return copy


@pytest.fixture
def lonely(loop: Loop, files: ModelFiles, tmp_path: Path) -> Iterator[Served]:
    voice = tmp_path / "voice.safetensors"
    export_model_state(random_state(files.raw), voice)
    stack = AsyncExitStack()
    choice = ServedModel(config=str(files.config), voice=str(voice), precision="float32", eos_threshold=-2000)
    clients = loop.run(stack.enter_async_context(engines(choice, 1)))
    with a_server(loop, clients) as running:
        yield running
    loop.run(stack.aclose())


def test_every_path_says_when_to_come_back(lonely: Served, files: ModelFiles) -> None:
    assert lonely.http.post("/stream", json={"text": SENTENCE}).status_code == 200
    whole = files.weights.read_bytes()
    os.truncate(files.weights, 1000)  # it is mapped: what was not read yet is gone with a bus error
    assert lonely.http.post("/stream", json={"text": SENTENCE}).status_code in (200, 503)
    if (pid := lonely.clients[0].pid) is not None and psutil.pid_exists(pid):
        os.kill(pid, signal.SIGKILL)
    lonely.until(lambda: lonely.http.get("/health").status_code == 503)
    lonely.until(lambda: lonely.http.post("/stream", json={"text": SENTENCE}).status_code == 503)
    for method, path, more in ASKED:
        answer = lonely.http.request(method, path, timeout=10, **more)
        assert answer.status_code == 503, f"{path}: {answer.text}"
        assert int(answer.headers["retry-after"]) >= 1, path
        assert str(files.folder) not in answer.text
    assert lonely.health["status"] == "unhealthy"
    assert lonely.health["retry_in_s"] >= 1
    files.weights.unlink()
    files.weights.write_bytes(whole)
    lonely.until(lambda: lonely.http.get("/health").status_code == 200, 30)
    assert lonely.http.post("/stream", json={"text": SENTENCE}).status_code == 200
