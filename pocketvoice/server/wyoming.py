"""The Wyoming protocol, so that Home Assistant can use the voices: describe, synthesize, and synthesize from text in pieces.

The protocol knows no keys: whoever can reach the address may ask. Messages are bounded, a client that goes away stops its
speech, and while it speaks it can still be heard (its goodbye).
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event, Eventable
from wyoming.info import Attribution, Describe, Info, TtsProgram, TtsVoice
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

from pocketvoice import __version__
from pocketvoice.audio.wav import to_int16
from pocketvoice.errors import InputError
from pocketvoice.hub import catalogue
from pocketvoice.server.incoming import IncomingText
from pocketvoice.server.options import Limits
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal
from pocketvoice.server.speech_stream import Wanted
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.text.pauses import SPEAKABLE

log = logging.getLogger(__name__)

_ATTRIBUTION = Attribution("pocketvoice", "https://github.com/kyutai-labs/pocket-tts")
_E = TypeVar("_E", bound=Eventable)
_MOST_CONNECTIONS = 64
_QUIET_S = 600.0  # a client that says nothing for so long has gone


class WyomingServer:
    """Answers at an address while it is entered."""

    def __init__(self, pool: EnginePool, book: VoiceResolver, limits: Limits) -> None:
        self._pool = pool
        self._book = book
        self._limits = limits
        self._server: asyncio.Server | None = None
        self._handlers: dict[asyncio.Task[None], _Handler] = {}  # the oldest first

    async def listen(self, uri: str) -> str:
        """Begins; `uri` is tcp://host:port or unix:///path. Returns the address it has; raises InputError."""
        place = urlsplit(uri)
        try:
            port = place.port
        except ValueError:
            port = None
        try:
            if place.scheme == "unix" and place.path:
                self._server = await asyncio.start_unix_server(self._on_connection, place.path)
                return uri
            if place.scheme == "tcp" and place.hostname and port is not None:
                self._server = await asyncio.start_server(self._on_connection, place.hostname, port)
                return f"tcp://{place.hostname}:{self._server.sockets[0].getsockname()[1]}"
        except OSError as exc:
            raise InputError(
                f"Can't listen at {uri}: {exc.strerror or exc}. Choose another port with --uri."
            ) from exc
        raise InputError(f"{uri!r} is no address: give it as tcp://127.0.0.1:10200 or unix:///path.")

    async def close(self) -> None:
        """Ends every connection."""
        if self._server is not None:
            self._server.close()
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._handlers) >= _MOST_CONNECTIONS and not self._makes_room():
            writer.close()
            return
        task = asyncio.current_task()
        assert task is not None
        bounded = _Bounded(reader, self._limits.body_bytes)
        handler = _Handler(bounded, writer, self._pool, self._book, self._limits)  # type: ignore[arg-type]
        self._handlers[task] = handler
        try:
            await handler.run()
        except (OSError, EOFError, TimeoutError, _Malformed) as exc:
            log.info("a Wyoming client has gone: %r", exc)
        except asyncio.CancelledError:
            pass  # we are closing, or it made room
        except Exception:
            log.exception("a Wyoming client could not be served")
        finally:
            await handler.disconnect()
            writer.close()
            self._handlers.pop(task, None)

    def _makes_room(self) -> bool:
        """Whether a connection that asks for nothing was dropped: the oldest one."""
        idle = next((task for task, handler in self._handlers.items() if not handler.is_speaking), None)
        if idle is None:
            return False
        del self._handlers[idle]
        idle.cancel()
        return True


