"""A long text in text_blocks that can be split and spoken one by one, so that a book begins as soon as a sentence. Pure functions.

A cut is made where the splitter would make one in any case: at a blank line, or behind a sentence whose end is beyond doubt.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pocketvoice.text.segment import Span, SplitOptions

_LETTERS = 800
"""A stretch has at least so many: about a minute of speech, and a few milliseconds of splitting."""
# Five small letters before the stop: no abbreviation is as long.
_CUT = re.compile(r"(?P<blank>\n[ \t]*\n\s*)|(?<=[a-zß-ÿ]{5}[.!?])(?P<space> +)(?=[A-ZÀ-Þ])")


@dataclass(frozen=True)
class TextBlock:
    """A part of a text."""

    start: int
    stop: int
    pause_s: float
    """The silence behind it, which the splitter can't see when it is given the stretch alone."""

    def text(self, whole: str, start: int | None = None, stop: int | None = None) -> str:
        """What to give to the engine, from `start` on, and up to `stop`; indices in it count from there."""
        part = whole[self.start if start is None else start : self.stop if stop is None else stop]
        pause_s = self.pause_s if stop is None else _pause_s(part)
        return f"{part} [pause:{pause_s:g}s]" if pause_s else part


def _pause_s(part: str) -> float:
    """The silence that the line ends at the end of a part ask for."""
    ends = part[len(part.rstrip()) :].count("\n")
    options = SplitOptions()
    return (0.0, options.line_pause_s, options.paragraph_pause_s)[min(ends, 2)]


@dataclass(frozen=True)
class Plan:
    """How a text will be spoken."""

    segments: list[Span]
    """What the model is given at once."""
    sentences: list[Span]
    """What a person would call so: parts of segments, or several of them."""


def text_blocks(text: str, stop: int | None = None) -> list[TextBlock]:
    """All text_blocks of a text up to `stop`, without a gap."""
    return list(_stretches(text, len(text) if stop is None else min(stop, len(text))))


def _stretches(text: str, end: int) -> Iterator[TextBlock]:
    start = 0
    while start < end:
        cut = _CUT.search(text, start + _LETTERS, end)
        if cut is None or cut.end() >= end:
            yield TextBlock(start, end, 0.0)
            return
        pause_s = SplitOptions().paragraph_pause_s if cut["blank"] else 0.0
        yield TextBlock(start, cut.end(), pause_s)
        start = cut.end()


def block_at(parts: list[TextBlock], source: int) -> TextBlock:
    """The one that holds an index; the last one if it lies behind all."""
    return next((part for part in parts if source < part.stop), parts[-1])
