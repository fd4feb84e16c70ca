"""Logging set-up, called once by the entry points (`cli`, `app`, the worker). Modules take `logging.getLogger(__name__)`.

What is shown in a terminal or a log passes `visible`, the only place where foreign names and texts are made harmless.
"""

import logging
import sys
import unicodedata
from typing import TextIO

_FULL = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_PLAIN = "pocketvoice: %(message)s"
_JOINERS = "\u200c\u200d"  # parts of emoji and of words in some scripts
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def visible(text: str) -> str:
    """A line in which nothing acts on the terminal or forges another line: controls, line ends and direction marks are escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        mark
        if mark in _JOINERS or unicodedata.category(mark) not in _HIDDEN
        else mark.encode("unicode_escape").decode()
        for mark in text
    )


class _Formatter(logging.Formatter):
    """Escapes the message; a traceback keeps its lines, each of them escaped and indented, so that none looks like a record."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = visible(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:
        return "\n".join("  " + visible(line) for line in super().formatException(ei).split("\n"))  # type: ignore[arg-type]


def configure(level: int = logging.WARNING, stream: TextIO | None = None) -> None:
    """Sends the records of our own loggers to `stream` (stderr); foreign libraries stay as they are.

    At WARNING and above users read them: the sentence alone. Below that it is a log, with times and places.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Formatter(_PLAIN if level >= logging.WARNING else _FULL))
    ours = logging.getLogger("pocketvoice")
    ours.handlers[:] = [handler]  # set up twice, nothing is said twice
    ours.setLevel(level)
    ours.propagate = False  # the root's handlers belong to whoever uses us as a library
