"""Whether the window's thread is ever held up, and by what: a clock that the thread has to wind, and a thread that watches it.

Of a stall three things are told: how long it was; for how much of that the thread was at work (its own processor time) or waited
for something in code of ours (asleep, but not in Qt's own loop, which waits for the X server, too); and where it was. What is
left is the machine's doing: the thread wanted to run, and others did.
"""

import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

PERIOD_S = 0.01
"""How often the watched thread is to call `tick`."""
STALL_S = 0.1
_LOOK_S = 0.01
_LATE_S = 0.04
_IN_LOOP = "__app.exec()"  # qasync's line


class Watchdog:
    """Watches the thread that makes it."""

    def __init__(self) -> None:
        self._thread = threading.main_thread()
        assert threading.current_thread() is self._thread, "the window's thread is the main one"
        self._task = Path(f"/proc/self/task/{threading.get_native_id()}/stat")
        self._cpu_clock: Callable[[], float] = _clock_of(self._thread)
        self._ticked = (
            time.monotonic(),
            self._cpu_clock(),
        )  # the last tick: time, and processor time by then
        self._samples: list[tuple[float, str]] = []  # since it is late: (time, state of the thread)
        self._stack = ""
        self.longest_s = 0.0
        """The longest that the thread was held up, by anything."""
        self.longest_own_s = 0.0
        """The same, less the time that the machine gave it no processor."""
        self.stalls: list[dict[str, Any]] = []
        """Those of more than `STALL_S`."""
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def tick(self) -> None:
        """For the watched thread, every `PERIOD_S`."""
        now, cpu = time.monotonic(), self._cpu_clock()
        (before, cpu_before), self._ticked = self._ticked, (now, cpu)
        samples, self._samples = self._samples, []
        late_s = now - before - PERIOD_S
        asleep_s = 0.0 if _IN_LOOP in self._stack.rpartition("\n  File")[2] else _asleep_s(samples, now)
        own_s = min(late_s, cpu - cpu_before + asleep_s)
        self.longest_s, self.longest_own_s = max(self.longest_s, late_s), max(self.longest_own_s, own_s)
        if late_s > STALL_S:
            states = "".join(state for _, state in samples)
            self.stalls.append(
                {"late_s": late_s, "own_s": own_s, "states": states, "stack": self._stack[-1500:]}
            )
        self._stack = ""

    def forget(self) -> None:
        """Begins anew."""
        self.longest_s = self.longest_own_s = 0.0
        self.stalls = []

    def close(self) -> None:
        """Watches no more."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(_LOOK_S):
            late_s = time.monotonic() - self._ticked[0]
            if late_s > _LATE_S:
                self._samples.append((time.monotonic(), self._state()))
            if late_s > _LATE_S:
                frame = sys._current_frames().get(self._thread.ident or 0)
                self._stack = "".join(traceback.format_stack(frame))
                del frame  # what it holds (a painter!) must end on its own thread

    def _state(self) -> str:
        return self._task.read_text().rpartition(")")[2].split()[0]


def _clock_of(thread: threading.Thread) -> Callable[[], float]:
    number = time.pthread_getcpuclockid(thread.ident or 0)
    return lambda: time.clock_gettime(number)


def _asleep_s(samples: list[tuple[float, str]], now: float) -> float:
    """For how long the thread waited for something, by the states in which it was seen."""
    edges = [at for at, _ in samples] + [now]
    return sum(edges[i + 1] - edges[i] for i, (_, state) in enumerate(samples) if state != "R")
