"""Which voice a request means: a name of the model or the catalogue, one of the user's library, or an address if those are allowed.

OpenAI's voice names are taken too, for programs that know no others: each stands for one of the server's own, always the same.
"""

import asyncio
import logging
import threading
from dataclasses import dataclass
from pathlib import Path

from pocketvoice.errors import Cancelled, InputError, PocketVoiceError
from pocketvoice.hub import catalogue
from pocketvoice.server.fetched_voices import fetch_voice
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal, without_folders
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.stand_in import stand_in

log = logging.getLogger(__name__)

OPENAI_VOICES = (
    "alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse", "marin", "cedar",
)  # fmt: skip
ADDRESSES = ("http://", "https://", "hf://")

_FETCH_S = 60.0  # a voice by address must be here within so long
_FETCHES = 2  # at the same time: the threads are wanted for other work too


@dataclass(frozen=True)
class VoiceEntry:
    """A voice that can be asked for."""

    name: str
    id: str
    source: str
    """"model" (it comes with the loaded one), "catalogue" or "library" (the user's own)."""
    language: str = ""


class VoiceResolver:
    """Knows all voices of the loaded model and of the user. Called from the loop; the library is read on a thread."""

    def __init__(
        self,
        pool: EnginePool,
        library: VoiceLibrary | None = None,
        *,
        addresses: int = 0,
        public_only: bool = True,
    ) -> None:
        """`addresses` allows voices by address: files of so many bytes at most, `public_only` of the public internet alone."""
        self._public_only = public_only
        self._pool = pool
        self._library = library
        self._addresses = addresses
        self._fetching = asyncio.Semaphore(_FETCHES)

    @property
    def default(self) -> str:
        """The name of the voice of a request that names none; of a file it is the file's, not where it lies."""
        name = self._pool.model().default_voice
        return name.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]

    async def entries(self) -> list[VoiceEntry]:
        """All voices that can be asked for: the model's or the catalogue's, then the user's."""
        known = self._of_model()
        if self._library is not None:
            try:
                own = await asyncio.to_thread(self._library.voices)
            except (PocketVoiceError, OSError) as exc:
                log.warning("the user's voices can't be read: %s", exc)
                own = []
            known += [VoiceEntry(voice.name, voice.id, "library", voice.language) for voice in own]
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

    async def resolve(self, name: str | None, param: str = "voice") -> str | None:
        """The voice as the worker knows it (a name, an id, a file), None for the default one; raises Refusal."""
        if name is None or name == self.default:
            return None
        if name.startswith(ADDRESSES):
            return await self._fetch(name, param)
        entries = await self.entries()
        name = (await self.aliases()).get(name, name)
        for entry in entries:
            if name in (entry.name, entry.id):
                return entry.id
        for entry in entries:
            if name.casefold() == entry.name.casefold():
                return entry.id
        if name == self.default:
            return None
        if (other := self._stand_in(name)) is not None:
            log.info("the voice %s comes with the released models: %s speaks in its place", name, other)
            return other
        known = ", ".join(entry.name for entry in entries[:12]) or self.default
        raise Refusal(
            404,
            f"There is no voice {name[:80]!r}: choose one of {known}.",
            code="voice_not_found",
            param=param,
        )

    def standing_in(self, name: str | None, resolved: str | None) -> str | None:
        """`resolved` where it is not the voice that was asked for, but speaks in its place; None else."""
        return resolved if name is not None and resolved == self._stand_in(name) else None

    def _stand_in(self, name: str) -> str | None:
        """Which voice speaks in the place of a catalogue voice that the loaded model does not have; None if none need to."""
        others = catalogue.voices_in_place_of(self._pool.model().language, name.lower())
        return stand_in(name.lower(), others) if others else None

    def _of_model(self) -> list[VoiceEntry]:
        ready = self._pool.model()
        if ready.language is None:
            return []
        entry = catalogue.entry(ready.language)
        if entry.is_local:
            own = catalogue.local_voices(ready.language)
            return [VoiceEntry(name, name, "model", entry.language_code) for name in own]
        return [VoiceEntry(name, name, "catalogue") for name in catalogue.voice_names()]

    async def _fetch(self, address: str, param: str) -> str:
        """The path of the file at an address; raises Refusal."""
        if not self._addresses:
            raise Refusal(
                403,
                "Voices by address are not allowed here: use a name of /voices, upload the recording, "
                "or start the server with --allow-voice-urls.",
                code="voice_address_not_allowed",
                param=param,
            )
        try:
            return str(await self._download(address))
        except Cancelled as exc:
            raise Refusal(
                413, "The voice at this address is too large.", code="too_large", param=param
            ) from exc
        except TimeoutError as exc:
            raise Refusal(
                502,
                "The voice at this address did not arrive in time.",
                code="voice_not_fetched",
                param=param,
            ) from exc
        except InputError as exc:
            raise Refusal(
                400, without_folders(exc.message), code="invalid_voice_address", param=param
            ) from exc
        except PocketVoiceError as exc:
            raise Refusal(502, without_folders(exc.message), code="voice_not_fetched", param=param) from exc

    async def _download(self, address: str) -> Path:
        """The file at an address; raises Cancelled once it is too large, TimeoutError once it is too slow."""
        cancel = threading.Event()
        try:
            async with self._fetching, asyncio.timeout(_FETCH_S):
                return await asyncio.to_thread(
                    fetch_voice, address, self._addresses, cancel, public_only=self._public_only
                )
        finally:
            cancel.set()  # the thread goes on alone, but not for long
