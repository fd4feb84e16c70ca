"""The standard streams of this process: closed ones are opened, what C libraries print is hidden, sound gets one for itself.

`take_over` is called by the real command line only; a program or a test that calls `main` with arguments keeps its own
streams. Everything here belongs to the main thread.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, cast

from pocketvoice.errors import OutputError
from pocketvoice.log import visible

_output_was_closed = False  # when we were started
_errors_are_separate = False  # sys.stderr writes to a descriptor of its own, not to 2


def take_over() -> None:
    """Makes the standard streams ours."""
    _open_closed_streams()
    _separate_errors()
    if isinstance(
        sys.stdout, io.TextIOWrapper
    ):  # a name that the terminal's encoding lacks is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")


def show(line: str, *, error: bool = False) -> None:
    """Prints one line; nothing that a file calls itself acts on the terminal."""
    print(visible(line), file=sys.stderr if error else sys.stdout)


def _open_closed_streams() -> None:
    """Python leaves None where a stream was closed, and the next file we open would get its number."""
    global _output_was_closed
    _output_was_closed = sys.stdout is None
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _separate_errors() -> None:
    """What Python prints gets a descriptor of its own, so that what C libraries print can be hidden."""
    global _errors_are_separate
    sys.stderr = open(os.dup(2), "w", 1, sys.stderr.encoding, "backslashreplace", closefd=False)  # noqa: SIM115
    _errors_are_separate = True


@contextmanager
def native_errors_hidden(debug: bool) -> Iterator[None]:
    """PortAudio tells a device that fails to the terminal, in its own words: users get ours, `debug` gets both."""
    if debug or not _errors_are_separate:
        yield
        return
    before = os.dup(2)  # what Python prints has a descriptor of its own
    with open(os.devnull, "wb") as null:  # noqa: PTH123
        os.dup2(null.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def flush_output() -> None:
    """Here and not when Python ends: what can't be written is told as everything else is."""
    if sys.stdout is not None:
        sys.stdout.flush()


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
    if _output_was_closed:
        raise OutputError("Standard output is closed: give a file with --output-path.")
    if os.isatty(1):
        raise OutputError(
            "Standard output is a terminal: send the sound into a pipe or a file, or give --output-path."
        )
