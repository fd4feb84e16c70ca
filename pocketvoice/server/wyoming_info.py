"""What a Wyoming client is told of this server: the program, its model and its voices."""

from wyoming.info import Attribution, Info, TtsProgram, TtsVoice

from pocketvoice import __version__
from pocketvoice.hub import catalogue
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.voice_resolver import VoiceResolver

_ATTRIBUTION = Attribution("pocketvoice", "https://github.com/kyutai-labs/pocket-tts")


async def info(pool: EnginePool, voices: VoiceResolver) -> Info:
    """All voices, the default one first; raises Refusal if no model is loaded."""
    ready = pool.model()
    code = catalogue.entry(ready.language).language_code if ready.language else ""
    entries = await voices.entries()
    languages = {entry.name: entry.language or code or "en" for entry in entries} or {
        voices.default: code or "en"
    }
    names = sorted(languages, key=lambda name: name != voices.default)
    told = [
        TtsVoice(
            name,
            _ATTRIBUTION,
            True,
            f"{name} ({ready.language or 'own model'})",
            __version__,
            [languages[name]],
        )
        for name in names
    ]
    about = "Pocket TTS voices, on this computer"
    return Info(tts=[TtsProgram("pocketvoice", _ATTRIBUTION, True, about, __version__, told, True)])
