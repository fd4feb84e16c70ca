"""The folder where a book's finished pieces wait until all are there: `NAME.parts`, beside the output.

A piece is a FLAC that appears complete or not at all; its name says which text and take it is, whether the speech ended and how
long it is. A kill at any moment leaves whole pieces and at most some temporary files, which the next run deletes. One process
at a time holds the folder; engines of that process write into it.
"""

import io
import json
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from pocketvoice import paths
from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.wav import to_int16
from pocketvoice.book.fit import Take, speech_seconds
from pocketvoice.errors import InputError, OutputError, from_os_error

_PIECE = re.compile(r"(?P<key>[0-9a-f]{24})-(?P<take>\d)-(?P<ended>[eo])(?P<ms>\d+)\.flac")
_NOTES = "book.json"


def work_folder(output: Path) -> Path:
    """Where the pieces of a book lie that is to become `output`."""
    return output.with_name(f"{output.name}.parts")


class Pieces:
    """The pieces in a folder that exists. Any thread and process may write; each knows of what it wrote itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # set once

    def write(self, key: str, number: int, ended: bool, samples: Samples, sample_rate: int) -> Take:
        """Keeps a take. Raises DiskFullError or OutputError."""
        import soundfile

        take = Take(number, ended, round(speech_seconds(samples, sample_rate), 3))
        pcm = to_int16(samples)
        path = self.path(key, take)
        sound = io.BytesIO()
        soundfile.write(sound, pcm, sample_rate, format="FLAC", subtype="PCM_16")
        with paths.atomic_write(path) as file:
            file.write(sound.getvalue())
        return take

    def read(self, key: str, take: Take) -> NDArray[np.int16]:
        """The samples of a take. Raises OutputError if the piece is damaged or gone."""
        import soundfile

        path = self.path(key, take)
        try:
            samples, _ = soundfile.read(path, dtype="int16")
        except (soundfile.LibsndfileError, RuntimeError, OSError) as exc:
            with suppress(OSError):
                path.unlink()
            raise OutputError(
                f"A piece of the book in {self.folder} is damaged and was deleted: run the same command again, it is spoken anew.",
                detail=repr(exc),
            ) from exc
        return np.asarray(samples, np.int16)

    def path(self, key: str, take: Take) -> Path:
        return (
            self.folder
            / f"{key}-{take.number}-{'e' if take.ended else 'o'}{round(take.speech_s * 1000)}.flac"
        )

    def found(self) -> dict[str, dict[int, Take]]:
        """The takes of each key that lie there."""
        known: dict[str, dict[int, Take]] = {}
        for path in self.folder.iterdir():
            match = _PIECE.fullmatch(path.name)
            if match is not None:
                take = Take(int(match["take"]), match["ended"] == "e", int(match["ms"]) / 1000)
                known.setdefault(match["key"], {})[take.number] = take
        return known


class WorkFolder:
    """The folder of a book, held by this process while the block runs."""

    def __init__(self, output: Path) -> None:
        self.folder = work_folder(output)
        self._output = output
        self._lock: FileLock | None = None

    def __enter__(self) -> "WorkFolder":
        """Raises InputError if another process makes this book; OutputError or DiskFullError if there can't be a folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self.folder / "lock")
            self._lock.acquire(timeout=0)
        except Timeout as exc:
            raise InputError(
                f"{self._output.name} is being made by another process: wait for it, or choose another name."
            ) from exc
        except OSError as exc:
            raise from_os_error(exc, self.folder) from exc
        for left in self.folder.glob(".*.part"):
            with suppress(OSError):
                left.unlink()
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._lock is not None:
            self._lock.release()

    @property
    def pieces(self) -> Pieces:
        return Pieces(self.folder)

    def remembered(self) -> dict[str, Any]:
        """What the run before wrote down of itself; empty if there was none."""
        try:
            data = json.loads((self.folder / _NOTES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}

    def remember(self, data: dict[str, Any]) -> None:
        """Writes down what the next run has to know. Raises DiskFullError or OutputError."""
        with paths.atomic_write(self.folder / _NOTES) as file:
            file.write(json.dumps(data, indent=1, sort_keys=True).encode())

    def discard(self) -> None:
        """The book is complete: deletes the folder."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        shutil.rmtree(self.folder, ignore_errors=True)
