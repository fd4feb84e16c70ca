"""Sees to it that what was recorded is on disk, piece by piece, and when the dialog or the program ends. Knows no widgets.

Main thread only.
"""

import asyncio
import dataclasses
import functools
from contextlib import suppress

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.voices.library_model import on_thread
from pocketvoice.gui.voices.new import draft_store as unfinished
from pocketvoice.gui.voices.new.recording import MicrophoneRecording
from pocketvoice.gui.voices.new.session import NewVoiceSession

_END_S = 6.0


class Autosave:
    """Of one dialog."""

    def __init__(self, recording: MicrophoneRecording, making: NewVoiceSession, board: Messages) -> None:
        self._recording = recording
        self._making = making
        self._board = board
        self._disk = asyncio.Lock()  # held by whoever writes or deletes the unfinished sound

    async def keep(self) -> None:
        """Puts what was recorded so far on disk; raises OutputError or DiskFullError."""
        async with self._disk:
            if not self._recording.has_sound:
                return
            source = await self._recording.source()
            chosen = dataclasses.replace(self._making.chosen, is_recording=True, source_name=source.name)
            await on_thread(functools.partial(unfinished.keep_sound, source))
            await on_thread(functools.partial(unfinished.keep_chosen, chosen))

    async def try_keep(self) -> None:
        """After each piece: not even a power cut takes it."""
        try:
            await self.keep()
        except PocketVoiceError as error:
            self._board.warn(f"The recording can't be kept for later. {error}")

    async def forget(self) -> None:
        """The user begins anew, and nothing else is being made."""
        async with self._disk:
            if self._making.view.source is None and not self._recording.has_sound:
                await on_thread(unfinished.forget)

    async def put_away(self) -> bool:
        """At the end; whether there is anything to go on with. Raises OutputError or DiskFullError."""
        if self._making.view.source is None:
            over = asyncio.Event()
            self._recording.finish(over.set)
            with suppress(TimeoutError):  # a device that hangs does not hold up the end
                await asyncio.wait_for(over.wait(), _END_S)
            await self.keep()
        kept = await self._making.keep()
        self._recording.clear()
        return kept or (await on_thread(unfinished.load)) is not None
