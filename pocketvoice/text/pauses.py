"""The source cut into passages and silences: lines, list items, paragraphs and `[pause:...]` marks.

Works on positions in the untouched source and changes nothing. A passage is what is spoken without a break: one line,
one list item, or a hard-wrapped paragraph whose lines belong together. It knows nothing of sentences or tokens.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pocketvoice.text.abbreviations import CLINGING, TITLES

PAUSE_MARK = re.compile(
    r"\[[ \t]*pause[ \t]*(?:[:=](?!\s*[0-9.,]+\s*\])(?P<mark>[^\[\]\r\n]{0,60}))?\]"
    r"|<break\s[^<>]{0,60}?time\s?=\s?[\"'](?P<ssml>[^\"'<>]{1,20})[\"'][^<>]{0,60}>(?:\s{0,9}</break>)?",
    re.IGNORECASE,
)
"""A pause mark, of ours or SSML's `<break time="1s"/>`, well-formed or not; a malformed one is not spoken either.
A number without its unit makes it plain text:
500 may mean milliseconds as well as a mistake of eight minutes."""
SPEAKABLE = re.compile(r"[^\W_]")
"""A letter or a digit of any script: text without one says nothing."""

_LENGTH = re.compile(
    r"\s*([0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)\s*(ms|msecs?|milliseconds?|s|secs?|seconds?)\s*", re.I
)
_MAX_PAUSE_S = 60.0

_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+|\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BULLET = re.compile(r"\s*(?:[-*+–—―][ \t]+|[•‣◦▪▫●○■□►▶][ \t]*|#{1,6}[ \t]+|[A-Za-z][)][ \t]+)\S")
_NUMBERED = re.compile(r"\s*[(]?\d{1,3}[.)][ \t]+\S")
_HEADING = re.compile(r"\s*#{1,6}[ \t]")
_CLOSERS = " \t\"'”’»)]}*_`"
_OPENERS = " \t\"'“‘«([{*_`¿¡„>"
_STOPS = tuple(".!?…:。！？।؟")
_LEANING = (",", ";", "-", "–", "—")  # a line that ends so has not ended

_PROSE_WIDTH = 40
"""Characters: shorter lines are not taken for hard-wrapped prose on their width alone."""


@dataclass(frozen=True)
class Passage:
    """A part of the source, from `start` to `stop`, that is spoken without a break."""

    start: int
    stop: int
    opens: bool = True
    """Begins a line (and so a sentence); False behind a pause mark in the middle of a line."""
    closes: bool = True
    """Ends a line (and so a sentence); False before a pause mark in the middle of a line."""


@dataclass(frozen=True)
class Silence:
    """A silence that the source asks for, between passages; its place is a pause mark's, or empty where a line ends."""

    seconds: float
    start: int
    stop: int
    explicit: bool = False
    """Asked for by a pause mark, not implied by a line's end."""


@dataclass(frozen=True)
class _Line:
    start: int
    stop: int
    text: str  # without pause marks and the space around it
    speaks: bool
    marked: bool  # holds a well-formed pause mark

    @property
    def ends_sentence(self) -> bool:
        return self.text.rstrip(_CLOSERS).endswith(_STOPS)

    @property
    def begins_small(self) -> bool:
        return self.text.lstrip(_OPENERS)[:1].islower()

    @property
    def is_brief(self) -> bool:
        return len(self.text.split(maxsplit=3)) <= 3


def mark_seconds(mark: re.Match[str]) -> float | None:
    """The silence that a match of PAUSE_MARK asks for; None if it is malformed."""
    return pause_seconds(mark["mark"] or mark["ssml"])


def pause_seconds(value: str | None) -> float | None:
    """The length of a pause mark's value (`500ms`, `1.5s`), at most a minute; None if it is malformed."""
    match = _LENGTH.fullmatch(value or "")
    if match is None:
        return None
    seconds = float(match[1].replace(",", "."))
    return min(seconds / 1000 if match[2].lower().startswith("m") else seconds, _MAX_PAUSE_S)


