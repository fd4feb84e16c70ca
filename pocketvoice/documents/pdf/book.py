"""A PDF: what it says of itself, its outline, and its blocks page by page; a part is eight pages.

What needs many pages at once (heads and feet, the size of body text, the sizes of headings) is learnt from a sample when
the file is opened. A paragraph that goes on over a page's end belongs to the part in which it begins.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pocketvoice.documents.blocks import Block, BlockKind, Place, table_block
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.faults import NoTextError
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.html.elements import is_sign
from pocketvoice.documents.pdf.furniture import Furniture, find_furniture
from pocketvoice.documents.pdf.headings import Headings, find_headings
from pocketvoice.documents.pdf.library import PdfFile
from pocketvoice.documents.pdf.lines import BULLET, Fragment, Line, fragments_of, lines_in_order
from pocketvoice.documents.pdf.paragraphs import (
    Paragraph,
    Text,
    entry_text,
    goes_on,
    note_name,
    paragraphs_of,
    words_of,
)
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source

_PART_PAGES = 8
_SAMPLES = 6
_SAMPLE_RUN = 3  # heads of left and right pages differ: neighbours are looked at together
_KEPT_PAGES = 24
_POOR_TITLE = re.compile(
    r"^(?:untitled|microsoft word|powerpoint|.*\.(?:docx?|dvi|tex|indd|pdf|ps|qxd|pptx?)$)", re.I
)


def open_reader(source: Source) -> "PdfReader":
    return PdfReader(source)


@dataclass(frozen=True)
class _Page:
    """A page that was read."""

    paragraphs: tuple[Paragraph, ...]
    notes: tuple[Paragraph, ...]
    vocabulary: frozenset[str]


class PdfReader:
    """Reads a PDF."""

    needs_file = True

    def __init__(self, source: Source) -> None:
        self._file = PdfFile(source)
        self._pages: OrderedDict[int, _Page] = OrderedDict()  # the last ones read
        sample = self._sample(source.name)
        self._furniture: Furniture = find_furniture(sample)
        bookmarks = self._file.bookmarks()
        texts = [self._furniture.without(fragments, label) for label, fragments in sample]
        self._headings: Headings = find_headings(texts, bookmarks)
        self._vocabulary = words_of(fragment for fragments in texts for fragment in fragments)
        starts = range(0, self._file.pages, _PART_PAGES)
        self.parts: Sequence[Part] = [Part(f"{start + 1}") for start in starts]
        self.contents: Sequence[ContentsEntry] = [
            ContentsEntry(mark.title, mark.level, mark.page // _PART_PAGES, page=self._file.label(mark.page))
            for mark in bookmarks
            if mark.page < self._file.pages
        ]
        self.details = self._details(texts)

    def read(self, part: int) -> Iterator[Block]:
        start = part * _PART_PAGES
        stop = min(start + _PART_PAGES, self._file.pages)
        pending: _Pending | None = None
        for number in range(start, self._file.pages):
            page = self._page(number)
            paragraphs = list(page.paragraphs)
            joins = self._joins(number)
            if joins:
                joined = paragraphs.pop(0)
                if pending is not None:
                    pending.go_on(joined, self._file.label(number))
            if pending is not None and (paragraphs or number >= stop):
                yield from pending.blocks()
                pending = None
            if number >= stop:
                break
            for at, paragraph in enumerate(paragraphs):
                pending = self._pending(paragraph, number, page, first=at == 0 and not joins)
                if at < len(paragraphs) - 1:
                    yield from pending.blocks()
            notes = [block for note in page.notes for block in self._note(note, number, page)]
            if pending is None:
                yield from notes
            else:
                pending.notes += notes
        if pending is not None:
            yield from pending.blocks()

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        self._file.close()

    def _sample(self, name: str) -> list[tuple[str, list[Fragment]]]:
        """(label, fragments) of pages from all over. Raises NoTextError if there is no text on them."""
        sample, pictures = [], 0
        for number in _sample_numbers(self._file.pages):
            page = self._file.page(number)
            pictures += page.pictures
            sample.append((self._file.label(number), fragments_of(page)))
        letters = sum(fragment.letters for _, fragments in sample for fragment in fragments)
        if letters < 5 * len(sample) and not self._has_text(letters):
            if pictures:
                raise NoTextError(
                    f"{name} is a scan, pictures of pages without text: run text recognition (OCR) on it first."
                )
            raise NoTextError(f"{name} holds no text: choose another document.")
        return sample

    def _has_text(self, letters: int) -> bool:
        """Looks at more pages where the sample shows hardly any text: a book of pictures may hold a few words."""
        if letters > 20:
            return True
        return any(len(self._file.page(number).words) > 3 for number in range(min(self._file.pages, 60)))

    def _details(self, texts: Sequence[Sequence[Fragment]]) -> Details:
        title = collapsed(self._file.said("Title"))
        if not title or _POOR_TITLE.match(title):
            title = self._headings.title_on(texts[0]) if texts else ""
        author = collapsed(self._file.said("Author"))
        return Details(title, (author,) if author else (), self._file.language())

    def _page(self, number: int) -> _Page:
        """A page, from the last ones read or from the file."""
        if number not in self._pages:
            self._pages[number] = self._read_page(number)
            if len(self._pages) > _KEPT_PAGES:
                self._pages.popitem(last=False)
        return self._pages[number]

    def _read_page(self, number: int) -> _Page:
        fragments = fragments_of(self._file.page(number))
        vocabulary = self._vocabulary | words_of(fragments)
        lines = lines_in_order(self._furniture.without(fragments, self._file.label(number)))
        text, notes = _split_notes(lines, self._headings.body)
        return _Page(tuple(paragraphs_of(text)), tuple(_notes(notes)), vocabulary)

    def _joins(self, number: int) -> bool:
        """True if the first paragraph of the page goes on from the page before."""
        if number == 0:
            return False
        before, here = self._page(number - 1).paragraphs, self._page(number).paragraphs
        if not before or not here:
            return False
        headings = self._headings
        if headings.level(before[-1], number - 1) is not None or headings.level(here[0], number) is not None:
            return False
        return goes_on(before[-1].lines[-1], here[0].lines[0])

    def _pending(self, paragraph: Paragraph, number: int, page: _Page, *, first: bool) -> "_Pending":
        place = Place(number // _PART_PAGES, self._file.label(number))
        return _Pending(
            paragraph,
            place,
            page.vocabulary,
            self._headings.level(paragraph, number),
            self._headings.body,
            first,
        )

    def _note(self, note: Paragraph, number: int, page: _Page) -> Iterator[Block]:
        words = note.lines[0].words
        label = words[0].text.strip("[]().,") if is_sign(words[0].text) else ""
        if label:
            note.lines[0].words = [words[1]._replace(glued=True), *words[2:]] if len(words) > 1 else words
        text = Text(self._file.label(number), page.vocabulary)
        text.add(note.lines)
        said, marks = text.finished()
        place = Place(number // _PART_PAGES, self._file.label(number))
        if said:
            yield Block(
                BlockKind.FOOTNOTE,
                said,
                label=label,
                marks=marks,
                names=(note_name(place.page, label),),
                place=place,
            )


class _Pending:
    """A paragraph that may still go on over the page's end."""

    def __init__(
        self,
        paragraph: Paragraph,
        place: Place,
        vocabulary: frozenset[str],
        level: int | None,
        body: float,
        first: bool,
    ) -> None:
        self._paragraph = paragraph
        self._place = place
        self._level = level
        self._body = body
        self._text = Text(place.page, vocabulary)
        self.notes: list[Block] = []
        if first:
            self._text.page(place.page)
        self._label = self._take_label()
        self._text.add(paragraph.lines)

    def go_on(self, paragraph: Paragraph, page: str) -> None:
        """The rest of it, from the next page."""
        self._text.add(paragraph.lines, page=page)

    def blocks(self) -> Iterator[Block]:
        """The paragraph as a block, then the footnotes of its pages."""
        yield from self._block()
        yield from self.notes

    def _block(self) -> Iterator[Block]:
        lines = self._paragraph.lines
        if self._paragraph.is_entry:
            if text := entry_text(" ".join(line.plain for line in lines)):
                yield Block(BlockKind.LIST_ITEM, text, 1, place=self._place)
            return
        if self._level is None and sum(len(line.fragments) > 1 for line in lines) >= max(2, 0.6 * len(lines)):
            block = table_block(([_plain(one) for one in line.fragments] for line in lines), self._place)
            if block is not None:
                yield block
            return
        text, marks = self._text.finished()
        if not text:
            return
        if self._level is not None:
            marks = tuple(mark for mark in marks if mark.start == mark.end)
            yield Block(BlockKind.HEADING, text, self._level, marks=marks, place=self._place)
        elif self._paragraph.share("fixed") > 0.9:
            yield Block(
                BlockKind.CODE, _code(lines), marks=tuple(m for m in marks if not m.start), place=self._place
            )
        elif self._label:
            yield Block(BlockKind.LIST_ITEM, text, 1, self._label, marks, place=self._place)
        else:
            yield Block(BlockKind.PARAGRAPH, text, marks=marks, place=self._place)

    def _take_label(self) -> str:
        """The bullet or number in front of a list's item, taken off it."""
        line = self._paragraph.lines[0]
        word = line.words[0]
        if self._level is not None or len(line.words) < 2 or not BULLET.match(word.text):
            return ""
        if word.text in "–—-·*" and line.words[1].x0 - word.x1 < 0.2 * line.size:
            return ""
        line.words = [line.words[1]._replace(glued=True), *line.words[2:]]
        return "•" if not any(map(str.isalnum, word.text)) else word.text


