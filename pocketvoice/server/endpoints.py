"""What can be asked for, one function an endpoint: a request becomes a `Wanted` and an answer. Knows no engine.

`/v1/...` is OpenAI's, `/tts` the reference's, `/generate` and `/stream` the Rust port's.
"""

import time
from dataclasses import replace
from typing import Any

import msgspec
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pocketvoice import __version__
from pocketvoice.server import sound
from pocketvoice.server.encoding import FORMATS, encoder
from pocketvoice.server.openapi import description
from pocketvoice.server.options import ServerOptions
from pocketvoice.server.page import page, policy
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal
from pocketvoice.server.schemas import GenerateBody, SpeechBody, decode, recording_in
from pocketvoice.server.speech_stream import Wanted
from pocketvoice.server.uploads import STATE_SUFFIX, Uploads
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.text.pauses import SPEAKABLE

OPENAI_MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
"""Names that programs made for OpenAI send; they mean the loaded model."""

_STARTED = int(time.time())
_MEDIA_TYPES = {name: encoder(name, 24_000).media_type for name in ("pcm", "wav")}
_MEDIA_TYPES |= {"mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac", "flac": "audio/flac"}
assert set(_MEDIA_TYPES) == set(FORMATS)


class Endpoints:
    """The endpoints and what they share."""

    def __init__(
        self, pool: EnginePool, book: VoiceResolver, uploads: Uploads, options: ServerOptions
    ) -> None:
        self._pool = pool
        self._book = book
        self._uploads = uploads
        self._options = options

    # -- looking around

    async def root(self, request: Request) -> Response:
        """The page."""
        return HTMLResponse(page(), headers=policy())

    async def health(self, request: Request) -> Response:
        """A sign of life; with the details for those who may know them."""
        ready = self._pool.ready
        told: dict[str, Any] = {"status": "healthy" if ready else "unhealthy", "version": __version__}
        if request.state.is_known:
            places = self._pool.places
            told["model"] = None if ready is None else {"id": ready.model_id, "precision": ready.precision}
            told["queue"] = {
                "open": places.open,
                "waiting": places.waiting,
                "most": self._options.limits.requests,
            }
            told["workers"] = await self._pool.report()
        return _json(told, 200 if ready else 503)

    async def voices(self, request: Request) -> Response:
        """Every voice that can be asked for."""
        voices = [
            {"name": entry.name, "id": entry.id, "source": entry.source, "language": entry.language}
            for entry in await self._book.entries()
        ]
        told = {"voices": voices, "default": self._book.default, "aliases": await self._book.aliases()}
        return _json(told)

    async def models(self, request: Request) -> Response:
        """OpenAI's list of models."""
        return _json({"object": "list", "data": [_model(name) for name in self._model_names()]})

    async def model(self, request: Request) -> Response:
        """One of them."""
        name = request.path_params["name"]
        self._check_model(name)
        return _json(_model(name))

    async def openapi(self, request: Request) -> Response:
        """The description of all this."""
        return _json(description(self._options.limits, bool(self._options.keys)))

    # -- speaking

    async def speech(self, request: Request) -> Any:
        """OpenAI's."""
        body = decode(await _json_body(request), SpeechBody)
        self._check_model(body.model)
        self._check_text(body.input, "input")
        name = body.voice if isinstance(body.voice, str) else body.voice.id
        wanted = Wanted(body.input, await self._book.resolve(name), body.speed, body.seed)
        if body.stream_format == "sse":
            write, media_type = sound.as_events(body.response_format), "text/event-stream; charset=utf-8"
        else:
            write, media_type = sound.as_file(body.response_format), _MEDIA_TYPES[body.response_format]
        return sound.SoundResponse(self._pool, wanted, write, media_type=media_type)

    async def tts(self, request: Request) -> Any:
        """The reference's form."""
        try:
            async with request.form(
                max_files=1, max_fields=20, max_part_size=self._options.limits.body_bytes
            ) as form:
                text, voice_url, voice_wav = (form.get(name) for name in ("text", "voice_url", "voice_wav"))
                upload = (
                    await voice_wav.read()
                    if isinstance(voice_wav, UploadFile) and voice_wav.filename
                    else None
                )
        except (MultiPartException, HTTPException) as exc:
            raise Refusal(
                400, f"The form can't be read: {getattr(exc, 'detail', exc)}", code="invalid_form"
            ) from exc
        if not isinstance(text, str):
            raise Refusal(422, "The form has no field `text`.", code="missing", param="text")
        if isinstance(voice_url, str) and voice_url and upload is not None:
            raise Refusal(400, "Give either voice_url or voice_wav, not both.", param="voice_url")
        self._check_text(text, "text")
        name = voice_url if isinstance(voice_url, str) and voice_url else None
        return await self._sound(
            Wanted(text), name, upload, "generated_speech.wav", sound.as_file("wav"), "voice_url"
        )

    async def generate(self, request: Request) -> Any:
        """The Rust port's: a whole WAV."""
        wanted, voice, upload = await self._wanted(request)
        return await self._sound(wanted, voice, upload, "pocket-tts-output.wav", sound.as_whole_wav)

    async def stream(self, request: Request) -> Any:
        """The Rust port's: raw samples as they are made."""
        wanted, voice, upload = await self._wanted(request)
        return await self._sound(
            wanted, voice, upload, "", sound.as_file("pcm"), media_type="application/octet-stream"
        )

    async def _wanted(self, request: Request) -> tuple[Wanted, str | None, bytes | None]:
        body = decode(await _json_body(request), GenerateBody)
        self._check_text(body.text, "text")
        upload = recording_in(body.voice, "voice") if body.voice is not None else None
        wanted = Wanted(
            body.text,
            speed=body.speed,
            seed=body.seed,
            temp=body.temperature,
            eos_threshold=body.eos_threshold,
            noise_clamp=body.noise_clamp,
            sampler_decode_steps=body.lsd_steps,
        )
        return wanted, None if upload is not None else body.voice, upload

    async def _sound(
        self,
        wanted: Wanted,
        voice: str | None,
        upload: bytes | None,
        file_name: str,
        write: Any,
        param: str = "voice",
        *,
        media_type: str = "audio/wav",
    ) -> sound.SoundResponse:
        path = None
        if upload is not None:
            path = await self._uploads.add(upload)
            if path.suffix != STATE_SUFFIX:
                self._check_cloning()
            wanted = replace(wanted, voice=str(path))
        else:
            wanted = replace(wanted, voice=await self._book.resolve(voice, param))
        return sound.SoundResponse(
            self._pool, wanted, write,
            media_type=media_type, file_name=file_name, upload=path, uploads=self._uploads,
        )  # fmt: skip

    # -- checks

    def _check_text(self, text: str, param: str) -> None:
        most = self._options.limits.text_characters
        if len(text) > most:
            raise Refusal(
                400, f"The text has {len(text)} characters: at most {most} are taken.", code="text_too_long", param=param
            )  # fmt: skip
        if not SPEAKABLE.search(text):
            raise Refusal(
                400, "The text holds nothing that can be spoken: no letter and no digit.", code="empty_text", param=param
            )  # fmt: skip

    def _check_cloning(self) -> None:
        ready = self._pool.model()
        if not ready.cloning:
            raise Refusal(
                400,
                f"The loaded weights can't clone a voice. {ready.cloning_reason}",
                code="cloning_unavailable",
            )

    def _model_names(self) -> list[str]:
        ready = self._pool.model()
        own = [ready.language] if ready.language else []
        return [*own, ready.model_id, *OPENAI_MODELS]

    def _check_model(self, name: str) -> None:
        names = self._model_names()
        if name not in names:
            raise Refusal(
                404, f"There is no model {name[:80]!r} here: {names[0]} is loaded.", code="model_not_found", param="model"
            )  # fmt: skip


async def _json_body(request: Request) -> bytes:
    """What was sent as JSON; other kinds are refused, so that no form of a foreign page can pass for it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(
            415, "Send the request as JSON, with `Content-Type: application/json`.", code="not_json"
        )
    return await request.body()


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _STARTED, "owned_by": "pocketvoice"}


def _json(value: Any, status: int = 200) -> Response:
    headers = {"cache-control": "no-store"}
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")
