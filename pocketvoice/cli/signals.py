"""The signals that stop this process: a stop ends the sound at once, unwinds what runs, and becomes an exit code.

`take_over` is called by the real command line only; a program or a test that calls `main` with arguments keeps its own
signals. Everything here belongs to the main thread.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pocketvoice import paths

_STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_PATIENCE_S = 1.0  # a second Ctrl-C later than this after the first ends the process at once

_stopped_by: tuple[int, float] | None = None  # signal number and monotonic time
_actions: list[Callable[[], None]] = []  # done at once by a stop, before anything unwinds


def take_over() -> None:
    """Makes the stopping signals ours: each raises KeyboardInterrupt in the main thread."""
    for number in _STOPPING:
        # A script's background job is started with Ctrl-C ignored, and our user's `kill -INT` must stop the sound
        # all the same. Who ignores the others (nohup) means it.
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)


def exit_code_of_stop() -> int:
    """128 + the signal; Ctrl-C where it was no signal of ours."""
    return 128 + (_stopped_by[0] if _stopped_by is not None else signal.SIGINT)


def was_interrupted() -> bool:
    """Whether it was Ctrl-C that stopped this process, and not whoever ends it for good."""
    return _stopped_by is not None and _stopped_by[0] == signal.SIGINT


def leave_if_stopped(code: int) -> None:
    """Ends the process at once if a signal stopped it: Python takes up to a second to put torch away."""
    if _stopped_by is None:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    _end(code)


def _end(code: int) -> None:
    """Ends at once: nothing unwinds, and no file is left half written."""
    paths.delete_unfinished()
    os._exit(code)


@contextmanager
def on_stop(action: Callable[[], None]) -> Iterator[None]:
    """While the block runs, a stop does `action` at once, inside the signal handler."""
    _actions.append(action)
    try:
        yield
    finally:
        _actions.remove(action)


def _on_signal(number: int, _frame: Any) -> None:
    global _stopped_by
    if _stopped_by is not None:
        if time.monotonic() - _stopped_by[1] > _PATIENCE_S:
            _end(128 + number)
        return  # a double press; the first one is being obeyed
    _stopped_by = (number, time.monotonic())
    sys.unraisablehook = lambda _: None  # what breaks while we unwind is no news
    threading.excepthook = lambda _: None
    for action in list(_actions):
        action()
    # Its code in C++ aborts when an exception comes through; there is nothing to unwind yet.
    if _is_importing("torch"):
        _end(128 + number)
    raise KeyboardInterrupt


def _is_importing(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))
