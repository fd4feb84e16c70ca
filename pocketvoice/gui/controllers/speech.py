"""One speech at a time: turns what the user asks for into requests, and the worker's events into what the window shows.

Knows no widgets. The text that is spoken is a part of the reader's text beginning at `offset`; everything shown is in indices
of the reader's text. Main thread only.
"""

import asyncio
import dataclasses
import enum
import logging
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pocketvoice.gui.controllers.messages import Messages, remedies_for
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.tasks import Latest, Tasks
from pocketvoice.gui.controllers.worker import RunningRequest, Worker
from pocketvoice.worker.messages import (
    MAX_SPEED,
    MAX_VOLUME,
    MIN_SPEED,
    Buffering,
    Event,
    Failed,
    Finished,
    Level,
    Pause,
    PausedChanged,
    Position,
    Preview,
    Queued,
    Request,
    Resume,
    Seek,
    SeekTo,
    SentenceStarted,
    SetSpeed,
    SetVolume,
    Span,
    Speak,
    Started,
    StateChanged,
    Stats,
    Stopped,
    WorkerState,
)

SPEED_STEP = 0.1
USUAL_LETTER_S = 1 / 15
"""Seconds of speech for a character, until one was heard."""
SILENT_DBFS = -60.0

_AT_REST: dict[str, object] = {
    "span": None,
    "paused": False,
    "buffering": "",
}
_NO_TIMES: dict[str, object] = {"heard_s": 0.0, "total_s": 0.0}

_logger = logging.getLogger(__name__)


class Phase(enum.Enum):
    """What the reader is doing; only `SpeechController._show` sets it."""

    QUIET = "quiet"
    """Nothing is spoken; the text can be edited."""
    WAITING = "waiting"
    """A speech was asked for and has not begun: the model loads, or another speech is before it."""
    SPEAKING = "speaking"
    """It is being heard (or held, if `paused`)."""
    STOPPING = "stopping"
    """Stop was asked for, and the worker has not said yet that it did."""


@dataclass(frozen=True)
class SpeechView:
    """Everything that the window shows of a speech."""

    phase: Phase = Phase.QUIET
    paused: bool = False
    ahead: int = 0
    """Other speeches before it, while WAITING."""
    for_model: bool = False
    """It waits for the model, while WAITING."""
    span: Span | None = None
    """The sentence being heard."""
    source: int = 0
    """Where in the text the ear is."""
    heard_s: float = 0.0
    """Seconds before the ear, at the speed of the model; after a stop, where it broke off."""
    total_s: float = 0.0
    """Seconds of all, at the speed of the model; 0 is unknown."""
    buffering: str = ""
    """A sentence while sound is being collected; "" else."""
    speed: float = 1.0
    volume: float = 1.0
    real_time_factor: float | None = None
    """Of the speech before; None if there was none."""

    @property
    def elapsed_s(self) -> float:
        """Seconds heard, at the speed of now."""
        return self.heard_s / self.speed

    @property
    def left_s(self) -> float:
        """Seconds to be heard, at the speed of now: with those elapsed they are the whole."""
        return max(self.total_s - self.heard_s, 0.0) / self.speed

    @property
    def active(self) -> bool:
        """Whether there is a speech."""
        return self.phase is not Phase.QUIET


