"""Saves a speech as a sound file: the worker writes a WAV, a thread makes the wanted format from it. Knows no widgets."""

import asyncio
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pocketvoice.audio.sound_kinds import WAV, SoundKind
from pocketvoice.errors import Cancelled, InputError
from pocketvoice.gui.controllers.messages import Messages, Topic, remedies_for
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.sound_files import named_as
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.worker import RunningRequest, Worker
from pocketvoice.worker.messages import Export, ExportProgress, Failed, Finished, Terminal

_CONVERTING = 0.98  # of the bar when the WAV is complete


class Exporter(QObject):
    """Saves one speech at a time."""

    progressed = Signal(str, float)  # a sentence, and the fraction done
    ended = Signal()

    def __init__(
        self,
        client: Worker,
        messages: Messages,
        tasks: Tasks,
        settings: SettingsController,
        seed: int | None = None,
    ) -> None:
        """With a `seed` the same text gives the same sound each time."""
        super().__init__()
        self._settings = settings
        self._seed = seed
        self._client = client
        self._messages = messages
        self._tasks = tasks
        self._handle: RunningRequest | None = None
        self._cancel = threading.Event()
        self.busy = False

    def save(self, text: str, path: Path, *, voice: str | None, speed: float) -> None:
        """Speaks `text` into a file; its suffix says the format, WAV if it says none."""
        if self.busy:
            self._messages.warn("A speech is being saved: wait for it, or cancel it.", topic=Topic.SAVING)
            return
        try:
            path, kind = named_as(path)
        except InputError as error:
            self._messages.show_error(error)
            return
        self.busy, self._cancel = True, threading.Event()
        self.progressed.emit(f"Saving {path.name}…", 0.0)
        self._tasks.start(self._save(text, path, kind, voice, speed))

    def cancel(self) -> None:
        """Ends the saving; the file is as it was before."""
        self._cancel.set()
        if self._handle is not None:
            self._tasks.start(_stop(self._handle))

    async def _save(self, text: str, path: Path, kind: SoundKind, voice: str | None, speed: float) -> None:
        try:
            if kind is WAV:
                done = await self._speak(text, path, path, voice, speed)
            else:
                done = await self._speak_and_convert(text, path, kind, voice, speed)
        except Cancelled:
            done = False
        finally:
            self.busy, self._handle = False, None
            self.ended.emit()
            self._messages.over(Topic.SAVING)
        if done:
            self._messages.say(f"The speech was saved as {path}.")

    async def _speak_and_convert(
        self, text: str, path: Path, kind: SoundKind, voice: str | None, speed: float
    ) -> bool:
        with tempfile.TemporaryDirectory(prefix="pocketvoice-", ignore_cleanup_errors=True) as folder:
            wav = Path(folder) / "speech.wav"
            if not await self._speak(text, wav, path, voice, speed):
                return False
            self.progressed.emit(f"Saving {path.name}…", _CONVERTING)
            await _on_thread(partial(_convert, wav, path, kind, self._cancel))
        return True

    async def _speak(self, text: str, wav: Path, shown: Path, voice: str | None, speed: float) -> bool:
        """Has the worker write the WAV; whether it is complete. `shown` is the path that the user chose."""
        handle = self._handle = await self._client.send(
            Export(
                text,
                str(wav),
                voice=voice,
                speed=speed,
                seed=self._seed,
                names_emoji=self._settings.now.names_emoji,
            )
        )
        if self._cancel.is_set():  # pressed before there was anything to stop
            self._tasks.start(_stop(handle))
        end: Terminal | None = None
        async for event in handle:
            if isinstance(event, ExportProgress):
                self.progressed.emit(f"Saving {shown.name}…", event.fraction * _CONVERTING)
            elif isinstance(event, Terminal):
                end = event
        self._handle = None
        if isinstance(end, Failed):
            self._messages.show_error(end.error, remedies_for(self._client))
        return isinstance(end, Finished)


def _convert(wav: Path, target: Path, kind: SoundKind, cancel: threading.Event) -> None:
    from pocketvoice.audio.saving import convert  # and numpy with it, which the window does without

    convert(wav, target, kind, cancel)


async def _stop(handle: RunningRequest) -> None:
    await handle.stop()


async def _on_thread(work: Callable[[], None]) -> None:
    await asyncio.get_running_loop().run_in_executor(None, work)
