"""The sound of one text, segment by segment: written by the engine's thread, read by the player's, kept for going back.

It knows which segments there will be before they are made, so that any of them can be asked for; the memory is bounded, and
what lies farthest from the ear is given up first. It knows the sentences, too, of which a segment may hold several or a part, and
finds them in its sound. Knows no engine and no device. Every method may be called from any thread: one lock guards
everything, and nothing slow happens under it.
"""

import threading
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

import numpy as np

from pocketvoice.audio.chunk import Samples
from pocketvoice.playback.alignment import sentence_offsets
from pocketvoice.playback.partition import Cursor, Partition, SegmentAudio, SpokenWord
from pocketvoice.playback.sentences import Span

__all__ = ["Cursor", "SegmentAudio", "SpeechStore"]

SECONDS_PER_LETTER = 0.065
"""A first guess at how long a text sounds, until some of it was made."""

_EMPTY = np.zeros(0, np.float32)


class SpeechStore:
    """The segments of a text in order."""

    def __init__(
        self, sample_rate: int, spans: Iterable[Span], *, capacity_s: float = 900.0, rough: bool = False
    ) -> None:
        """`rough`: the spans are parts of the text, to be split later (`refine`); else each is a sentence at first."""
        self.sample_rate = sample_rate
        """Samples a second; set once."""
        self.own_speed: float | None = None
        """The tempo it is always played at; None is the player's. Set before it is played."""
        self.changed = threading.Condition()
        """Notified when sound was added or the plan changed; its lock guards all that follows."""
        self._parts = Partition(spans, rough=rough)
        self._capacity = int(capacity_s * sample_rate)  # set once
        self._writing: SegmentAudio | None = None
        self._near: SegmentAudio | None = None  # the last one read: nothing near it is given up

    @property
    def spans(self) -> tuple[Span, ...]:
        """All segments, as planned or made."""
        with self.changed:
            return tuple(segment.span for segment in self._parts.segments)

    @property
    def sentences(self) -> tuple[Span, ...]:
        """All sentences, and the parts that have not been split yet."""
        with self.changed:
            return self._parts.sentences.spans

    def to_plan(self, segment: SegmentAudio, stop: int, letters: int) -> int:
        """The index of the text up to which it is planned from a segment on that is not planned.

        That is as far as nothing was made, at most `stop`, and some `letters` at the most where a sentence ends behind them.
        """
        with self.changed:
            parts = self._parts.unmade(segment, stop)
            for begin in (one.span[0] for one in parts[1:]):
                if begin - segment.span[0] >= letters and self._parts.sentences.begins_at(begin):
                    return begin
            following = self._parts.onwards(parts[-1])[1:2]
            return min(stop, following[0].span[0]) if following else stop

    def refine(
        self,
        segment: SegmentAudio,
        spans: Iterable[Span],
        sentences: Iterable[Span] | None = None,
        stop: int | None = None,
        words: Iterable[Sequence[SpokenWord]] = (),
    ) -> None:
        """The text from a segment on that was not planned, up to `stop` (its end), is made of these segments and sentences.

        With no spans there is nothing in it to be spoken. `words` are those of each segment.
        """
        with self.changed:
            if not segment.needs_plan or segment.gone:
                return
            self._parts.refine(
                segment, segment.span[1] if stop is None else stop, spans, sentences or (), words
            )
            self.changed.notify_all()

    def forget_plan(self, segment: SegmentAudio) -> None:
        """A segment has to be planned before it is made, even if it was planned before."""
        with self.changed:
            segment.cut = not segment.rough

    def unmade(self, segment: SegmentAudio, stop: int) -> list[SegmentAudio]:
        """A segment and those behind it that are planned and not made, before the next that is made and before the index `stop`."""
        with self.changed:
            return list(takewhile(lambda one: not one.needs_plan, self._parts.unmade(segment, stop)))

    # -- the engine's side

    def begin(self, span: Span, instead_of: SegmentAudio | None = None) -> SegmentAudio | None:
        """The next sound belongs to this piece of text; it replaces what was there.

        None, and nothing happens, if the segment that it is made for is no part of the text any more.
        """
        with self.changed:
            if instead_of is not None and instead_of.gone:
                return None
            self._writing = self._parts.placed(span)
            self._parts.clear(self._writing)
            self.changed.notify_all()
            return self._writing

    def add(self, samples: Samples) -> None:
        """Appends sound to the segment that was begun."""
        with self.changed:
            segment = self._writing
            assert segment is not None, "begin comes before add"
            if segment.gone:  # the player wants to begin inside it: it is made anew from there
                return
            segment.chunks.append(samples)
            segment.length += len(samples)
            self._parts.total += len(samples)
            self._give_up_far_ones()
            self.changed.notify_all()

    def end(self) -> None:
        """The segment that was begun is complete."""
        with self.changed:
            if self._writing is not None:
                self._writing.complete = True
            self._writing = None
            self.changed.notify_all()

    def missing_from(self, segment: SegmentAudio) -> SegmentAudio | None:
        """The first segment at or behind this one that was not made."""
        with self.changed:
            return next(
                (one for one in self._parts.onwards(self._parts.valid(segment)) if not one.complete), None
            )

    def writing(self) -> SegmentAudio | None:
        """The segment being made; None between two, or if none is."""
        with self.changed:
            return self._writing

    def near(self) -> SegmentAudio:
        """The segment that the player last asked for."""
        with self.changed:
            return self._parts.valid(self._near or self._parts.segments[0])

    def ahead_of_player_s(self) -> float:
        """Seconds made from the segment on that the player last asked for, without a hole."""
        near = self.near()
        return self.ahead_s(Cursor(near, near.take, 0))

    def break_off(self) -> None:
        """What was begun is not made to its end: it will be begun again."""
        with self.changed:
            self._writing = None

    def is_made(self, span: Span) -> bool:
        """Whether the segment that stands here lies in the store, complete."""
        with self.changed:
            return any(one.span == span and one.complete for one in self._parts.segments)

    # -- the player's side

    def aim(self, cursor: Cursor) -> None:
        """The player is about to ask for this place."""
        with self.changed:
            self._near = cursor.segment
            self.changed.notify_all()

    def segment_at(self, source: int) -> SegmentAudio:
        """The segment that holds this index of the text; the last one if it lies behind all."""
        with self.changed:
            return self._parts.holding(source)

    def at(self, source: int) -> Cursor:
        """The start of the sentence that holds this index of the text, or of the last one if it lies behind all."""
        with self.changed:
            return self._start_of(self._parts.sentences.spans[self._parts.sentences.index(source)])

    def open_at(self, source: int) -> Cursor:
        """The same, to begin there: a segment that is not made yet is cut there, so that its making begins there, too."""
        with self.changed:
            start = self._parts.sentences.spans[self._parts.sentences.index(source)][0]
            segment = self._parts.holding(start)
            if not segment.complete and segment.span[0] < start < segment.span[1]:
                self._parts.cut(segment, start)
                self.changed.notify_all()
            return self.at(source)

    def sentence(self, cursor: Cursor) -> Span:
        """The one at a place of the sound; the segment where it belongs to none."""
        with self.changed:
            cursor = self._parts.current(cursor)
            return self._parts.sentences.holding(cursor.segment.span, self.source(cursor))

    def sentence_beside(self, sentence: Span, step: int) -> Span | None:
        """The sentence `step` places on; None behind the end, the first one before the beginning."""
        with self.changed:
            index = self._parts.sentences.index(sentence[0]) + step
            spans = self._parts.sentences.spans
            return spans[max(0, index)] if index < len(spans) else None

    def read(self, cursor: Cursor, count: int) -> tuple[Samples, Cursor] | None:
        """Up to `count` samples of one segment and the place behind them; none if they are not made yet.

        None at the end of the text. A cursor whose take was replaced comes back at the start of the new one.
        """
        with self.changed:
            cursor = self._parts.current(cursor)
            segment = cursor.segment
            while segment.complete and cursor.offset >= segment.length:
                index = self._parts.index(segment) + 1
                if index == len(self._parts.segments):
                    return None
                segment = self._parts.segments[index]
                cursor = Cursor(segment, segment.take, 0)
            self._near = segment
            samples = _slice(segment.chunks, cursor.offset, count)
            return samples, Cursor(segment, cursor.take, cursor.offset + len(samples))

    def is_current(self, cursor: Cursor) -> bool:
        """Whether the take that the cursor points into still stands."""
        with self.changed:
            return not cursor.segment.gone and cursor.take == cursor.segment.take

    # -- how much of it there is

    def index(self, sentence: Span) -> int:
        """Its number among the sentences, from 0."""
        with self.changed:
            return self._parts.sentences.index(sentence[0])

    def ahead_s(self, cursor: Cursor) -> float:
        """Seconds made behind the cursor without a hole."""
        with self.changed:
            cursor = self._parts.current(cursor)
            samples = -cursor.offset
            for segment in self._parts.onwards(cursor.segment):
                samples += segment.length
                if not segment.complete:
                    break
            return max(0, samples) / self.sample_rate

    def is_all_silent(self) -> bool:
        """Whether nothing is left to be spoken, and nothing was."""
        with self.changed:
            return all(one.complete and not one.length for one in self._parts.segments)

    def is_complete_from(self, cursor: Cursor) -> bool:
        """Whether everything behind the cursor was made."""
        return self.missing_from(cursor.segment) is None

    def seconds(self, cursor: Cursor) -> tuple[float, float]:
        """Seconds of speech before the cursor, and of the whole text; estimated where it was not made."""
        with self.changed:
            cursor = self._parts.current(cursor)
            per_letter = self._seconds_per_letter()
            before = total = 0.0
            for segment in self._parts.segments:
                if segment is cursor.segment:
                    before = total + cursor.offset / self.sample_rate
                total += self._length_s(segment, per_letter)
            return before, max(total, before)

    def source(self, cursor: Cursor) -> int:
        """The index of the text at the cursor, in proportion to what is spoken within the sentence."""
        with self.changed:
            segment = cursor.segment
            length = self._length_s(segment, self._seconds_per_letter()) * self.sample_rate
            places = [*self._places(segment), (segment.span[1], int(length))]
            number = bisect_right(places[1:-1], cursor.offset, key=lambda place: place[1])
            (start, begins), (stop, ends) = places[number : number + 2]
            share = min(1.0, (cursor.offset - begins) / (ends - begins)) if ends > begins else 0.0
            return min(segment.index_at(start, stop, share), max(start, stop - 1))

    # -- under the lock

    def _start_of(self, sentence: Span) -> Cursor:
        segment = self._parts.holding(sentence[0])
        offset = dict(self._places(segment)).get(sentence[0], 0)
        return Cursor(segment, segment.take, offset)

    def _places(self, segment: SegmentAudio) -> list[tuple[int, int]]:
        """Index of the text and sample of its beginning and of each sentence that begins inside it."""
        state = (segment.take, segment.length, segment.complete)
        if segment.placed_at != state:
            start, stop = segment.span
            starts = [start, *self._parts.sentences.starts_within(segment.span)]
            letters = [segment.letters(before, after) for before, after in pairwise([*starts, stop])]
            whole_s = None if segment.complete else self._length_s(segment, self._seconds_per_letter())
            offsets = [0]
            if len(starts) > 1:
                samples = _slice(segment.chunks, 0, segment.length)
                offsets = sentence_offsets(samples, self.sample_rate, letters, whole_s)
            segment.places, segment.placed_at = list(zip(starts, offsets, strict=True)), state
        return segment.places

    def _seconds_per_letter(self) -> float:
        made = [one for one in self._parts.segments if one.complete]
        letters = sum(one.letters(*one.span) for one in made)
        return sum(one.length for one in made) / self.sample_rate / letters if letters else SECONDS_PER_LETTER

    def _length_s(self, segment: SegmentAudio, per_letter: float) -> float:
        made_s = segment.length / self.sample_rate
        return made_s if segment.complete else max(made_s, segment.letters(*segment.span) * per_letter)

    def _give_up_far_ones(self) -> None:
        """Of what was made, the segment farthest from the ear goes first; those behind the ear before those ahead."""
        while self._parts.total > self._capacity:
            here = self._parts.index(self._parts.valid(self._near or self._parts.segments[0]))
            held = [i for i, one in enumerate(self._parts.segments) if one.complete and abs(i - here) > 1]
            if not held:
                return
            behind = [i for i in held if i < here]
            self._parts.clear(self._parts.segments[min(behind) if behind else max(held)])


def _slice(chunks: list[Samples], start: int, count: int) -> Samples:
    parts = []
    for chunk in chunks:
        if start < len(chunk) and count > 0:
            parts.append(chunk[start : start + count])
            count -= len(parts[-1])
        start = max(0, start - len(chunk))
    return np.concatenate(parts) if parts else _EMPTY
