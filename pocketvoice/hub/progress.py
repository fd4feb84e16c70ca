"""What the caller of a download hears and says: progress events on its own thread, and a cancel event from any thread."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from pocketvoice.errors import Cancelled

PAUSES_S = (0.3, 1.0, 3.0)
"""Seconds before the next attempts at a transfer that broke; they start over whenever new bytes have come."""
_REPORT_EVERY_S = 0.1  # as often as a person can follow
_SPEED_WINDOW_S = 3.0  # long enough to be steady, short enough to show that a network stalls


@dataclass(frozen=True)
class DownloadProgress:
    """How far a download is."""

    file: str  # the file's own name
    done_bytes: int  # what earlier attempts left is counted
    total_bytes: int | None  # None while the other end has not said
    bytes_per_second: float  # over the last seconds; 0 at the start


ProgressCallback = Callable[[DownloadProgress], None]


def check_cancel(cancel: threading.Event | None) -> None:
    """Raises Cancelled once `cancel` is set."""
    if cancel is not None and cancel.is_set():
        raise Cancelled("The download was stopped. The next one goes on from there.")


class Meter:
    """Counts bytes and tells the caller, at most ten times a second and always at the start and the end."""

    def __init__(self, name: str, callback: ProgressCallback | None) -> None:
        self._name = name
        self._callback = callback
        self._done = 0
        self._total: int | None = None
        self._marks: list[tuple[float, int]] = []  # (time, bytes done) of the last seconds

    def start(self, done: int, total: int | None) -> None:
        """An attempt begins with `done` bytes on the disk: they don't count as speed."""
        self._done, self._total = done, total
        self._marks = [(time.monotonic(), done)]
        self._report(0.0)

    def add(self, count: int) -> None:
        """Counts bytes that have come to the disk."""
        self._done += count
        now = time.monotonic()
        if now - self._marks[-1][0] >= _REPORT_EVERY_S:
            self._report(self._speed(now))

    def finish(self) -> None:
        """Tells that everything is on the disk, whatever total was promised."""
        self._total = self._done
        self._report(self._speed(time.monotonic()))

    def _speed(self, now: float) -> float:
        self._marks.append((now, self._done))
        while len(self._marks) > 2 and now - self._marks[0][0] > _SPEED_WINDOW_S:
            self._marks.pop(0)
        then, before = self._marks[0]
        return (self._done - before) / max(now - then, 1e-3)

    def _report(self, speed: float) -> None:
        if self._callback is not None:
            self._callback(DownloadProgress(self._name, self._done, self._total, speed))
