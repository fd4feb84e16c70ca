"""Voices to and from files: exported as `.pvoice`, imported from `.pvoice` and `.safetensors`. No widgets. Main thread only."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pocketvoice.gui.controllers.messages import Messages
    from pocketvoice.gui.controllers.tasks import Tasks
    from pocketvoice.voices.library import VoiceLibrary
    from pocketvoice.voices.packages import Imported
    from pocketvoice.voices.voice import Voice

T = TypeVar("T")

_VOICE_SUFFIXES = (".pvoice", ".safetensors")
_MOST_NOTES = 2  # sentences of an import that are shown; all of them are in the log


class RunOnLibrary(Protocol):
    """Calls a function with the library on a thread; None if that failed, which is shown to the user."""

    def __call__(self, work: Callable[[VoiceLibrary], T]) -> Awaitable[T | None]: ...


class VoiceTransfer(QObject):
    """Imports and exports voices, and says how far it is."""

    busy = Signal(str, float)
    """A sentence and the share done (-1: not known) while something takes a while; "" when it is over."""

    def __init__(
        self,
        run_on_library: RunOnLibrary,
        announce: Callable[[list[Voice]], Awaitable[None]],
        messages: Messages,
        tasks: Tasks,
        parent: QObject | None = None,
    ) -> None:
        """`announce` shows voices that came just now."""
        super().__init__(parent)
        self._run_on_library = run_on_library
        self._announce = announce
        self._messages = messages
        self._tasks = tasks
        self._is_cancelled = False

    def export(self, voice_id: str, path: Path, *, with_clip: bool) -> None:
        """Writes a voice to a `.pvoice` file."""
        self._tasks.start(self._export(voice_id, path, with_clip))

    def import_files(self, paths: Sequence[str], *, model_id: str = "") -> None:
        """Takes in `.pvoice` and `.safetensors` files, and folders of them.

        `model_id` says which weights a `.safetensors` was made for, where the file does not.
        """
        self._is_cancelled = False
        self._tasks.start(self._import_files([Path(path) for path in paths], model_id))

    def cancel(self) -> None:
        """Ends an import after the file that is being read."""
        self._is_cancelled = True

    async def _export(self, voice_id: str, path: Path, with_clip: bool) -> None:
        def work(library: VoiceLibrary) -> Path:
            from pocketvoice.voices.packages import export_voice

            return export_voice(library, voice_id, path, with_clip=with_clip)

        self.busy.emit(f"Saving {path.name}…", -1.0)
        written = await self._run_on_library(work)
        self.busy.emit("", 1.0)
        if written is not None:
            self._messages.say(f"The voice was saved as {written}.")

    async def _import_files(self, paths: list[Path], model_id: str) -> None:
        """One file after the other, so that it can be cancelled in between."""
        files = await self._run_on_library(lambda _library: [file for path in paths for file in _files(path)])
        if not files:
            self._messages.warn(
                f"There are no voices in {paths[0].name}: they are files named .pvoice or .safetensors."
            )
            return
        came: list[Voice] = []
        notes: list[str] = []
        for index, file in enumerate(files):
            if self._is_cancelled:
                notes.append("The rest was not brought in.")
                break
            self.busy.emit(f"Bringing in {file.name}…", index / len(files))
            done = await self._run_on_library(functools.partial(_import, path=file, model_id=model_id))
            if done is not None:
                came += done.voices
                notes += [*done.notes, *done.failures]
        self.busy.emit("", 1.0)
        await self._announce(came)
        self._tell(came, notes)

    def _tell(self, came: list[Voice], notes: list[str]) -> None:
        what = f"{came[0].name} is here now." if len(came) == 1 else f"{len(came)} voices are here now."
        left = len(notes) - _MOST_NOTES
        more = [f"({left} more notes are in the log.)"] if left > 0 else []
        sentences = ([what] if came else []) + notes[:_MOST_NOTES] + more
        if sentences:
            self._messages.say(" ".join(sentences))


def is_voice_file(path: str) -> bool:
    """Whether it holds voices, or is a folder that may; anything else may be a recording."""
    return Path(path).suffix.lower() in _VOICE_SUFFIXES or Path(path).is_dir()


def _import(library: VoiceLibrary, *, path: Path, model_id: str) -> Imported:
    from pocketvoice.voices.packages import import_voices

    return import_voices(library, path, model_id=model_id)


def _files(path: Path) -> list[Path]:
    """The voice files in a folder; of anything else the path itself: importing it says what is wrong."""
    if not path.is_dir():
        return [path]
    try:
        return sorted(file for file in path.iterdir() if file.suffix.lower() in _VOICE_SUFFIXES)
    except OSError:
        return [path]
