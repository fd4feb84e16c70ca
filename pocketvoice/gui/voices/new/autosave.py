"""Writes what is being recorded to the draft on disk: after each piece, and when the dialog or the program ends. Knows no widgets.

Main thread only.
"""

import asyncio
import dataclasses
import functools
from contextlib import suppress

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.voices.library_model import on_thread
from pocketvoice.gui.voices.new import draft_store
from pocketvoice.gui.voices.new.recording import MicrophoneRecording
from pocketvoice.gui.voices.new.session import NewVoiceSession

_END_S = 6.0  # how long a microphone may take to end


class Autosave:
    """Saves the recording and the session of one dialog."""

    def __init__(self, recording: MicrophoneRecording, session: NewVoiceSession, messages: Messages) -> None:
        self._recording = recording
        self._session = session
        self._messages = messages
        self._disk = asyncio.Lock()  # held by whoever writes or deletes the draft's sound

    async def save(self) -> None:
        """Writes what was recorded so far; raises OutputError or DiskFullError."""
        async with self._disk:
            if not self._recording.has_sound:
                return
            source = await self._recording.source()
            choices = dataclasses.replace(self._session.choices, is_recording=True, source_name=source.name)
            await on_thread(functools.partial(draft_store.save_sound, source))
            await on_thread(functools.partial(draft_store.save_choices, choices))

    async def save_or_warn(self) -> None:
        """Writes what was recorded so far, so that not even a power cut takes it; a full disk is told."""
        try:
            await self.save()
        except PocketVoiceError as error:
            self._messages.warn(f"The recording can't be kept for later. {error}")

    async def delete(self) -> None:
        """Deletes the draft, unless there is sound in it again: the user begins anew."""
        async with self._disk:
            if self._session.view.source is None and not self._recording.has_sound:
                await on_thread(draft_store.delete)

    async def finish(self) -> bool:
        """Writes everything at the end; whether there is anything to go on with. Raises OutputError or DiskFullError."""
        if self._session.view.source is None:
            over = asyncio.Event()
            self._recording.finish(over.set)
            with suppress(TimeoutError):  # a device that hangs does not hold up the end
                await asyncio.wait_for(over.wait(), _END_S)
            await self.save()
        is_kept = await self._session.set_aside()
        self._recording.clear()
        return is_kept or (await on_thread(draft_store.load)) is not None
