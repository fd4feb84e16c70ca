"""The reference package's names on top of pocketvoice, for the reference's own tests (`test_reference_suite`).

The released weights can't be fetched where tests run, so the built-in model speaks for `english`, and one of its voices for the
catalogue's.
"""

from typing import Any

from pocketvoice.engine.tts_model import TTSModel as _TTSModel
from pocketvoice.engine.voice_state import VoiceState, export_model_state
from pocketvoice.hub import catalogue
from pocketvoice.voices.stand_in import stand_in

__all__ = ["TTSModel", "export_model_state"]


class TTSModel(_TTSModel):
    """pocketvoice's, with the built-in model in place of those of the catalogue."""

    @classmethod
    def load_model(cls, language: str | None = None, config: Any = None, **options: Any) -> "TTSModel":
        name = catalogue.default_language() if config is None else None
        assert language is None or catalogue.entry(language)
        return super().load_model(name, config, **options)

    def get_state_for_audio_prompt(self, audio_conditioning: Any, truncate: bool = False) -> VoiceState:
        own = list(catalogue.local_voices(catalogue.default_language()))
        if isinstance(audio_conditioning, str) and audio_conditioning in catalogue.voice_names():
            audio_conditioning = stand_in(audio_conditioning, own)
        return super().get_state_for_audio_prompt(audio_conditioning, truncate)
