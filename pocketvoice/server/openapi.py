"""The description that `/openapi.json` serves: OpenAPI 3.1, its bodies generated from `schemas`, its answers written here."""

from typing import Any

from pocketvoice import __version__
from pocketvoice.server.options import Limits
from pocketvoice.server.schemas import LANGUAGE, SPEAKABLE, GenerateBody, SpeechBody, components

Json = dict[str, Any]
Answers = dict[int, Json]

_JSON = "application/json"
_SOUND: Json = {"schema": {"type": "string", "format": "binary"}}
_WHY = {
    400: "The request can't be served as it is: the sentence says why.",
    401: "A valid API key is needed.",
    403: "Not allowed: the page's origin, or a voice by address.",
    404: "No such voice, model or path.",
    408: "The request did not arrive in time.",
    413: "The request is too large.",
    415: "The body is of a kind that is not taken.",
    421: "The Host header names another server.",
    422: "The form has no text.",
    429: "Too many texts are being spoken or wait: try again after `Retry-After` seconds.",
    500: "The engine failed.",
    502: "The voice could not be fetched.",
    503: "No model is loaded at the moment.",
    507: "No space is left on the server.",
}


def description(limits: Limits, needs_key: bool) -> Json:
    """The OpenAPI document of a server with these limits."""
    (speech, generate), schemas = components([SpeechBody, GenerateBody])
    for name, field in (("SpeechBody", "input"), ("GenerateBody", "text")):
        schemas[name]["properties"][field] |= {"maxLength": limits.text_characters, "pattern": SPEAKABLE}
    security: list[Json] = [{"key": []}] if needs_key else []
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pocketvoice",
            "version": __version__,
            "description": "Speaks texts: OpenAI's audio API, the reference's /tts, the Rust port's /generate and /stream.",
        },
        "paths": _paths(speech, generate, limits),
        "components": {
            "schemas": {**schemas, **_answers()},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": security,
    }


def _paths(speech: Json, generate: Json, limits: Limits) -> Json:
    files = (
        "audio/mpeg",
        "audio/ogg",
        "audio/aac",
        "audio/flac",
        "audio/wav",
        "audio/pcm",
    )
    sounds: Json = dict.fromkeys(files, _SOUND) | {"text/event-stream": {}}  # events with base64 in JSON
    open_to_all: Json = {"security": []}
    return {
        "/": {"get": {**_get("The page.", {"text/html": {"schema": {"type": "string"}}}), **open_to_all}},
        "/health": {"get": {**_get("A sign of life.", _json("Health"), also={503: _json("Health")}), **open_to_all}},
        "/docs": {
            "get": {**_get("This description, for people.", {"text/html": {"schema": {"type": "string"}}}), **open_to_all}
        },
        "/openapi.json": {"get": {**_get("This description.", {_JSON: {"schema": {"type": "object"}}}), **open_to_all}},
        "/voices": {"get": _get("All voices that can be asked for.", _json("Voices"))},
        "/v1/models": {"get": _get("OpenAI's list of models.", _json("Models"))},
        "/v1/models/{name}": {
            "get": {
                **_get("One of them.", _json("Model")),
                "parameters": [{"name": "name", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}],
            }
        },
        "/v1/audio/speech": {
            "post": _post("OpenAI's request for speech.", {_JSON: {"schema": speech}}, sounds, "Error")
        },
        "/tts": {"post": _post("The reference's request for speech.", _form(limits), {"audio/wav": _SOUND})},
        "/generate": {
            "post": _post("The Rust port's: a whole WAV.", {_JSON: {"schema": generate}}, {"audio/wav": _SOUND})
        },
        "/stream": {
            "post": _post(
                "The Rust port's: 16-bit samples at 24 kHz as they are made.",
                {_JSON: {"schema": generate}}, {"application/octet-stream": _SOUND},
            )
        },
    }  # fmt: skip


def _form(limits: Limits) -> Json:
    text = {"type": "string", "maxLength": limits.text_characters, "pattern": SPEAKABLE}
    url = {"type": "string", "description": "A voice name, or an address where those are allowed."}
    wav = {"type": "string", "format": "binary", "description": "A recording of any kind, or a voice file."}
    reading = {
        "normalise": {
            "type": "boolean",
            "default": True,
            "description": "Whether numbers and signs are spoken in words.",
        },
        "language": {"type": "string", **LANGUAGE},
    }
    whole = {
        "type": "object",
        "properties": {"text": text, "voice_url": url, **reading},
        "required": ["text"],
    }
    with_file = {**whole, "properties": {"text": text, "voice_wav": wav, **reading}}
    return {
        "multipart/form-data": {"schema": with_file},
        "application/x-www-form-urlencoded": {"schema": whole},
    }


def _get(about: str, content: Json, *, also: Answers | None = None) -> Json:
    answers: Answers = {200: content, **(also or {})}
    return {"summary": about, "responses": _responses(answers, (401, 403, 404, 421, 503), "Problem")}


def _post(about: str, body: Json, content: Json, problem: str = "Problem") -> Json:
    return {
        "summary": about,
        "requestBody": {"required": True, "content": body},
        "responses": _responses({200: content}, tuple(_WHY), problem),
    }


def _responses(answers: Answers, refusals: tuple[int, ...], problem: str) -> Json:
    told = {str(status): {"description": "Done.", "content": content} for status, content in answers.items()}
    for status in refusals:
        told.setdefault(str(status), {"description": _WHY[status], "content": _json(problem)})
    return told


def _json(name: str) -> Json:
    return {_JSON: {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _object(required: Json, **optional: Any) -> Json:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def _answers() -> Json:
    text: Json = {"type": "string"}
    maybe: Json = {"type": ["string", "null"]}
    error = _object({"message": text, "type": text, "param": maybe, "code": maybe})
    voice = _object({"name": text, "id": text, "source": text, "language": text})
    model = _object(
        {"id": text, "object": {"const": "model"}, "created": {"type": "integer"}, "owned_by": text}
    )
    worker = _object(
        {"pid": {"type": ["integer", "null"]}, "state": text, "speaking": {"type": "integer"}},
        rss_bytes={"type": ["integer", "null"]},
        unique_bytes={"type": ["integer", "null"]},
    )
    return {
        "Error": _object({"error": error}),
        "Problem": {**_object({"error": error}, detail=text)},
        "Health": _object(
            {"status": {"enum": ["healthy", "unhealthy"]}, "version": text},
            model={"type": ["object", "null"]},
            queue={"type": "object"},
            workers={"type": "array", "items": worker},
        ),
        "Voices": _object(
            {"voices": {"type": "array", "items": voice}, "default": text, "aliases": {"type": "object"}}
        ),
        "Model": model,
        "Models": _object({"object": {"const": "list"}, "data": {"type": "array", "items": model}}),
    }
