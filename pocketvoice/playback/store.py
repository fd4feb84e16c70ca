"""The sound of one text, sentence by sentence: written by the engine's thread, read by the player's, kept for going back.

It knows which sentences there will be before they are made, so that any of them can be asked for; the memory is bounded, and
what lies farthest from the ear is given up first. Knows no engine and no device. Every method may be called from any
thread: one lock guards everything, and nothing slow happens under it.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from pocketvoice.audio.chunk import Samples

Span = tuple[int, int]
"""Start and stop in the source text."""

SECONDS_PER_LETTER = 0.065
"""A first guess at how long a text sounds, until some of it was made."""

_EMPTY = np.zeros(0, np.float32)


@dataclass(eq=False)
class Sentence:
    """A piece of the text and its sound, as far as it was made. Its fields are guarded by the store's lock."""

    span: Span
    chunks: list[Samples] = field(default_factory=list, repr=False)
    length: int = 0  # samples made
    take: int = 0  # grows when its sound is made anew
    complete: bool = False
    gone: bool = False  # another partition of the text took its place
    rough: bool = False  # a part of the text that has not been split into sentences yet


@dataclass(frozen=True, eq=False)
class Cursor:
    """A place in the sound: a sample of a sentence."""

    sentence: Sentence
    take: int
    offset: int


