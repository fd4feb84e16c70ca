"""A text of a document as the reader shows it: where its headings stand, and its chapters. Plain values; no Qt, no files.

All positions are indices of the text as a Python str.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pocketvoice.documents import Block, BlockKind, Document

_LONGEST_LINE = 50_000  # characters


@dataclass(frozen=True)
class Heading:
    """A line that is set as a heading."""

    start: int
    end: int
    level: int
    """From 1, the highest."""


@dataclass(frozen=True)
class Chapter:
    """An entry of the outline."""

    title: str
    level: int
    """From 1, the highest."""
    start: int


@dataclass(frozen=True)
class Outline:
    """What is known of a text that came from a document."""

    document: str = ""
    """Its id, made of its content; "" of several files, and of a text that was changed since."""
    title: str = ""
    headings: tuple[Heading, ...] = ()
    chapters: tuple[Chapter, ...] = ()

    def chapter_at(self, index: int) -> int:
        """Number of the chapter that a character belongs to; -1 before the first."""
        return sum(1 for chapter in self.chapters if chapter.start <= index) - 1


@dataclass(frozen=True)
class Piece:
    """Some text of a document, to be put at the end of what is there."""

    text: str
    headings: tuple[Heading, ...] = ()


@dataclass
class Assembly:
    """Puts the blocks of documents together into one text."""

    length: int = 0
    """Characters so far."""
    headings: list[Heading] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Where each block of the document that is being read begins."""
    _before: BlockKind | None = None

    def begin(self) -> None:
        """Another document follows."""
        self.starts = []

    def piece(self, blocks: Iterable[Block]) -> Piece:
        """The text of these blocks, and what parts it from the text before."""
        parts: list[str] = []
        first = len(self.headings)
        for block in blocks:
            parted = self._parted_from_before(block)
            text = _folded(_with_label(block))
            start = self.length + len(parted)
            self.length = start + len(text)
            self.starts.append(start)
            if block.kind is BlockKind.HEADING:
                self.headings.append(Heading(start, self.length, max(block.level, 1)))
            parts += parted, text
            self._before = block.kind
        return Piece("".join(parts), tuple(self.headings[first:]))

    def chapters(self, document: Document) -> tuple[Chapter, ...]:
        """The chapters of the document whose blocks were put in last."""
        found = (
            (one.title, one.level, self.starts[one.block])
            for one in document.chapters
            if one.block < len(self.starts)
        )
        return tuple(Chapter(*one) for one in found)

    def _parted_from_before(self, block: Block) -> str:
        if self._before is None:
            return ""
        return "\n" if self._before is BlockKind.LIST_ITEM is block.kind else "\n\n"


def _with_label(block: Block) -> str:
    return f"{block.label} {block.text}" if block.kind is BlockKind.LIST_ITEM and block.label else block.text


def _folded(text: str) -> str:
    """The text, its longest lines parted at sentences: laying out a line of a million letters holds the window up."""
    if len(text) <= _LONGEST_LINE:
        return text
    parts, start = [], 0
    while len(text) - start > _LONGEST_LINE:
        ends = (text.rfind(sign, start, start + _LONGEST_LINE) for sign in (". ", " "))
        end = next((end for end in ends if end >= 0), start + _LONGEST_LINE - 1) + 1
        parts.append(text[start:end])
        start = end
    return "\n".join([*parts, text[start:]])


def moved(outline: Outline, text: str, chapters: Sequence[int], headings: Sequence[int]) -> Outline:
    """The same for `text`, which was changed: its chapters and headings begin at these places now.

    Where text was taken away several begin at one place: those have gone.
    """
    kept = [
        replace(chapter, start=start)
        for chapter, start, lost in zip(outline.chapters, chapters, _collapsed(chapters), strict=True)
        if not lost
    ]
    lines = [
        Heading(start, _end_of_line(text, start), heading.level)
        for heading, start, lost in zip(outline.headings, headings, _collapsed(headings), strict=True)
        if not lost
    ]
    return Outline("", outline.title if kept else "", tuple(lines), tuple(kept))


def _collapsed(starts: Sequence[int]) -> list[bool]:
    return [
        start in (before, after)
        for before, start, after in zip([-1, *starts], starts, [*starts[1:], -1], strict=False)
    ]


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def to_json(outline: Outline) -> dict[str, Any]:
    """As it is kept on the disk."""
    return {
        "document": outline.document,
        "title": outline.title,
        "headings": [[one.start, one.end, one.level] for one in outline.headings],
        "chapters": [[one.title, one.level, one.start] for one in outline.chapters],
    }


def of_json(data: Any, length: int) -> Outline:
    """What was kept for a text of so many characters; raises ValueError, KeyError or TypeError for what it can't be."""
    headings = tuple(Heading(int(start), int(end), int(level)) for start, end, level in data["headings"])
    chapters = tuple(Chapter(str(title), int(level), int(start)) for title, level, start in data["chapters"])
    places = [place for one in headings for place in (one.start, one.end)]
    if any(not 0 <= place <= length for place in [*places, *(one.start for one in chapters)]):
        raise ValueError("it belongs to another text")
    return Outline(str(data["document"]), str(data["title"]), headings, chapters)
