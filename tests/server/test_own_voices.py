"""The user's own voices can be asked for by name and by id, like those that come with the model."""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from pocketvoice.audio.clip import load_clip
from pocketvoice.server.service import ModelChoice, engines
from pocketvoice.voices.library import VoiceLibrary, open_library
from pocketvoice.voices.voice import NewVoice, Voice
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
        stack.enter_async_context(engines(ModelChoice(language=MODEL, precision="float32"), 1))
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


def test_new_voice_is_there_at_once(own: Served, library: VoiceLibrary) -> None:
    library.add(NewVoice("Ben", "en"), load_clip(CLIP).samples)
    assert "Ben" in [voice["name"] for voice in own.http.get("/voices").json()["voices"]]
