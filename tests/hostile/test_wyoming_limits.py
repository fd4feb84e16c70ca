"""Wyoming within limits: odd values get an answer, pauses of all pieces count, and who takes nothing keeps no place."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from wyoming.client import AsyncClient
from wyoming.event import Event
from wyoming.info import Describe
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop

from pocketvoice.server import speech_stream
from pocketvoice.server.options import Limits
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.server.wyoming import WyomingServer
from pocketvoice.worker.parent.client import WorkerClient
from tests.server.conftest import BOOK, SENTENCE, Loop

ODD: tuple[dict[str, Any], ...] = (
    {"type": "synthesize", "data": {"text": 5}},
    {"type": "synthesize", "data": {"text": None}},
    {"type": "synthesize", "data": {"text": ["a"]}},
    {"type": "synthesize", "data": {"text": "Half a pair: \ud800."}},
    {"type": "synthesize", "data": {"text": "Hello.", "voice": {"name": 7}}},
    {"type": "synthesize", "data": {"text": "Hello.", "voice": "slt"}},
    {"type": "synthesize", "data": {}},
    {"type": "synthesize", "data": 5},
    {"type": "synthesize-start", "data": {"voice": {"name": ["a"]}}},
    {"type": "synthesize-chunk", "data": {"text": {"a": 1}}},
    {"type": "ping", "data": {"text": 5}},
)


@pytest.fixture(scope="module")
def served(loop: Loop, worker: list[WorkerClient]) -> Iterator[tuple[EnginePool, str]]:
    pool = EnginePool(worker, 2, sound_s=100)
    server = WyomingServer(pool, VoiceResolver(pool), Limits())
    uri = loop.run(server.listen("tcp://127.0.0.1:0"))
    yield pool, uri
    loop.run(server.close())


async def until(client: AsyncClient, *kinds: str) -> Event:
    while (event := await client.read_event()) is not None:
        if event.type in kinds:
            return event
    pytest.fail("the server has gone")


def test_values_of_the_wrong_kind_get_an_answer(served: tuple[EnginePool, str]) -> None:
    async def story() -> None:
        async with AsyncClient.from_uri(served[1]) as client:
            for message in ODD:
                client._writer.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
                assert (await until(client, "error", "audio-stop")).type == "error", message
            await client.write_event(Describe().event())
            await until(client, "info")

    asyncio.run(asyncio.wait_for(story(), 20))


@pytest.mark.expects_log("asks for a silence")
def test_pauses_of_all_pieces_count(served: tuple[EnginePool, str]) -> None:
    async def story() -> None:
        async with AsyncClient.from_uri(served[1]) as client:
            await client.write_event(SynthesizeStart().event())
            for _ in range(6):
                await client.write_event(SynthesizeChunk("Hello. [pause:30s] ").event())
            await client.write_event(SynthesizeStop().event())
            error = await until(client, "error", "audio-stop")
            assert error.type == "error"
            assert error.data["code"] == "sound_too_long"

    asyncio.run(asyncio.wait_for(story(), 30))


def test_who_takes_nothing_keeps_no_place(
    served: tuple[EnginePool, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speech_stream, "_HELD_S", 0.05)
    monkeypatch.setattr(speech_stream, "_STALLED_S", 0.1)
    pool, uri = served
    book = BOOK[:4000]

    async def story() -> None:
        slow = [AsyncClient.from_uri(uri) for _ in range(2)]
        for client in slow:
            await client.connect()
            client._reader._transport.pause_reading()  # type: ignore[union-attr]
            await client.write_event(Synthesize(book).event())
        async with AsyncClient.from_uri(uri) as quick:
            while True:  # refused as long as one of them is spoken to, and no longer
                await quick.write_event(Synthesize(SENTENCE).event())
                if (await until(quick, "error", "audio-stop")).type == "audio-stop":
                    break
                await asyncio.sleep(0.05)
        for client in slow:
            client._writer.transport.abort()  # type: ignore[union-attr]

    asyncio.run(asyncio.wait_for(story(), 60))
    assert pool.queue.open <= 2
