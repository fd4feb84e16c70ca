"""The sentences of a text as spans of it, in order, however it is cut into segments. Plain data; whoever holds it guards it."""

from bisect import bisect_right
from collections.abc import Iterable

Span = tuple[int, int]
"""Start and stop in the source text."""


class SentenceMap:
    """Sentences, and parts of the text that have not been split into sentences yet."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = list(spans)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Sentences and parts not split yet, in order."""
        return tuple(self._spans)

    def refine(self, part: Span, sentences: Iterable[Span]) -> None:
        """A part has been split; where nothing is to be spoken it goes, unless it is all there is."""
        index, found = self._spans.index(part), list(sentences)
        if found or len(self._spans) > 1:
            self._spans[index : index + 1] = found

    def index(self, source: int) -> int:
        """The number of the sentence that holds an index of the text, or of the next one; the last one behind all."""
        before = bisect_right(self._spans, source, key=lambda span: span[0])
        if before and source >= self._spans[before - 1][1]:
            before += 1  # between two
        return min(max(0, before - 1), len(self._spans) - 1)

    def holding(self, span: Span, source: int) -> Span:
        """The sentence that an index within `span`, a segment, belongs to; the segment itself if it is part of none."""
        before = bisect_right(self._spans, source, key=lambda one: one[0]) - 1
        found = self._spans[max(0, before)]
        return found if found[0] < span[1] and span[0] < found[1] else span

    def starts_within(self, span: Span) -> list[int]:
        """Where sentences begin inside a span, but for its very start."""
        first = bisect_right(self._spans, span[0], key=lambda one: one[0])
        last = bisect_right(self._spans, span[1] - 1, key=lambda one: one[0])
        return [start for start, _ in self._spans[first:last]]

    def begins_at(self, source: int) -> bool:
        """Whether a sentence begins just here."""
        return self._spans[self.index(source)][0] == source
