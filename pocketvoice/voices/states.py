"""The voice states of a voice: which fits which weights, whether it is whole, what its file says of itself. No torch."""

import re
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path

from pocketvoice.errors import MissingFileError, VoiceStateError
from pocketvoice.voices import disk, voice_json
from pocketvoice.voices.voice import StateMark, Voice

_KEY = re.compile(r"transformer\.layers\.(\d{1,3})\.self_attn/(cache|offset|pad|current_end)")


@dataclass(frozen=True)
class Header:
    """What a state file says of itself."""

    model_id: str
    """"" in files of the reference."""
    source: str
    layers: int
    is_followed: bool
    """False where the model that made it did not follow the voice."""


def fingerprint(model_id: str) -> str:
    """The part of a model id that tells the weights."""
    return model_id.rsplit("-", 1)[-1]


def find(voice: Voice, model_id: str) -> StateMark | None:
    """The state for the weights of `model_id`; None if there is none."""
    for state in voice.states:
        if state.model_id and fingerprint(state.model_id) == fingerprint(model_id):
            return state
    return None


def unknown(voice: Voice) -> StateMark | None:
    """A state of which nobody knows the weights; None if there is none."""
    return next((state for state in voice.states if not state.model_id), None)


def whole_path(voice: Voice, state: StateMark | None) -> Path | None:
    """The file of a state, if it is as it was written; else None."""
    if state is None:
        return None
    path = voice.folder / voice_json.STATES / state.file
    return path if disk.is_whole(path, state.mark) else None


def with_state(voice: Voice, new: StateMark) -> Voice:
    """The voice with one state more, or another one for the same weights."""
    same = find(voice, new.model_id) if new.model_id else unknown(voice)
    kept = [state for state in voice.states if state is not same]
    return replace(voice, states=(*kept, new))


def read_header(path: Path) -> Header:
    """Looks at a state file without reading its tensors; raises VoiceStateError or MissingFileError."""
    import safetensors

    try:
        with safetensors.safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            keys = list(file.keys())
    except FileNotFoundError as exc:
        raise MissingFileError(f"There is no file {path}: check the name.") from exc
    except (safetensors.SafetensorError, OSError, ValueError) as exc:
        raise VoiceStateError(
            f"The voice file {path.name} is damaged or cut short: copy it again.", detail=repr(exc)
        ) from exc
    layers = {int(found[1]) for key in keys if (found := _KEY.fullmatch(key))}
    if not layers or any(not _KEY.fullmatch(key) for key in keys):
        raise VoiceStateError(
            f"{path.name} is not a voice file: it holds other tensors.", detail=str(keys[:5])
        )
    followed = metadata.get("is_followed") != "no"
    return Header(_line(metadata.get("model_id")), _line(metadata.get("source")), len(layers), followed)


def damage(voice: Voice) -> list[str]:
    """One sentence for each file that is not as it was written."""
    found = []
    if voice.clip is not None and not disk.is_whole(voice.clip_path, voice.clip):
        speaks = [state.model_id or "an unknown model" for state in voice.states if whole_path(voice, state)]
        rest = (
            f"It speaks only with {', '.join(speaks)} from now on."
            if speaks
            else "It can't speak: record it again."
        )
        found.append(f"The clip of the voice {voice.name} is damaged. {rest}")
    can_be_made = voice.has_clip and not found
    for state in voice.states:
        if whole_path(voice, state) is None:
            remedy = "it is made again from the clip" if can_be_made else "import the voice again"
            model = state.model_id or "an unknown model"
            found.append(f"The state of the voice {voice.name} for {model} is damaged: {remedy}.")
    if voice.preview is not None and not disk.is_whole(voice.preview_path, voice.preview):
        found.append(f"The preview of the voice {voice.name} is damaged: it is spoken anew.")
    return found


def lost(voice: Voice) -> list[str]:
    """Of `damage`, what can't be made again: the clip, or the states of a voice without one. Reads no more than that."""
    if voice.clip is not None and disk.is_whole(voice.clip_path, voice.clip):
        return []
    return damage(replace(voice, preview=None))


def new_id() -> str:
    """A new id for a voice: "v" and 16 random hex digits."""
    return "v" + secrets.token_hex(8)


def now() -> str:
    """The present time as ISO 8601, UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def at(seconds: float) -> str:
    """A moment (seconds since the epoch) for people: local date and time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (OverflowError, OSError, ValueError):
        return "at an unknown time"


def _line(value: object) -> str:
    """Foreign text as one line of at most 200 characters."""
    return " ".join(str(value or "").split())[:200]