class _Handler(AsyncEventHandler):
    """A connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        pool: EnginePool,
        book: VoiceResolver,
        limits: Limits,
    ) -> None:
        super().__init__(reader, writer)
        peer = writer.get_extra_info("peername")
        self._who = f"wyoming {peer[0] if peer else 'local'}"
        self._pool = pool
        self._book = book
        self._limits = limits
        self._speaking: asyncio.Task[None] | None = None
        self._pieces: asyncio.Queue[str | Refusal | None] | None = None  # while text comes in pieces
        self._incoming = IncomingText()
        self._characters = 0

    @property
    def is_speaking(self) -> bool:
        """Whether a speech of its is not over."""
        return self._speaking is not None and not self._speaking.done()

    async def handle_event(self, event: Event) -> bool:
        """One message; what it asks for goes on while the next one is read."""
        if Describe.is_type(event.type):
            await self.write_event((await self._info()).event())
        elif Ping.is_type(event.type):
            await self.write_event(Pong(text=Ping.from_event(event).text).event())
        elif Synthesize.is_type(event.type):
            if self._pieces is None:  # else it repeats the pieces, for servers that don't know them
                whole = _parsed(Synthesize, event)
                await self._begin(_once(whole.text), whole.voice, whole.text_format)
        elif SynthesizeStart.is_type(event.type):
            start = _parsed(SynthesizeStart, event)
            await self._end_speech()
            self._incoming, self._characters = IncomingText(), 0
            self._pieces = asyncio.Queue()
            await self._begin(_until_none(self._pieces), start.voice, start.text_format, in_pieces=True)
        elif SynthesizeChunk.is_type(event.type):
            self._take(_parsed(SynthesizeChunk, event).text)
        elif SynthesizeStop.is_type(event.type) and self._pieces is not None:
            self._hand_on(self._incoming.finish())
            self._pieces.put_nowait(None)
            self._pieces = None
        return True

    async def disconnect(self) -> None:
        """The client has gone: so has its speech."""
        await self._end_speech()

    # -- speaking

    def _take(self, piece: str) -> None:
        self._characters += len(piece)
        if self._pieces is None:
            return
        if self._characters <= self._limits.text_characters:
            self._hand_on(self._incoming.push(piece))
        elif self._characters - len(piece) <= self._limits.text_characters:  # the first one beyond
            self._pieces.put_nowait(self._too_long())

    def _hand_on(self, text: str) -> None:
        if self._pieces is not None and SPEAKABLE.search(text):
            self._pieces.put_nowait(text)

    async def _begin(
        self,
        texts: AsyncIterator[str],
        voice: SynthesizeVoice | None,
        kind: object,
        *,
        in_pieces: bool = False,
    ) -> None:
        if self._speaking is not None:
            await self._speaking  # in order
        self._speaking = asyncio.create_task(self._answer(texts, voice, kind, in_pieces))

    async def _end_speech(self) -> None:
        task, self._speaking, self._pieces = self._speaking, None, None
        if task is not None and not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _answer(
        self, texts: AsyncIterator[str], voice: SynthesizeVoice | None, kind: object, in_pieces: bool
    ) -> None:
        try:
            if kind not in (None, "text"):
                raise Refusal(400, "Only plain text can be spoken, no SSML.", code="unsupported_text_format")
            name = voice.name if voice is not None else None
            await self._speak(texts, Wanted("", await self._book.resolve(name)))
        except Refusal as refusal:
            await self.write_event(Error(refusal.message, refusal.code).event())
        except OSError as exc:  # it goes away while we write; the reading side ends the connection
            log.info("a Wyoming client has gone: %r", exc)
            return
        if in_pieces:
            await self.write_event(SynthesizeStopped().event())

    async def _speak(self, texts: AsyncIterator[str], wanted: Wanted) -> None:
        rate, has_begun = self._pool.model().sample_rate, False
        async for text in texts:
            self._check(text)
            async with self._pool.speech(replace(wanted, text=text), self._who) as speech:
                async for chunk in speech:
                    if not has_begun:
                        has_begun = True
                        await self.write_event(AudioStart(rate, 2, 1).event())
                    data = to_int16(chunk.samples).tobytes()
                    await self.write_event(AudioChunk(rate, 2, 1, data).event())
        if has_begun:
            await self.write_event(AudioStop().event())

    def _check(self, text: str) -> None:
        if len(text) > self._limits.text_characters:
            raise self._too_long()
        if not SPEAKABLE.search(text):
            raise Refusal(400, "The text holds nothing that can be spoken.", code="empty_text")

    def _too_long(self) -> Refusal:
        most = self._limits.text_characters
        return Refusal(400, f"The text is too long: at most {most} characters.", code="text_too_long")

    async def _info(self) -> Info:
        ready = self._pool.model()
        code = catalogue.entry(ready.language).language_code if ready.language else ""
        entries = await self._book.entries()
        names = {entry.name: entry.language or code or "en" for entry in entries} or {
            self._book.default: code or "en"
        }
        first = sorted(names, key=lambda name: name != self._book.default)  # the default one leads the list
        voices = [
            TtsVoice(
                name,
                _ATTRIBUTION,
                True,
                f"{name} ({ready.language or 'own model'})",
                __version__,
                [names[name]],
            )
            for name in first
        ]
        about = "Pocket TTS voices, on this computer"
        program = TtsProgram("pocketvoice", _ATTRIBUTION, True, about, __version__, voices, True)
        return Info(tts=[program])


class _Malformed(Exception):
    """A message that is none, or is too large."""


class _Bounded:
    """A reader that takes no message larger than the limit, and does not wait for ever."""

    def __init__(self, reader: asyncio.StreamReader, most: int) -> None:
        self._reader = reader
        self._most = most

    async def readline(self) -> bytes:
        async with asyncio.timeout(_QUIET_S):
            return await self._reader.readline()

    async def readexactly(self, count: int) -> bytes:
        if count > self._most:
            raise _Malformed(f"{count} bytes")
        async with asyncio.timeout(_QUIET_S):
            return await self._reader.readexactly(count)


def _parsed(kind: type[_E], event: Event) -> _E:
    try:
        return kind.from_event(event)  # type: ignore[return-value]
    except (KeyError, TypeError, AttributeError, ValueError) as exc:
        raise _Malformed(event.type) from exc


async def _once(text: str) -> AsyncIterator[str]:
    yield text


async def _until_none(queue: "asyncio.Queue[str | Refusal | None]") -> AsyncIterator[str]:
    while (text := await queue.get()) is not None:
        if isinstance(text, Refusal):
            raise text
        yield text
