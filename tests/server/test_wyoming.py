"""The Wyoming protocol as Home Assistant speaks it, over a real connection."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeVoice,
)

from pocketvoice.errors import InputError
from pocketvoice.server.options import Limits
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.server.wyoming import WyomingServer
from pocketvoice.worker.parent.client import WorkerClient
from tests.server.conftest import BOOK, SENTENCE, Loop
from tests.waiting import until


class House:
    """A Wyoming server, and what a client hears of it."""

    def __init__(self, loop: Loop, clients: list[WorkerClient]) -> None:
        self.loop = loop
        self.pool = EnginePool(clients, 8)
        self.server = WyomingServer(self.pool, VoiceResolver(self.pool), Limits(text_characters=5000))
        self.uri = loop.run(self.server.listen("tcp://127.0.0.1:0"))

    def heard(self, *events: Event) -> list[Event]:
        """Everything up to the end of the answer."""
        return asyncio.run(asyncio.wait_for(self._talk(events), 30))

    async def _talk(self, events: tuple[Event, ...]) -> list[Event]:
        back: list[Event] = []
        in_pieces = SynthesizeStart.is_type(events[0].type)
        async with AsyncClient.from_uri(self.uri) as client:
            for event in events:
                await client.write_event(event)
            while (event := await client.read_event()) is not None:  # type: ignore[assignment]
                back.append(event)
                ends = ("synthesize-stopped",) if in_pieces else ("audio-stop", "error", "info")
                if event.type in ends:
                    break
        return back


@pytest.fixture(scope="module")
def house(loop: Loop, worker: list[WorkerClient]) -> Iterator[House]:
    here = House(loop, worker)
    yield here
    loop.run(here.server.close())


def sound_of(events: list[Event]) -> np.ndarray:
    data = b"".join(AudioChunk.from_event(event).audio for event in events if event.type == "audio-chunk")
    return np.frombuffer(data, "<i2") / 32767


def test_describes_its_voices(house: House) -> None:
    (told,) = house.heard(Describe().event())
    (program,) = Info.from_event(told).tts
    assert program.installed
    assert program.supports_synthesize_streaming
    first = program.voices[0]  # the default one
    assert (first.name, first.languages) == ("slt", ["en"])


@pytest.mark.parametrize("voice", [None, SynthesizeVoice(name="slt"), SynthesizeVoice(language="en")])
def test_speaks(house: House, voice: SynthesizeVoice | None) -> None:
    events = house.heard(Synthesize(SENTENCE, voice).event())
    start = AudioStart.from_event(events[0])
    assert (start.rate, start.width, start.channels) == (24_000, 2, 1)
    assert AudioStop.is_type(events[-1].type)
    assert len(events) > 5
    sound = sound_of(events)
    assert len(sound) > 2 * 24_000
    assert np.abs(sound).max() > 0.05


def test_speaks_text_in_pieces(house: House) -> None:
    words = f"{SENTENCE} {SENTENCE} {SENTENCE}".split(" ")
    pieces = [SynthesizeChunk(f"{word} ").event() for word in words]
    whole = Synthesize(" ".join(words)).event()  # for servers that don't know pieces
    events = house.heard(SynthesizeStart().event(), *pieces, whole, SynthesizeStop().event())
    assert [event.type for event in events].count("audio-start") == 1
    assert [event.type for event in events[-2:]] == ["audio-stop", SynthesizeStopped().event().type]
    assert 5 * 24_000 < len(sound_of(events)) < 20 * 24_000  # three sentences, once


def test_ssml_is_its_words_and_its_breaks(house: House) -> None:
    plain = sound_of(house.heard(Synthesize("One. Two.").event()))
    ssml = '<?xml version="1.0"?><speak><s>One.</s><break time="2s"/><s><prosody rate="slow">Two.</prosody></s></speak>'
    paused = sound_of(house.heard(Synthesize(ssml, text_format="ssml").event()))
    assert 1.0 < (len(paused) - len(plain)) / 24_000 < 3.5
    pieces = [SynthesizeChunk(piece).event() for piece in ("<speak>One. ", "Two.", "</speak>")]
    events = house.heard(SynthesizeStart(text_format="ssml").event(), *pieces, SynthesizeStop().event())
    assert [event.type for event in events].count("audio-start") == 1
    assert not [event for event in events if event.type == "error"]


def test_first_sentence_sounds_before_the_text_ends(house: House) -> None:
    async def scene() -> None:
        async with AsyncClient.from_uri(house.uri) as client:
            await client.write_event(SynthesizeStart().event())
            await client.write_event(SynthesizeChunk(f"{SENTENCE} And then ").event())
            event = await client.read_event()
            assert event is not None
            assert AudioStart.is_type(event.type)

    asyncio.run(asyncio.wait_for(scene(), 20))


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (Synthesize("..."), "nothing"),
        (Synthesize("a" * 5001), "long"),
        (Synthesize(SENTENCE, SynthesizeVoice(name="nobody")), "nobody"),
        (Synthesize("<speak/>", text_format="ssml"), "nothing"),
        (Synthesize(SENTENCE, text_format="latex"), "SSML"),
    ],
)
def test_mistakes_are_told(house: House, event: Synthesize, word: str) -> None:
    (told,) = house.heard(event.event())
    assert word in Error.from_event(told).text


def test_pieces_that_are_too_much_are_told(house: House) -> None:
    pieces = [SynthesizeChunk("a" * 3000).event() for _ in range(3)]
    told, end = house.heard(SynthesizeStart().event(), *pieces, SynthesizeStop().event())
    assert "long" in Error.from_event(told).text
    assert SynthesizeStopped.is_type(end.type)


def test_client_that_goes_away_stops_its_speech(house: House) -> None:
    async def scene() -> None:
        async with AsyncClient.from_uri(house.uri) as client:
            await client.write_event(Synthesize(BOOK).event())
            await client.read_event()
            assert house.pool.queue.open == 1

    asyncio.run(asyncio.wait_for(scene(), 20))

    until(lambda: not house.pool.queue.open, 3)


def test_idle_connections_make_room(house: House) -> None:
    async def scene() -> None:
        host, port = house.uri.removeprefix("tcp://").split(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(70)]
        try:
            assert await silent[0][0].read() == b""  # the oldest one has gone
            async with AsyncClient.from_uri(house.uri) as client:
                await client.write_event(Describe().event())
                event = await client.read_event()
                assert event is not None
                assert Info.is_type(event.type)
        finally:
            for _, writer in silent:
                writer.close()

    asyncio.run(asyncio.wait_for(scene(), 20))


def test_messages_are_bounded(house: House) -> None:
    async def sent(data: bytes) -> bytes:
        host, port = house.uri.removeprefix("tcp://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(data)
        back = b""
        with suppress(ConnectionResetError):
            back = await asyncio.wait_for(reader.read(), 5)
        writer.close()
        return back

    head = json.dumps({"type": "synthesize", "data_length": 1 << 40}).encode() + b"\n"
    for data in (head, b"x" * (1 << 20), b"not json\n", b"[]\n"):
        assert asyncio.run(sent(data)) == b""
    assert len(house.heard(Describe().event())) == 1


def test_address_that_is_none(house: House) -> None:
    for uri in ("udp://127.0.0.1:1", "tcp://127.0.0.1", "tcp://127.0.0.1:x", house.uri):
        with pytest.raises(InputError):
            house.loop.run(WyomingServer(house.pool, VoiceResolver(house.pool), Limits()).listen(uri))
