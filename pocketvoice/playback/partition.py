"""How a text is cut into segments, and which sentences it has: what is planned, and what becomes of the plan as sound is made.

A plan changes when a seek asks for a sentence inside a segment that was not made, and when the engine speaks a segment in two parts
because its takes failed. What such a change leaves is planned anew before it is made.

No locks and no sound: `SpeechStore` guards it, and fills the segments.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from pocketvoice.audio.chunk import Samples
from pocketvoice.playback.sentences import SentenceMap, Span

SpokenWord = tuple[int, int, int]
"""Start and stop in the text of words that come from one thing, and how many letters are spoken for it."""


@dataclass(eq=False)
class SegmentAudio:
    """A piece of the text and its sound, as far as it was made. Its fields are guarded by the store's lock."""

    span: Span
    chunks: list[Samples] = field(default_factory=list, repr=False)
    length: int = 0  # samples made
    take: int = 0  # grows when its sound is made anew
    complete: bool = False
    gone: bool = False  # another partition of the text took its place
    rough: bool = False  # a part of the text that has not been split yet
    words: Sequence[SpokenWord] = ()  # none where it is not known
    cut: bool = False  # a part of a segment: not as it was planned
    places: list[tuple[int, int]] = field(default_factory=list, repr=False)
    # (index of the text, sample) of each sentence that begins in it, as found it was as far as `placed_at` says
    placed_at: tuple[int, int, bool] = (-1, 0, False)  # take, length, complete

    def letters(self, start: int, stop: int) -> float:
        """How many letters are spoken for the text between two indices; as many as are written where it is not known."""
        if not self.words:
            return stop - start
        return sum(
            count * (min(last, stop) - max(first, start)) / (last - first)
            for first, last, count in self.words
            if max(first, start) < min(last, stop)
        )

    def index_at(self, start: int, stop: int, share: float) -> int:
        """The index of the text where a share (0 to 1) of what is spoken for a part of it is spoken."""
        left = share * self.letters(start, stop)
        for first, last, count in self.words:
            if max(first, start) < min(last, stop):
                if left < count:
                    return max(start, first + int((last - first) * left / count))
                left -= count
        return start + int((stop - start) * share) if not self.words else stop

    @property
    def needs_plan(self) -> bool:
        """Whether its text has to be split before it can be made."""
        return (self.rough or self.cut) and not self.complete


@dataclass(frozen=True, eq=False)
class Cursor:
    """A place in the sound: a sample of a segment."""

    segment: SegmentAudio
    take: int
    offset: int


class Partition:
    """The segments of a text in order, without a gap but for what is not spoken."""

    def __init__(self, spans: Iterable[Span], *, rough: bool) -> None:
        """`rough`: the spans are parts of the text, to be split later; else each is a segment, and a sentence."""
        self.segments = [SegmentAudio(span, rough=rough) for span in spans]
        self.sentences = SentenceMap(one.span for one in self.segments)
        self.total = 0  # samples held
        assert self.segments, "a speech has at least one segment"

    def unmade(self, segment: SegmentAudio, stop: int) -> list[SegmentAudio]:
        """A segment and those behind it, before the next one that was made and before the index `stop`."""
        found = []
        for one in self.onwards(segment):
            if one.complete or one.span[0] >= stop:
                break
            found.append(one)
        return found

    def refine(
        self,
        segment: SegmentAudio,
        stop: int,
        spans: Iterable[Span],
        sentences: Iterable[Span],
        words: Iterable[Sequence[SpokenWord]] = (),
    ) -> None:
        """The text from a segment on, up to the index `stop`, was planned; with no spans there is nothing in it to be spoken."""
        known = list(words)
        new = [SegmentAudio(span, words=spoken or ()) for span, spoken in zip_longest(spans, known)]
        old = self.unmade(segment, stop)
        if segment.rough:  # the sentences of a part that was cut are known
            self.sentences.refine(segment.span, list(sentences) or [one.span for one in new])
        index = self.index(segment)
        self.segments[index : index + len(old)] = new or [segment]
        for one in old if new else old[1:]:
            self.clear(one)
            one.gone = True
        if not new:
            segment.rough = segment.cut = False
            segment.complete = True

    def placed(self, span: Span) -> SegmentAudio:
        """The segment of exactly this span, for sound that comes now.

        One planned otherwise gives way: the engine speaks a segment in two parts when its takes failed. The rest is left to be
        made.
        """
        start, stop = span
        kept = [one for one in self.segments if one.span == span]
        if kept:
            return kept[0]
        overlapping = [one for one in self.segments if one.span[0] < stop and one.span[1] > start]
        new = [SegmentAudio(span, cut=True)]
        if overlapping and overlapping[-1].span[1] > stop:
            new.append(SegmentAudio((stop, overlapping[-1].span[1]), cut=True))
        for one in overlapping:
            self.remove(one)
        before = sum(one.span[0] < start for one in self.segments)
        self.segments[before:before] = new
        return new[0]

    def cut(self, segment: SegmentAudio, source: int) -> None:
        """Two segments, not made, take the place of one."""
        index = self.index(segment)
        start, stop = segment.span
        self.remove(segment)
        parts = (start, source), (source, stop)
        self.segments[index:index] = [SegmentAudio(part, cut=True) for part in parts]

    def remove(self, segment: SegmentAudio) -> None:
        """It is no part of the text any more."""
        self.clear(segment)
        segment.gone = True
        self.segments.remove(segment)

    def holding(self, source: int) -> SegmentAudio:
        """The one that holds an index of the text; the last one if it lies behind all."""
        return next((one for one in self.segments if source < one.span[1]), self.segments[-1])

    def clear(self, segment: SegmentAudio) -> None:
        """Drops its sound: it counts as not made."""
        self.total -= segment.length
        segment.chunks, segment.length, segment.complete = [], 0, False
        segment.take += 1

    def valid(self, segment: SegmentAudio) -> SegmentAudio:
        """The segment, or what took its place."""
        if not segment.gone:
            return segment
        return self.holding(segment.span[0])

    def current(self, cursor: Cursor) -> Cursor:
        """The place, or the start of what took its place."""
        segment = self.valid(cursor.segment)
        if segment is cursor.segment and cursor.take == segment.take:
            return cursor
        # Nothing was heard of a take that had not begun: its number does not matter.
        return Cursor(segment, segment.take, 0)

    def index(self, segment: SegmentAudio) -> int:
        """Its number among the segments, from 0; ValueError if it is gone."""
        return self.segments.index(segment)

    def onwards(self, segment: SegmentAudio) -> list[SegmentAudio]:
        """It and those behind it."""
        return self.segments[self.index(segment) :]
