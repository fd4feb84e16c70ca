"""Makes a voice, from a sound to an entry of the library: its part is chosen and judged, the worker clones it, takes are spoken,
one is kept. Knows no widgets. What takes time runs on threads or in the worker, and can be cancelled. Main thread only.
"""

import asyncio
import dataclasses
import functools
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages, remedies_for
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.library_model import LibraryModel, on_thread
from pocketvoice.gui.voices.new import draft_store as unfinished
from pocketvoice.gui.voices.new import processing
from pocketvoice.gui.voices.new.draft_store import Chosen
from pocketvoice.gui.voices.new.processing import SpokenTake
from pocketvoice.worker.messages import ExportProgress, Failed, Finished, Terminal

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source
    from pocketvoice.audio.quality import QualityReport
    from pocketvoice.gui.controllers.worker import RunningRequest, Worker
    from pocketvoice.voices.draft import Draft

MOST_TAKES = 3
_CALM_MS = 250  # after the last move of the part it is judged


@dataclass(frozen=True)
class NewVoiceView:
    """All that is shown of a voice being made."""

    source: "Source | None" = None
    peaks: tuple[float, ...] = ()
    """The picture of the sound: the largest amplitude of each column, 0 to 1."""
    part_s: tuple[float, float] = (0.0, 0.0)
    """Start and stop as they were dragged."""
    clip_s: tuple[float, float] = (0.0, 0.0)
    """Start and stop of what is used: moved into pauses nearby."""
    report: "QualityReport | None" = None
    """None while it is being judged."""
    busy: str = ""
    """A sentence while something takes a while; "" else."""
    share: float | None = None
    """How much of that is done; None is not known."""
    is_cloned: bool = False
    takes: tuple[SpokenTake, ...] = ()
    take: int = -1
    """Index of the chosen one; -1 is none."""
    spoken: str = ""
    """The sentence of the takes."""


