"""What `book` tells: a line that is rewritten while it works, or lines of JSON; and the summary."""

import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pocketvoice.book.durations import clock, time_left
from pocketvoice.book.pieces import Piece
from pocketvoice.book.script import Script
from pocketvoice.book.speaking.making import Progress
from pocketvoice.cli import streams

_EVERY_S = 0.2
_SHOWN_LETTERS = 60
_MOST_SHOWN = 5


class BookLine:
    """How far a book is, on standard error where that is a terminal, or as JSON on standard output."""

    def __init__(self, script: Script, *, quiet: bool, as_json: bool) -> None:
        self._script = script
        self._json = as_json
        self._enabled = as_json or (sys.stderr.isatty() and not quiet)
        self._shown_at = 0.0
        self._width = 0

    def speaking(self, progress: Progress) -> None:
        """Pieces are being spoken."""
        if progress.again:
            what = f"Speaking {progress.count} doubtful sentences again"
        else:
            what = f"Chapter {progress.chapter + 1} of {len(self._script.chapters)}"
        self._show(what, "again" if progress.again else "speaking", progress.fraction, progress.left_s)

    def joining(self, fraction: float) -> None:
        """The files are being written."""
        self._show("Joining the pieces", "joining", fraction, None)

    def close(self) -> None:
        """Takes the line away."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0

    def _show(self, what: str, stage: str, fraction: float, left_s: float | None) -> None:
        now = time.monotonic()
        if not self._enabled or now - self._shown_at < _EVERY_S:
            return
        self._shown_at = now
        if self._json:
            left = None if left_s is None else round(left_s)
            say(
                {
                    "event": "progress",
                    "stage": stage,
                    "text": what,
                    "fraction": round(fraction, 4),
                    "left_s": left,
                }
            )
            return
        line = f"{what}, {100 * fraction:.0f} %" + (
            f", {time_left(left_s)} left" if left_s is not None else ""
        )
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = max(self._width, len(line))


@contextmanager
def told_by_the_summary() -> Iterator[None]:
    """While the block runs, what a book of thousands of paragraphs would say again and again stays out of the log."""
    loggers = [logging.getLogger(f"pocketvoice.{name}") for name in ("engine.delivery", "text.splitter")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def say(event: dict[str, Any]) -> None:
    """Prints a line of JSON at once."""
    print(json.dumps(event), flush=True)


def again_text(again: Sequence[Piece], doubtful: Sequence[Piece], script: Script) -> list[str]:
    """Sentences on what the check heard; none if all was well."""
    if not again:
        return []
    many = len(again) != 1
    lines = [
        f"{len(again)} {'sentences were' if many else 'sentence was'} spoken again, for the sound did not fit the text"
        + ("." if not doubtful else f"; {len(doubtful)} may still be wrong:")
    ]
    for piece in doubtful[:_MOST_SHOWN]:
        start, stop = piece.segment.span
        said = " ".join(piece.source[start:stop].split())
        short = said if len(said) <= _SHOWN_LETTERS else said[:_SHOWN_LETTERS].rstrip() + "…"
        lines.append(f"  {script.chapters[piece.chapter].title}: {short}")
    if len(doubtful) > _MOST_SHOWN:
        lines.append(f"  and {len(doubtful) - _MOST_SHOWN} more")
    return lines


def show_plan(title: str, chapters: Sequence[tuple[str, float]], size: int, notes: Sequence[str]) -> None:
    """What a dry run tells."""
    total = sum(seconds for _, seconds in chapters)
    streams.show(f"{title}: about {clock(total)}, {len(chapters)} chapters, {size / 1e6:.0f} MB")
    for number, (name, seconds) in enumerate(chapters, 1):
        streams.show(f"{number:4}  {clock(seconds):>8}  {name}")
    for note in notes:
        streams.show(f"Note: {note}")
