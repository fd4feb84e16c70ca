"""Headings of a PDF: by its outline, by the size of their letters, by bold lines that stand alone."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pocketvoice.documents.pdf.library import Bookmark
from pocketvoice.documents.pdf.lines import Fragment
from pocketvoice.documents.pdf.paragraphs import Paragraph

_LARGER = 1.12
_MOST_LINES = 4
_MOST_LETTERS = 200
_NUMBERED = re.compile(r"(?:chapter |appendix |part )?(\d{1,2}|[A-Z])((?:\.\d{1,3}){0,5})\.?\s+\S", re.I)


@dataclass(frozen=True)
class Headings:
    """How the headings of a document are set."""

    body: float
    """Size of the body text in points."""
    sizes: tuple[float, ...]
    """Sizes of headings, the largest first."""
    marks: dict[int, dict[str, int]]
    """Page -> letters of the titles that the outline leads to on it -> level."""

    def level(self, paragraph: Paragraph, page: int) -> int | None:
        """The level of a paragraph that is a heading; None if it is none."""
        if len(paragraph.lines) > _MOST_LINES or paragraph.is_entry:
            return None
        text = " ".join(line.plain for line in paragraph.lines)
        letters = _letters(text)
        if not letters or len(text) > _MOST_LETTERS:
            return None
        marked = self._by_outline(letters, page)
        if marked is not None:
            return marked
        if any(len(line.fragments) > 2 for line in paragraph.lines) or sum(map(str.isalpha, text)) < 2:
            return None
        if paragraph.size >= _LARGER * self.body:
            return self._by_size(text, paragraph.size)
        stands_out = paragraph.share("bold") > 0.95 and len(paragraph.lines) <= 2 and text[-1] not in ".,;"
        # A bold term that is defined below it begins with a small letter, a heading hardly ever.
        if stands_out and not text[0].islower() and paragraph.size > 0.97 * self.body and len(text) < 120:
            return self._numbered(text) or min(len(self.sizes) + 1, 6)
        return None

    def title_on(self, fragments: Sequence[Fragment]) -> str:
        """The largest lines of a page, if they are larger than the text: the title on the first page."""
        if not fragments:
            return ""
        size = (
            max(fragment.size for fragment in fragments if fragment.letters > 1)
            if any(f.letters > 1 for f in fragments)
            else 0
        )
        largest = [fragment for fragment in fragments if fragment.size > 0.97 * size]
        text = " ".join(word.text for fragment in largest for word in fragment.words)
        return text if size >= _LARGER * self.body and 2 < len(text) <= _MOST_LETTERS else ""

    def _by_outline(self, letters: str, page: int) -> int | None:
        titles = self.marks.get(page, {})
        if letters in titles:
            return titles[letters]
        for title, level in titles.items():  # the page adds or leaves out the number: "Chapter 3", "3.1"
            if (
                len(title) > 5
                and (letters.endswith(title) or title.endswith(letters))
                and abs(len(title) - len(letters)) < 12
            ):
                return level
        return None

    def _by_size(self, text: str, size: float) -> int:
        if number := self._numbered(text):
            return number
        larger = sum(other > size * 1.03 for other in self.sizes)
        return min(larger + 1, 6)

    def _numbered(self, text: str) -> int | None:
        """The level that the number of a section tells: 2 for `3.1 Name`."""
        found = _NUMBERED.match(text)
        return min(1 + found[2].count("."), 6) if found and found[2] else None


def find_headings(pages: Sequence[Sequence[Fragment]], bookmarks: Iterable[Bookmark]) -> Headings:
    """Looks at sample pages for the sizes of body text and headings."""
    counts: Counter[float] = Counter()
    for fragments in pages:
        for fragment in fragments:
            counts[fragment.size] += fragment.letters
    body = counts.most_common(1)[0][0] if counts else 10.0
    sizes: list[float] = []
    for size in sorted(counts, reverse=True):
        if size >= _LARGER * body and not (sizes and sizes[-1] < size * 1.04):
            sizes.append(size)
    marks: dict[int, dict[str, int]] = defaultdict(dict)
    for mark in bookmarks:
        marks[mark.page].setdefault(_letters(mark.title), mark.level)
    return Headings(body, tuple(sizes), dict(marks))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