class NewVoiceSession(QObject):
    """One voice on its way."""

    changed = Signal(object)  # NewVoiceView
    saved = Signal(object)  # Voice
    take_ready = Signal(int)  # index of a take that came just now

    def __init__(
        self,
        client: "Worker",
        shelf: LibraryModel,
        board: Messages,
        tasks: Tasks,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.view = NewVoiceView()
        self.chosen = Chosen()
        self.sound_path: Path | None = None
        """The sound as a file, to be listened to; None if no disk would take it."""
        self._client = client
        self._shelf = shelf
        self._board = board
        self._tasks = tasks
        self._draft: Draft | None = None
        self._cloned_for = ""  # model id
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # of the takes
        self._beside: tempfile.TemporaryDirectory[str] | None = None  # of a sound that could not be kept
        self._handle: RunningRequest | None = None
        self._work = 0  # number of what is being done; an older one's result is not taken
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(_CALM_MS)
        self._calm.timeout.connect(lambda: self._tasks.start(self._judge()))

    # ------------------------------------------------------------ the sound

    def read_file(self, path: str) -> None:
        """Takes a file as the sound."""
        self._begin(f"Reading {Path(path).name}…", lambda: self._read_file(path))

    def take_source(self, source: "Source", *, is_recording: bool) -> None:
        """Takes a sound that was recorded."""
        self._begin("Looking for the best part…", lambda: self._take(source, is_recording=is_recording))

    def take_unfinished(self, source: "Source", chosen: Chosen) -> None:
        """Goes on where an earlier start ended."""
        self._begin("Looking for the best part…", lambda: self._take(source, chosen=chosen))

    def move_part(self, start_s: float) -> None:
        """The user dragged the part: it is judged a moment later."""
        length_s = self.view.part_s[1] - self.view.part_s[0]
        self._forget_voice()
        self._show(part_s=(start_s, start_s + length_s), report=None)
        self._calm.start()

    def choose(self, **values: Any) -> None:
        """Name, language, consent, sentence."""
        new = dataclasses.replace(self.chosen, **values)
        if new != self.chosen:
            self.chosen = new

    # ------------------------------------------------------------ the voice

    def clone(self) -> None:
        """Makes the voice, unless it is made for the loaded model."""
        ready = self._client.ready
        if not self.view.is_cloned or (ready is not None and ready.model_id != self._cloned_for):
            self._forget_voice()
            self._begin("Making the voice…", lambda: self._clone())

    def speak_take(self, sentence: str) -> None:
        """Speaks the sentence with another seed; another sentence begins anew."""
        if not self.view.is_cloned or self.view.busy:
            return
        if sentence != self.view.spoken:
            self._show(takes=(), take=-1, spoken=sentence)
        if len(self.view.takes) < MOST_TAKES:
            self._begin(f"Speaking take {len(self.view.takes) + 1}…", lambda: self._speak_take(sentence))

    def choose_take(self, index: int) -> None:
        """The one to be kept."""
        self._show(take=index)

    def save(self) -> None:
        """Puts it into the library, with the chosen take's seed."""
        self._begin("Saving the voice…", lambda: self._save())

    # ------------------------------------------------------------ ending

    def cancel(self) -> None:
        """Ends what takes a while."""
        self._work += 1
        handle, self._handle = self._handle, None
        if handle is not None:
            self._tasks.start(_stop(handle))
        self._show(busy="", share=None)

    async def keep(self) -> bool:
        """Puts what there is aside for another time; whether there was anything."""
        self.cancel()
        self._forget_voice()
        self._clean(self._beside)
        self._beside = None
        if self.view.source is None:
            return False
        await self._try_kept()
        return True

    # ------------------------------------------------------------ within

    def _begin(self, sentence: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.cancel()
        self._board.dismiss()
        self._show(busy=sentence, share=None)
        self._tasks.start(self._run(self._work, work))

    async def _run(self, number: int, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except PocketVoiceError as error:
            if number == self._work:
                self._board.show_error(error)
        finally:
            if number == self._work:
                self._handle = None
                self._show(busy="", share=None)

    async def _read_file(self, path: str) -> None:
        number = self._work
        source = await on_thread(functools.partial(processing.read_source, path))
        if number == self._work:
            await self._take(source)

    async def _take(
        self, source: "Source", *, is_recording: bool = False, chosen: Chosen | None = None
    ) -> None:
        number = self._work
        if chosen is None:  # kept at once: from now on it can't be lost
            self.chosen = dataclasses.replace(
                self.chosen,
                consented=False,
                start_s=0.0,
                stop_s=0.0,
                is_recording=is_recording,
                source_name=source.name,
            )
            self.sound_path = await self._try_kept(source) or await self._written_beside(source)
        else:
            self.chosen, self.sound_path = chosen, unfinished.sound_path()
        peaks, part_s = await on_thread(functools.partial(processing.looked_at, source))
        if chosen is not None and 0 <= chosen.start_s < chosen.stop_s <= source.duration_s + 0.01:
            part_s = (chosen.start_s, chosen.stop_s)
        if number != self._work:
            return
        self._forget_voice()
        self._show(source=source, peaks=peaks, part_s=part_s, clip_s=part_s, report=None)
        if source.notes:
            self._board.say(" ".join(source.notes))
        await self._judge()

    async def _try_kept(self, source: "Source | None" = None) -> Path | None:
        """Where the sound lies now. A full disk does not keep anyone from making a voice."""
        try:
            if source is not None:
                await on_thread(functools.partial(unfinished.keep_sound, source))
            await on_thread(functools.partial(unfinished.keep_chosen, self.chosen))
        except PocketVoiceError as error:
            self._board.warn(f"The recording can't be kept for later. {error}")
            return None
        return unfinished.sound_path()

    async def _written_beside(self, source: "Source") -> Path | None:
        """The sound where it can at least be listened to; None if no place takes it."""
        self._beside = tempfile.TemporaryDirectory(prefix="pocketvoice-", ignore_cleanup_errors=True)
        path = Path(self._beside.name) / "sound.flac"
        try:
            await on_thread(functools.partial(unfinished.write_sound, source, path))
        except PocketVoiceError:
            return None
        return path

    async def _judge(self) -> None:
        source, part_s = self.view.source, self.view.part_s
        if source is None:
            return
        clip_s, report = await on_thread(functools.partial(processing.judged, source, part_s))
        if (source, part_s) == (self.view.source, self.view.part_s):
            self.chosen = dataclasses.replace(self.chosen, start_s=part_s[0], stop_s=part_s[1])
            self._show(clip_s=clip_s, report=report)

    async def _clone(self) -> None:
        number, source = self._work, self.view.source
        assert source is not None, "a sound comes before its voice"
        library = await self._shelf.library()
        start, stop = (round(at_s * source.sample_rate) for at_s in self.view.clip_s)
        draft = await on_thread(
            lambda: library.draft(
                source.samples[start:stop], source=source.name, language=self.chosen.language
            )
        )
        if number != self._work:
            await on_thread(draft.discard)
            return
        self._draft = draft
        ready = await self._until_ready(number)
        if ready is None:
            return
        path = await on_thread(lambda: draft.state_path(ready))
        if number != self._work or self._draft is not draft:
            return
        handle = self._handle = await self._client.clone_voice(str(draft.clip_path), str(path))
        end = await handle.result()
        if number == self._work and self._is_good(end):
            self._cloned_for = ready
            self._show(is_cloned=True)

    async def _until_ready(self, number: int) -> str | None:
        """The id of the loaded model, waiting for it; None if this was cancelled."""
        while number == self._work:
            if self._client.ready is not None:
                return self._client.ready.model_id
            self._show(busy="Waiting for the voice model…")
            await asyncio.sleep(0.1)
        return None

    async def _speak_take(self, sentence: str) -> None:
        number, draft = self._work, self._draft
        assert draft is not None, "a voice is made before it speaks"
        seed = len(self.view.takes) + 1
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="pocketvoice-", ignore_cleanup_errors=True)
        path = Path(self._folder.name) / f"{number}-{seed}.wav"
        state = await on_thread(lambda: draft.state_path(self._cloned_for))
        if number != self._work:
            return
        handle = self._handle = await self._client.export(sentence, str(path), voice=str(state), seed=seed)
        end: Terminal | None = None
        async for event in handle:
            if isinstance(event, ExportProgress) and number == self._work:
                self._show(share=event.fraction)
            elif isinstance(event, Terminal):
                end = event
        if number == self._work and end is not None and self._is_good(end):
            takes = (*self.view.takes, SpokenTake(seed, path))
            self._show(takes=takes, take=len(takes) - 1, busy="", share=None)
            self.take_ready.emit(len(takes) - 1)

    async def _save(self) -> None:
        number, draft, chosen = self._work, self._draft, self.chosen
        assert draft is not None, "a voice is made before it is saved"
        take = self.view.takes[self.view.take] if self.view.take >= 0 else None
        source = self.view.source
        voice = await on_thread(
            functools.partial(
                processing.saved, draft, chosen, take, source.name if source is not None else ""
            )
        )
        self._draft = None
        self._clean(self._folder, self._beside)
        self._folder = self._beside = None
        await on_thread(unfinished.forget)
        if number == self._work:
            self._show(busy="", share=None)
        self.saved.emit(voice)

    def _forget_voice(self) -> None:
        """Of another part, another model, or of no use any more."""
        draft, self._draft, self._cloned_for = self._draft, None, ""
        self._show(is_cloned=False, takes=(), take=-1, spoken="")
        self._clean(self._folder)
        self._folder = None
        if draft is not None:
            self._tasks.start(on_thread(draft.discard))

    def _clean(self, *folders: "tempfile.TemporaryDirectory[str] | None") -> None:
        for folder in folders:
            if folder is not None:
                self._tasks.start(on_thread(folder.cleanup))

    def _is_good(self, end: Terminal) -> bool:
        if isinstance(end, Failed):
            self._board.show_error(end.error, remedies_for(self._client))
        return isinstance(end, Finished)

    def _show(self, **values: object) -> None:
        """The only place that changes what is shown."""
        new = dataclasses.replace(self.view, **values)  # type: ignore[arg-type]
        if new != self.view:
            self.view = new
            self.changed.emit(new)


async def _stop(handle: "RunningRequest") -> None:
    await handle.stop()
