"""The sleep timer: lets the speech fade after some minutes or at the end of the chapter, and pauses it.

Knows no widgets. Main thread only.
"""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from pocketvoice.gui.controllers.reading_time import ReadingTime
from pocketvoice.gui.controllers.speech import SpeechController

FADE_S = 10.0
"""How long the volume sinks before the end of the minutes."""
CHAPTER_FADE_S = 5.0
"""The same before the end of a chapter: its last words are to be heard, ..."""
CHAPTER_LEAST = 0.35
"""... not softer than this share of the volume."""
_TICK_MS = 250
_JUMP_LETTERS = 400  # the ear does not get further than that from tick to tick: the user went elsewhere


class SleepTimer(QObject):
    """Runs once each time it is set. `changed` comes when it is set, with each second, and when it is over."""

    changed = Signal()

    def __init__(
        self,
        speech: SpeechController,
        reading: ReadingTime,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives seconds."""
        super().__init__()
        self._speech = speech
        self._reading = reading
        self._clock = clock
        self._ends_at: float | None = None  # by the clock, in minutes' mode
        self._chapter_end: int | None = None  # index of the text, in the chapter's
        self._place = 0  # of the ear, in the last tick
        self._shown_s: int | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.tick)
        speech.changed.connect(self._on_speech)
        speech.heard_out.connect(self._on_heard_out)

    @property
    def is_set(self) -> bool:
        """Whether it runs."""
        return self.of_chapter or self._ends_at is not None

    @property
    def of_chapter(self) -> bool:
        """Whether it waits for the end of the chapter."""
        return self._chapter_end is not None

    @property
    def left_s(self) -> float | None:
        """Seconds until it pauses; None while it is not set."""
        if self._chapter_end is not None:
            return self._reading.left_to(self._chapter_end)
        return None if self._ends_at is None else max(self._ends_at - self._clock(), 0.0)

    def set_minutes(self, minutes: float) -> None:
        """Pauses after so many minutes, also those in which nothing is heard."""
        self._begin(self._clock() + 60 * minutes, None)

    def set_chapter(self) -> None:
        """Pauses at the end of the chapter that is being read; where there are none, of the text."""
        self._begin(None, self._reading.chapter_end())

    def cancel(self) -> None:
        """Takes it back; the volume is again what it was."""
        if self.is_set:
            self._begin(None, None)

    def tick(self) -> None:
        """Looks at the clock and at the ear."""
        left_s = self.left_s
        if left_s is None:
            return
        if self._chapter_end is not None:
            self._follow_chapter()
            left_s, place = self.left_s or 0.0, self._reading.place()
            if self._speech.view.active and place >= self._chapter_end:
                self._end()
                return
            self._fade(max(left_s / CHAPTER_FADE_S, CHAPTER_LEAST))
        elif left_s <= 0:
            self._end()
            return
        else:
            self._fade(left_s / FADE_S)
        if int(left_s) != self._shown_s:
            self._shown_s = int(left_s)
            self.changed.emit()

    def _follow_chapter(self) -> None:
        """The user went to another chapter: it is the end of that one now."""
        place, before = self._reading.place(), self._place
        self._place = place
        if not before <= place <= before + _JUMP_LETTERS:
            self._chapter_end = self._reading.chapter_end()

    def _fade(self, share: float) -> None:
        self._speech.fade(min(share, 1.0) if self._speech.view.active else 1.0)

    def _end(self) -> None:
        view = self._speech.view
        if view.active and not view.paused:
            self._speech.toggle_pause()
        self._begin(None, None)

    def _begin(self, ends_at: float | None, chapter_end: int | None) -> None:
        self._ends_at, self._chapter_end = ends_at, chapter_end
        self._place = self._reading.place()
        self._shown_s = None
        self._speech.fade(1.0)
        if self.is_set:
            self._timer.start()
            self.tick()
        else:
            self._timer.stop()
            self.changed.emit()

    def _on_heard_out(self) -> None:
        if self.of_chapter:  # the last one
            self.cancel()

    def _on_speech(self, _view: object) -> None:
        """The next chapter is not to begin before the next tick."""
        end = self._chapter_end
        if end is not None and self._speech.view.active and self._reading.place() >= end:
            self.tick()
