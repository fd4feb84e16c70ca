"""Lines to paragraphs: by gaps, indents, sizes and line ends; hyphens at line ends are undone, raised numbers become notes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from pocketvoice.documents.blocks import Mark, MarkKind
from pocketvoice.documents.flow import seen
from pocketvoice.documents.html.elements import is_sign
from pocketvoice.documents.pdf.library import Word
from pocketvoice.documents.pdf.lines import BULLET, Fragment, Line

_LEADER = re.compile(r"(?:\s?[.·•_]){4,}\s*")
_ENTRY = re.compile(r"^(.*?\w.*?)(?:(?:\s?[.·•_]){3,}|\s)\s*(\d{1,4}|[ivxlc]{1,7})$")
_SENTENCE_END = re.compile(r"""[.!?:;…。！？]["'»”’)\]]*\d{0,3}$""")
_AROUND = ".,;:!?()[]\"'“”‘’—"
_HYPHENS = "-\xad‐"
_ACCENTS = {
    "´": "\u0301",
    "¨": "\u0308",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "ˇ": "\u030c",
    "¸": "\u0327",
    "˚": "\u030a",
}
_ACCENTED = re.compile("([´¨ˆ˜ˇ¸˚]) ?([A-Za-zıȷ])")


@dataclass
class Paragraph:
    """Lines that belong together."""

    lines: list[Line] = field(default_factory=list)
    is_entry: bool = False
    """A line of a table of contents that is printed on the page."""

    @property
    def size(self) -> float:
        return max(self.lines, key=lambda line: len(line.words)).size

    def share(self, what: str) -> float:
        """How much of it is `bold`, `italic` or `fixed`."""
        return median(line.share(what) for line in self.lines)


def paragraphs_of(lines: Sequence[Line]) -> Iterator[Paragraph]:
    """The paragraphs of a page, in the order of its lines."""
    leading, is_contents = _leading(lines), _is_contents(lines)
    paragraph = Paragraph()
    for line in lines:
        if paragraph.lines and (paragraph.is_entry or _begins(paragraph, line, leading)):
            yield paragraph
            paragraph = Paragraph()
        paragraph.lines.append(line)
        if is_contents and _ENTRY.match(line.plain):
            paragraph.is_entry = True  # an entry of several lines ends with the one that tells the page
    if paragraph.lines:
        yield paragraph


def _is_contents(lines: Sequence[Line]) -> bool:
    """True for a page of a printed table of contents, or of an index with dotted lines."""
    dotted = sum(_LEADER.search(line.plain) is not None for line in lines)
    return dotted > 2 and dotted > 0.25 * len(lines)


def entry_text(text: str) -> str:
    """An entry of a printed table of contents without the dots and the page."""
    found = _ENTRY.match(text)
    return found[1].strip(" .·") if found else text


