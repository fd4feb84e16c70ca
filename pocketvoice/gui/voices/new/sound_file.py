"""The sound of a voice being made, as a file that can be played: in the draft on disk, or elsewhere where that has no space.

Knows no widgets. Main thread only; the disk is touched on threads.
"""

import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.library_model import on_thread
from pocketvoice.gui.voices.new import draft_store
from pocketvoice.gui.voices.new.draft_store import Choices

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source


class SoundFile:
    """Writes the sound and the choices of one session."""

    def __init__(self, messages: Messages, tasks: Tasks) -> None:
        self.path: Path | None = None
        """Where the sound lies; None if there was no space for it anywhere."""
        self._messages = messages
        self._tasks = tasks
        self._elsewhere: tempfile.TemporaryDirectory[str] | None = None

    async def write(self, source: "Source", choices: Choices) -> None:
        """Writes another sound. A full disk is told; it keeps nobody from making a voice."""
        if await self._try_draft(source, choices):
            self.path = draft_store.sound_path()
        else:
            self.path = await self._written_elsewhere(source)

    async def write_choices(self, choices: Choices) -> None:
        """Writes what was chosen for the same sound; a full disk is told."""
        await self._try_draft(None, choices)

    def use_draft(self) -> None:
        """The sound is the one that was loaded from the draft."""
        self.path = draft_store.sound_path()

    def clean_up(self) -> None:
        """Deletes what does not belong to the draft."""
        folder, self._elsewhere = self._elsewhere, None
        if folder is not None:
            self._tasks.start(on_thread(folder.cleanup))

    async def _try_draft(self, source: "Source | None", choices: Choices) -> bool:
        try:
            if source is not None:
                await on_thread(functools.partial(draft_store.save_sound, source))
            await on_thread(functools.partial(draft_store.save_choices, choices))
        except PocketVoiceError as error:
            self._messages.warn(f"The recording can't be kept for later. {error}")
            return False
        return True

    async def _written_elsewhere(self, source: "Source") -> Path | None:
        self._elsewhere = tempfile.TemporaryDirectory(prefix="pocketvoice-", ignore_cleanup_errors=True)
        path = Path(self._elsewhere.name) / "sound.flac"
        try:
            await on_thread(functools.partial(draft_store.write_sound, source, path))
        except PocketVoiceError:
            return None
        return path
