"""A recording that can be paused: one recorder a piece, and all pieces joined at the end. Knows no widgets.

The recorder reports its status on a thread of its own; a signal brings that to the main thread, where all of this runs.
"""

import dataclasses
import enum
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.speech import SILENT_DBFS
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.library_model import on_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocketvoice.audio.imported import Source
    from pocketvoice.audio.recorder import Microphone, RecordedTake, Recorder, Status

    MakeRecorder = Callable[[Microphone | None, Callable[[Status], None]], Recorder]


_NAMELESS = ("", "default", "sysdefault", "pulse", "pipewire", "jack")


class RecordPhase(enum.Enum):
    """How far a recording is; only `MicrophoneRecording._show` sets it."""

    EMPTY = "empty"
    """Nothing has been recorded yet."""
    OPENING = "opening"
    """The microphone is being opened."""
    RECORDING = "recording"
    """The microphone is open, and its sound is kept."""
    ENDING = "ending"
    """The recorder was told to end, and its sound is being fetched."""
    PAUSED = "paused"
    """There is sound, and more can be added."""


@dataclass(frozen=True)
class RecordView:
    """Everything that is shown of a recording."""

    phase: RecordPhase = RecordPhase.EMPTY
    elapsed_s: float = 0.0
    speech_s: float = 0.0
    rms_dbfs: float = SILENT_DBFS
    peak_dbfs: float = SILENT_DBFS
    hint: str = ""
    """A short sentence for the speaker while recording; "" if all is well."""

    @property
    def is_open(self) -> bool:
        """Whether the microphone is in use."""
        return self.phase in (RecordPhase.OPENING, RecordPhase.RECORDING)


