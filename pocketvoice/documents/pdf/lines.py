"""Words of a page to lines: pieces of lines first (a column's, a cell's), in the order in which a person reads them.

A *fragment* is a run of words on one base line without a wide gap. Pure geometry: no PDFium, no text rules.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from pocketvoice.documents.pdf.library import PageWords, Word

BULLET = re.compile(r"([•▪■◦‣●○–—∙·*➢✓❖◆-]|\(?\d{1,3}[.)]|\(?[a-z][.)]|[ivx]{1,4}[.)]|\(\d{1,3}\))$")
"""What stands in front of a list's item."""

_GAP = 1.0  # sizes of the letters: wider than any space between words
_SAME_LINE = 0.45  # sizes: base lines nearer than this are one (raised numbers)


@dataclass(slots=True)
class Fragment:
    """Words on one base line."""

    words: list[Word]
    y: float = 0.0
    size: float = 0.0
    x0: float = 0.0
    x1: float = 0.0
    letters: int = 0

    def measure(self) -> "Fragment":
        """Takes base line and size from the larger part of the letters."""
        sizes: Counter[tuple[float, float]] = Counter()
        for word in self.words:
            sizes[word.font.size, word.y] += len(word.text)
        self.size, self.y = sizes.most_common(1)[0][0]
        self.x0, self.x1 = self.words[0].x0, max(word.x1 for word in self.words)
        self.letters = sum(sizes.values())
        return self


@dataclass(slots=True)
class Line:
    """Fragments side by side: mostly one; several in a row of a table."""

    fragments: list[Fragment]
    left: float
    """Where the lines of its column begin and end."""
    right: float
    column: int = 0
    """Number of the column or band on the page, in reading order."""
    words: list[Word] = field(default_factory=list)
    y: float = 0.0
    size: float = 0.0

    def __post_init__(self) -> None:
        self.words = [word for fragment in self.fragments for word in fragment.words]
        largest = max(self.fragments, key=lambda fragment: fragment.letters)
        self.y, self.size = largest.y, largest.size

    @property
    def x0(self) -> float:
        return self.fragments[0].x0

    @property
    def x1(self) -> float:
        return self.fragments[-1].x1

    def share(self, what: str) -> float:
        """How much of its letters are `bold`, `italic` or `fixed`: 0 to 1."""
        total = sum(len(word.text) for word in self.words)
        return sum(len(word.text) for word in self.words if getattr(word.font, what)) / max(total, 1)

    @property
    def plain(self) -> str:
        """The words with spaces, for looking at."""
        return "".join(("" if word.glued else " ") + word.text for word in self.words).strip()


def fragments_of(page: PageWords) -> list[Fragment]:
    """The fragments of a page, from top to bottom; slanting and upright side text is left out."""
    angles: Counter[int] = Counter()
    for word in page.words:
        angles[word.font.angle] += len(word.text)
    angle = angles.most_common(1)[0][0] if angles else 0
    words = _without_doubles(word for word in page.words if word.font.angle == angle and word.font.size > 1)
    fragments: list[Fragment] = []
    for word in words:
        if not (fragments and _goes_on(fragments[-1].words, word)):
            fragments.append(Fragment([]))
        fragments[-1].words.append(word)
    measured = [fragment.measure() for fragment in fragments]
    return sorted(_merged(measured), key=lambda fragment: (-fragment.y, fragment.x0))


def _without_doubles(words: Iterable[Word]) -> Iterable[Word]:
    """Leaves out words drawn twice, a hair apart: how some programs make bold letters and shadows."""
    seen: dict[str, Word] = {}
    for word in words:
        other = seen.get(word.text)
        if other is None or abs(word.x0 - other.x0) > 1.5 or abs(word.y - other.y) > 1.5:
            yield word
        seen[word.text] = word


def _goes_on(words: Sequence[Word], word: Word) -> bool:
    last = words[-1]
    size = max(last.font.size, word.font.size)
    gap = word.x0 - last.x1
    return abs(word.y - last.y) < _SAME_LINE * size and -0.7 * size < gap < _GAP * size


def _merged(fragments: list[Fragment]) -> list[Fragment]:
    """Joins fragments that stand side by side though the file draws them apart: every word on its own, raised numbers."""
    ordered = sorted(fragments, key=lambda fragment: (-round(fragment.y), fragment.x0))
    merged: list[Fragment] = []
    for fragment in ordered:
        for other in reversed(merged[-8:]):
            size = max(fragment.size, other.size)
            first, second = (other, fragment) if other.x0 <= fragment.x0 else (fragment, other)
            gap = second.x0 - first.x1
            if abs(fragment.y - other.y) < _SAME_LINE * size and -0.3 * size < gap < 0.5 * min(
                fragment.size, other.size
            ):
                other.words = first.words + _separated(second.words, gap, size)
                other.measure()
                break
        else:
            merged.append(fragment)
    return merged


