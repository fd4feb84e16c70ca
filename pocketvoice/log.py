"""Logging set-up, called once by the entry points (`cli`, `app`, the worker). Modules take `logging.getLogger(__name__)`."""

import logging
import sys
from typing import TextIO

_FULL = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_PLAIN = "pocketvoice: %(message)s"


def configure(level: int = logging.WARNING, stream: TextIO | None = None) -> None:
    """Sends the records of our own loggers to `stream` (stderr); foreign libraries stay as they are.

    At WARNING and above users read them: the sentence alone. Below that it is a log, with times and places.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(logging.Formatter(_PLAIN if level >= logging.WARNING else _FULL))
    ours = logging.getLogger("pocketvoice")
    ours.handlers[:] = [handler]  # set up twice, nothing is said twice
    ours.setLevel(level)
    ours.propagate = False  # the root's handlers belong to whoever uses us as a library
