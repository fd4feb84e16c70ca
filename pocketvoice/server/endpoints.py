"""What can be asked for, one function an endpoint: a request becomes a `Synthesize` and an answer. Knows no engine.

What takes a time that the request decides on (forms, JSON, base64) runs on a thread, never on the loop.

`/v1/...` is OpenAI's, `/tts` the reference's, `/generate` and `/stream` the Rust port's.
"""

import time
from asyncio import to_thread as off_the_loop
from dataclasses import replace
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pocketvoice import __version__
from pocketvoice.errors import UnknownNameError
from pocketvoice.server.docs_page import docs_page, docs_policy
from pocketvoice.server.encoding import FORMATS, encoder
from pocketvoice.server.forms import Form, read_form
from pocketvoice.server.openapi import description
from pocketvoice.server.options import ServerOptions
from pocketvoice.server.page import page, policy
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal
from pocketvoice.server.schemas import GenerateBody, SpeechBody, VoiceId, decode, recording_in
from pocketvoice.server.sound_response import SoundResponse, Write, as_events, as_file, as_whole_wav
from pocketvoice.server.uploads import STATE_SUFFIX, Uploads
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.text.normalise.languages import language_code
from pocketvoice.text.pauses import SPEAKABLE
from pocketvoice.worker.messages import SamplingOptions, Synthesize

OPENAI_MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
"""Names that programs made for OpenAI send; they mean the loaded model."""
_OTHER_NAMES = ("pocket-tts", "pocket_tts", "tts-1-1106", "tts-1-hd-1106")
"""So do these, which are not listed: the Rust port's, and dated ones."""

_ON, _OFF = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
_STARTED = int(time.time())
_MEDIA_TYPES = {name: encoder(name, 24_000).media_type for name in ("pcm", "wav")}
_MEDIA_TYPES |= {"mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac", "flac": "audio/flac"}
assert set(_MEDIA_TYPES) == set(FORMATS)