def _leading(lines: Sequence[Line]) -> float:
    """The usual distance of base lines, in sizes of the letters."""
    gaps = [
        (before.y - line.y) / max(line.size, 1)
        for before, line in pairwise(lines)
        if before.column == line.column
        and 0 < before.y - line.y < 3 * line.size
        and abs(before.size - line.size) < 0.5
    ]
    return sorted(gaps)[len(gaps) // 3] if gaps else 1.2


def _begins(paragraph: Paragraph, line: Line, leading: float) -> bool:
    """True if the line begins a new paragraph."""
    before = paragraph.lines[-1]
    if line.column != before.column:
        return not _runs_over(before, line)
    size = max(line.size, before.size)
    if line.share("fixed") > 0.9 and before.share("fixed") > 0.9:
        return before.y - line.y > (leading + 1.4) * size  # lines of a listing, with an empty one at most
    if abs(line.size - before.size) > 0.09 * size or before.y - line.y > (leading + 0.35) * size:
        return True
    if (line.share("fixed") > 0.9) != (before.share("fixed") > 0.9):
        return True
    if (line.share("bold") > 0.9) != (before.share("bold") > 0.9):
        return True
    if len(line.fragments) > 1 and len(before.fragments) > 1:
        return False  # rows of a table
    return _begins_by_indent(paragraph, line, before, size)


def _begins_by_indent(paragraph: Paragraph, line: Line, before: Line, size: float) -> bool:
    if BULLET.match(line.words[0].text) and len(line.words) > 1 and _is_item(paragraph, line, size):
        return True
    if _is_centred(before) and not _is_centred(line):
        return True
    first = paragraph.lines[0]
    hanging = BULLET.match(first.words[0].text) is not None
    indent = line.x0 - before.x0
    if indent > 0.7 * size and not (hanging and len(paragraph.lines) == 1) and len(line.words) > 1:
        return len(paragraph.lines) > 1 or not _is_hanging(first, line)
    if hanging and line.x0 < first.x0 - 0.7 * size:
        return True
    width = max(line.right - line.left, 1)
    both_indented = first.x0 > line.left + 0.7 * size and abs(line.x0 - first.x0) < 0.3 * size
    if both_indented and before.x1 < line.right - 0.25 * width and line.words[0].text[:1] in "“„«\"'‘—–":
        return True  # dialogue: short lines, each a paragraph
    short = before.x1 < line.right - max(0.16 * width, 3 * size)
    return short and _SENTENCE_END.search(before.plain) is not None and line.words[0].text[:1].isupper()


def _is_centred(line: Line) -> bool:
    left, right = line.x0 - line.left, line.right - line.x1
    return left > 3 * line.size and abs(left - right) < 1.2 * line.size


def _is_item(paragraph: Paragraph, line: Line, size: float) -> bool:
    """True if the sign in front is that of a list and not a number that a line happens to begin with."""
    first, before = paragraph.lines[0], paragraph.lines[-1]
    if BULLET.match(first.words[0].text) and abs(first.x0 - line.x0) < 0.5 * size + 4:
        return True
    if not line.words[0].text[-1:].isalnum() and line.words[0].text[0] in "•▪■◦‣●○∙➢✓❖◆":
        return True
    if BULLET.match(first.words[0].text) and not line.words[0].text[-1:].isalnum():
        return True  # a list inside a list
    return before.plain.endswith((":", ".", ";")) and (
        line.x0 > before.x0 + 0.5 * size or before.x1 < line.right - 4 * size
    )


def _is_hanging(first: Line, second: Line) -> bool:
    """True if only the first line stands out to the left: a list without bullets, a bibliography."""
    return first.x1 >= first.right - 2.5 * first.size and second.x0 - first.x0 < 5 * first.size


def _runs_over(before: Line, line: Line) -> bool:
    """True if a sentence goes on from the foot of a column to the head of the next."""
    return goes_on(before, line)


def goes_on(before: Line, line: Line) -> bool:
    """True if the line continues what stood before it in another column or on the page before."""
    if abs(line.size - before.size) > 0.06 * max(line.size, before.size):
        return False
    if (line.share("fixed") > 0.9) or (before.share("fixed") > 0.9) or BULLET.match(line.words[0].text):
        return False
    if (line.share("bold") > 0.9) != (before.share("bold") > 0.9) or len(line.fragments) > 1:
        return False
    said = before.plain
    begins_small = line.words[0].text[:1].islower()
    if said[-1] in _HYPHENS:
        return True
    if _SENTENCE_END.search(said):
        return False
    full = before.x1 > before.right - 0.12 * (before.right - before.left)
    return begins_small or (full and line.x0 < line.left + 0.7 * line.size)


@dataclass
class Text:
    """The text of a paragraph as it grows."""

    page_name: str
    """Of the page that is being added: footnotes are called by it and their sign."""
    vocabulary: frozenset[str]
    """Words of the pages around, in small letters: tell a hyphen of a compound from one at a line's end."""
    text: str = ""
    marks: list[Mark] = field(default_factory=list)

    def add(self, lines: Sequence[Line], *, page: str = "") -> None:
        """Adds lines to what is there already; `page` is the page that begins with them, if one does."""
        verse = _is_verse(lines)
        for line in lines:
            if verse and self.text:
                self.text += "\n"
            else:
                self._join(line.words[0].text)
            if page:
                self.page(page)
                self.page_name, page = page, ""
            self._add_words(line)

    def page(self, label: str) -> None:
        """A page begins here."""
        self.marks.append(Mark(len(self.text), len(self.text), MarkKind.PAGE, label=label))

    def finished(self) -> tuple[str, tuple[Mark, ...]]:
        """The text and its marks, cleaned; the marks keep their places where nothing before them was cleaned away."""
        text = self.text
        cleaned = _composed(_LEADER.sub(" ", text)).strip()
        if cleaned == text:
            return text, tuple(self.marks)
        shift = len(cleaned) / max(len(text), 1)
        limit = len(cleaned)
        moved = (
            Mark(
                min(int(mark.start * shift), limit),
                min(int(mark.end * shift), limit),
                mark.kind,
                mark.target,
                mark.label,
            )
            for mark in self.marks
            if mark.start == mark.end
        )
        return cleaned, tuple(moved)

    def _join(self, following: str) -> None:
        """What stands between the last line and the next: a space, or nothing where a word was parted."""
        if not self.text:
            return
        last = self.text[-1]
        if last in _HYPHENS and self.text[-2:-1].isalpha() and following[:1].isalpha():
            if not self._keeps_hyphen(following):
                self.text = self.text[:-1]
            elif last == "\xad":
                self.text = self.text[:-1] + "-"
        elif (
            not (last > "\u2e80" and following[:1] > "\u2e80" and not "\uac00" <= last <= "\ud7a3")
            and last != "—"
        ):
            self.text += " "

    def _keeps_hyphen(self, following: str) -> bool:
        before = re.search(r"[\w'-]*$", self.text[:-1])
        after = re.match(r"[\w']*", following)
        first, second = (before[0] if before else "").lower(), (after[0] if after else "").lower()
        if f"{first}{second}" in self.vocabulary:
            return False
        if f"{first}-{second}" in self.vocabulary or following[:1].isupper() or "-" in first:
            return True
        # Two whole words: more often a compound than a word that falls apart into two.
        return min(len(first), len(second)) > 4 and {first, second} <= self.vocabulary

    def _add_words(self, line: Line) -> None:
        start, run = len(self.text), ""
        for word in line.words:
            if _is_note_sign(word, line) and self.text:
                self.text = self.text.rstrip()
                sign = word.text.strip("[](),.")
                at = len(self.text)
                self.marks.append(Mark(at, at, MarkKind.NOTE, note_name(self.page_name, sign), sign))
                continue
            if len(self.text) > start and not word.glued:
                self.text += " "
            run = "strong" if word.font.bold else "emphasis" if word.font.italic else ""
            before = len(self.text)
            self.text += seen(word.text) if word.text[-1:] != "\xad" else seen(word.text) + "\xad"
            if run:
                self._mark(before, MarkKind(run))

    def _mark(self, start: int, kind: MarkKind) -> None:
        """Marks what was added from `start`, as one with the mark before it if that ends here."""
        if self.marks:
            last = self.marks[-1]
            if last.kind is kind and start - last.end <= 1:
                self.marks[-1] = Mark(last.start, len(self.text), kind)
                return
        self.marks.append(Mark(start, len(self.text), kind))


def note_name(page: str, sign: str) -> str:
    """What a footnote is called: signs begin anew on every page."""
    return f"#{page}-{sign}"


def _is_verse(lines: Sequence[Line]) -> bool:
    """True for lines that all stop far from the edge: verse, an address, forms of a command."""
    if len(lines) < 2 or any(line.x1 > line.left + 0.75 * (line.right - line.left) for line in lines):
        return False
    return (
        not any(line.plain[-1] in _HYPHENS for line in lines)
        and lines[0].right - lines[0].left > 15 * lines[0].size
    )


def _is_note_sign(word: Word, line: Line) -> bool:
    """True for a small raised number or sign."""
    raised = word.y - line.y > 0.12 * line.size
    return (
        raised
        and word.font.size < 0.85 * line.size
        and is_sign(word.text.strip(",."))
        and not word.text[0].isalpha()
    )


def _composed(text: str) -> str:
    """Accents that the file draws beside their letters, put on them."""
    if not any(accent in text for accent in _ACCENTS):
        return text

    def letter(match: re.Match[str]) -> str:
        base = {"ı": "i", "ȷ": "j"}.get(match[2], match[2])
        composed = unicodedata.normalize("NFC", base + _ACCENTS[match[1]])
        return composed if len(composed) == 1 else match[0]

    return _ACCENTED.sub(letter, text)


def words_of(fragments: Iterable[Fragment]) -> frozenset[str]:
    """The words in small letters, without those at the ends of lines: they may be halves."""
    return frozenset(
        word.text.strip(_AROUND).lower() for fragment in fragments for word in fragment.words[:-1]
    )
