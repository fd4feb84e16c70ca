"""The user's own voices as the loaded model speaks them: from a name or id to a state, made from the clip where it is missing.

`OwnVoices.state` belongs to the engine's thread; finding is for any. torch is needed only where a state is made.
"""

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.errors import EnvironmentFault, UnknownNameError, VoiceStateError
from pocketvoice.hub import catalogue
from pocketvoice.voices import disk, states
from pocketvoice.voices.library import VoiceLibrary, open_library
from pocketvoice.voices.names import is_id
from pocketvoice.voices.voice import Voice

if TYPE_CHECKING:
    from pocketvoice.engine.tts_model import TTSModel
    from pocketvoice.engine.voice_state import VoiceState

log = logging.getLogger(__name__)

_TOO_LONG = (
    "The voice {} was made of more speech than the built-in model follows, and its recording is gone: record it again, "
    "or load a released model."
)

Tell = Callable[[str, float], None]
"""(name of the voice, fraction): a voice is being made ready for the model, which takes seconds."""


def find_own(library: VoiceLibrary, name: str | None, language: str | None = None) -> Voice | None:
    """The user's voice of that id or name; None if the name means something else: a voice of the catalogue, a file, nothing.

    Raises UnknownNameError for the id of a voice that is gone.
    """
    if not name or _is_prepared(name, language) or _is_file(name):
        return None
    try:
        return library.get(name)
    except UnknownNameError:
        if is_id(name):
            raise UnknownNameError("The voice does not exist any more: choose another one.") from None
        return None


class OwnVoices:
    """The library, for one process that speaks."""

    def __init__(self, tell: Tell | None = None, library: VoiceLibrary | None = None) -> None:
        self.tell: Tell = tell or (lambda _name, _fraction: None)
        self._library = library or open_library()  # set once

    def find(self, name: str | None, language: str | None = None) -> Voice | None:
        """The user's voice of that id or name: see `find_own`."""
        return find_own(self._library, name, language)

    def seed(self, name: str | None, language: str | None = None) -> int | None:
        """The take that was chosen for a voice; None if there is none."""
        try:
            voice = self.find(name, language)
        except UnknownNameError:
            return None  # said when it is to speak
        return voice.seed if voice is not None else None

    def state(self, voice: Voice, model: "TTSModel") -> "VoiceState":
        """Its state for the loaded weights; raises VoiceStateError or CloningUnavailableError, with the remedy."""
        from pocketvoice.engine.voice_source import is_too_long

        path = self._library.state_path(voice, model.model_id)
        if path is not None:
            state = model.get_state_for_audio_prompt(str(path))
            if not is_too_long(state, model.language, model.config.mimi.frame_rate):
                return state
            if voice.clip is not None and disk.is_whole(voice.clip_path, voice.clip):
                return self._made(voice, model)
            log.warning("%s", _TOO_LONG.format(voice.name))
            return state
        if voice.clip is None:
            return self._without_clip(voice, model)
        if not disk.is_whole(voice.clip_path, voice.clip):
            raise VoiceStateError(self._library.check(voice.id)[0])
        return self._made(voice, model)

    def _without_clip(self, voice: Voice, model: "TTSModel") -> "VoiceState":
        path = states.whole_path(voice, states.unknown(voice))
        if path is not None:
            log.warning("nobody knows which model the voice %s was made for: it is tried", voice.name)
            return model.get_state_for_audio_prompt(str(path))
        known = " or ".join(state.model_id for state in voice.states if state.model_id)
        raise VoiceStateError(
            f"The voice {voice.name} came without its clip and speaks only with {known}, not with {model.model_id}: "
            "load that model, or record the voice again."
        )

    def _made(self, voice: Voice, model: "TTSModel") -> "VoiceState":
        """From the clip, and kept; where it can't be written it is used all the same."""
        from pocketvoice.engine.voice_state import export_model_state

        log.info("the voice %s is made ready for %s", voice.name, model.model_id)
        self.tell(voice.name, 0.0)
        state = model.get_state_for_audio_prompt(str(voice.clip_path))
        self.tell(voice.name, 0.9)
        try:
            with tempfile.TemporaryDirectory(prefix="pocketvoice-") as folder:
                file = Path(folder) / "state.safetensors"
                export_model_state(state, file)
                self._library.add_state(voice.id, model.model_id, file)
        except (EnvironmentFault, OSError, UnknownNameError) as exc:
            log.warning("the voice %s could not be kept for %s: %s", voice.name, model.model_id, exc)
        self.tell(voice.name, 1.0)
        return state


def _is_prepared(name: str, language: str | None) -> bool:
    """Whether the catalogue or a model that comes with the program has a voice of that name."""
    if name in catalogue.voice_names():
        return True
    return (
        language is not None
        and catalogue.entry(language).is_local
        and name in catalogue.local_voices(language)
    )


def _is_file(name: str) -> bool:
    try:
        return any(mark in name for mark in "/\\.") and Path(name).exists()
    except (OSError, ValueError):
        return False
