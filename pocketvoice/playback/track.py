"""The short buffer in front of the device: whose sound lies in it, which place of the speech each sample has, and what was heard.

One lock guards who may write: sound of a task is taken only while that task is the current one, so that nothing of an old one is
heard after another has begun. Every method may be called from any thread. Knows no engine and opens no device.
"""

import threading
from dataclasses import dataclass

import numpy as np

from pocketvoice.audio.levels import dbfs
from pocketvoice.playback.buffer import PlaybackBuffer
from pocketvoice.playback.channel import Piece
from pocketvoice.playback.loudspeaker import Loudspeaker
from pocketvoice.playback.notices import Heard
from pocketvoice.playback.store import Cursor, SpeechStore
from pocketvoice.playback.timeline import Mark, Timeline


@dataclass(frozen=True, eq=False)
class Task:
    """A speech, played from a place on."""

    speech_id: str
    store: SpeechStore
    start: Cursor
    begins: int
    """Position in the buffer of its first sample."""


class Track:
    """What is being played now."""

    def __init__(self, buffer: PlaybackBuffer, speaker: Loudspeaker) -> None:
        self.buffer = buffer  # set once
        self.lock = threading.RLock()
        """Held by whoever writes to the buffer or changes the task."""
        self.task: Task | None = None
        """The current one; guarded by `lock`, may be read without it."""
        self.is_closed = False
        """Nothing is played any more; guarded by `lock`."""
        self._speaker = speaker  # set once
        self._timeline = Timeline()  # set once

    def is_current(self, task: Task) -> bool:
        """Whether sound of a task is still wanted."""
        return self.task is task and not self.is_closed

    def begin(self, speech_id: str, store: SpeechStore, start: Cursor) -> None:
        """Another task takes the place of the current one."""
        with self.lock:
            self.cut()
            self.task = Task(speech_id, store, start, self.buffer.written)

    def cut(self) -> None:
        """The current task may write no more, and what it wrote fades out."""
        with self.lock:
            task, self.task = self.task, None
            self.drop(fading=True)
            self._timeline.clear()
            self.buffer.finish()
        if task is not None:
            with task.store.changed:
                task.store.changed.notify_all()

    def end(self, task: Task) -> bool:
        """Cuts a task; False if it is no longer the current one."""
        with self.lock:
            if not self.is_current(task):
                return False
            self.cut()
            return True

    def drop(self, *, fading: bool) -> None:
        """Nothing of what is waiting in the buffer will be heard, but for a fade."""
        with self.lock:
            if fading:
                self.buffer.cut()
            else:
                self.buffer.discard_after(0)
            self._timeline.drop_from(self.buffer.written)

    def drop_of(self, task: Task) -> None:
        """The same, if the task is still the current one."""
        with self.lock:
            if self.is_current(task):
                self.drop(fading=True)

    def put(self, task: Task, piece: Piece, done: int) -> int | None:
        """Writes what there is room for of a piece, behind its first `done` samples; returns how many that were.

        None once the task is not the current one.
        """
        samples = piece.samples
        peak, square = float(np.abs(samples).max()), float(np.mean(np.square(samples)))
        with self.lock:
            if not self.is_current(task):
                return None
            if not done:
                self._timeline.add(Mark(self.buffer.written, piece.cursor, piece.speed, peak, square))
            return self.buffer.write(samples[done:], timeout_s=0)

    def finish(self, task: Task) -> bool:
        """All of a task was written: silence behind it is no underrun. False if it is no longer the current one."""
        with self.lock:
            if not self.is_current(task):
                return False
            self.buffer.finish()
            return True

    @property
    def heard_position(self) -> int:
        """Position in the buffer behind the last sample that left the device."""
        return self.buffer.progress[0] - self._speaker.unheard

    @property
    def waiting(self) -> int:
        """Samples that the device has not taken yet."""
        return self.buffer.written - self.buffer.progress[0]

    @property
    def is_silent(self) -> bool:
        """Whether nothing more is to be heard of what was written."""
        return self.waiting <= 0 and not self._speaker.unheard

    def heard_cursor(self) -> Cursor | None:
        """The place of the speech at the ear."""
        return self._timeline.cursor_at(self.heard_position)

    def heard(self) -> Heard | None:
        """What the ear hears, by the device's clock; None if the current task is not heard yet. While paused, where it goes on."""
        task, position = self.task, self.heard_position
        if task is None or position + self.buffer.paused <= task.begins:
            return None
        mark, cursor = self._timeline.at(position), self._timeline.cursor_at(position)
        if mark is None or cursor is None or mark.position < task.begins:
            return None
        silent = self.buffer.paused or position >= self.buffer.written
        peak, rms = (0.0, 0.0) if silent else (mark.peak, mark.square**0.5)
        return Heard(task.speech_id, cursor, dbfs(peak), dbfs(rms))
