"""What stands on every page and is no text: running heads, feet, page numbers. Found by looking at many pages at once."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pocketvoice.documents.pdf.lines import Fragment

_EDGE_LINES = 2
_BUCKET = 4.0  # points
_NUMBER = re.compile(
    r"(?:\W*(?:page|seite|p\.|s\.|стр\.?|página|pagina|strana|sivu|sida)\s*)?[-–—\[( ]*(\d{1,5}|[ivxlc]{1,8})[-–—\]) .]*"
    r"(?:\s*(?:/|of|von|de|di|sur|из|z)\s*\d{1,5})?",
    re.I,
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b", re.I)


@dataclass(frozen=True)
class Furniture:
    """Where and what the heads and feet of a document are."""

    heights: frozenset[tuple[bool, int]]
    """(at the top, height in buckets) where a head or a foot stands on most pages that have one."""
    texts: frozenset[str]
    """Heads and feet that come again, with `#` for numbers."""

    def without(self, fragments: Sequence[Fragment], label: str) -> list[Fragment]:
        """The fragments of a page that are text."""
        dropped: set[int] = set()
        for at_top in (True, False):
            for row in _edge_rows(fragments, at_top):
                if not self._is_furniture(row, at_top, label):
                    break
                dropped.update(map(id, row))
        return [fragment for fragment in fragments if id(fragment) not in dropped]

    def _is_furniture(self, row: Sequence[Fragment], at_top: bool, label: str) -> bool:
        text = _text(row)
        if (at_top, round(row[0].y / _BUCKET)) in self.heights or _normal(text) in self.texts:
            return True
        number = _NUMBER.fullmatch(text)
        return number is not None and (number[1].lower() == label.lower() or not at_top)


def find_furniture(pages: Iterable[tuple[str, Sequence[Fragment]]]) -> Furniture:
    """Looks at sample pages, each with its label."""
    texts: Counter[str] = Counter()
    rows: list[tuple[bool, int, str, bool]] = []
    count = 0
    for label, fragments in pages:
        count += 1
        for at_top in (True, False):
            for depth, row in enumerate(_edge_rows(fragments, at_top)):
                text = _text(row)
                if depth == 0 or len(text) < 80:
                    texts[_normal(text)] += 1
                    rows.append((at_top, round(row[0].y / _BUCKET), text, _tells_page(text, label)))
    often = frozenset(
        text for text, times in texts.items() if times >= max(3, 0.12 * count) and len(text) < 160
    )
    return Furniture(frozenset(_heights(rows, often, count)), often)


def _heights(
    rows: Sequence[tuple[bool, int, str, bool]], often: frozenset[str], count: int
) -> Iterable[tuple[bool, int]]:
    """The heights at which nearly every line is a head or a foot."""
    all_there: Counter[tuple[bool, int]] = Counter()
    furniture: Counter[tuple[bool, int]] = Counter()
    for at_top, height, text, tells_page in rows:
        all_there[at_top, height] += 1
        furniture[at_top, height] += _normal(text) in often or tells_page
    for place, times in furniture.items():
        if times >= max(3, 0.15 * count) and times >= 0.7 * all_there[place]:
            yield place


def _edge_rows(fragments: Sequence[Fragment], at_top: bool) -> list[list[Fragment]]:
    """The outermost lines at the top or the bottom."""
    rows: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda one: one.y, reverse=at_top):
        if rows and abs(rows[-1][0].y - fragment.y) < 3.0:
            rows[-1].append(fragment)
        elif len(rows) == _EDGE_LINES:
            break
        else:
            rows.append([fragment])
    return rows


def _text(row: Sequence[Fragment]) -> str:
    ordered = sorted(row, key=lambda fragment: fragment.x0)
    return " ".join(word.text for fragment in ordered for word in fragment.words)


def _normal(text: str) -> str:
    return _DIGITS.sub("#", text).casefold()


def _tells_page(text: str, label: str) -> bool:
    """True if the page's number stands at one end of the line."""
    words = text.split()
    return bool(words) and label.lower() in (words[0].lower(), words[-1].lower())
