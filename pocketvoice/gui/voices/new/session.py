"""Makes a voice, from a sound to an entry of the library: its part is chosen and judged, the worker clones it, takes are spoken,
one is saved. Knows no widgets. What takes time runs on threads or in the worker, and can be cancelled. Main thread only.
"""

import asyncio
import dataclasses
import functools
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages, remedies_for
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.library_model import LibraryModel, on_thread
from pocketvoice.gui.voices.new import draft_store, processing
from pocketvoice.gui.voices.new.draft_store import Choices
from pocketvoice.gui.voices.new.processing import SpokenTake
from pocketvoice.gui.voices.new.sound_file import SoundFile
from pocketvoice.gui.voices.new.view import MOST_TAKES, NewVoiceView
from pocketvoice.worker.messages import (
    CloneVoice,
    Event,
    Export,
    ExportProgress,
    Failed,
    Finished,
    Ready,
    Terminal,
    VoiceCloned,
)

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source
    from pocketvoice.gui.controllers.worker import RunningRequest, Worker
    from pocketvoice.voices.draft import Draft

_STILL_MS = 250  # the part is judged so long after it was moved last


class NewVoiceSession(QObject):
    """Makes one voice."""

    changed = Signal(object)  # NewVoiceView
    saved = Signal(object)  # Voice
    take_ready = Signal(int)  # index of a take that came just now

    def __init__(
        self,
        client: "Worker",
        library: LibraryModel,
        messages: Messages,
        tasks: Tasks,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.view = NewVoiceView()
        self.choices = Choices()
        self._client = client
        self._library = library
        self._messages = messages
        self._tasks = tasks
        self._draft: Draft | None = None
        self._cloned_for = ""  # model id
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # where the takes lie
        self._sound_file = SoundFile(messages, tasks)
        self._handle: RunningRequest | None = None
        self._number = 0  # counts what was begun; the result of an older one is not used
        self._woken = asyncio.Event()  # set when a model is ready, or what waits for it was cancelled
        self._judge_timer = QTimer(self)
        self._judge_timer.setSingleShot(True)
        self._judge_timer.setInterval(_STILL_MS)
        self._judge_timer.timeout.connect(lambda: self._tasks.start(self._judge()))

    @property
    def sound_path(self) -> Path | None:
        """The sound as a file that can be played; None if there was no space for it."""
        return self._sound_file.path

    # ------------------------------------------------------------ the sound

    def read_file(self, path: str) -> None:
        """Takes a file as the sound."""
        self._begin(f"Reading {Path(path).name}…", lambda: self._read_file(path))

    def take_source(self, source: "Source", *, is_recording: bool) -> None:
        """Takes a sound that was recorded."""
        self._begin("Looking for the best part…", lambda: self._take(source, is_recording=is_recording))

    def take_unfinished(self, source: "Source", choices: Choices) -> None:
        """Goes on where an earlier start ended."""
        self._begin("Looking for the best part…", lambda: self._take(source, choices=choices))

    def move_part(self, start_s: float) -> None:
        """Moves the part to where the user dragged it; it is judged a moment later."""
        self.trim_part(start_s, start_s + self.view.part_s[1] - self.view.part_s[0])

    def trim_part(self, start_s: float, stop_s: float) -> None:
        """Takes another part, of any length; it is judged a moment later."""
        self._forget_voice()
        self._show(part_s=(start_s, stop_s), report=None)
        self._judge_timer.start()

    def choose(self, **values: Any) -> None:
        """Changes fields of `choices`: name, language, consent, sentence."""
        self.choices = dataclasses.replace(self.choices, **values)

    # ------------------------------------------------------------ the voice

    def clone(self) -> None:
        """Has the worker make the voice, unless it was made for the loaded model."""
        ready = self._client.ready
        if not self.view.is_cloned or (ready is not None and ready.model_id != self._cloned_for):
            self._forget_voice()
            self._begin("Making the voice…", lambda: self._clone())

    def speak_take(self, sentence: str) -> None:
        """Has the sentence spoken with another seed; another sentence replaces the takes of the last one."""
        if not self.view.is_cloned or self.view.busy:
            return
        if sentence != self.view.spoken:
            self._show(takes=(), take=-1, spoken=sentence)
        if len(self.view.takes) < MOST_TAKES:
            self._begin(f"Speaking take {len(self.view.takes) + 1}…", lambda: self._speak_take(sentence))

    def choose_take(self, index: int) -> None:
        """Chooses the take whose seed is saved with the voice."""
        self._show(take=index)

    def save(self) -> None:
        """Saves the voice in the library, with the chosen take's seed."""
        self._begin("Saving the voice…", lambda: self._save())

    # ------------------------------------------------------------ ending

    def cancel(self) -> None:
        """Ends whatever `view.busy` speaks of."""
        self._number += 1
        self._woken.set()
        handle, self._handle = self._handle, None
        if handle is not None:
            self._tasks.start(_stop(handle))
        self._show(busy="", share=None)

    async def set_aside(self) -> bool:
        """Leaves the draft on disk for another time, and deletes all else; whether there is one."""
        self.cancel()
        self._forget_voice()
        self._sound_file.clean_up()
        if self.view.source is None:
            return False
        await self._sound_file.write_choices(self.choices)
        return True

    # ------------------------------------------------------------ within

    def _begin(self, sentence: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.cancel()
        self._messages.dismiss()
        self._show(busy=sentence, share=None)
        self._tasks.start(self._run(self._number, work))

    async def _run(self, number: int, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except PocketVoiceError as error:
            if number == self._number:
                self._messages.show_error(error)
        finally:
            if number == self._number:
                self._handle = None
                self._show(busy="", share=None)

    async def _read_file(self, path: str) -> None:
        number = self._number
        source = await on_thread(functools.partial(processing.read_source, path))
        if number == self._number:
            await self._take(source)

    async def _take(
        self, source: "Source", *, is_recording: bool = False, choices: Choices | None = None
    ) -> None:
        number = self._number
        if choices is None:
            await self._begin_choices(source, is_recording)
        else:
            self.choices = choices
            self._sound_file.use_draft()
        peaks, part_s = await on_thread(functools.partial(processing.peaks_and_best_part, source))
        if choices is not None and 0 <= choices.start_s < choices.stop_s <= source.duration_s + 0.01:
            part_s = (choices.start_s, choices.stop_s)
        if number != self._number:
            return
        self._forget_voice()
        self._show(source=source, peaks=peaks, part_s=part_s, clip_s=part_s, report=None)
        if source.notes:
            self._messages.say(" ".join(source.notes))
        await self._judge()

    async def _begin_choices(self, source: "Source", is_recording: bool) -> None:
        """Forgets what was chosen about an earlier sound, and writes the new one at once: from now on it can't be lost."""
        self.choices = dataclasses.replace(
            self.choices,
            consented=False,
            start_s=0.0,
            stop_s=0.0,
            is_recording=is_recording,
            source_name=source.name,
        )
        await self._sound_file.write(source, self.choices)

    async def _judge(self) -> None:
        source, part_s = self.view.source, self.view.part_s
        if source is None:
            return
        clip_s, report = await on_thread(functools.partial(processing.judge, source, part_s))
        if not isValid(self):
            return  # the dialog was closed meanwhile, and Qt has deleted the session
        if (source, part_s) == (self.view.source, self.view.part_s):
            self.choices = dataclasses.replace(self.choices, start_s=part_s[0], stop_s=part_s[1])
            self._show(clip_s=clip_s, report=report)

    async def _clone(self) -> None:
        number, source = self._number, self.view.source
        assert source is not None, "a sound comes before its voice"
        library = await self._library.library()
        start, stop = (round(at_s * source.sample_rate) for at_s in self.view.clip_s)
        draft = await on_thread(
            lambda: library.draft(
                source.samples[start:stop], source=source.name, language=self.choices.language
            )
        )
        if number != self._number:
            await on_thread(draft.discard)
            return
        self._draft = draft
        ready = await self._until_ready(number)
        if ready is None:
            return
        path = await on_thread(lambda: draft.state_path(ready))
        if number != self._number or self._draft is not draft:
            return
        handle = self._handle = await self._client.send(CloneVoice(str(draft.clip_path), str(path)))
        notes: tuple[str, ...] = ()
        end: Terminal | None = None
        async for event in handle:
            if isinstance(event, VoiceCloned):
                notes = event.notes
            elif isinstance(event, Terminal):
                end = event
        if number == self._number and end is not None and self._is_good(end):
            self._cloned_for = ready
            self._show(is_cloned=True, told=" ".join(notes))

    async def _until_ready(self, number: int) -> str | None:
        """The id of the loaded model, waiting for it; None if this was cancelled."""
        unlisten = self._client.listen(self._on_event)
        try:
            while number == self._number and self._client.ready is None:
                self._show(busy="Waiting for the voice model…")
                self._woken.clear()
                await self._woken.wait()
        finally:
            unlisten()
        ready = self._client.ready
        return ready.model_id if ready is not None and number == self._number else None

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Ready):
            self._woken.set()

    async def _speak_take(self, sentence: str) -> None:
        number, draft = self._number, self._draft
        assert draft is not None, "a voice is made before it speaks"
        seed = len(self.view.takes) + 1
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="pocketvoice-", ignore_cleanup_errors=True)
        path = Path(self._folder.name) / f"{number}-{seed}.wav"
        state = await on_thread(lambda: draft.state_path(self._cloned_for))
        if number != self._number:
            return
        handle = self._handle = await self._client.send(
            Export(sentence, str(path), voice=str(state), seed=seed)
        )
        end: Terminal | None = None
        async for event in handle:
            if isinstance(event, ExportProgress) and number == self._number:
                self._show(share=event.fraction)
            elif isinstance(event, Terminal):
                end = event
        if number == self._number and end is not None and self._is_good(end):
            takes = (*self.view.takes, SpokenTake(seed, path))
            self._show(takes=takes, take=len(takes) - 1, busy="", share=None)
            self.take_ready.emit(len(takes) - 1)

    async def _save(self) -> None:
        number, draft, choices = self._number, self._draft, self.choices
        assert draft is not None, "a voice is made before it is saved"
        take = self.view.takes[self.view.take] if self.view.take >= 0 else None
        source = self.view.source
        voice = await on_thread(
            functools.partial(
                processing.save, draft, choices, take, source.name if source is not None else ""
            )
        )
        self._draft = None
        self._delete_takes()
        self._sound_file.clean_up()
        await on_thread(draft_store.delete)
        if number == self._number:
            self._show(busy="", share=None)
        self.saved.emit(voice)

    def _forget_voice(self) -> None:
        """Deletes the voice that was made: the part or the model is another one, or the dialog ends."""
        draft, self._draft, self._cloned_for = self._draft, None, ""
        self._show(is_cloned=False, told="", takes=(), take=-1, spoken="")
        self._delete_takes()
        if draft is not None:
            self._tasks.start(on_thread(draft.discard))

    def _delete_takes(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            self._tasks.start(on_thread(folder.cleanup))

    def _is_good(self, end: Terminal) -> bool:
        if isinstance(end, Failed):
            self._messages.show_error(end.error, remedies_for(self._client))
        return isinstance(end, Finished)

    def _show(self, **values: object) -> None:
        """The only place that changes `view`."""
        new = dataclasses.replace(self.view, **values)  # type: ignore[arg-type]
        if new != self.view:
            self.view = new
            self.changed.emit(new)


async def _stop(handle: "RunningRequest") -> None:
    await handle.stop()
