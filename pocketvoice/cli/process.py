"""What belongs to the whole process: signals that stop it, standard streams that are closed, or taken for sound.

`take_over` is called by the real command line only; a program or a test that calls `main` with arguments keeps its own
signals. Everything here belongs to the main thread.
"""

import io
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from pocketvoice.errors import OutputError

Run = Callable[[], int]

_STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_PATIENCE_S = 1.0  # a second Ctrl-C later than this after the first ends the process at once

_stopped_by: tuple[int, float] | None = None  # signal number and monotonic time
_actions: list[Callable[[], None]] = []  # done at once by a stop, before anything unwinds
_closed_output = False  # standard output was closed when we were started
_has_own_errors = False  # sys.stderr writes to a descriptor of its own, not to 2


def take_over() -> None:
    """Makes this process ours: its signals, its streams and its warnings."""
    _open_closed_streams()
    _separate_errors()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # libraries' notes to programmers are none of the user's
    for number in _STOPPING:
        # A script's background job is started with Ctrl-C ignored, and our user's `kill -INT` must stop the sound
        # all the same. Who ignores the others (nohup) means it.
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)


def exit_code_of_stop() -> int:
    """128 + the signal; Ctrl-C where it was no signal of ours."""
    return 128 + (_stopped_by[0] if _stopped_by is not None else signal.SIGINT)


def leave_if_stopped(code: int) -> None:
    """Ends the process at once if a signal stopped it: Python takes up to a second to put torch away."""
    if _stopped_by is None:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
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
            os._exit(128 + number)
        return  # a double press; the first one is being obeyed
    _stopped_by = (number, time.monotonic())
    sys.unraisablehook = lambda _: None  # what breaks while we unwind is no news
    threading.excepthook = lambda _: None
    for action in list(_actions):
        action()
    # Its code in C++ aborts when an exception comes through; there is nothing to unwind yet.
    if _is_importing("torch"):
        os._exit(128 + number)
    raise KeyboardInterrupt


def _is_importing(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def _open_closed_streams() -> None:
    """Python leaves None where a stream was closed, and the next file we open would get its number."""
    global _closed_output
    _closed_output = sys.stdout is None
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _separate_errors() -> None:
    """What Python prints gets a descriptor of its own, so that what C libraries print can be hidden."""
    global _has_own_errors
    sys.stderr = open(os.dup(2), "w", 1, sys.stderr.encoding, "backslashreplace", closefd=False)  # noqa: SIM115
    _has_own_errors = True


@contextmanager
def native_errors_hidden(debug: bool) -> Iterator[None]:
    """PortAudio tells a device that fails to the terminal, in its own words: users get ours, `debug` gets both."""
    if debug or not _has_own_errors:
        yield
        return
    kept = os.dup(2)  # what Python prints has a descriptor of its own
    with open(os.devnull, "wb") as null:  # noqa: PTH123
        os.dup2(null.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def drop_output() -> None:
    """What is still to be written to standard output goes nowhere, also at the interpreter's last flush."""
    with suppress(OSError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


@contextmanager
def output_for_sound() -> Iterator[BinaryIO]:
    """Standard output for the sound alone: whatever else prints there goes to standard error meanwhile."""
    sys.stdout.flush()
    descriptor = os.dup(1)
    os.dup2(2, 1)
    os.set_blocking(descriptor, True)
    try:
        with io.FileIO(descriptor, "wb", closefd=False) as stream:
            stream.name = "standard output"  # for messages
            yield cast(BinaryIO, stream)
    finally:
        os.dup2(descriptor, 1)
        os.close(descriptor)


def check_output_takes_sound() -> None:
    """Raises OutputError where a WAV on standard output would be lost or fill a terminal."""
    if _closed_output:
        raise OutputError("Standard output is closed: give a file with --output-path.")
    if os.isatty(1):
        raise OutputError(
            "Standard output is a terminal: send the sound into a pipe or a file, or give --output-path."
        )
