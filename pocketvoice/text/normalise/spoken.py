"""What normalising yields: the spoken text, and for each of its words the place in the source it stands for.

Plain data and the builder that makes it. It knows no language and no rules.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from pocketvoice.text.traced import TracedText

Span = tuple[int, int]
"""Start and stop in a text, as indices of a Python str."""

_WORD = re.compile(r"\S+")


class Kind(StrEnum):
    """What a written thing was taken for."""

    WORD = "word"
    """Spoken as it is written."""
    CARDINAL = "cardinal"
    DIGITS = "digits"
    """A number or code read digit by digit."""
    ORDINAL = "ordinal"
    FRACTION = "fraction"
    RANGE = "range"
    SCORE = "score"
    MONEY = "money"
    MEASURE = "measure"
    YEAR = "year"
    DATE = "date"
    TIME = "time"
    DURATION = "duration"
    TELEPHONE = "telephone"
    VERSION = "version"
    """Version numbers and IP addresses."""
    ROMAN = "roman"
    INITIALISM = "initialism"
    ABBREVIATION = "abbreviation"
    ADDRESS = "address"
    """E-mail and web addresses."""
    PATH = "path"
    SOCIAL = "social"
    """Hashtags and handles."""
    SIGN = "sign"
    CODE = "code"
    """Letters and digits in one word."""
    GREEK = "greek"
    FOREIGN = "foreign"
    """A word in another alphabet, in the letters of this one."""
    PRONOUNCED = "pronounced"
    """By a rule of the user's."""


@dataclass(frozen=True)
class Note:
    """Something that is not spoken although it may be missed."""

    message: str
    span: Span


@dataclass(frozen=True)
class SpokenWord:
    """One word of the spoken text."""

    text: str
    start: int
    """Where it begins in the spoken text."""
    span: Span
    """What it stands for in the source; words that come from one thing share its span."""
    kind: Kind


@dataclass(frozen=True)
class Spoken:
    """A text as it is spoken."""

    text: str
    starts: "array[int]" = field(repr=False)
    """For each character of `text` where what it stands for begins in the source; in order."""
    stops: "array[int]" = field(repr=False)
    """The same for its end."""
    readings: tuple[tuple[int, int, Kind], ...] = ()
    """Start and stop in `text`, in order, of what is not spoken as it is written, and what it was taken for."""
    notes: tuple[Note, ...] = ()

    def traced(self) -> TracedText:
        """The same as the text preparation takes it."""
        return TracedText(self.text, self.starts, self.stops)

    def words(self) -> Iterator[SpokenWord]:
        """What stands between spaces, in order."""
        readings = iter((*self.readings, (len(self.text) + 1, len(self.text) + 2, Kind.WORD)))
        begin, end, kind = next(readings)
        for match in _WORD.finditer(self.text):
            while end <= match.start():
                begin, end, kind = next(readings)
            span = min(self.starts[match.start() : match.end()]), max(self.stops[match.start() : match.end()])
            yield SpokenWord(match[0], match.start(), span, kind if begin < match.end() else Kind.WORD)

    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of the readings, in order."""
        return tuple(kind for _, _, kind in self.readings)


class SpokenBuilder:
    """Puts a Spoken together from what is kept of a traced text and what is read in place of the rest."""

    def __init__(self, traced: TracedText) -> None:
        self._traced = traced
        self._texts: list[str] = []
        self._starts = array("q")
        self._stops = array("q")
        self._length = 0
        self._last = " "
        self._readings: list[tuple[int, int, Kind]] = []
        self.notes: list[Note] = []

    def keep(self, start: int, stop: int) -> None:
        """The characters from `start` to `stop` are spoken as they are."""
        text = self._traced.text[start:stop]
        if not text:
            return
        if self._glued(text):
            self._space(start)
        self._append(text, self._traced.starts[start:stop], self._traced.stops[start:stop])

    def read(self, text: str, start: int, stop: int, kind: Kind) -> None:
        """`text` is spoken in place of the characters from `start` to `stop` (at least one)."""
        if not text:
            return
        if self._last.isalnum() and text[0].isalnum() and kind is not Kind.PRONOUNCED:
            self._space(start)
        length = len(text)
        self._readings.append((self._length, self._length + length, kind))
        self._texts.append(text)
        self._starts.extend(self._traced.starts[start : start + 1] * length)
        self._stops.extend(self._traced.stops[stop - 1 : stop] * length)
        self._length += length
        self._last = text[-1]

    def note(self, message: str, start: int, stop: int) -> None:
        """Tells that the characters from `start` to `stop` are not spoken."""
        self.notes.append(Note(message, self._traced.span(start, stop)))

    def finished(self) -> Spoken:
        """Everything so far."""
        text = "".join(self._texts)
        return Spoken(text, self._starts, self._stops, tuple(self._readings), tuple(self.notes))

    def _glued(self, text: str) -> bool:
        """Whether a kept text begins with a letter right behind a reading."""
        ends_here = bool(self._readings) and self._readings[-1][1] == self._length
        if ends_here and self._readings[-1][2] is Kind.PRONOUNCED:
            return False
        return ends_here and self._last.isalnum() and text[0].isalnum()

    def _space(self, start: int) -> None:
        at = array("q", [self._traced.starts[start]])
        self._append(" ", at, at)

    def _append(self, text: str, starts: "array[int]", stops: "array[int]") -> None:
        self._texts.append(text)
        self._starts.extend(starts)
        self._stops.extend(stops)
        self._length += len(text)
        self._last = text[-1]


def joined(parts: Iterable[Spoken]) -> Spoken:
    """Pieces of one text, in order, as one."""
    texts: list[str] = []
    starts, stops = array("q"), array("q")
    readings: list[tuple[int, int, Kind]] = []
    notes: list[Note] = []
    for part in parts:
        offset = len(starts)
        texts.append(part.text)
        starts.extend(part.starts)
        stops.extend(part.stops)
        readings += [(start + offset, stop + offset, kind) for start, stop, kind in part.readings]
        notes += part.notes
    return Spoken("".join(texts), starts, stops, tuple(readings), tuple(notes))