class SpeechController(QObject):
    """Speaks, and says what is heard. `changed` comes with every new `view`."""

    changed = Signal(object)
    level_changed = Signal(float, float)  # peak, rms in dBFS
    rested = Signal()  # nothing is spoken any more, however that came
    heard_out = Signal()  # after `ended`: it was heard to its end
    ended = Signal(int)  # index of the reader's text at which it broke off; -1 when heard to its end

    def __init__(
        self,
        client: Worker,
        messages: Messages,
        tasks: Tasks,
        settings: SettingsController,
        gate: asyncio.Event | None = None,
        seed: int | None = None,
    ) -> None:
        """Speeches asked for before `gate` is set wait for it: until a model was asked for, the worker would refuse them.

        With a `seed` the same text gives the same sound each time.
        """
        super().__init__()
        self._settings = settings
        self._gate = gate
        self._seed = seed
        self.view = SpeechView()
        self._client = client
        self._messages = messages
        self._tasks = tasks
        self._handle: RunningRequest | None = None  # the current speech, once it was sent
        self._number = 0  # of the current speech; an older one that still reports is not shown
        self._abandoned = 0  # number of the speech last abandoned
        self._last: tuple[str, int | None, int, str | None] = ("", None, 0, None)  # text, stop, offset, voice
        self._offset = 0
        self._length = 0  # of the spoken text
        self._fade = 1.0  # share of the volume
        self._aim: int | None = None  # index of the spoken text to which a skip leads that is under way
        self.letter_s = USUAL_LETTER_S
        """Seconds of speech for a character at the speed of the model, in the last speech."""
        self._held = False  # whether the worker's player is paused, also when nothing is spoken
        self._speeds = Latest[float](tasks, lambda value: self._obey(SetSpeed(value)))
        self._volumes = Latest[float](tasks, lambda value: self._obey(SetVolume(value)))
        self._unlisten = client.listen(self._on_event)

    # ------------------------------------------------------------ what the user does

    def speak(
        self, text: str, *, start: int = 0, stop: int | None = None, offset: int = 0, voice: str | None = None
    ) -> None:
        """Speaks `text` instead of whatever is spoken. `start` and `stop` are indices of `text`."""
        self._number += 1
        self._handle = None
        self._offset, self._length = offset, len(text)
        self._messages.make_way()
        waits = self._client.ready is None
        self._show(
            Phase.WAITING, span=None, paused=False, ahead=0, for_model=waits, buffering="", **_NO_TIMES
        )
        self._last = (text, stop, offset, voice)
        self._tasks.start(self._run(self._number, text, start, stop, voice))

    def speak_anew(self) -> None:
        """From the sentence being heard on, if there is one: words are pronounced otherwise now."""
        if self.view.phase is Phase.SPEAKING and not self.view.paused:
            text, stop, offset, voice = self._last
            place = self.view.span[0] if self.view.span else self.view.source
            self.speak(text, start=max(0, place - offset), stop=stop, offset=offset, voice=voice)

    def stop(self) -> None:
        """Ends the speech, also one that waits."""
        if self.view.phase in (Phase.WAITING, Phase.SPEAKING):
            self._show(Phase.STOPPING)
            self._tasks.start(self._stop(self._handle))

    def abandon(self) -> None:
        """Ends the speech and forgets it at once: its text is no longer the one that is shown."""
        self.stop()
        self._abandoned, self._handle = self._number, None
        self._number += 1
        self._show(Phase.QUIET, **_AT_REST, **_NO_TIMES)
        self.level_changed.emit(SILENT_DBFS, SILENT_DBFS)

    def forget_times(self) -> None:
        """At rest, when it will go on elsewhere than where it broke off: the times of that place are void."""
        if not self.view.active:
            self._show(self.view.phase, **_NO_TIMES)

    def toggle_pause(self) -> None:
        """Pauses the speech, or goes on with it."""
        if self.view.active:
            paused = not self.view.paused
            self._held = paused
            self._show(paused=paused)
            self._tasks.start(self._obey(Pause() if paused else Resume()))

    def previous(self) -> None:
        """Goes back to the start of the sentence, or to the one before."""
        self._seek(SeekTo.PREVIOUS)

    def next(self) -> None:
        """Goes on to the next sentence."""
        self._seek(SeekTo.NEXT)

    def seek(self, index: int) -> None:
        """Goes to the sentence at an index of the reader's text."""
        self._seek(min(max(index - self._offset, 0), max(self._length - 1, 0)))

    @property
    def end(self) -> int:
        """Index of the reader's text at which the speech ends, or the last one ended."""
        return self._offset + self._length

    def skip(self, seconds: float) -> None:
        """Goes so many seconds of the speed of now forward, or back if negative, to the start of the sentence there."""
        if self.view.phase is not Phase.SPEAKING:
            return
        here = self._aim if self._aim is not None else self.view.source - self._offset
        aim = here + round(seconds * self.view.speed / self.letter_s)
        if seconds > 0 and self.view.span is not None and aim < self.view.span[1] - self._offset:
            self.next()  # the sentence is longer than that
            return
        self._aim = min(max(aim, 0), max(self._length - 1, 0))
        self._seek(self._aim)

    def set_speed(self, speed: float) -> None:
        """Sets the tempo, 0.5 to 3; others are brought into these limits."""
        self._show(speed=round(min(max(speed, MIN_SPEED), MAX_SPEED), 2))
        self._speeds.put(self.view.speed)

    def stepped_speed(self, steps: int) -> float:
        """The speed that is `steps` tenths faster, or slower if negative."""
        return round(self.view.speed / SPEED_STEP + steps) * SPEED_STEP

    def set_volume(self, volume: float) -> None:
        """Sets the loudness, 0 to 2; 1 is as made."""
        self._show(volume=round(min(max(volume, 0.0), MAX_VOLUME), 2))
        self._volumes.put(self.view.volume * self._fade)

    def fade(self, share: float) -> None:
        """Lets it sound at a share of the volume, 0 to 1, which is shown as before."""
        if share != self._fade:
            self._fade = share
            self._volumes.put(self.view.volume * share)

    def preview(self, voice: str | None, text: str) -> None:
        """Speaks a short text in a voice; what it interrupts goes on afterwards."""
        self._tasks.start(self._obey(Preview(voice, text)))

    def close(self) -> None:
        """Ends the listening to the worker."""
        self._unlisten()

    # ------------------------------------------------------------ requests

    def _request(self, text: str, voice: str | None, start: int, stop: int | None) -> Speak:
        names = self._settings.now.names_emoji
        return Speak(text, voice, start=start, stop=stop, seed=self._seed, names_emoji=names)

    async def _run(self, number: int, text: str, start: int, stop: int | None, voice: str | None) -> None:
        """Sends the request and follows its events to the last one."""
        is_sent = False
        try:
            if self._gate is not None:
                await self._gate.wait()
            handle = await self._client.send(self._request(text, voice, start, stop))
            if self._held:  # a pause stays in force for the next speech, and a new one is meant to be heard
                await self._client.send(Resume())
            is_sent = True
        finally:
            if not is_sent:  # whatever went wrong; `Tasks` shows it
                self._end(number, -1)
        if number == self._number:
            self._handle = handle
        if (number == self._number and self.view.phase is Phase.STOPPING) or self._abandoned == number:
            self._tasks.start(self._stop(handle))  # asked for before there was anything to stop
        async for event in handle:
            self._on_speech_event(number, event)
        self._end(number, -1)  # the terminal event did it; this is for a client that broke its word

    async def _stop(self, handle: RunningRequest | None) -> None:
        if handle is not None:
            await handle.stop()

    def _seek(self, to: int | SeekTo) -> None:
        if self.view.phase is Phase.SPEAKING:
            self._tasks.start(self._try_seek(to))

    async def _try_seek(self, to: int | SeekTo) -> None:
        try:
            end = await (await self._client.send(Seek(to))).result()
        finally:
            if to == self._aim:
                self._aim = None
        if isinstance(end, Failed):  # the speech ended meanwhile: nothing to tell
            _logger.info("seek: %s", end.error.message)

    async def _obey(self, request: Request) -> None:
        """Sends a request; a failure is shown."""
        end = await (await self._client.send(request)).result()
        if isinstance(end, Failed):
            self._messages.show_error(end.error, remedies_for(self._client))

    # ------------------------------------------------------------ events

    def _on_event(self, event: Event) -> None:
        if isinstance(event, PausedChanged):
            self._held = event.paused
            if self.view.active:
                self._show(paused=event.paused)
        is_crash = isinstance(event, StateChanged) and event.new is WorkerState.CRASHED
        # It goes on with another worker, when that has loaded its model.
        if is_crash and self.view.phase is Phase.SPEAKING:
            self._show(Phase.WAITING, for_model=True, ahead=0, buffering="")
            self.level_changed.emit(SILENT_DBFS, SILENT_DBFS)

    def _on_speech_event(self, number: int, event: Event) -> None:
        if number != self._number:
            return
        match event:
            case Queued(ahead=ahead, loading=loading):
                self._show(self._unless_stopping(Phase.WAITING), ahead=ahead, for_model=loading)
            case Started(sentences=sentences):
                span = self.view.span or (self._shifted(sentences[0]) if len(sentences) == 1 else None)
                self._show(self._unless_stopping(Phase.SPEAKING), span=span)
            case SentenceStarted(span=span):
                self._show(span=self._shifted(span), source=span[0] + self._offset)
            case Position():
                self._on_position(event)
            case Level(peak_dbfs=peak, rms_dbfs=rms):
                self.level_changed.emit(peak, rms)
            case Buffering(seconds=seconds, sentence=sentence):
                self._show(buffering=sentence if seconds > 0 else "")
            case Finished(stats=stats):
                self._end(number, -1, stats)
                self.heard_out.emit()
            case Stopped(source=source, stats=stats):
                self._end(number, -1 if source is None else source + self._offset, stats)
            case Failed(error=error, source=source):
                self._end(number, -1 if source is None else source + self._offset)
                self._messages.show_error(error, remedies_for(self._client))

    def _on_position(self, event: Position) -> None:
        if event.total_s > 0 and self._length:
            self.letter_s = event.total_s / self._length
        self._show(
            span=self._shifted(event.span),
            source=event.source + self._offset,
            heard_s=event.heard_s,
            total_s=event.total_s,
        )

    def _end(self, number: int, at: int, stats: Stats | None = None) -> None:
        if number != self._number or not self.view.active:
            return
        factor = (stats.real_time_factor if stats else None) or self.view.real_time_factor
        self._handle = None
        times = _NO_TIMES if at < 0 else {}  # where it broke off is still shown
        self._show(Phase.QUIET, **_AT_REST, **times, real_time_factor=factor)
        self.level_changed.emit(SILENT_DBFS, SILENT_DBFS)
        self.ended.emit(at)

    def _unless_stopping(self, phase: Phase) -> Phase:
        return Phase.STOPPING if self.view.phase is Phase.STOPPING else phase

    def _shifted(self, span: Span) -> Span:
        return span[0] + self._offset, span[1] + self._offset

    def _show(self, phase: Phase | None = None, **values: object) -> None:
        """The only place that changes `view`."""
        old = self.view
        new = dataclasses.replace(old, phase=phase or old.phase, **values)  # type: ignore[arg-type]
        if new == old:
            return
        if new.phase is not old.phase:
            _logger.debug("speech: %s -> %s", old.phase.value, new.phase.value)
        self.view = new
        self.changed.emit(new)
        if old.active and not new.active:
            self.rested.emit()