def _plain(fragment: Fragment) -> str:
    return collapsed("".join(("" if word.glued else " ") + word.text for word in fragment.words))


def _code(lines: Sequence[Line]) -> str:
    """Lines of a listing with their indents, in letters."""
    left = min(line.x0 for line in lines)
    width = max(0.6 * lines[0].size, 1.0)
    return "\n".join(" " * min(round((line.x0 - left) / width), 60) + line.plain for line in lines)


def _split_notes(lines: Sequence[Line], body: float) -> tuple[list[Line], list[Line]]:
    """The text and, at the foot of a column, the footnotes: smaller letters that begin with a sign."""
    text, notes = list(lines), []
    for column in sorted({line.column for line in lines}):
        foot = [line for line in text if line.column == column]
        start = len(foot)
        while start and foot[start - 1].size < 0.93 * body:
            start -= 1
        while start < len(foot) and not _begins_note(foot[start]):
            start += 1
        raised = (at for at in range(len(foot) // 2, len(foot)) if _begins_raised(foot[at]))
        start = min(start, next(raised, len(foot)))
        if start and start < len(foot):
            notes += foot[start:]
            taken = set(map(id, foot[start:]))
            text = [line for line in text if id(line) not in taken]
    return text, notes


def _begins_note(line: Line) -> bool:
    word = line.words[0]
    return is_sign(word.text) and not word.text[0].isalpha() and len(line.words) > 1


def _begins_raised(line: Line) -> bool:
    """True for a line that begins with a small raised sign: a note, also in letters as large as the text's."""
    word = line.words[0]
    return _begins_note(line) and word.font.size < 0.85 * line.size and word.y - line.y > 0.12 * line.size


def _notes(lines: Sequence[Line]) -> Iterator[Paragraph]:
    note = Paragraph()
    for line in lines:
        if note.lines and _begins_note(line):
            yield note
            note = Paragraph()
        note.lines.append(line)
    if note.lines:
        yield note


def _sample_numbers(pages: int) -> list[int]:
    """Pages in short runs from all over the file, the first among them."""
    if pages <= _SAMPLES * _SAMPLE_RUN:
        return list(range(pages))
    step = (pages - _SAMPLE_RUN) / (_SAMPLES - 1)
    starts = [round(at * step) for at in range(_SAMPLES)]
    return sorted({start + at for start in starts for at in range(_SAMPLE_RUN)})
