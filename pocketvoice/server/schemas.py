"""The bodies of requests as data: what is known is checked strictly, fields that nobody knows are left alone, as other servers do.
The source of the API description."""

import base64
import binascii
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from pocketvoice.server.refusals import Refusal

SPEAKABLE = r"[\p{L}\p{N}]"
"""What a text must hold at least once, as JSON schemas say it: a letter or a digit of any script."""
Text = Annotated[str, Meta(min_length=1, description="What is to be spoken; `[pause:500ms]` is a silence.")]
LANGUAGE = {
    "pattern": "^(?:en|fr|de|pt|it|es|nl)(?:[-_][A-Za-z]{2,8})?$",
    "description": "Of the text, for its numbers and signs: `en`, `pt-BR`. Without it the model's own.",
}
Language = Annotated[str, Meta(max_length=40, extra_json_schema=LANGUAGE)]
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1, description="Repeats the sound exactly.")]


class VoiceId(Struct, forbid_unknown_fields=True):
    """A voice by its id, as OpenAI's custom voices are given."""

    id: Annotated[str, Meta(min_length=1, max_length=200)]


class SpeechBody(Struct):
    """The body of `POST /v1/audio/speech`, as OpenAI defines it, a seed and a temperature; other fields change nothing."""

    input: Text
    model: (
        Annotated[str, Meta(description="A name of /v1/models; the loaded one if there is none.")] | None
    ) = None
    voice: Annotated[str, Meta(min_length=1, max_length=2000)] | VoiceId | None = None
    response_format: Literal["mp3", "opus", "aac", "flac", "wav", "pcm"] = "mp3"
    speed: Annotated[float, Meta(ge=0.25, le=4, description="Tempo, without a change of pitch.")] = 1.0
    stream_format: Literal["audio", "sse"] = "audio"
    instructions: Annotated[
        Annotated[str, Meta(max_length=0)] | None,
        Meta(description="Refused unless it is empty: the models take no instructions."),
    ] = None
    seed: Seed | None = None
    normalise: Annotated[
        bool, Meta(description="Whether numbers, dates, signs and abbreviations are spoken in words.")
    ] = True
    language: Language | None = None
    temperature: Annotated[float, Meta(ge=0, le=5, description="Variance of the noise.")] | None = None


class GenerateBody(Struct):
    """The body of `POST /generate` and `/stream`, as the Rust port defines it; other fields change nothing."""

    text: Text
    voice: (
        Annotated[
            str,
            Meta(
                description="A name of /voices, an address, or a recording in base64, also as `data:audio/wav;base64,...`."
            ),
        ]
        | None
    ) = None
    temperature: Annotated[float, Meta(ge=0, le=5)] | None = None
    lsd_steps: Annotated[int, Meta(ge=1, le=100)] | None = None
    eos_threshold: Annotated[float, Meta(ge=-100, le=100)] | None = None
    noise_clamp: Annotated[float, Meta(ge=0.01, le=100)] | None = None
    speed: Annotated[float, Meta(ge=0.25, le=4)] = 1.0
    seed: Seed | None = None
    normalise: Annotated[
        bool, Meta(description="Whether numbers, dates, signs and abbreviations are spoken in words.")
    ] = True
    language: Language | None = None


_MOST_NAME = 512  # characters of a voice's name or address; a recording has more
_MOST_TOLD = 200  # characters of what was sent are sent back
_B = TypeVar("_B", bound=Struct)


def decode(data: bytes, kind: type[_B]) -> _B:
    """The body as `kind`; raises Refusal (400) that names the wrong field."""
    try:
        return msgspec.convert(_with_whole_numbers(msgspec.json.decode(data)), kind)
    except msgspec.ValidationError as exc:
        sentence, _, place = str(exc).partition(" - at `$.")
        param = place.rstrip("`") or _quoted(sentence)
        if param == "instructions":
            sentence = "`instructions` is not supported by these models: leave it out"
        where = f" (`{param}`)" if param and param not in sentence else ""
        if len(sentence) > _MOST_TOLD or len(param) > _MOST_TOLD:  # the name of a field that nobody knows
            sentence, where, param = sentence[:_MOST_TOLD] + "...", "", ""
        raise Refusal(400, f"{sentence}{where}.", code="invalid_value", param=param or None) from exc
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise Refusal(400, f"The body is not valid JSON: {exc}.", code="invalid_json") from exc


def _with_whole_numbers(body: Any) -> Any:
    """In JSON 3.0 is the whole number 3."""
    if not isinstance(body, dict):
        return body
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in body.items()
    }


def recording_in(address: str, param: str) -> bytes | None:
    """The bytes of a recording in base64, bare or as a `data:` address; None if it is none but a name."""
    if not address.startswith("data:"):
        return _bare_recording(address)
    head, comma, body = address.partition(",")
    if not comma or not head.endswith(";base64"):
        raise Refusal(400, "A recording in JSON is given as data:audio/wav;base64,...", param=param)
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise Refusal(400, "The recording is not valid base64.", param=param) from exc


def _bare_recording(text: str) -> bytes | None:
    """The bytes in base64 of more characters than names and addresses have; None for anything else."""
    if len(text) <= _MOST_NAME or text.startswith(("http", "hf://")):
        return None
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def components(kinds: list[type[Struct]]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """JSON schemas of the bodies, and what they refer to."""
    return msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")


def _quoted(sentence: str) -> str:
    """The field that msgspec speaks of: "Object missing required field `input`"."""
    parts = sentence.split("`")
    return parts[1] if len(parts) > 2 and "field" in parts[0] else ""
