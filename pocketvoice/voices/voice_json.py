"""`voice.json`: a voice as text, and back. What can't be right is refused with a sentence; keys of newer versions are kept."""

import dataclasses
import json
import math
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pocketvoice.errors import InputError
from pocketvoice.voices import names
from pocketvoice.voices.voice import FileMark, StateMark, Voice

SCHEMA = 1
PREVIEWS = ("preview.flac", "preview-2.flac")
FILE, CLIP, PREVIEW, STATES = "voice.json", "clip.flac", "preview.flac", "states"
STATE_SUFFIX = ".safetensors"

_STATE_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,120}\.safetensors")
_HASH = re.compile(r"[0-9a-f]{64}")
_RANGES = {"volume": (0.0, 2.0), "speed": (0.5, 3.0)}
_LINES = ("language", "created", "source", "consented")
_TEXTS = ("consent", "notes")
_MOST_NOTES = 20_000


class VoiceJsonError(InputError):
    """A `voice.json` that can't be read."""


def to_json(voice: Voice, others: Mapping[str, Any] | None = None) -> bytes:
    """The text of a voice; `others` are keys of another version, which stay."""
    data = dataclasses.asdict(voice)
    del data["folder"]
    text = json.dumps({**(others or {}), "schema": SCHEMA, **data}, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "replace")


def from_json(data: bytes, folder: Path) -> tuple[Voice, dict[str, Any]]:
    """The voice and the keys this version does not know; raises VoiceJsonError."""
    try:
        raw = json.loads(data)
        if not isinstance(raw, dict):
            raise TypeError(f"it holds a {type(raw).__name__}")
        known = {field.name for field in dataclasses.fields(Voice)} | {"schema"}
        others = {key: value for key, value in raw.items() if key not in known}
        return voice_from(raw, folder), others
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError) as exc:
        if isinstance(exc, VoiceJsonError):
            raise
        raise VoiceJsonError("The voice.json of this voice is damaged.", detail=repr(exc)) from exc


def schema_of(data: bytes) -> int:
    """The version of the format that a `voice.json` has; 0 if it does not say."""
    try:
        schema = json.loads(data).get("schema", 0)
    except (ValueError, AttributeError, RecursionError):
        return 0
    return schema if isinstance(schema, int) else 0


def voice_from(raw: Mapping[str, Any], folder: Path) -> Voice:
    """A voice from plain data, every value checked; raises ValueError, TypeError or KeyError."""
    if not isinstance(raw["id"], str) or not names.is_id(raw["id"]):
        raise ValueError("no id")
    name = names.clean(_text(raw["name"]))
    if not name:
        raise ValueError("no name")
    return Voice(
        id=raw["id"],
        name=name,
        **{key: _text(raw.get(key, "")) for key in _TEXTS},
        **{key: names.clean(_text(raw.get(key, ""))) for key in _LINES},
        seed=seed_in(raw.get("seed")),
        volume=_number(raw.get("volume", 1.0), *_RANGES["volume"]),
        speed=_number(raw.get("speed", 1.0), *_RANGES["speed"]),
        favourite=raw.get("favourite") is True,
        clip_s=None if raw.get("clip_s") is None else _number(raw["clip_s"], 0.0, 3600.0),
        clip=_mark(raw.get("clip")),
        preview=_mark(raw.get("preview")),
        preview_file=_one_of(raw.get("preview_file"), PREVIEWS),
        states=tuple(_state(one) for one in raw.get("states", [])),
        folder=folder,
    )


def checked_values(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a caller wants to give a voice, checked and cleaned; raises InputError."""
    for key in changes.keys() & _RANGES.keys():
        low, high = _RANGES[key]
        if not isinstance(changes[key], int | float) or not low <= changes[key] <= high:
            raise InputError(f"The {key} of a voice is from {low:g} to {high:g}, not {changes[key]}.")
    seed = changes.get("seed")
    if seed is not None and seed_in(seed) is None:
        raise InputError(f"A seed is a whole number from 0 to 2**64 - 1, not {seed}.")
    checked = {key: _text(value) if key in _TEXTS else value for key, value in changes.items()}
    checked |= {key: names.clean(_text(changes[key])) for key in changes.keys() & set(_LINES)}
    if "name" in checked:
        checked["name"] = names.checked(checked["name"])
    return checked


def state_file(model_id: str) -> str:
    """The name of the state file for a model, safe on every system whatever the model calls itself."""
    import hashlib

    plain = re.sub(r"[^A-Za-z0-9_-]", "_", model_id)[:80].strip("-")
    if plain != model_id or not plain:  # two ids must not share a file
        plain = f"{plain or 'unknown'}-{hashlib.sha256(model_id.encode('utf-8', 'replace')).hexdigest()[:10]}"
    return plain + STATE_SUFFIX


def salt() -> str:
    """Six random hex digits, to make a file name unique."""
    return secrets.token_hex(3)


def seed_in(value: object) -> int | None:
    """A seed (0 to 2**64 - 1), or None if the value is none."""
    is_seed = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
    return value if is_seed and isinstance(value, int) else None


def _text(value: object) -> str:
    """Text without lone surrogates (they can't be written), of at most 20,000 characters; raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"a {type(value).__name__} instead of a text")
    return value[:_MOST_NOTES].encode("utf-8", "ignore").decode()


def _number(value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise TypeError(f"{value!r} instead of a number")
    return float(min(max(value, low), high))


def _one_of(value: object, known: tuple[str, ...]) -> str:
    return value if isinstance(value, str) and value in known else known[0]


def _mark(raw: Any) -> FileMark | None:
    if raw is None:
        return None
    digest, size = raw["sha256"], raw["size_bytes"]
    if not isinstance(digest, str) or not _HASH.fullmatch(digest) or not isinstance(size, int) or size < 0:
        raise ValueError("a checksum that is none")
    return FileMark(digest, size)


def _state(raw: Any) -> StateMark:
    mark = _mark(raw["mark"])
    file = raw["file"]
    if mark is None or not isinstance(file, str) or not _STATE_FILE.fullmatch(file):
        raise ValueError("a state without its file")
    return StateMark(_text(raw["model_id"]), file, mark, raw.get("is_followed") is not False)
