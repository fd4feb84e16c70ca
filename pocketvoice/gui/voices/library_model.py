"""The user's voices as the window sees them: read, changed and watched on threads; what goes wrong is one sentence on `board`.

Knows no widgets. Main thread only; the library itself may be called from any.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages, Remedy
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.hub import catalogue

if TYPE_CHECKING:
    from pocketvoice.voices.library import VoiceLibrary
    from pocketvoice.voices.packages import Imported
    from pocketvoice.voices.trash import Removed
    from pocketvoice.voices.voice import Voice

T = TypeVar("T")

_WATCH_MS, _GLANCE_MS = 1500, 6000  # other programs may add voices too


class LibraryModel(QObject):
    """The voices of the user."""

    changed = Signal()
    added = Signal(list)  # ids of voices that came just now
    busy = Signal(
        str, float
    )  # a sentence while something takes a while, and the share done; "" when it is over

    def __init__(self, tasks: Tasks, open_library: "Callable[[], VoiceLibrary] | None" = None) -> None:
        super().__init__()
        self.voices: tuple[Voice, ...] = ()
        self.is_read = False
        """Whether `voices` are known."""
        self.board = Messages(self)
        """What is said about voices; shown on their page."""
        self._tasks = tasks
        self._open = open_library or _open_library
        self._library: VoiceLibrary | None = None
        self._opening = asyncio.Lock()
        self._stamp: object = None
        self._told: set[str] = set()  # damaged folders are told of once
        self._removed: list[str] = []  # keys in the trash, the newest last
        self._cancelled = False
        self._reading = False
        self._watch = QTimer(self)
        self._watch.setInterval(_GLANCE_MS)
        self._watch.timeout.connect(self.look)

    # ------------------------------------------------------------ reading

    def start(self) -> None:
        """Reads the voices, and watches for changes from now on."""
        self._watch.start()
        self.look()

    def watch_closely(self, closely: bool) -> None:
        """While they are looked at, what other programs do shows sooner."""
        self._watch.setInterval(_WATCH_MS if closely else _GLANCE_MS)

    def close(self) -> None:
        """Watches no more."""
        self._watch.stop()

    def look(self) -> None:
        """Reads them again if anything has changed."""
        if not self._reading:
            self._reading = True
            self._tasks.start(self._look())

    def find(self, voice_id: str) -> "Voice | None":
        """The voice of that id, or of that name as the command line takes it."""
        by_id = {voice.id: voice for voice in self.voices} | {
            voice.name.casefold(): voice for voice in self.voices
        }
        return by_id.get(voice_id) or by_id.get(voice_id.casefold())

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """For the page: something that waits for the library."""
        self._tasks.start(work)

    async def library(self) -> "VoiceLibrary":
        """The library, opened at the first call."""
        async with self._opening:
            if self._library is None:
                self._library = await on_thread(self._open)
            return self._library

    # ------------------------------------------------------------ changing

    def rename(self, voice_id: str, name: str) -> None:
        """Another name."""
        self._do(lambda library: library.update(voice_id, name=name))

    def set_favourite(self, voice_id: str, favourite: bool) -> None:
        """Favourites come first."""
        self._do(lambda library: library.update(voice_id, favourite=favourite))

    def set_language(self, voice_id: str, code: str) -> None:
        """What is spoken in its recording."""
        self._do(lambda library: library.update(voice_id, language=code))

    def set_sound(self, voice_id: str, speed: float, volume: float) -> None:
        """What comes with the voice when it is chosen."""
        self._do(lambda library: library.update(voice_id, speed=speed, volume=volume))

    def set_notes(self, voice_id: str, notes: str) -> None:
        """The user's own words."""
        self._do(lambda library: library.update(voice_id, notes=notes.strip()))

    def duplicate(self, voice_id: str) -> None:
        """A copy under another name."""
        self._tasks.start(self._duplicate(voice_id))

    def remove(self, voices: "Sequence[Voice]") -> None:
        """Into the trash; `undo` brings them back."""
        self._tasks.start(self._remove(list(voices)))

    def undo(self) -> None:
        """Brings back what was deleted last."""
        self._tasks.start(self._undo())

    def restore(self, key: str) -> None:
        """Brings back one that was deleted some time ago."""
        self._removed = [key]
        self.undo()

    async def removed(self) -> "list[Removed]":
        """What is in the trash, the newest first."""
        found = await self._try(lambda library: library.trash.voices())
        return found or []

    def export(self, voice_id: str, path: Path, *, with_clip: bool) -> None:
        """Writes a `.pvoice` file."""
        self._tasks.start(self._export(voice_id, path, with_clip))

    def bring_in(self, paths: Sequence[str], *, model_id: str = "") -> None:
        """Takes in `.pvoice` and `.safetensors` files, and folders of them."""
        self._cancelled = False
        self._tasks.start(self._bring_in([Path(path) for path in paths], model_id))

    def cancel(self) -> None:
        """Takes in no more of several files."""
        self._cancelled = True

    # ------------------------------------------------------------ within

    async def _look(self) -> None:
        try:
            library = await self.library()
            stamp = await on_thread(library.stamp)
            if stamp == self._stamp:
                return
            found, problems = await on_thread(lambda: (tuple(library.voices()), library.problems()))
            self._stamp = stamp
            first, self.is_read = not self.is_read, True
            if found != self.voices or first:
                self.voices = found
                self.changed.emit()
            self._tell(problems)
        except PocketVoiceError as error:
            self._watch.stop()  # it would be said again and again
            self.board.show_error(error)
        finally:
            self._reading = False

    def _tell(self, problems: list[str]) -> None:
        new = [problem for problem in problems if problem not in self._told]
        self._told.update(new)
        if new:
            more = f" ({len(new) - 1} more like it are in the log.)" if len(new) > 1 else ""
            self.board.warn(new[0] + more)

    def _do(self, work: "Callable[[VoiceLibrary], object]") -> None:
        self._tasks.start(self._try(work))

    async def _try(self, work: "Callable[[VoiceLibrary], T]") -> T | None:
        """Does it on a thread and reads again; None if it failed, which is shown."""
        try:
            library = await self.library()
            return await on_thread(functools.partial(work, library))
        except PocketVoiceError as error:
            self.board.show_error(error)
            return None
        finally:
            self.look()

    async def _duplicate(self, voice_id: str) -> None:
        copy = await self._try(lambda library: library.duplicate(voice_id))
        if copy is not None:
            await self.announce([copy])

    async def _remove(self, voices: "list[Voice]") -> None:
        keys = []
        for voice in voices:
            key = await self._try(functools.partial(_remove, voice_id=voice.id))
            if key is None:
                break
            keys.append(key)
        if keys:
            self._removed = keys
            what = f"{voices[0].name} was" if len(keys) == 1 else f"{len(keys)} voices were"
            self.board.say(f"{what} deleted.", (Remedy.UNDO,))

    async def _undo(self) -> None:
        keys, self._removed = self._removed, []
        self.board.dismiss()
        back = [
            voice
            for key in keys
            if (voice := await self._try(functools.partial(_restore, key=key))) is not None
        ]
        await self.announce(back)

    async def _export(self, voice_id: str, path: Path, with_clip: bool) -> None:
        def work(library: "VoiceLibrary") -> Path:
            from pocketvoice.voices.packages import export_voice

            return export_voice(library, voice_id, path, with_clip=with_clip)

        self.busy.emit(f"Saving {path.name}…", -1.0)
        written = await self._try(work)
        self.busy.emit("", 1.0)
        if written is not None:
            self.board.say(f"The voice was saved as {written}.")

    async def _bring_in(self, paths: list[Path], model_id: str) -> None:
        """One after the other, so that it can be cancelled in between."""
        files = await on_thread(lambda: [file for path in paths for file in _files(path)])
        if not files:
            self.board.warn(
                f"There are no voices in {paths[0].name}: they are files named .pvoice or .safetensors."
            )
        came: list[Voice] = []
        said: list[str] = []
        for index, file in enumerate(files):
            if self._cancelled:
                said.append("The rest was not brought in.")
                break
            self.busy.emit(f"Bringing in {file.name}…", index / len(files))
            done = await self._try(functools.partial(_import, path=file, model_id=model_id))
            if done is not None:
                came += done.voices
                said += [*done.notes, *done.failures]
        self.busy.emit("", 1.0)
        await self.announce(came)
        self._tell_brought(came, said)

    def _tell_brought(self, came: "list[Voice]", said: list[str]) -> None:
        what = f"{came[0].name} is here now." if len(came) == 1 else f"{len(came)} voices are here now."
        more = [f"({len(said) - 2} more notes are in the log.)"] if len(said) > 2 else []
        sentences = ([what] if came else []) + said[:2] + more
        if sentences:
            self.board.say(" ".join(sentences))

    async def announce(self, voices: "list[Voice]") -> None:
        """Shows them at once, and not at the next look."""
        if not voices:
            return
        while self._reading:
            await asyncio.sleep(0.01)
        self._reading = True
        await self._look()
        self.added.emit([voice.id for voice in voices])


async def on_thread(work: "Callable[[], T]") -> T:
    """Runs what touches the disk beside the window."""
    return await asyncio.get_running_loop().run_in_executor(None, work)


def _open_library() -> "VoiceLibrary":
    from pocketvoice.voices.library import open_library

    names = set(catalogue.voice_names())
    for language in catalogue.languages():
        if catalogue.entry(language).is_local:
            names.update(catalogue.local_voices(language))
    return open_library(sorted(names))


def _remove(library: "VoiceLibrary", *, voice_id: str) -> str:
    return library.remove(voice_id)


def _restore(library: "VoiceLibrary", *, key: str) -> "Voice":
    return library.trash.restore(key)


def _import(library: "VoiceLibrary", *, path: Path, model_id: str) -> "Imported":
    from pocketvoice.voices.packages import import_voices

    return import_voices(library, path, model_id=model_id)


def _files(path: Path) -> list[Path]:
    """The voice files in a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    try:
        return sorted(file for file in path.iterdir() if file.suffix.lower() in (".pvoice", ".safetensors"))
    except OSError:
        return [path]  # bringing it in says why