class SpeechStore:
    """The sentences of a text in order."""

    def __init__(
        self, sample_rate: int, spans: Iterable[Span], *, capacity_s: float = 900.0, rough: bool = False
    ) -> None:
        """`rough`: the spans are parts of the text, to be split into sentences later (`refine`)."""
        self.sample_rate = sample_rate
        """Hz; set once."""
        self.own_speed: float | None = None
        """The tempo it is always played at; None is the player's. Set before it is played."""
        self.changed = threading.Condition()
        """Notified when sound was added or the plan changed; its lock guards all that follows."""
        self._sentences = [Sentence(span, rough=rough) for span in spans]
        self._capacity = int(capacity_s * sample_rate)  # set once
        self._total = 0  # samples held
        self._writing: Sentence | None = None
        self._near: Sentence | None = None  # the last one read: nothing near it is given up
        self._failed = False
        assert self._sentences, "a speech has at least one sentence"

    @property
    def spans(self) -> tuple[Span, ...]:
        """All sentences, as planned or made."""
        with self.changed:
            return tuple(sentence.span for sentence in self._sentences)

    def refine(self, sentence: Sentence, spans: Iterable[Span]) -> None:
        """A rough part has been split; with no spans there is nothing in it to be spoken."""
        with self.changed:
            if not sentence.rough or sentence.gone:
                return
            new = [Sentence(span) for span in spans]
            if new:
                index = self._index(sentence)
                self._sentences[index : index + 1] = new
                sentence.gone = True
            else:
                sentence.rough, sentence.complete = False, True
            self.changed.notify_all()

    # -- the engine's side

    def begin(self, span: Span) -> None:
        """The next sound belongs to this piece of text; it replaces what was there."""
        with self.changed:
            self._writing = self._placed(span)
            self._clear(self._writing)
            self.changed.notify_all()

    def add(self, samples: Samples) -> None:
        """Appends sound to the sentence that was begun."""
        with self.changed:
            sentence = self._writing
            assert sentence is not None, "begin comes before add"
            sentence.chunks.append(samples)
            sentence.length += len(samples)
            self._total += len(samples)
            self._give_up_far_ones()
            self.changed.notify_all()

    def end(self) -> None:
        """The sentence is complete."""
        with self.changed:
            if self._writing is not None:
                self._writing.complete = True
            self._writing = None
            self.changed.notify_all()

    def missing_from(self, sentence: Sentence) -> Sentence | None:
        """The first sentence at or behind this one that was not made."""
        with self.changed:
            return next((one for one in self._from(self._valid(sentence)) if not one.complete), None)

    def writing(self) -> Sentence | None:
        """The sentence being made; None between two, or if none is."""
        with self.changed:
            return self._writing

    def near(self) -> Sentence:
        """The sentence that the player last asked for."""
        with self.changed:
            return self._valid(self._near or self._sentences[0])

    def ahead_of_player_s(self) -> float:
        """Seconds made from the sentence on that the player last asked for, without a hole."""
        near = self.near()
        return self.ahead_s(Cursor(near, near.take, 0))

    def break_off(self) -> None:
        """What was begun is not made to its end: it will be begun again."""
        with self.changed:
            self._writing = None

    def give_up(self, sentence: Sentence) -> None:
        """There is no sound for this one: it counts as complete."""
        with self.changed:
            sentence.complete = True
            self.changed.notify_all()

    def is_made(self, span: Span) -> bool:
        """Whether the sentence that begins here lies in the store, complete."""
        with self.changed:
            return any(one.span == span and one.complete for one in self._sentences)

    # -- the player's side

    def aim(self, cursor: Cursor) -> None:
        """The player is about to ask for this place."""
        with self.changed:
            self._near = cursor.sentence
            self.changed.notify_all()

    def at(self, source: int) -> Cursor:
        """The start of the sentence that holds this index of the text; the last one if it lies behind all."""
        with self.changed:
            found = next((one for one in self._sentences if source < one.span[1]), self._sentences[-1])
            return Cursor(found, found.take, 0)

    def neighbour(self, cursor: Cursor, step: int) -> Cursor | None:
        """The start of the sentence `step` places on; None behind the end, the first one before the beginning."""
        with self.changed:
            index = self._index(self._valid(cursor.sentence)) + step
            if index >= len(self._sentences):
                return None
            found = self._sentences[max(0, index)]
            return Cursor(found, found.take, 0)

    def read(self, cursor: Cursor, count: int) -> tuple[Samples, Cursor] | None:
        """Up to `count` samples of one sentence and the place behind them; none if they are not made yet.

        None at the end of the text. A cursor whose take was replaced comes back at the start of the new one.
        """
        with self.changed:
            cursor = self._current(cursor)
            sentence = cursor.sentence
            while sentence.complete and cursor.offset >= sentence.length:
                index = self._index(sentence) + 1
                if index == len(self._sentences):
                    return None
                sentence = self._sentences[index]
                cursor = Cursor(sentence, sentence.take, 0)
            self._near = sentence
            samples = _slice(sentence.chunks, cursor.offset, count)
            return samples, Cursor(sentence, cursor.take, cursor.offset + len(samples))

    def is_current(self, cursor: Cursor) -> bool:
        """Whether the take that the cursor points into still stands."""
        with self.changed:
            return not cursor.sentence.gone and cursor.take == cursor.sentence.take

    # -- how much of it there is

    def index(self, sentence: Sentence) -> int:
        """Its number, from 0."""
        with self.changed:
            return self._index(self._valid(sentence))

    def ahead_s(self, cursor: Cursor) -> float:
        """Seconds made behind the cursor without a hole."""
        with self.changed:
            cursor = self._current(cursor)
            samples = -cursor.offset
            for sentence in self._from(cursor.sentence):
                samples += sentence.length
                if not sentence.complete:
                    break
            return max(0, samples) / self.sample_rate

    def is_all_silent(self) -> bool:
        """Whether nothing is left to be spoken, and nothing was."""
        with self.changed:
            return all(one.complete and not one.length for one in self._sentences)

    def is_complete_from(self, cursor: Cursor) -> bool:
        """Whether everything behind the cursor was made."""
        return self.missing_from(cursor.sentence) is None

    def seconds(self, cursor: Cursor) -> tuple[float, float]:
        """Seconds of speech before the cursor, and of the whole text; estimated where it was not made."""
        with self.changed:
            cursor = self._current(cursor)
            per_letter = self._seconds_per_letter()
            before = total = 0.0
            for sentence in self._sentences:
                if sentence is cursor.sentence:
                    before = total + cursor.offset / self.sample_rate
                total += self._length_s(sentence, per_letter)
            return before, max(total, before)

    def source(self, cursor: Cursor) -> int:
        """The index of the text at the cursor, in proportion to the time within the sentence."""
        with self.changed:
            sentence = cursor.sentence
            start, stop = sentence.span
            length = self._length_s(sentence, self._seconds_per_letter()) * self.sample_rate
            return start + int((stop - start) * min(1.0, cursor.offset / length)) if length else start

    # -- under the lock

    def _placed(self, span: Span) -> Sentence:
        """The sentence of exactly this span; one planned otherwise gives way."""
        start, stop = span
        kept = [one for one in self._sentences if one.span == span]
        if kept:
            return kept[0]
        new = Sentence(span)
        overlapping = [one for one in self._sentences if one.span[0] < stop and one.span[1] > start]
        for one in overlapping:
            self._clear(one)
            one.gone = True
        left = [one for one in self._sentences if not one.gone]
        before = sum(one.span[0] < start for one in left)
        self._sentences = [*left[:before], new, *left[before:]]
        return new

    def _clear(self, sentence: Sentence) -> None:
        self._total -= sentence.length
        sentence.chunks, sentence.length, sentence.complete = [], 0, False
        sentence.take += 1

    def _valid(self, sentence: Sentence) -> Sentence:
        """The sentence, or what took its place."""
        if not sentence.gone:
            return sentence
        start = sentence.span[0]
        return next((one for one in self._sentences if start < one.span[1]), self._sentences[-1])

    def _current(self, cursor: Cursor) -> Cursor:
        sentence = self._valid(cursor.sentence)
        if sentence is cursor.sentence and cursor.take == sentence.take:
            return cursor
        # Nothing was heard of a take that had not begun: its number does not matter.
        return Cursor(sentence, sentence.take, 0)

    def _index(self, sentence: Sentence) -> int:
        return self._sentences.index(sentence)

    def _from(self, sentence: Sentence) -> list[Sentence]:
        return self._sentences[self._index(sentence) :]

    def _seconds_per_letter(self) -> float:
        made = [one for one in self._sentences if one.complete]
        letters = sum(stop - start for start, stop in (one.span for one in made))
        return sum(one.length for one in made) / self.sample_rate / letters if letters else SECONDS_PER_LETTER

    def _length_s(self, sentence: Sentence, per_letter: float) -> float:
        made_s = sentence.length / self.sample_rate
        start, stop = sentence.span
        return made_s if sentence.complete else max(made_s, (stop - start) * per_letter)

    def _give_up_far_ones(self) -> None:
        """Of what was made, the sentence farthest from the ear goes first; those behind the ear before those ahead."""
        while self._total > self._capacity:
            here = self._index(self._valid(self._near or self._sentences[0]))
            held = [i for i, one in enumerate(self._sentences) if one.complete and abs(i - here) > 1]
            if not held:
                return
            behind = [i for i in held if i < here]
            self._clear(self._sentences[min(behind) if behind else max(held)])


def _slice(chunks: list[Samples], start: int, count: int) -> Samples:
    parts = []
    for chunk in chunks:
        if start < len(chunk) and count > 0:
            parts.append(chunk[start : start + count])
            count -= len(parts[-1])
        start = max(0, start - len(chunk))
    return np.concatenate(parts) if parts else _EMPTY
