"""From the position in what is played back to the place in the speech, and to its loudness: one mark for each block written.

The feeding thread adds marks, anyone looks them up; a lock guards the list.
"""

import threading
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass

from pocketvoice.playback.store import Cursor


@dataclass(frozen=True)
class Mark:
    """A block of the played sound."""

    position: int  # of its first sample in the played sound
    cursor: Cursor  # where that sample comes from
    speed: float
    peak: float  # amplitude
    square: float  # mean of the squares


class Timeline:
    """The marks of the last blocks that were written."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._marks: deque[Mark] = deque(maxlen=512)  # guarded by _lock

    def add(self, mark: Mark) -> None:
        """The next block begins here."""
        with self._lock:
            self._marks.append(mark)

    def clear(self) -> None:
        """Another speech begins: no one asks for this one's places any more."""
        with self._lock:
            self._marks.clear()

    def drop_from(self, position: int) -> None:
        """What was written from here on was dropped."""
        with self._lock:
            while self._marks and self._marks[-1].position >= position:
                self._marks.pop()

    def at(self, position: int) -> Mark | None:
        """The mark that holds a position; None before the first."""
        with self._lock:
            marks = list(self._marks)
        index = bisect_right(marks, position, key=lambda mark: mark.position) - 1
        return marks[index] if index >= 0 else None

    def cursor_at(self, position: int) -> Cursor | None:
        """Where in the speech a position is."""
        mark = self.at(position)
        if mark is None:
            return None
        cursor = mark.cursor
        return Cursor(
            cursor.segment, cursor.take, cursor.offset + int((position - mark.position) * mark.speed)
        )
