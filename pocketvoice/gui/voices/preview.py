"""What is listened to while choosing and making voices: one sound at a time, a file or a sentence in a voice. Knows no widgets.

What it interrupts goes on afterwards. Main thread only.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pocketvoice.gui.controllers.messages import Messages, remedies_for
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.worker.messages import Failed, PlayFile, Position, Preview, Request

if TYPE_CHECKING:
    from pocketvoice.gui.controllers.worker import RunningRequest, Worker


class VoicePreview(QObject):
    """Plays one sound, and says which one and where it is."""

    changed = Signal()

    def __init__(
        self, client: "Worker", messages: Messages, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.key = ""
        """The name that the caller gave what is being played; "" while nothing is."""
        self.position_s: float | None = None
        """Seconds from where it began; None while that is not known."""
        self._client = client
        self._messages = messages
        self._tasks = tasks
        self._number = 0  # counts what was played; an older one that still reports is not shown
        self._handle: RunningRequest | None = None

    def play_file(self, key: str, path: Path, start_s: float = 0.0, stop_s: float | None = None) -> None:
        """Plays a sound file, or a part of it, instead of what is being played."""
        self._begin(key, PlayFile(str(path), start_s=start_s, stop_s=stop_s))

    def play_voice(self, key: str, voice: str, text: str) -> None:
        """Speaks a sentence in a voice, instead of what is being played."""
        self._begin(key, Preview(voice, text))

    def stop(self) -> None:
        """Stops what is being played."""
        self._number += 1
        handle, self._handle = self._handle, None
        if handle is not None:
            self._tasks.start(_stop(handle))
        self._show("", None)

    def _begin(self, key: str, request: Request) -> None:
        self.stop()
        self._show(key, None)
        self._tasks.start(self._run(self._number, request))

    async def _run(self, number: int, request: Request) -> None:
        handle = await self._client.send(request)
        if number != self._number:
            await handle.stop()
            return
        self._handle = handle
        async for event in handle:
            if number != self._number:
                return
            if isinstance(event, Position):
                self._show(self.key, event.heard_s)
            elif isinstance(event, Failed):
                self._messages.show_error(event.error, remedies_for(self._client))
        self._handle = None
        self._show("", None)

    def _show(self, key: str, position_s: float | None) -> None:
        if (key, position_s) != (self.key, self.position_s):
            self.key, self.position_s = key, position_s
            self.changed.emit()


async def _stop(handle: "RunningRequest") -> None:
    await handle.stop()