class MicrophoneRecording(QObject):
    """Records from a microphone, piece after piece."""

    changed = Signal(object)  # RecordView
    failed = Signal(object)  # PocketVoiceError; what came before it is kept
    added = Signal()  # a piece has come in
    full = Signal()  # there is enough speech, and the recording has ended by itself
    _status_came = Signal(object, object)  # Recorder, Status

    def __init__(
        self,
        tasks: Tasks,
        parent: QObject | None = None,
        *,
        load_recorder: "Callable[[], MakeRecorder] | None" = None,
    ) -> None:
        """`load_recorder` is called on a thread, for the libraries of the recorder take a moment to load."""
        super().__init__(parent)
        self.view = RecordView()
        self._tasks = tasks
        self._load_recorder = load_recorder or _recorder_class
        self._recorder: Recorder | None = None
        self._takes: list[RecordedTake] = []
        self._finished: list[Callable[[], None]] = []  # called when the open piece has come in
        self._status_came.connect(self._on_status)

    def start(self, microphone: "Microphone | None") -> None:
        """Records another piece; None is the system's default device."""
        if self.view.phase not in (RecordPhase.EMPTY, RecordPhase.PAUSED):
            return
        self._show(RecordPhase.OPENING, hint="")
        self._tasks.start(self._start(microphone))

    def pause(self) -> None:
        """Ends the open piece; `start` begins another one."""
        if self._recorder is not None and self.view.is_open:
            self._show(RecordPhase.ENDING, rms_dbfs=SILENT_DBFS, peak_dbfs=SILENT_DBFS, hint="")
            self._recorder.stop()

    def clear(self) -> None:
        """Forgets all pieces, and ends the open one."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.abort()
        self._takes, self._finished = [], []
        self._show(RecordPhase.EMPTY, elapsed_s=0.0, speech_s=0.0, hint="")

    def finish(self, then: "Callable[[], None]") -> None:
        """Ends the open piece, and calls `then` when its sound is there (at once if no piece is open)."""
        if self.view.phase in (RecordPhase.EMPTY, RecordPhase.PAUSED):
            then()
            return
        self._finished.append(then)
        self.pause()

    @property
    def has_sound(self) -> bool:
        """Whether any piece was recorded."""
        return bool(self._takes)

    async def source(self) -> "Source":
        """All pieces as one sound."""
        return await on_thread(functools.partial(_joined, list(self._takes)))

    # ------------------------------------------------------------ within

    async def _start(self, microphone: "Microphone | None") -> None:
        make_recorder = await on_thread(self._load_recorder)
        if self.view.phase is not RecordPhase.OPENING:
            return  # cleared meanwhile
        came = self._status_came.emit
        made: list[Recorder] = []  # the recorder that the status belongs to
        recorder = make_recorder(microphone, lambda status: came(made[0], status))
        made.append(recorder)
        self._recorder = recorder
        recorder.start()
        if self._finished:  # ended before it had begun
            recorder.stop()

    def _on_status(self, recorder: "Recorder", status: "Status") -> None:
        from pocketvoice.audio.recorder import MOST_SPEECH_S, RecorderState

        if recorder is not self._recorder:
            return
        speech_s = self._recorded_speech_s() + status.speech_s
        self._show(elapsed_s=self._recorded_s() + status.elapsed_s, speech_s=speech_s)
        match status.state:
            case RecorderState.RECORDING if self.view.is_open:
                self._show(
                    RecordPhase.RECORDING,
                    rms_dbfs=status.rms_dbfs,
                    peak_dbfs=status.peak_dbfs,
                    hint=status.hint,
                )
                if speech_s >= MOST_SPEECH_S:  # counted over all pieces
                    self.pause()
                    self.full.emit()
            case RecorderState.DONE | RecorderState.LOST | RecorderState.FAILED:
                ended_itself = status.state is RecorderState.DONE and self.view.is_open
                self._recorder = None
                self._show(RecordPhase.ENDING, rms_dbfs=SILENT_DBFS, peak_dbfs=SILENT_DBFS, hint="")
                self._tasks.start(self._fetch(recorder, status, ended_itself))

    async def _fetch(self, recorder: "Recorder", status: "Status", ended_itself: bool) -> None:
        error: PocketVoiceError | None = status.error
        try:
            take = await on_thread(recorder.take)
        except PocketVoiceError as exc:
            error = error or exc
        else:
            if self.view.phase is RecordPhase.ENDING:  # not cleared meanwhile
                self._takes.append(take)
        self._show(
            RecordPhase.PAUSED if self._takes else RecordPhase.EMPTY,
            elapsed_s=self._recorded_s(),
            speech_s=self._recorded_speech_s(),
        )
        if self._takes:
            self.added.emit()
        if error is not None:
            self.failed.emit(error)
        waiting, self._finished = self._finished, []
        for then in waiting:
            then()
        if ended_itself and error is None:
            self.full.emit()

    def _recorded_s(self) -> float:
        return sum(len(take.samples) / take.sample_rate for take in self._takes)

    def _recorded_speech_s(self) -> float:
        return sum(take.speech_s for take in self._takes)

    def _show(self, phase: RecordPhase | None = None, **values: object) -> None:
        """The only place that changes `view`."""
        new = dataclasses.replace(self.view, phase=phase or self.view.phase, **values)  # type: ignore[arg-type]
        if new != self.view:
            self.view = new
            self.changed.emit(new)


def _recorder_class() -> "MakeRecorder":
    from pocketvoice.audio.recorder import Recorder

    return Recorder


def _joined(takes: "list[RecordedTake]") -> "Source":
    """The pieces one after the other, with a short fade at each seam."""
    import numpy as np

    from pocketvoice.audio.imported import Source

    rate = takes[0].sample_rate
    fade = np.linspace(0, 1, rate // 100, dtype=np.float32)
    pieces = []
    for take in takes:
        piece = take.samples.copy()
        count = min(len(fade), len(piece))
        piece[:count] *= fade[:count]
        piece[len(piece) - count :] *= fade[:count][::-1]
        pieces.append(piece)
    whole = all(take.is_whole for take in takes)
    notes = () if whole else ("The recording breaks off or has a gap: listen to it before you go on.",)
    return Source(np.concatenate(pieces), rate, _title(takes[-1].device_name), notes)


def _title(device: str) -> str:
    """A device's name for people: "default" and the like are names of the sound system, not of a microphone."""
    return "Microphone" if device.lower() in _NAMELESS else device