def _separated(words: list[Word], gap: float, size: float) -> list[Word]:
    """The words that follow across a gap: glued to what stands before if there is none."""
    return [words[0]._replace(glued=gap < 0.12 * size), *words[1:]]


def lines_in_order(fragments: Sequence[Fragment]) -> list[Line]:
    """The lines of a page in reading order: column by column, what spans all columns in its place."""
    lines: list[Line] = []
    for number, band in enumerate(_bands(list(fragments), 0)):
        lines += _rows(band, number)
    return lines


def _bands(fragments: list[Fragment], depth: int) -> list[list[Fragment]]:
    """Columns and what spans them, in reading order."""
    gutter = _gutter(fragments) if depth < 3 else None
    if gutter is None:
        return [fragments] if fragments else []
    bands: list[list[Fragment]] = []
    left: list[Fragment] = []
    right: list[Fragment] = []
    spanning: list[Fragment] = []
    for fragment in sorted(fragments, key=lambda fragment: -fragment.y):
        if fragment.x1 <= gutter + 1 or fragment.x0 >= gutter - 1:
            if spanning:
                bands.append(spanning)
                spanning = []
            (left if fragment.x1 <= gutter + 1 else right).append(fragment)
        else:
            bands += _bands(left, depth + 1) + _bands(right, depth + 1)
            left, right = [], []
            spanning.append(fragment)
    if spanning:
        bands.append(spanning)
    return bands + _bands(left, depth + 1) + _bands(right, depth + 1)


def _gutter(fragments: Sequence[Fragment]) -> float | None:
    """The middle of the empty stripe between two columns of running text; None if there is none."""
    if len(fragments) < 12:
        return None
    start, end = min(one.x0 for one in fragments), max(one.x1 for one in fragments)
    best: tuple[int, float] | None = None
    x = start + 0.2 * (end - start)
    while x < start + 0.8 * (end - start):
        crossing = sum(one.x0 < x - 1 and one.x1 > x + 1 for one in fragments)
        if best is None or crossing < best[0]:
            best = crossing, x
        x += 2.0
    if best is None or best[0] > 0.4 * len(fragments):
        return None
    wide = [step * 2.0 for step in range(200) if _crossing(fragments, best[1] + step * 2.0) == best[0]]
    x = best[1] + _run_middle(wide)
    return x if _are_columns(fragments, x) else None


def _crossing(fragments: Sequence[Fragment], x: float) -> int:
    return sum(one.x0 < x - 1 and one.x1 > x + 1 for one in fragments)


def _run_middle(steps: Sequence[float]) -> float:
    """The middle of the first unbroken run of steps."""
    last = 0.0
    for number, step in enumerate(steps):
        if step != number * 2.0:
            break
        last = step
    return last / 2


def _are_columns(fragments: Sequence[Fragment], x: float) -> bool:
    """True if text runs down on both sides of `x`: a table's cells are short, its rows stand side by side."""
    sides = [one for one in fragments if one.x1 <= x + 1], [one for one in fragments if one.x0 >= x - 1]
    if min(map(len, sides)) < 5:
        return False
    for side in sides:
        width = max(one.x1 for one in side) - min(one.x0 for one in side)
        if median(one.x1 - one.x0 for one in side) < 0.55 * width or median(one.letters for one in side) < 14:
            return False
    low = max(min(one.y for one in side) for side in sides)
    high = min(max(one.y for one in side) for side in sides)
    return high - low > 0.3 * max(max(one.y for one in side) - min(one.y for one in side) for side in sides)


def _rows(band: list[Fragment], number: int) -> list[Line]:
    """The lines of a band: fragments on one base line are one line."""
    left, right = min(one.x0 for one in band), max(one.x1 for one in band)
    rows: list[list[Fragment]] = []
    for fragment in sorted(band, key=lambda fragment: -fragment.y):
        if rows and abs(rows[-1][0].y - fragment.y) < _SAME_LINE * max(fragment.size, rows[-1][0].size):
            rows[-1].append(fragment)
        else:
            rows.append([fragment])
    return [Line(_with_label(sorted(row, key=lambda one: one.x0)), left, right, number) for row in rows]


def _with_label(row: list[Fragment]) -> list[Fragment]:
    """A bullet or number and the text that it belongs to as one fragment: the gap between is no edge of a cell."""
    if len(row) < 2 or len(row[0].words) > 1 or not BULLET.match(row[0].words[0].text):
        return row
    return [Fragment(row[0].words + row[1].words).measure(), *row[2:]]
