"""Which voice a request means: a name of the model or the catalogue, one of the user's library, or an address if those are allowed.

OpenAI's voice names are taken too, for programs that know no others: each stands for one of the server's own, always the same.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import NamedTuple

from pocketvoice.errors import InputError, PocketVoiceError
from pocketvoice.hub import catalogue
from pocketvoice.hub.download import fetch
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import Voice

log = logging.getLogger(__name__)

OPENAI_VOICES = (
    "alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse", "marin", "cedar",
)  # fmt: skip
ADDRESSES = ("http://", "https://", "hf://")


@dataclass(frozen=True)
class VoiceEntry:
    """A voice that can be asked for."""

    name: str
    id: str
    source: str
    """"model" (it comes with the loaded one), "catalogue" or "library" (the user's own)."""
    language: str = ""
    own: Voice | None = None
    """What the library knows of it."""


class Chosen(NamedTuple):
    """A voice for a request."""

    voice: str | None
    """As the worker knows it: a name or a file; None is the default voice."""
    seed: int | None = None
    """The take that the user chose for it."""


class VoiceBook:
    """All voices of the loaded model and of the user. Asked from the loop; the library is read on a thread."""

    def __init__(
        self, pool: EnginePool, library: VoiceLibrary | None = None, *, addresses: bool = False
    ) -> None:
        """`addresses` allows voices by address."""
        self._pool = pool
        self._library = library
        self._addresses = addresses

    @property
    def default(self) -> str:
        """The voice of a request that names none."""
        return self._pool.model().default_voice

    async def entries(self) -> list[VoiceEntry]:
        """In the order of a list to choose from."""
        known = self._of_model()
        if self._library is not None:
            try:
                own = await asyncio.to_thread(self._library.voices)
            except (PocketVoiceError, OSError) as exc:
                log.warning("the user's voices can't be read: %s", exc)
                own = []
            known += [VoiceEntry(voice.name, voice.id, "library", voice.language, voice) for voice in own]
        return known

    async def aliases(self) -> dict[str, str]:
        """OpenAI's names -> the voices they stand for."""
        names = [entry.name for entry in self._of_model()] or [self.default]
        taken = {entry.name for entry in await self.entries()}
        return {
            alias: names[index % len(names)]
            for index, alias in enumerate(OPENAI_VOICES)
            if alias not in taken
        }

    async def resolve(self, name: str | None, param: str = "voice") -> Chosen:
        """The voice of a request, by name, id or address; raises Refusal."""
        if name is None or name == self.default:
            return Chosen(None)
        if name.startswith(ADDRESSES):
            return Chosen(await self._fetched(name, param))
        entries = await self.entries()
        name = (await self.aliases()).get(name, name)
        for entry in entries:
            if name in (entry.name, entry.id):
                return await self._chosen(entry, param)
        for entry in entries:
            if name.casefold() == entry.name.casefold():
                return await self._chosen(entry, param)
        if name == self.default:
            return Chosen(None)
        known = ", ".join(entry.name for entry in entries[:12]) or self.default
        raise Refusal(
            404,
            f"There is no voice {name[:80]!r}: choose one of {known}.",
            code="voice_not_found",
            param=param,
        )

    def _of_model(self) -> list[VoiceEntry]:
        ready = self._pool.model()
        if ready.language is None:
            return []
        entry = catalogue.entry(ready.language)
        if entry.is_local:
            own = catalogue.local_voices(ready.language)
            return [VoiceEntry(name, name, "model", entry.language_code) for name in own]
        return [VoiceEntry(name, name, "catalogue") for name in catalogue.voice_names()]

    async def _chosen(self, entry: VoiceEntry, param: str) -> Chosen:
        """Of the user's own voices the state for the loaded weights is taken, else the clip."""
        own, ready = entry.own, self._pool.model()
        if own is None:
            return Chosen(entry.id)
        assert self._library is not None, "it came from there"
        state = await asyncio.to_thread(self._library.state_path, own, ready.model_id)
        if state is None and not (own.has_clip and ready.cloning):
            why = (
                ready.cloning_reason
                if own.has_clip
                else "It was made for another model and has no recording."
            )
            raise Refusal(
                400,
                f"The voice {own.name!r} can't speak with the loaded model. {why}",
                code="voice_unfit",
                param=param,
            )
        return Chosen(str(state or own.clip_path), own.seed)

    async def _fetched(self, address: str, param: str) -> str:
        if not self._addresses:
            raise Refusal(
                403,
                "Voices by address are not allowed here: use a name of /voices, upload the recording, "
                "or start the server with --allow-voice-urls.",
                code="voice_address_not_allowed",
                param=param,
            )
        try:
            return str(await asyncio.to_thread(fetch, address))
        except InputError as exc:
            raise Refusal(400, exc.message, code="invalid_voice_address", param=param) from exc
        except PocketVoiceError as exc:
            raise Refusal(502, exc.message, code="voice_not_fetched", param=param) from exc
