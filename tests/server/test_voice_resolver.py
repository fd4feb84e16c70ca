"""The user's own voices can be asked for by name and by id, like those that come with the model."""

import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from pocketvoice.audio.clip import load_clip
from pocketvoice.server.options import Limits
from pocketvoice.server.service import ServedModel, engines
from pocketvoice.voices.library import VoiceLibrary, open_library
from pocketvoice.voices.voice import NewVoice, Voice
from pocketvoice.worker.parent.client import WorkerClient
from tests.server.conftest import MODEL, SENTENCE, Loop, Served, a_server

CLIP = Path(__file__).parents[2] / "resources/models/builtin_en/voices/slt.flac"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VoiceLibrary]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POCKETVOICE_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        yield open_library(["slt"])


@pytest.fixture(scope="module")
def anna(library: VoiceLibrary) -> Voice:
    """A voice with a take that was chosen for it."""
    return library.add(NewVoice("Anna", "en", seed=5), load_clip(CLIP).samples)


@pytest.fixture(scope="module")
def own(loop: Loop, library: VoiceLibrary, anna: Voice) -> Iterator[Served]:
    """A server with a worker that looks into the same library."""
    stack = AsyncExitStack()
    clients = loop.run(
        stack.enter_async_context(engines(ServedModel(language=MODEL, precision="float32"), 1))
    )
    with a_server(loop, clients, library) as running:
        yield running
    loop.run(stack.aclose())


def test_own_voice_speaks_by_name_and_id(own: Served, anna: Voice) -> None:
    told = own.http.get("/voices").json()
    assert {"name": "Anna", "id": anna.id, "source": "library", "language": "en"} in told["voices"]
    sounds = []
    for voice in ("Anna", "anna", {"id": anna.id}):
        body = {"input": SENTENCE, "model": "tts-1", "voice": voice, "response_format": "pcm"}
        answer = own.http.post("/v1/audio/speech", json=body)
        assert answer.status_code == 200, answer.text
        sounds.append(answer.content)
    assert sounds[0] == sounds[1] == sounds[2]  # the take that was chosen
    assert own.http.post("/tts", data={"text": SENTENCE, "voice_url": "Anna"}).status_code == 200


def test_voice_by_address_where_it_is_allowed(
    loop: Loop, worker: list[WorkerClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path / "cache"))
    handler = partial(SimpleHTTPRequestHandler, directory=str(CLIP.parent))
    limits = Limits(upload_bytes=CLIP.stat().st_size)
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as elsewhere,
        a_server(loop, worker, voice_addresses=True, private_voice_addresses=True, limits=limits) as allowed,
    ):
        threading.Thread(target=elsewhere.serve_forever).start()
        address = f"http://127.0.0.1:{elsewhere.server_port}"

        def ask(name: str) -> httpx.Response:
            return allowed.http.post("/tts", data={"text": SENTENCE, "voice_url": f"{address}/{name}"})

        try:
            assert ask("slt.flac").status_code == 200
            assert ask("slt.safetensors").status_code == 413  # larger than what may be uploaded
            assert ask("nobody.wav").status_code == 502
        finally:
            elsewhere.shutdown()


def test_a_web_page_in_the_place_of_a_voice_is_not_kept(
    loop: Loop, worker: list[WorkerClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that was down for a moment answers with its voice afterwards."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path / "cache"))
    voice = tmp_path / "voice.flac"
    voice.write_text("<!doctype html><title>Back soon</title>" * 50)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as elsewhere,
        a_server(loop, worker, voice_addresses=True, private_voice_addresses=True) as allowed,
    ):
        threading.Thread(target=elsewhere.serve_forever).start()
        asked = {
            "text": SENTENCE,
            "voice_url": f"http://127.0.0.1:{elsewhere.server_port}/voice.flac",
        }
        try:
            assert allowed.http.post("/tts", data=asked).status_code == 400
            voice.write_bytes(CLIP.read_bytes())
            assert allowed.http.post("/tts", data=asked).status_code == 200
        finally:
            elsewhere.shutdown()


class _Endless(BaseHTTPRequestHandler):
    """A file that never ends, and whose length is not told."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(bytes(1 << 16))

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_endless_voice_by_address_is_given_up(
    loop: Loop, worker: list[WorkerClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path / "cache"))
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), _Endless) as elsewhere,
        a_server(
            loop,
            worker,
            voice_addresses=True,
            private_voice_addresses=True,
            limits=Limits(upload_bytes=1 << 20),
        ) as allowed,
    ):
        threading.Thread(target=elsewhere.serve_forever).start()
        address = f"http://127.0.0.1:{elsewhere.server_port}/voice.wav"
        try:
            answer = allowed.http.post("/tts", data={"text": SENTENCE, "voice_url": address})
            assert answer.status_code == 413
        finally:
            elsewhere.shutdown()


def test_new_voice_is_there_at_once(own: Served, library: VoiceLibrary) -> None:
    library.add(NewVoice("Ben", "en"), load_clip(CLIP).samples)
    assert "Ben" in [voice["name"] for voice in own.http.get("/voices").json()["voices"]]
