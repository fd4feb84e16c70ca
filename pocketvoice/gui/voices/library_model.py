"""The user's voices as the window sees them: read, changed and watched on threads; what goes wrong is one sentence in `messages`.

Knows no widgets. Main thread only; the library itself may be called from any.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages, Remedy
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.transfer import VoiceTransfer
from pocketvoice.hub import catalogue

if TYPE_CHECKING:
    from pocketvoice.voices.library import VoiceLibrary
    from pocketvoice.voices.trash import Removed
    from pocketvoice.voices.voice import Voice

T = TypeVar("T")

_POLL_CLOSELY_MS, _POLL_MS = 1500, 6000  # other programs may add voices too


class LibraryModel(QObject):
    """The voices of the user, kept up to date."""

    changed = Signal()
    added = Signal(list)  # ids of voices that came just now

    def __init__(self, tasks: Tasks, open_library: "Callable[[], VoiceLibrary] | None" = None) -> None:
        """`open_library` is called on a thread, once; by default it opens the user's library."""
        super().__init__()
        self.voices: tuple[Voice, ...] = ()
        self.is_read = False
        """Whether `voices` were read yet."""
        self.messages = Messages(self)
        """What is said about voices; shown in the window of all voices."""
        self.transfer = VoiceTransfer(self._on_library, self.announce, self.messages, tasks, self)
        self._tasks = tasks
        self._open = open_library or _open_library
        self._library: VoiceLibrary | None = None
        self._opening = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._is_look_due = False  # a look was asked for and has not begun
        self._stamp: object = None
        self._told: set[str] = set()  # damaged folders that were told of
        self._removed: list[str] = []  # keys in the trash, the newest last
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self.look)

    # ------------------------------------------------------------ reading

    def start(self) -> None:
        """Reads the voices, and watches for changes from now on."""
        self._poll.start()
        self.look()

    def watch_closely(self, closely: bool) -> None:
        """Looks every 1.5 s while the voices are shown, else every 6 s."""
        self._poll.setInterval(_POLL_CLOSELY_MS if closely else _POLL_MS)

    def close(self) -> None:
        """Ends the watching for changes."""
        self._poll.stop()

    def look(self) -> None:
        """Reads the voices again if anything has changed."""
        if not self._is_look_due:
            self._is_look_due = True
            self._tasks.start(self._look())

    def find(self, key: str) -> "Voice | None":
        """The voice with that id or name (any case), as the command line takes it; None if there is none."""
        by_key = {voice.id: voice for voice in self.voices} | {
            voice.name.casefold(): voice for voice in self.voices
        }
        return by_key.get(key) or by_key.get(key.casefold())

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts a coroutine that waits for the library."""
        self._tasks.start(work)

    async def library(self) -> "VoiceLibrary":
        """The library, opened on a thread at the first call."""
        async with self._opening:
            if self._library is None:
                self._library = await on_thread(self._open)
            return self._library

    # ------------------------------------------------------------ changing

    def update(self, voice_id: str, **changes: Any) -> None:
        """Changes fields of a voice: name, language, speed, volume, notes, favourite."""
        self._tasks.start(self._on_library(lambda library: library.update(voice_id, **changes)))

    def duplicate(self, voice_id: str) -> None:
        """Makes a copy under another name."""
        self._tasks.start(self._duplicate(voice_id))

    def remove(self, voices: "Sequence[Voice]") -> None:
        """Moves voices to the trash; `undo` brings them back."""
        self._tasks.start(self._remove(list(voices)))

    def undo(self) -> None:
        """Brings back what was deleted last."""
        keys, self._removed = self._removed, []
        self._tasks.start(self._restore(keys))

    def restore(self, key: str) -> None:
        """Brings back a voice that was deleted some time ago, by its key in the trash."""
        self._removed = []
        self._tasks.start(self._restore([key]))

    async def removed(self) -> "list[Removed]":
        """What is in the trash, the newest first."""
        found = await self._on_library(lambda library: library.trash.voices())
        return found or []

    async def announce(self, voices: "list[Voice]") -> None:
        """Shows voices that came just now at once, and not at the next look; emits `added`."""
        if voices:
            await self._look()
            self.added.emit([voice.id for voice in voices])

    # ------------------------------------------------------------ within

    async def _look(self) -> None:
        async with self._reading:
            self._is_look_due = False
            try:
                await self._read()
            except PocketVoiceError as error:
                self._poll.stop()  # it would be said again and again
                self.messages.show_error(error)

    async def _read(self) -> None:
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

    def _tell(self, problems: list[str]) -> None:
        """Warns of each damaged folder once."""
        new = [problem for problem in problems if problem not in self._told]
        self._told.update(new)
        if new:
            more = f" ({len(new) - 1} more like it are in the log.)" if len(new) > 1 else ""
            self.messages.warn(new[0] + more)

    async def _on_library(self, work: "Callable[[VoiceLibrary], T]") -> T | None:
        """Calls `work` on a thread and reads again; None if it failed, which is shown."""
        try:
            library = await self.library()
            return await on_thread(functools.partial(work, library))
        except PocketVoiceError as error:
            self.messages.show_error(error)
            return None
        finally:
            self.look()

    async def _duplicate(self, voice_id: str) -> None:
        copy = await self._on_library(lambda library: library.duplicate(voice_id))
        if copy is not None:
            await self.announce([copy])

    async def _remove(self, voices: "list[Voice]") -> None:
        keys = []
        for voice in voices:
            key = await self._on_library(functools.partial(_remove, voice_id=voice.id))
            if key is None:
                break
            keys.append(key)
        if keys:
            self._removed = keys
            what = f"{voices[0].name} was" if len(keys) == 1 else f"{len(keys)} voices were"
            self.messages.say(f"{what} deleted.", (Remedy.UNDO,))

    async def _restore(self, keys: list[str]) -> None:
        self.messages.dismiss()
        back = [
            voice
            for key in keys
            if (voice := await self._on_library(functools.partial(_restore, key=key))) is not None
        ]
        await self.announce(back)


async def on_thread(work: "Callable[[], T]") -> T:
    """Runs what touches the disk on a thread, beside the window."""
    # Not `get_running_loop`: qasync handles events once more after its loop has stopped, and then no loop counts as running.
    return await asyncio.get_event_loop().run_in_executor(None, work)


def _open_library() -> "VoiceLibrary":
    """The user's library, in which names of the catalogue count as taken."""
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
