"""A document as it will be spoken: chapters of passages, each with its role and the silence behind it. Pure functions.

Which entries of the outline become chapters: those of the highest level that parts the document, and of lower ones as long as
these are long enough to be chapters of a book.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pocketvoice.documents import Block, BlockKind, Document, NoTextError
from pocketvoice.documents import Chapter as OutlineEntry
from pocketvoice.text.pauses import SPEAKABLE

_CHAPTER_LETTERS = 8_000
"""About ten minutes: entries that are shorter on average than that are sections of a chapter."""
_PAUSES_S = {BlockKind.HEADING: 0.9, BlockKind.LIST_ITEM: 0.35, BlockKind.TABLE: 0.8}
_PARAGRAPH_S = 0.6

SKIPPABLE = {
    "tables": BlockKind.TABLE,
    "footnotes": BlockKind.FOOTNOTE,
    "code": BlockKind.CODE,
    "captions": BlockKind.CAPTION,
    "quotes": BlockKind.QUOTE,
}
"""Kinds of blocks that can be left out, as users call them."""


class Role(StrEnum):
    """What a passage is; each can have a voice of its own."""

    TEXT = "text"
    HEADING = "heading"
    QUOTE = "quote"


@dataclass(frozen=True)
class Passage:
    """A paragraph, a heading, an item of a list ..."""

    text: str
    role: Role
    pause_after_s: float


@dataclass(frozen=True)
class Chapter:
    """A chapter of the audiobook."""

    title: str
    passages: tuple[Passage, ...]

    @property
    def letters(self) -> int:
        return sum(len(passage.text) for passage in self.passages)


@dataclass(frozen=True)
class Script:
    """All that is to be spoken, and what the document says of itself."""

    title: str
    author: str
    language: str
    chapters: tuple[Chapter, ...]
    cover: bytes | None = None
    document: str = ""
    """The document's id."""
    tables: int = 0
    """How many tables are read out."""

    @property
    def letters(self) -> int:
        return sum(chapter.letters for chapter in self.chapters)

    @property
    def text(self) -> str:
        """Everything, for a look at its letters."""
        return "\n".join(passage.text for chapter in self.chapters for passage in chapter.passages)


def script_of(document: Document, skip: Collection[str] = ()) -> Script:
    """The script of a document, without the kinds of blocks in `skip`. Raises NoTextError, DocumentError."""
    skipped = {SKIPPABLE[name] for name in skip}
    whole = document.whole
    blocks = whole.blocks
    chapters: list[Chapter] = []
    titles: tuple[
        Passage, ...
    ] = ()  # of a chapter that holds nothing but headings: the next one begins with them
    starts = list(_starts(document.chapters, len(whole.text)))
    for number, (title, first) in enumerate(starts):
        last = starts[number + 1][1] if number + 1 < len(starts) else len(blocks)
        passages = (*titles, *_passages(blocks[first:last], skipped))
        is_title = all(passage.role is Role.HEADING for passage in passages)
        titles = passages if is_title and number + 1 < len(starts) else ()
        if not titles and any(SPEAKABLE.search(passage.text) for passage in passages):
            chapters.append(Chapter(title, passages))
    if not chapters:
        raise NoTextError(f"{document.name} holds no text that can be spoken: choose another document.")
    tables = sum(block.kind is BlockKind.TABLE for block in blocks if block.kind not in skipped)
    return Script(
        document.title,
        document.author,
        document.language,
        tuple(chapters),
        document.cover(),
        document.id,
        tables,
    )


def _starts(outline: Sequence[OutlineEntry], length: int) -> Iterator[tuple[str, int]]:
    """(title, number of the first block) of each chapter; entries that begin at the same block share one."""
    level = _level(outline, length)
    titles: dict[int, list[str]] = {}
    for entry in outline:
        if entry.level <= level:
            names = titles.setdefault(entry.block, [])
            title = " ".join(entry.title.split())
            if title and title not in names:
                names.append(title)
    for block in sorted(titles):
        yield ", ".join(titles[block]) or "Untitled", block


def _level(outline: Sequence[OutlineEntry], length: int) -> int:
    """Down to which level entries are chapters."""
    levels = sorted({entry.level for entry in outline})
    chosen = levels[0] if levels else 1
    for level in levels:
        count = len({entry.block for entry in outline if entry.level <= level})
        parts = len({entry.block for entry in outline if entry.level <= chosen})
        if parts < 3 or length / count >= _CHAPTER_LETTERS:
            chosen = level
        else:
            break
    return chosen


def _passages(blocks: Sequence[Block], skipped: Collection[BlockKind]) -> Iterator[Passage]:
    kept = [block for block in blocks if block.kind not in skipped and block.text.strip()]
    for block in kept:
        role = {BlockKind.HEADING: Role.HEADING, BlockKind.QUOTE: Role.QUOTE}.get(block.kind, Role.TEXT)
        with_label = block.kind is BlockKind.LIST_ITEM and any(map(str.isalnum, block.label))
        text = f"{block.label} {block.text}" if with_label else block.text
        yield Passage(text, role, _PAUSES_S.get(block.kind, _PARAGRAPH_S))


def with_tags(script: Script, title: str | None, author: str | None, cover: bytes | None) -> Script:
    """The script with what the user says instead of what the document says."""
    return replace(
        script,
        title=script.title if title is None else title,
        author=script.author if author is None else author,
        cover=script.cover if cover is None else cover,
    )
