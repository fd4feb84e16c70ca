"""One connection of a Wyoming client: describe, synthesize, and synthesize from text in pieces.

While it speaks, the client is still listened to (its goodbye); a client that goes away stops its speech.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe
from wyoming.ping import Ping, Pong
from wyoming.server import AsyncEventHandler
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeVoice,
)

from pocketvoice.audio.wav import to_int16
from pocketvoice.server import ssml
from pocketvoice.server.incoming import IncomingText
from pocketvoice.server.options import Limits
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal
from pocketvoice.server.speech_stream import pauses_of, too_long
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.server.wyoming_info import info
from pocketvoice.server.wyoming_messages import LimitedReader, MalformedMessage, parsed, read_message
from pocketvoice.text.pauses import SPEAKABLE
from pocketvoice.worker import messages

log = logging.getLogger(__name__)


async def _words_of(texts: AsyncIterator[str]) -> AsyncIterator[str]:
    """Pieces of SSML as plain ones; those of marks alone are left out, unless there is nothing else."""
    nothing = True
    async for text in texts:
        if plain := ssml.plain(text):
            nothing = False
            yield plain
    if nothing:
        yield ""


class WyomingConnection(AsyncEventHandler):
    """Answers the messages of one client, one after the other."""

    def __init__(
        self,
        reader: LimitedReader,
        writer: asyncio.StreamWriter,
        pool: EnginePool,
        voices: VoiceResolver,
        text_characters: int,
    ) -> None:
        """A text may have at most `text_characters`."""
        super().__init__(reader, writer)  # type: ignore[arg-type]  # what it needs of a reader
        self._messages = reader
        peer = writer.get_extra_info("peername")
        self._who = f"wyoming {peer[0] if peer else 'local'}"
        self._pool = pool
        self._voices = voices
        self._text_characters = text_characters
        self._speaking: asyncio.Task[None] | None = None
        self._pieces: _TextInPieces | None = None  # while text comes in pieces

    @property
    def is_speaking(self) -> bool:
        """Whether a speech of this client is not over."""
        return self._speaking is not None and not self._speaking.done()

    async def run(self) -> None:
        """Handles messages until the client goes; raises MalformedMessage, OSError, EOFError and TimeoutError."""
        while (event := await read_message(self._messages)) is not None:
            try:
                await self.handle_event(event)
            except MalformedMessage as exc:  # a value of the wrong kind in it: told, and the client may go on
                log.info("a Wyoming message can't be read: %r", exc)
                await self.write_event(_unreadable(event.type).event())

    async def handle_event(self, event: Event) -> bool:
        """Handles one message; a speech goes on while the next one is read. Raises MalformedMessage."""
        if Describe.is_type(event.type):
            await self.write_event((await info(self._pool, self._voices)).event())
        elif Ping.is_type(event.type):
            await self.write_event(Pong(text=parsed(Ping, event).text).event())
        elif Synthesize.is_type(event.type):
            if self._pieces is None:  # else it repeats the pieces, for servers that don't know them
                whole = parsed(Synthesize, event)
                await self._begin(_once(whole.text), whole.voice, whole.text_format)
        elif SynthesizeStart.is_type(event.type):
            start = parsed(SynthesizeStart, event)
            await self._end_speech()
            self._pieces = _TextInPieces(self._text_characters)
            await self._begin(self._pieces.texts(), start.voice, start.text_format, in_pieces=True)
        elif SynthesizeChunk.is_type(event.type):
            piece = parsed(SynthesizeChunk, event).text
            if self._pieces is not None:
                self._pieces.push(piece)
        elif SynthesizeStop.is_type(event.type) and self._pieces is not None:
            self._pieces.finish()
            self._pieces = None
        return True

    async def disconnect(self) -> None:
        """Stops the speech: the client has gone."""
        await self._end_speech()

    async def write_event(self, event: Event) -> None:
        """Sends a message; raises TimeoutError for a client that takes nothing."""
        async with asyncio.timeout(Limits.stall_s):
            await super().write_event(event)

    # -- speaking

    async def _begin(
        self,
        texts: AsyncIterator[str],
        voice: SynthesizeVoice | None,
        text_format: object,
        *,
        in_pieces: bool = False,
    ) -> None:
        """Speaks in a task of its own, when the speech before it is over."""
        if self._speaking is not None:
            await self._speaking
        self._speaking = asyncio.create_task(self._answer(texts, voice, text_format, in_pieces))

    async def _end_speech(self) -> None:
        task, self._speaking, self._pieces = self._speaking, None, None
        if task is not None and not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _answer(
        self, texts: AsyncIterator[str], voice: SynthesizeVoice | None, text_format: object, in_pieces: bool
    ) -> None:
        try:
            if text_format not in (None, "text", "ssml"):
                raise Refusal(400, "Only plain text and SSML can be spoken.", code="unsupported_text_format")
            if text_format == "ssml":
                texts = _words_of(texts)
            name = voice.name if voice is not None else None
            await self._speak(texts, messages.Synthesize("", await self._voices.resolve(name)))
        except Refusal as refusal:
            await self.write_event(Error(refusal.message, refusal.code).event())
        except OSError as exc:  # it goes away while we write; the reading side ends the connection
            log.info("a Wyoming client has gone: %r", exc)
            self.writer.transport.abort()
            return
        if in_pieces:
            await self.write_event(SynthesizeStopped().event())

    async def _speak(self, texts: AsyncIterator[str], request: messages.Synthesize) -> None:
        rate, has_begun, sent = self._pool.model().sample_rate, False, 0
        most, pauses_s = self._pool.sound_s, 0.0
        async for text in texts:
            self._check(text)
            silent_s = await asyncio.to_thread(pauses_of, text)
            pauses_s += silent_s  # of all pieces, before any of them is made
            if max(pauses_s, sent / rate + silent_s) > most:
                raise too_long(most)
            async with self._pool.speech(replace(request, text=text), self._who) as speech:
                async for chunk in speech:
                    sent += len(chunk.samples)  # of all pieces of the text
                    if sent > most * rate:
                        raise too_long(most)
                    if not has_begun:
                        has_begun = True
                        await self.write_event(AudioStart(rate, 2, 1).event())
                    data = to_int16(chunk.samples).tobytes()
                    await self.write_event(AudioChunk(rate, 2, 1, data).event())
        if has_begun:
            await self.write_event(AudioStop().event())

    def _check(self, text: str) -> None:
        if len(text) > self._text_characters:
            raise _too_long(self._text_characters)
        if not SPEAKABLE.search(text):
            raise Refusal(400, "The text holds nothing that can be spoken.", code="empty_text")


class _TextInPieces:
    """Text that a client sends in pieces, taken out in whole sentences."""

    def __init__(self, most_characters: int) -> None:
        self._most_characters = most_characters
        self._characters = 0
        self._incoming = IncomingText()
        self._ready: asyncio.Queue[str | Refusal | None] = asyncio.Queue()  # None is the end

    def push(self, piece: str) -> None:
        """Adds a piece. The first one beyond the limit makes `texts` raise a Refusal; later ones are dropped."""
        self._characters += len(piece)
        if self._characters <= self._most_characters:
            self._put(self._incoming.push(piece))
        elif self._characters - len(piece) <= self._most_characters:
            self._ready.put_nowait(_too_long(self._most_characters))

    def finish(self) -> None:
        """Hands on what is left: no more pieces come."""
        self._put(self._incoming.finish())
        self._ready.put_nowait(None)

    async def texts(self) -> AsyncIterator[str]:
        """The sentences, as soon as each is complete; raises Refusal."""
        while (text := await self._ready.get()) is not None:
            if isinstance(text, Refusal):
                raise text
            yield text

    def _put(self, text: str) -> None:
        if SPEAKABLE.search(text):
            self._ready.put_nowait(text)


def _too_long(most: int) -> Refusal:
    return Refusal(400, f"The text is too long: at most {most} characters.", code="text_too_long")


def _unreadable(kind: str) -> Error:
    return Error(
        f"The message {kind[:40]!r} can't be read: a value in it is of the wrong kind.", "invalid_message"
    )


async def _once(text: str) -> AsyncIterator[str]:
    yield text
