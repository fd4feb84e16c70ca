"""Plays speeches out of their stores: one at a time, from any sentence, at any speed and volume, through a device that may vanish.

One feeding thread reads the store, stretches, sets the volume and keeps the short buffer of the `Track` full, which the device
reads. The methods and properties may be called from any thread. Knows no engine.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable

from pocketvoice.audio.chunk import Samples
from pocketvoice.errors import AudioDeviceError, PocketVoiceError
from pocketvoice.playback.buffer import POLL_S, PlaybackBuffer
from pocketvoice.playback.channel import Channel, Piece
from pocketvoice.playback.devices import DeviceId, OpenOutput
from pocketvoice.playback.loudspeaker import GIVE_UP_S, Loudspeaker
from pocketvoice.playback.notices import (
    Broken,
    DeviceGone,
    DeviceMoved,
    Heard,
    Notice,
    PlayedOut,
    Prebuffering,
    Sounding,
)
from pocketvoice.playback.prebuffer import prebuffer_s, wait_s
from pocketvoice.playback.store import Cursor, SpeechStore
from pocketvoice.playback.track import Task, Track

log = logging.getLogger(__name__)

BUFFER_S = 0.12
"""Sound between the feeding thread and the device: so long until a change of speed or volume is with the device."""
FADE_S = 0.01
REST_S = 30.0
"""The device is kept open so long after the last sound, so that the next one begins at once."""

_PIECE_S = 0.02


class SpeechPlayer:
    """The loudspeaker's side of the worker."""

    def __init__(
        self,
        open_output: OpenOutput,
        sample_rate: int,
        notify: Callable[[Notice], None],
        *,
        made_per_s: Callable[[], float | None] = lambda: None,
        late_s: Callable[[], float] = lambda: 0.0,
        look_again: Callable[[], None] | None = None,
        give_up_s: float = GIVE_UP_S,
    ) -> None:
        """`notify` is called on the feeding thread.

        `made_per_s`: seconds of sound the model makes in a second, if known; `late_s`: how late its chunks come at times.
        `look_again`, `give_up_s`: see `Loudspeaker`.
        """
        self._notify = notify  # set once
        self._made_per_s = made_per_s  # set once
        self._late_s = late_s  # set once
        self._rate = sample_rate  # set once
        self._buffer = PlaybackBuffer(int(BUFFER_S * sample_rate), int(FADE_S * sample_rate))  # set once
        self._speaker = Loudspeaker(
            open_output, self._buffer, sample_rate, look_again=look_again, give_up_s=give_up_s
        )
        self._track = Track(self._buffer, self._speaker)  # set once
        self._channel = Channel(sample_rate)  # feeding thread, but for its volume
        self._woken = threading.Condition(self._track.lock)
        self._is_woken = False  # guarded by _woken
        self._device_asked: tuple[DeviceId | None] | None = None  # guarded by _woken
        self._speed = 1.0  # anyone
        self._cursor: Cursor | None = None  # feeding thread: the next sample to take from the store
        self._thread = threading.Thread(target=self._run, name="player", daemon=True)
        self._thread.start()

    # -- from any thread

    @property
    def paused(self) -> bool:
        """Whether it holds; beside everything else, and through a change of speech."""
        return self._buffer.paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._buffer.paused = value

    @property
    def volume(self) -> float:
        """Loudness, 0 (silent) to 2; 1 is as made."""
        return self._channel.gain.volume

    @volume.setter
    def volume(self, value: float) -> None:
        self._channel.gain.volume = value

    @property
    def speed(self) -> float:
        """Tempo, 0.5 to 3; 1 is as made."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._speed = round(value, 2)

    @property
    def underruns(self) -> int:
        """How often sound broke off, over all speeches."""
        return self._buffer.underruns

    def play(self, speech_id: str, store: SpeechStore, start: Cursor) -> None:
        """Plays a speech from a place on, instead of what is played now; also the way to seek."""
        with self._woken:
            self._track.begin(speech_id, store, start)
            self._woken.notify_all()

    def wake(self) -> None:
        """Opens the device, for sound that will soon be there."""
        with self._woken:
            self._is_woken = True
            self._woken.notify_all()

    def stop(self) -> None:
        """A fade of 10 ms, then silence. What the device holds is still heard."""
        with self._woken:
            self._track.cut()
            self._woken.notify_all()

    def use_device(self, device: DeviceId | None) -> None:
        """Plays through another device from now on."""
        with self._woken:
            self._device_asked = (device,)
            self._woken.notify_all()

    def heard(self) -> Heard | None:
        """What the ear hears, by the device's clock; None if the current speech is not heard yet.

        While paused, where it will go on.
        """
        return self._track.heard()

    def close(self, timeout_s: float = 1.0) -> None:
        """Ends the thread and gives the device back; one that hangs is left behind."""
        with self._woken:
            self._track.cut()
            self._track.is_closed = True
            self._woken.notify_all()
        self._thread.join(timeout_s)

    # -- the feeding thread

    def _run(self) -> None:
        while True:
            task = self._next_task()
            if task is None:
                break
            try:
                self._play(task)
            except PocketVoiceError as exc:
                self._end(task, Broken(task.speech_id, exc))
            except Exception as exc:  # outermost loop of a thread
                log.exception("the player failed")
                error = PocketVoiceError("The sound could not be played.", detail=repr(exc))
                self._end(task, Broken(task.speech_id, error))
        self._wait_for_fade()
        self._speaker.close()

    def _next_task(self) -> Task | None:
        """Waits for a speech to be played; None: the player is being closed."""
        track = self._track
        while True:
            with self._woken:
                if track.task is not None or track.is_closed:
                    return None if track.is_closed else track.task
                is_asked = self._is_woken or self._device_asked or self._woken.wait(REST_S)
            if track.task is None:
                self._cursor = None  # the sound of the last speech need not be kept
                self._idle(rested=not is_asked)

    def _idle(self, *, rested: bool) -> None:
        """Nothing is played: opens the device if sound is about to come, closes it after a rest."""
        self._change_device()
        with self._woken:
            woken, self._is_woken = self._is_woken, False
        if woken:
            with contextlib.suppress(AudioDeviceError):  # whoever plays next is told
                self._speaker.open()
        elif rested and self._track.task is None and self._speaker.failure is not None:
            self._speaker.leave()
        elif rested and self._track.task is None and self._track.is_silent:
            self._speaker.close()

    def _end(self, task: Task, notice: Notice) -> None:
        if self._track.end(task):
            self._notify(notice)

    def _play(self, task: Task) -> None:
        self._change_device()
        self._open(task)
        self._begin_at(task.start)
        is_first = True
        while self._track.is_current(task):
            try:
                if self._prebuffer(task) and self._feed(task, is_first) and self._drain(task):
                    self._end(task, PlayedOut(task.speech_id))
                is_first = False
            except _Lost as lost:
                self._replace_device(task, lost)

    def _begin_at(self, cursor: Cursor) -> None:
        self._channel.begin(cursor)
        self._cursor = cursor

    def _feed(self, task: Task, is_first: bool) -> bool:
        """Until the end of the text (True), or until there is no more sound for now."""
        while self._track.is_current(task):
            if self._is_device_asked():
                raise _Lost(asked=True)
            speed = task.store.own_speed or self._speed
            if speed != self._channel.speed:
                self._write(task, self._channel.change_speed(speed))
            got = self._next_samples(task)
            if got is None:
                self._write(task, self._channel.flush())
                return True
            samples, behind = got
            if not len(samples):
                return False
            start = Cursor(behind.segment, behind.take, behind.offset - len(samples))
            if not start.offset:
                self._write(task, self._channel.flush())
            self._write(task, self._channel.take(samples, start))
            self._cursor = behind
            if is_first:
                is_first = False
                self._notify(Sounding(task.speech_id))
        return False

    def _next_samples(self, task: Task) -> tuple[Samples, Cursor] | None:
        """Of the store; if the take being played was made anew, what is waiting of it is dropped."""
        cursor = self._cursor
        assert cursor is not None, "a task begins somewhere"
        if cursor.offset and not task.store.is_current(cursor):
            self._track.drop_of(task)
            self._channel.drop()
        return task.store.read(cursor, int(_PIECE_S * self._rate))

    def _write(self, task: Task, pieces: list[Piece]) -> None:
        """Waits for room; writes nothing more once the task is not the current one."""
        for piece in pieces:
            done = 0
            while done < len(piece.samples):
                written = self._track.put(task, piece, done)
                if written is None:
                    return
                done += written
                if done < len(piece.samples):
                    self._wait()

    def _prebuffer(self, task: Task) -> bool:
        """Waits until there is enough sound to begin or go on; False if the task is no longer the current one."""
        assert self._cursor is not None
        told = False
        while self._track.is_current(task):
            ready_s = task.store.ahead_s(self._cursor)
            complete = task.store.is_complete_from(self._cursor)
            if complete or (ready_s > 0 and ready_s >= self._needed_s(task)):
                break
            if not told and ready_s > 0 and not self._is_plenty():
                told = True
                seconds = wait_s(self._needed_s(task), ready_s, self._made_per_s())
                self._notify(Prebuffering(task.speech_id, seconds))
            self._wait_for_sound(task)
        if told:
            self._notify(Prebuffering(task.speech_id, 0.0))
        return self._track.is_current(task)

    def _is_plenty(self) -> bool:
        """Whether what is waiting to be heard still bridges the gap."""
        return self._track.waiting > self._rate * BUFFER_S / 4

    def _needed_s(self, task: Task) -> float:
        """Seconds of sound to have before it goes on."""
        assert self._cursor is not None
        before_s, total_s = task.store.seconds(self._cursor)
        return prebuffer_s(self._made_per_s(), self._speed, total_s - before_s, self._late_s())

    def _wait_for_sound(self, task: Task) -> None:
        failure = self._speaker.failure
        if failure is not None:
            raise _Lost(asked=False)
        with task.store.changed:
            if self._track.is_current(task):
                task.store.changed.wait(0.02)

    def _drain(self, task: Task) -> bool:
        """Waits until all was heard."""
        if not self._track.finish(task):
            return False
        while self._track.is_current(task):
            if self._is_device_asked():
                raise _Lost(asked=True)
            if self._track.heard_position >= self._buffer.written:
                return True
            self._wait()
        return False

    def _wait(self) -> None:
        if self._speaker.failure is not None:
            raise _Lost(asked=False)
        self._speaker.wait(POLL_S)

    def _wait_for_fade(self) -> None:
        """At the end: until the fade of a cut is with the device, if it plays."""
        deadline = time.monotonic() + 0.3
        while not self._track.is_silent and self._speaker.failure is None and time.monotonic() < deadline:
            self._speaker.wait(POLL_S)

    # -- devices; the feeding thread

    def _open(self, task: Task) -> None:
        """Opens the device; where the chosen one is missing, the default. What was connected just now is found."""
        try:
            self._speaker.open()
        except AudioDeviceError:
            self._speaker.refresh()
            device = self._speaker.find(lambda: True)
            if device != self._speaker.wanted:
                self._notify(DeviceMoved(task.speech_id, device, lost=True))

    def _is_device_asked(self) -> bool:
        """Whether another device was asked for: it becomes the wanted one."""
        with self._woken:
            asked, self._device_asked = self._device_asked, None
        if asked is None:
            return False
        self._speaker.wanted = asked[0]
        return True

    def _change_device(self) -> None:
        """Where nothing is being played: leaves the open device for the one asked for, which the next speech opens."""
        if self._is_device_asked():
            self._wait_for_fade()
            self._speaker.leave()
            self._notify(DeviceMoved("", self._speaker.wanted, lost=False))

    def _replace_device(self, task: Task, lost: "_Lost") -> None:
        """Finds a device and goes on where the ear was."""
        where = self._track.heard_cursor()
        if not lost.asked:
            log.warning("the sound device was lost: %s", self._speaker.failure)
        self._track.drop(fading=True)
        if lost.asked:
            self._wait_for_fade()
        self._speaker.leave()
        device = self._speaker.find(self._searching(task))
        self._track.drop(fading=False)  # the fade that the lost device did not take
        if where is not None and where.segment.length:
            self._begin_at(where)
        elif self._cursor is not None:
            self._begin_at(task.start)
        self._notify(DeviceMoved(task.speech_id, device, lost=not lost.asked))

    def _searching(self, task: Task) -> Callable[[], bool]:
        """For `find`, called after each vain try: says once that the device is gone, and whether to give up."""
        told = False

        def given_up() -> bool:
            nonlocal told
            if not told:
                told = True
                self._notify(DeviceGone(task.speech_id))
            return not self._track.is_current(task)

        return given_up


class _Lost(Exception):
    """The device has to be replaced; `asked` if the user chose another."""

    def __init__(self, *, asked: bool) -> None:
        super().__init__()
        self.asked = asked
