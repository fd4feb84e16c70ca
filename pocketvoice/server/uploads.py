"""Voices that come with a request: judged by their content, decoded within limits, and kept for a while under a name of their own.

A recording is decoded and cut here (30 seconds at most leave, whatever it claims to hold), so that an engine only ever reads a
short file of ours. The same bytes have the same name: an engine that has read them once need not do so again.
"""

import asyncio
import hashlib
import secrets
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pocketvoice.audio.clip import load_clip
from pocketvoice.audio.wav import WavWriter
from pocketvoice.errors import InputError, VoiceStateError
from pocketvoice.server.refusals import Refusal, unwritten

STATE_SUFFIX = ".safetensors"
_KEPT = 16
_AT_ONCE = 2  # recordings decoded at the same time
_RATE = 24_000
_MOST_HEADER_BYTES = 10_000_000


class Uploads:
    """A folder of temporary voices. One loop's thread; the work is done on others."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pocketvoice-")
        self._kept: OrderedDict[str, Path] = OrderedDict()
        self._in_use: dict[Path, int] = {}
        self._notes: dict[Path, tuple[str, ...]] = {}
        self._decoding = asyncio.Semaphore(_AT_ONCE)

    def close(self) -> None:
        """Deletes the folder and all files in it."""
        self._folder.cleanup()

    async def add(self, data: bytes) -> Path:
        """The file of an uploaded voice; raises Refusal if the bytes are no recording and no voice."""
        name = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        known = self._kept.get(name)
        if known is not None:
            path = known
        else:
            async with self._decoding:
                try:
                    path, notes = await asyncio.to_thread(_store, data, Path(self._folder.name), name)
                except InputError as exc:
                    message = exc.message.replace("The data", "The uploaded file")
                    raise Refusal(400, message, code="invalid_voice_file", param="voice_wav") from exc
                except OSError as exc:
                    raise unwritten(exc, self._folder.name) from exc
            self._kept[name], self._notes[path] = path, notes
        self._kept.move_to_end(name)
        self._delete_oldest()
        return path

    def notes(self, path: Path) -> tuple[str, ...]:
        """What is wrong with the recording that a file was made of, a sentence each."""
        return self._notes.get(path, ())

    @contextmanager
    def using(self, path: Path | None) -> Iterator[None]:
        """Keeps a file from being deleted while the block runs; None is no file."""
        if path is None:
            yield
            return
        self._in_use[path] = self._in_use.get(path, 0) + 1
        try:
            yield
        finally:
            self._in_use[path] -= 1
            if not self._in_use[path]:
                del self._in_use[path]

    def _delete_oldest(self) -> None:
        for name in [name for name, path in self._kept.items() if path not in self._in_use][:-_KEPT]:
            with suppress(OSError):
                path = self._kept.pop(name)
                self._notes.pop(path, None)
                path.unlink()


def check_voice(path: Path) -> None:
    """Raises InputError if a file that came from elsewhere is neither a voice file nor a recording of speech."""
    with path.open("rb") as file:
        head = file.read(9)
    if head[8:9] != b"{":
        load_clip(path, truncate=True, target_rate=_RATE, speech=True)


def _store(data: bytes, folder: Path, name: str) -> tuple[Path, tuple[str, ...]]:
    if not data:
        raise InputError("The uploaded file is empty: choose a recording.")
    if _is_state(data):
        # The same voice may be stored, and read, at this moment: it appears under its name when it is whole.
        part = folder / f"{secrets.token_hex(8)}.part"
        part.write_bytes(data)
        return part.replace(folder / f"{name}{STATE_SUFFIX}"), ()
    clip = load_clip(data, truncate=True, target_rate=_RATE, speech=True)
    path = folder / f"{name}.wav"
    with WavWriter(path, _RATE, tail_s=0) as wav:
        wav.write(clip.samples)
    return path, (*clip.notes, *clip.flaws)


def _is_state(data: bytes) -> bool:
    """Whether it is a voice file: a length, then JSON. What the file says is checked by the engine."""
    length = int.from_bytes(data[:8], "little")
    if data[8:9] != b"{" or length > _MOST_HEADER_BYTES:
        return False
    if length > len(data) - 8:
        raise VoiceStateError("The uploaded voice file is cut short: send it again.")
    return True