class Endpoints:
    """Answers HTTP requests."""

    def __init__(
        self, pool: EnginePool, voices: VoiceResolver, uploads: Uploads, options: ServerOptions
    ) -> None:
        self._pool = pool
        self._voices = voices
        self._uploads = uploads
        self._options = options

    # -- looking around

    async def root(self, request: Request) -> Response:
        """`GET /`: the page for people."""
        return HTMLResponse(page(), headers=policy())

    async def health(self, request: Request) -> Response:
        """`GET /health`: whether a model is loaded; with a valid key also which one, the queue and the workers."""
        ready = self._pool.ready
        told: dict[str, Any] = {"status": "healthy" if ready else "unhealthy", "version": __version__}
        if request.state.is_known:
            queue = self._pool.queue
            told["model"] = None if ready is None else {"id": ready.model_id, "precision": ready.precision}
            told["queue"] = {
                "open": queue.open,
                "waiting": queue.waiting,
                "most": self._options.limits.requests,
            }
            told["workers"] = await self._pool.report()
        if ready is None:
            told["retry_in_s"] = self._pool.retry_s
            return _json(told, 503, {"retry-after": str(self._pool.retry_s)})
        return _json(told)

    async def voices(self, request: Request) -> Response:
        """`GET /voices`: every voice that can be asked for."""
        voices = [
            {"name": entry.name, "id": entry.id, "source": entry.source, "language": entry.language}
            for entry in await self._voices.entries()
        ]
        told = {"voices": voices, "default": self._voices.default, "aliases": await self._voices.aliases()}
        return _json(told)

    async def models(self, request: Request) -> Response:
        """`GET /v1/models`: OpenAI's list of models."""
        return _json({"object": "list", "data": [_model(name) for name in self._model_names()]})

    async def model(self, request: Request) -> Response:
        """`GET /v1/models/NAME`: one model of that list; raises Refusal (404)."""
        name = request.path_params["name"]
        self._check_model(name)
        return _json(_model(name))

    async def docs(self, request: Request) -> Response:
        """`GET /docs`: the same description for people."""
        told = description(self._options.limits, bool(self._options.keys))
        return HTMLResponse(docs_page(told), headers=docs_policy())

    async def openapi(self, request: Request) -> Response:
        """`GET /openapi.json`: the description of all endpoints."""
        return _json(description(self._options.limits, bool(self._options.keys)))

    # -- speaking

    async def speech(self, request: Request) -> Any:
        """`POST /v1/audio/speech`, as OpenAI's: JSON in, a sound file or server-sent events out."""
        body = await off_the_loop(decode, await _json_body(request), SpeechBody)
        if body.model is not None:
            self._check_model(body.model)
        self._check_text(body.input, "input")
        name = body.voice.id if isinstance(body.voice, VoiceId) else body.voice
        self._check_language(body.language)
        resolved = await self._voices.resolve(name)
        wanted = Synthesize(
            body.input, resolved, body.speed, body.seed,
            sampling=SamplingOptions(body.temperature), normalise=body.normalise, text_language=body.language,
        )  # fmt: skip
        if body.stream_format == "sse":
            write, media_type = as_events(body.response_format), "text/event-stream; charset=utf-8"
        else:
            write, media_type = as_file(body.response_format), _MEDIA_TYPES[body.response_format]
        return SoundResponse(
            self._pool,
            wanted,
            write,
            media_type=media_type,
            spoken_by=self._voices.standing_in(name, resolved),
        )

    async def tts(self, request: Request) -> Any:
        """`POST /tts`, as the reference's: a form in, a WAV out."""
        form = await off_the_loop(read_form, request.headers.get("content-type", ""), await _body(request))
        text, name, upload = (
            form.fields.get("text"),
            form.fields.get("voice_url") or None,
            form.files.get("voice_wav"),
        )
        if text is None:
            raise Refusal(422, "The form has no field `text`.", code="missing", param="text")
        if name and upload is not None:
            raise Refusal(400, "Give either voice_url or voice_wav, not both.", param="voice_url")
        self._check_text(text, "text")
        normalise, language = _is_on(form, "normalise"), form.fields.get("language") or None
        self._check_language(language)
        speech = Synthesize(text, normalise=normalise, text_language=language)
        return await self._sound(speech, name, upload, "generated_speech.wav", as_file("wav"), "voice_url")

    async def generate(self, request: Request) -> Any:
        """`POST /generate`, as the Rust port's: JSON in, a whole WAV out."""
        speech, voice, upload = await self._speech_wanted(request)
        return await self._sound(speech, voice, upload, "pocket-tts-output.wav", as_whole_wav)

    async def stream(self, request: Request) -> Any:
        """`POST /stream`, as the Rust port's: JSON in, raw samples out as they are made."""
        speech, voice, upload = await self._speech_wanted(request)
        return await self._sound(
            speech, voice, upload, "", as_file("pcm"), media_type="application/octet-stream"
        )

    async def _speech_wanted(self, request: Request) -> tuple[Synthesize, str | None, bytes | None]:
        """What the Rust port's JSON asks for, without its voice; the voice's name, or the recording that came instead."""
        body = await off_the_loop(decode, await _json_body(request), GenerateBody)
        self._check_text(body.text, "text")
        upload = await off_the_loop(recording_in, body.voice, "voice") if body.voice is not None else None
        sampling = SamplingOptions(
            body.temperature, body.eos_threshold, body.noise_clamp, sampler_decode_steps=body.lsd_steps
        )
        self._check_language(body.language)
        speech = Synthesize(
            body.text, speed=body.speed, seed=body.seed, sampling=sampling,
            normalise=body.normalise, text_language=body.language,
        )  # fmt: skip
        return speech, None if upload is not None else body.voice, upload

    async def _sound(
        self,
        speech: Synthesize,
        voice: str | None,
        upload: bytes | None,
        file_name: str,
        write: Write,
        param: str = "voice",
        *,
        media_type: str = "audio/wav",
    ) -> SoundResponse:
        path = None
        if upload is not None:
            path = await self._uploads.add(upload)
            if path.suffix != STATE_SUFFIX:
                self._check_cloning()
            speech = replace(speech, voice=str(path))
        else:
            speech = replace(speech, voice=await self._voices.resolve(voice, param))
        return SoundResponse(
            self._pool, speech, write,
            media_type=media_type, file_name=file_name, upload=path, uploads=self._uploads,
            spoken_by=None if upload is not None else self._voices.standing_in(voice, speech.voice),
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

    def _check_language(self, language: str | None) -> None:
        if language is not None:
            try:
                language_code(language)
            except UnknownNameError as exc:
                raise Refusal(400, exc.message, code="unknown_language", param="language") from exc

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
        if name not in names and name not in _OTHER_NAMES:
            raise Refusal(
                404, f"There is no model {name[:80]!r} here: {names[0]} is loaded.", code="model_not_found", param="model"
            )  # fmt: skip


def _is_on(form: Form, name: str) -> bool:
    """A switch of a form, on unless it says otherwise."""
    value = form.fields.get(name, "").strip().lower()
    if value not in ("", *_ON, *_OFF):
        raise Refusal(400, f"The field `{name}` is true or false, not {value[:40]!r}.", param=name)
    return value not in _OFF


async def _json_body(request: Request) -> bytes:
    """What was sent as JSON; other kinds are refused, so that no form of a foreign page can pass for it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(
            415, "Send the request as JSON, with `Content-Type: application/json`.", code="not_json"
        )
    return await _body(request)


async def _body(request: Request) -> bytes:
    """What was sent; the pieces of a large one are put together beside the loop."""
    pieces = [piece async for piece in request.stream()]
    return await off_the_loop(b"".join, pieces)


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _STARTED, "owned_by": "pocketvoice"}


def _json(value: Any, status: int = 200, more_headers: dict[str, str] | None = None) -> Response:
    headers = {"cache-control": "no-store", **(more_headers or {})}
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")
