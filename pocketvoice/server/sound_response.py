"""The answer that is sound: it begins with the first frame, and ends, wherever it is, when the client goes away.

Until the first frame exists nothing is sent, so that a request that can't be served gets a status and a sentence. After that
there is no way to tell an error but to break off: the connection is closed without the end mark, and an event stream says so.
"""

import asyncio
import base64
import logging
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
from starlette.types import Receive, Scope, Send

from pocketvoice.audio.wav import WavWriter
from pocketvoice.server.encoding import Encoder, encoder
from pocketvoice.server.guard import who_asks
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal, body_of, unwritten
from pocketvoice.server.speech_stream import SpeechStream
from pocketvoice.server.uploads import Uploads
from pocketvoice.worker.messages import Synthesize

log = logging.getLogger(__name__)

Data = AsyncIterator[bytes]
Write = Callable[[SpeechStream], Data]
"""Turns the sound of a speech into the bytes that are sent."""

_PIECE_BYTES = 1 << 18


class SoundResponse:
    """An ASGI answer that speaks while it is being sent."""

    def __init__(
        self,
        pool: EnginePool,
        speech: Synthesize,
        write: Write,
        *,
        media_type: str,
        file_name: str = "",
        upload: Path | None = None,
        uploads: Uploads | None = None,
        spoken_by: str | None = None,
    ) -> None:
        """`upload` is a file of `uploads` that must stay until the end; `spoken_by` is the voice that stands in for another."""
        self._pool = pool
        self._speech = speech
        self._write = write
        self._headers = [(b"content-type", media_type.encode()), (b"cache-control", b"no-store")]
        if file_name:
            self._headers.append((b"content-disposition", f"attachment; filename={file_name}".encode()))
        letters = pool.unknown_letters(speech.text)
        if letters is not None:
            self._headers.append((b"x-pocketvoice-note", letters.sentence.encode()))
        if uploads is not None and upload is not None and (notes := uploads.notes(upload)):
            self._headers.append((b"x-voice-note", " ".join(notes).encode("ascii", "replace")))
        if spoken_by is not None:
            self._headers.append((b"x-voice-stand-in", spoken_by.encode("latin-1", "replace")))
        self._upload = upload
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Speaks until the end or until the client is gone."""
        speaking = asyncio.ensure_future(self._speak(scope, send))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({speaking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (speaking, leaving):
                if not task.done():
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
        if not speaking.cancelled():
            speaking.result()  # raises a Refusal if nothing was sent yet

    async def _speak(self, scope: Scope, send: Send) -> None:
        with self._uploads.using(self._upload) if self._uploads is not None else nullcontext():
            await self._send_sound(scope, send)

    async def _send_sound(self, scope: Scope, send: Send) -> None:
        async with self._pool.speech(self._speech, who_asks(scope)) as speech:
            async with aclosing(self._write(speech)) as data:  # type: ignore[type-var]  # an async generator
                first = await anext(data, b"")
                await send({"type": "http.response.start", "status": 200, "headers": self._headers})
                await send({"type": "http.response.body", "body": first, "more_body": True})
                try:
                    async for piece in data:
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
                except Refusal as refusal:  # too late for a status: the connection ends without the end mark
                    log.warning("a speech broke off: %s", refusal.message)
                    return
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    """Returns when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


def as_file(name: str) -> Write:
    """A file of the format `name`, in pieces as it is made."""

    async def write(speech: SpeechStream) -> Data:
        made: Encoder | None = None
        async for chunk in speech:
            if made is None:  # the first one of its kind loads FFmpeg
                made = await asyncio.to_thread(encoder, name, chunk.sample_rate)
            piece = await _off_the_loop(name, made.push, chunk.samples)
            if piece:
                yield piece
        if made is not None:
            yield await _off_the_loop(name, made.finish)

    return write


async def as_whole_wav(speech: SpeechStream) -> Data:
    """A WAV with its true length, sent when all of it was made; until then it lies on the disk."""
    try:
        with tempfile.TemporaryFile() as file:
            wav: WavWriter | None = None
            async for chunk in speech:
                wav = wav or WavWriter(cast(BinaryIO, file), chunk.sample_rate)
                wav.write(chunk.samples)
            if wav is not None:
                wav.close()
            file.seek(0)
            while piece := file.read(_PIECE_BYTES):
                yield piece
    except OSError as exc:  # closing it may fail too: it writes what is left
        raise unwritten(exc, tempfile.gettempdir()) from exc


def as_events(name: str) -> Write:
    """OpenAI's server-sent events: the pieces of the file in base64, then how many tokens it came to."""

    async def write(speech: SpeechStream) -> Data:
        try:
            async with aclosing(as_file(name)(speech)) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    audio = base64.b64encode(piece).decode()
                    yield _event({"type": "speech.audio.delta", "audio": audio})
        except Refusal as refusal:
            if not speech.has_sound:
                raise
            yield _event({"type": "error", **body_of(refusal, "/v1/")})
            return
        heard, read = round(speech.stats.sound_s * 12.5), speech.stats.text_tokens
        usage = {"input_tokens": read, "output_tokens": heard, "total_tokens": read + heard}
        yield _event({"type": "speech.audio.done", "usage": usage})

    return write


async def _off_the_loop(name: str, work: Callable[..., bytes], *arguments: Any) -> bytes:
    """Calls `work`, on a thread if the format is compressed: that takes a millisecond."""
    if name in ("pcm", "wav"):
        return work(*arguments)
    done: Awaitable[bytes] = asyncio.to_thread(work, *arguments)
    return await done


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(data) + b"\n\n"
