"""A voice of the library in the real worker: it is made ready for each model once, keeps its seed, and says what it lacks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from pocketvoice.worker.messages import Event, Failed, Finished, OutputKind, PreparingVoice, WorkerOptions
from pocketvoice.worker.parent.client import WorkerClient
from tests.voices.sounds import babble

if TYPE_CHECKING:
    from tests.model_factory import ModelFactory

TEXT = "One, two, three."
# The default voice of the catalogue can't be had here, which the worker says when it loads a model.
pytestmark = pytest.mark.expects_log(
    r"the voice hf://\S+ is not ready: .* HF_HUB_OFFLINE forbids the network"
)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VoiceLibrary:
    monkeypatch.setenv("POCKETVOICE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return VoiceLibrary()


class HeardClient:
    """A client, and all it heard."""

    def __init__(self, client: WorkerClient) -> None:
        self.client = client
        self.events: list[Event] = []
        client.listen(self.events.append)

    async def load(self, config: Path) -> str:
        handle = await self.client.load_model(config=str(config))
        assert isinstance(await handle.result(), Finished)
        assert self.client.ready is not None
        return self.client.ready.model_id

    async def spoken(self, voice: str, folder: Path, seed: int | None = None) -> bytes | Failed:
        target = folder / "out.wav"
        end = await (await self.client.export(TEXT, str(target), voice=voice, seed=seed)).result()
        return end if isinstance(end, Failed) else target.read_bytes()

    def prepared(self) -> list[str]:
        """Names of voices that were made ready, once each."""
        return [one.voice for one in self.events if isinstance(one, PreparingVoice) and one.fraction == 1.0]


@asynccontextmanager
async def worker() -> AsyncIterator[HeardClient]:
    async with WorkerClient(WorkerOptions(output=OutputKind.NULL_VIRTUAL)) as client:
        yield HeardClient(client)


def test_a_voice_is_made_ready_once_for_each_model(
    library: VoiceLibrary, models: "ModelFactory", tmp_path: Path
) -> None:
    first, second = models.tiny("at_once").config, models.tiny("at_once", seed=2).config
    voice = library.add(NewVoice("Anna Blume", "en", seed=7), babble(3.0))

    async def story() -> None:
        async with worker() as heard:
            ids = [await heard.load(first)]
            by_id = await heard.spoken(voice.id, tmp_path)
            assert heard.prepared() == ["Anna Blume"]
            assert by_id == await heard.spoken("anna blume", tmp_path)
            assert by_id == await heard.spoken(voice.id, tmp_path, seed=7)
            assert by_id != await heard.spoken(voice.id, tmp_path, seed=8)
            ids.append(await heard.load(second))
            assert isinstance(await heard.spoken(voice.id, tmp_path), bytes)
            assert heard.prepared() == ["Anna Blume"] * 2
            assert [state.model_id for state in library.get(voice.id).states] == ids
            await heard.load(first)
            assert await heard.spoken(voice.id, tmp_path) == by_id
            assert len(heard.prepared()) == 2
            damaged = library.state_path(library.get(voice.id), ids[0])
            assert damaged is not None
            damaged.write_bytes(b"rotten")
            await heard.load(first)
            assert await heard.spoken(voice.id, tmp_path) == by_id
            assert len(heard.prepared()) == 3
            assert library.check(voice.id) == []

    asyncio.run(story())


def test_a_draft_is_heard_before_it_is_saved(
    library: VoiceLibrary, models: "ModelFactory", tmp_path: Path
) -> None:
    async def story() -> None:
        async with worker() as heard:
            model_id = await heard.load(models.tiny("at_once").config)
            draft = library.draft(babble(3.0), source="mic")
            path = draft.state_path(model_id)
            handle = await heard.client.clone_voice(str(draft.clip_path), str(path))
            assert isinstance(await handle.result(), Finished)
            takes = {seed: await heard.spoken(str(path), tmp_path, seed) for seed in (1, 2)}
            assert takes[1] != takes[2]
            voice = draft.save(NewVoice("Anna", seed=2))
            assert await heard.spoken(voice.id, tmp_path) == takes[2]
            assert heard.prepared() == []

    asyncio.run(story())


def test_what_a_voice_lacks_is_told(library: VoiceLibrary, models: "ModelFactory", tmp_path: Path) -> None:
    from pocketvoice.voices import packages
    from tests.voices.sounds import write_state

    foreign = write_state(tmp_path / "foreign.safetensors", "other-ffffffffffffffff")
    (stateful,) = packages.import_voices(library, foreign).voices
    rotten = library.add(NewVoice("Rotten"), babble(3.0))
    rotten.clip_path.write_bytes(b"x" * 100)
    gone = library.add(NewVoice("Gone"), babble(3.0))
    library.remove(gone.id)

    async def story() -> None:
        async with worker() as heard:
            await heard.load(models.tiny("at_once").config)
            for voice, words in (
                (stateful.id, "other-ffffffffffffffff"),
                (rotten.id, "damaged"),
                (gone.id, "not exist"),
            ):
                end = await heard.spoken(voice, tmp_path)
                assert isinstance(end, Failed)
                assert words in end.error.message
            assert not isinstance(
                await heard.spoken(library.add(NewVoice("Well"), babble(3.0)).id, tmp_path), Failed
            )

    asyncio.run(story())


@pytest.mark.expects_log("the voice Anna could not be kept")
def test_a_library_that_can_not_be_written_speaks_all_the_same(
    library: VoiceLibrary, models: "ModelFactory", tmp_path: Path
) -> None:
    voice = library.add(NewVoice("Anna"), babble(3.0))
    lock = library.folder / ".lock"
    lock.unlink()
    lock.mkdir()  # nobody can lock it, root included

    async def story() -> None:
        async with worker() as heard:
            await heard.load(models.tiny("at_once").config)
            assert isinstance(await heard.spoken(voice.id, tmp_path), bytes)

    asyncio.run(story())
    assert library.get(voice.id).states == ()


def test_no_voice_is_taken_for_another(
    library: VoiceLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pocketvoice.worker.child.own_voices import find_own

    monkeypatch.chdir(tmp_path)
    voice = library.add(NewVoice("Me.wav"), np.ascontiguousarray(babble(1.0)))
    taken = library.add(NewVoice("alba"), babble(1.0))  # a library that knows of no catalogue
    assert find_own(library, "me.wav") == voice
    (tmp_path / "Me.wav").write_bytes(b"a file of that name comes first")
    assert find_own(library, "Me.wav") is None
    assert find_own(library, voice.id) == voice
    assert find_own(library, "alba") is None
    assert find_own(library, taken.id) == taken
    for other in ("", None, "hf://kyutai/tts-voices/alba.wav", "nobody", "a" * 5000, "\x00"):
        assert find_own(library, other) is None
