"""A long text in blocks that are split and spoken one by one, so that a book begins as soon as a sentence. Pure functions.

A cut is made where the splitter would make one in any case: at a blank line, or behind a sentence whose end is beyond doubt.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pocketvoice.errors import EmptyTextError
from pocketvoice.text.segment import Segment, Span, SplitOptions

LETTERS = 800
"""A block has at least so many: about a minute of speech, and a few milliseconds of splitting."""
# Five small letters before the stop: no abbreviation is as long.
_CUT = re.compile(r"(?P<blank>\n[ \t]*\n\s*)|(?<=[a-zß-ÿ]{5}[.!?])(?P<space> +)(?=[A-ZÀ-Þ])")

Split = Callable[[str], Iterable[Segment]]
"""Splits a text; raises EmptyTextError if there is nothing to speak."""


@dataclass(frozen=True)
class TextBlock:
    """A part of a text."""

    start: int
    stop: int
    pause_s: float
    """The silence behind it, which the splitter can't see when it is given the block alone."""

    def plan(
        self, whole: str, split: Split, start: int | None = None, stop: int | None = None
    ) -> list[Segment]:
        """The segments of the block, or of its text between two indices, with their places in the `whole` text.

        None if there is nothing to be spoken in it.
        """
        begin, end = self.start if start is None else start, self.stop if stop is None else stop
        text = whole[begin:end]
        try:
            segments = [_moved(one, begin) for one in split(text)]
        except EmptyTextError:
            return []
        pause_s = self.pause_s if end == self.stop else _pause_s(text)
        segments[-1] = replace(segments[-1], pause_after_s=segments[-1].pause_after_s + pause_s)
        return segments


def _moved(segment: Segment, by: int) -> Segment:
    """The same, further back in the text."""

    def moved(spans: Iterable[Span]) -> tuple[Span, ...]:
        return tuple((start + by, stop + by) for start, stop in spans)

    (span,) = moved([segment.span])
    return replace(segment, span=span, words=moved(segment.words), sentences=moved(segment.sentences))


def _pause_s(part: str) -> float:
    """The silence that the line ends at the end of a part ask for."""
    ends = part[len(part.rstrip()) :].count("\n")
    options = SplitOptions()
    return (0.0, options.line_pause_s, options.paragraph_pause_s)[min(ends, 2)]


def text_blocks(text: str, stop: int | None = None) -> list[TextBlock]:
    """All blocks of a text up to `stop`, without a gap."""
    return list(_blocks(text, len(text) if stop is None else min(stop, len(text))))


def _blocks(text: str, end: int) -> Iterator[TextBlock]:
    start = 0
    while start < end:
        cut = _CUT.search(text, start + LETTERS, end)
        if cut is None or cut.end() >= end:
            yield TextBlock(start, end, 0.0)
            return
        pause_s = SplitOptions().paragraph_pause_s if cut["blank"] else 0.0
        yield TextBlock(start, cut.end(), pause_s)
        start = cut.end()


def block_at(blocks: list[TextBlock], source: int) -> TextBlock:
    """The one that holds an index of the text; the last one if it lies behind all."""
    return next((block for block in blocks if source < block.stop), blocks[-1])