def passages(source: str, line_pause_s: float, paragraph_pause_s: float) -> Iterator[Passage | Silence]:
    """The passages and silences of the source in order. Passages may turn out to say nothing."""
    for index, paragraph in enumerate(_paragraphs(source)):
        if index:
            yield Silence(paragraph_pause_s, paragraph[0].start, paragraph[0].start)
        for number, (start, stop) in enumerate(_runs(paragraph)):
            if number:
                yield Silence(line_pause_s, start, start)
            yield from _at_marks(source, start, stop)


def _lines(source: str) -> Iterator[_Line]:
    for match in _LINE.finditer(source):
        if match[0][0] in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029":
            continue
        text = match[0]
        marked = False
        if "[" in text or "<" in text:
            marked = any(mark_seconds(mark) is not None for mark in PAUSE_MARK.finditer(text))
            text = PAUSE_MARK.sub("", text)
        yield _Line(match.start(), match.end(), text.strip(), SPEAKABLE.search(text) is not None, marked)


def _paragraphs(source: str) -> Iterator[list[_Line]]:
    """Lines with no blank line between them. A line of punctuation (`---`, `* * *`) parts paragraphs too."""
    paragraph: list[_Line] = []
    for line in _lines(source):
        blank = not (line.speaks or line.marked)
        gap = paragraph and _breaks_between(source, paragraph[-1].stop, line.start) > 1
        if paragraph and (blank or gap):
            yield paragraph
            paragraph = []
        if not blank:
            paragraph.append(line)
    if paragraph:
        yield paragraph


def _breaks_between(source: str, start: int, stop: int) -> int:
    breaks = source[start:stop]
    return len(breaks) - breaks.count("\r\n")  # Windows' two characters are one break


def _runs(paragraph: list[_Line]) -> Iterator[tuple[int, int]]:
    """Yields where lines that belong together begin and end in the source."""
    width = _wrap_width(paragraph)
    start = paragraph[0].start
    for above, below in pairwise(paragraph):
        if not _belong_together(above, below, width):
            yield start, above.stop
            start = below.start
    yield start, paragraph[-1].stop


def _wrap_width(paragraph: list[_Line]) -> int | None:
    """The width a paragraph was hard-wrapped at; None unless a long line of it goes on in small letters."""
    pairs = pairwise(paragraph)
    if any(len(a.text) >= _PROSE_WIDTH and not a.ends_sentence and b.begins_small for a, b in pairs):
        return max(line.stop - line.start for line in paragraph)
    return None


def _belong_together(above: _Line, below: _Line, width: int | None) -> bool:
    """Whether the break between two lines is only where the line was full."""
    if not (above.speaks and below.speaks) or _BULLET.match(below.text) or _HEADING.match(above.text):
        return False
    first_word = below.text.split(maxsplit=1)[0]
    full = width is not None and above.stop - above.start + 1 + len(first_word) > width
    if _NUMBERED.match(below.text) and (not full or above.ends_sentence):
        return False
    last_word = above.text.rsplit(maxsplit=1)[-1].lower()
    if full or last_word.rstrip(".") in TITLES or last_word in CLINGING:
        return True
    if above.ends_sentence:
        return False
    if above.text.endswith(_LEANING):
        return True
    # Short lines in small letters are a list or verse, not prose.
    return below.begins_small and not (above.is_brief and below.is_brief)


def _at_marks(source: str, start: int, stop: int) -> Iterator[Passage | Silence]:
    """Cuts lines that belong together at their well-formed pause marks; pieces that say nothing are left out."""
    marks = [m for m in PAUSE_MARK.finditer(source, start, stop) if mark_seconds(m) is not None]
    edges = [start, *(edge for mark in marks for edge in mark.span()), stop]
    pieces = list(zip(edges[::2], edges[1::2], strict=True))
    speaking = [i for i, piece in enumerate(pieces) if SPEAKABLE.search(source, *piece)]
    passages = {i: Passage(*pieces[i], opens=i == speaking[0], closes=i == speaking[-1]) for i in speaking}
    for i in range(len(pieces)):
        if i in passages:
            yield passages[i]
        if i < len(marks):
            seconds = mark_seconds(marks[i])
            assert seconds is not None, "malformed marks were left out above"
            yield Silence(seconds, *marks[i].span(), explicit=True)
