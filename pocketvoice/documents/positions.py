"""Places for a reader to come back to: chapters, entries of a table of contents, and positions that survive a new reading.

A position quotes the words it stands at, so that it is found again when a later version of this room cuts the document
into other blocks. Plain values and functions over blocks; no files.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pocketvoice.documents.blocks import Block, BlockKind, BlockText


@dataclass(frozen=True)
class Position:
    """A place between two characters of a document; to be stored beside the document's id."""

    part: int
    block: int
    """Number of the block in its part."""
    offset: int
    """Characters into the block."""
    quote: str
    """The words that follow; empty at a block's end."""


@dataclass(frozen=True)
class ContentsEntry:
    """An entry of the table of contents that a file carries."""

    title: str
    level: int
    """From 1, the highest."""
    part: int
    """The part where it leads."""
    name: str = ""
    """The name of the block where it leads; empty for the start of the part."""
    page: str = ""
    """The page where it leads, in sources that have pages."""


@dataclass(frozen=True)
class Chapter:
    """A chapter, or a section of one: from `start` to `end` in the text of the document, in characters."""

    title: str
    level: int
    """From 1, the highest; a chapter's span holds those of the sections below it."""
    start: int
    end: int
    block: int
    """Number of its first block in the document."""


def nearest(position: Position, part: int, blocks: Sequence[Block]) -> Position | None:
    """Where in these blocks of a part the quote stands, nearest to the position; None if nowhere."""
    here = min(max(position.block, 0), max(len(blocks) - 1, 0)) if part == position.part else 0
    if blocks and part == position.part:
        text = blocks[here].text
        if text[position.offset :].startswith(position.quote) and position.offset <= len(text):
            return Position(part, here, position.offset, position.quote)
    if not position.quote:
        return Position(part, here, 0, "") if part == position.part else None
    for number in sorted(range(len(blocks)), key=lambda number: abs(number - here)):
        offset = blocks[number].text.find(position.quote)
        if offset >= 0:
            return Position(part, number, offset, position.quote)
    return None


def chapters_of(title: str, whole: BlockText, contents: Iterable[ContentsEntry]) -> tuple[Chapter, ...]:
    """The chapters of a whole document: by its table of contents, else by its headings, else one called `title`."""
    starts = _by_contents(whole, contents) or _by_headings(whole)
    if not whole.blocks:
        return ()
    if not starts:
        starts = [(title, 1, 0)]
    if starts[0][2] > 0:  # what stands before the first chapter is read too
        starts.insert(0, (title, min(level for _, level, _ in starts), 0))
    return tuple(_spanned(starts, whole))


def _by_headings(whole: BlockText) -> list[tuple[str, int, int]]:
    return [
        (block.text.replace("\n", " "), block.level, number)
        for number, block in enumerate(whole.blocks)
        if block.kind is BlockKind.HEADING
    ]


def _by_contents(whole: BlockText, contents: Iterable[ContentsEntry]) -> list[tuple[str, int, int]]:
    """(title, level, block) of the entries whose place is found, in the order of the text."""
    names: dict[str, int] = {}
    firsts: dict[int, int] = {}
    pages: dict[str, int] = {}
    for number, block in enumerate(whole.blocks):
        firsts.setdefault(block.place.part, number)
        pages.setdefault(block.place.page, number)
        for name in block.names:
            names.setdefault(name, number)
    found = []
    for entry in contents:
        leads = names.get(entry.name) if entry.name else None
        if leads is None and entry.page:
            leads = _heading_on(entry, whole.blocks, pages)
        if leads is None:
            leads = _next_part(entry.part, firsts)
        if leads is not None:
            found.append((entry.title, entry.level, leads))
    return sorted(found, key=lambda chapter: (chapter[2], chapter[1]))


def _heading_on(entry: ContentsEntry, blocks: Sequence[Block], pages: dict[str, int]) -> int | None:
    """The block of the page that says what the entry says, else the first of the page."""
    first = pages.get(entry.page)
    wanted = "".join(filter(str.isalnum, entry.title.casefold()))
    if first is None or not wanted:
        return first
    for number in range(first, len(blocks)):
        block = blocks[number]
        if block.place.page != entry.page:
            break
        says = "".join(filter(str.isalnum, block.text[:300].casefold()))
        if says and (says.startswith(wanted) or (block.kind is BlockKind.HEADING and says.endswith(wanted))):
            return number
    return first


def _next_part(part: int, firsts: dict[int, int]) -> int | None:
    """The first block of the part, or of the next one that has any: a part may hold nothing but a picture."""
    later = [number for other, number in firsts.items() if other >= part]
    return min(later, default=None)


def _spanned(starts: Sequence[tuple[str, int, int]], whole: BlockText) -> Iterable[Chapter]:
    for at, (title, level, block) in enumerate(starts):
        end = len(whole.text)
        for _, other_level, other_block in starts[at + 1 :]:
            if other_level <= level:
                end = whole.starts[other_block]
                break
        yield Chapter(title, level, whole.starts[block], end, block)
