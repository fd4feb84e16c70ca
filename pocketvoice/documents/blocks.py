"""What a document is made of: blocks of text with their kind, their inline marks and their place in the source.

Plain frozen values: no files, no parsing. A block's `text` is what a person reads on the page, ready for the text room:
white space collapsed, soft hyphens gone, line breaks kept only where they mean something (verse, code, rows of a table).
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate

SEPARATOR = "\n\n"
"""Between the texts of two blocks in the text of a document."""


class BlockKind(StrEnum):
    """What a block is on the page."""

    HEADING = "heading"
    """`level` 1 (the highest) to 6."""
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list item"
    """`level` is the depth of its list, from 1; `label` its bullet or number, empty where an item goes on."""
    QUOTE = "quote"
    """`level` is the depth of quoting, from 1."""
    CODE = "code"
    TABLE = "table"
    """`cells` are the spans of its cells in `text`, row by row."""
    CAPTION = "caption"
    """Of a figure or a table."""
    FOOTNOTE = "footnote"
    """`label` is its number or sign; the marks of kind NOTE that lead to it have one of its `names` as target."""


class MarkKind(StrEnum):
    """What a stretch or a point inside a block's text is."""

    EMPHASIS = "emphasis"
    STRONG = "strong"
    CODE = "code"
    LINK = "link"
    """`target` is the address; nothing fetches it."""
    NOTE = "note"
    """A point: here stands the sign of a footnote, `label`; it is not part of the text."""
    PAGE = "page"
    """A point: here begins the page called `label` of the printed book or file."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a block's text, or a point in it (`start == end`); in characters."""

    start: int
    end: int
    kind: MarkKind
    target: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its source a block begins; what the kind of source does not know stays empty."""

    part: int = 0
    """Index of the part of the document: a file of an EPUB, a run of PDF pages; 0 where it has one part."""
    page: str = ""
    """The page's name as printed, or its number in the file."""
    line: int = 0
    """Line of the source from 1; 0 if unknown."""
    time_s: float | None = None
    """Seconds from the start, of subtitles."""


Span = tuple[int, int]
"""Start and end in characters."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a document."""

    kind: BlockKind
    text: str
    level: int = 0
    label: str = ""
    marks: tuple[Mark, ...] = ()
    cells: tuple[tuple[Span, ...], ...] = ()
    names: tuple[str, ...] = ()
    """What links and tables of contents call this block: `file.xhtml#id`, or `#id`."""
    place: Place = field(default_factory=Place)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The texts of a table's cells."""
        return tuple(tuple(self.text[start:end] for start, end in row) for row in self.cells)


@dataclass(frozen=True, eq=False)
class BlockText:
    """Some blocks as one text, and the way from its characters back to the blocks."""

    blocks: tuple[Block, ...]
    text: str
    starts: tuple[int, ...]
    """Where in `text` each block begins, in characters."""

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> "BlockText":
        blocks = tuple(blocks)
        lengths = (len(block.text) + len(SEPARATOR) for block in blocks[:-1])
        starts = tuple(accumulate(lengths, initial=0)) if blocks else ()
        return cls(blocks, SEPARATOR.join(block.text for block in blocks), starts)

    def span(self, block: int) -> Span:
        """Where block number `block` stands in `text`."""
        start = self.starts[block]
        return start, start + len(self.blocks[block].text)

    @property
    def spans(self) -> Sequence[Span]:
        """Where the blocks stand in `text`."""
        return [self.span(number) for number in range(len(self.blocks))]

    def block_at(self, char: int) -> int:
        """Number of the block that holds the character; the one before it for a character between two blocks."""
        if not self.blocks:
            raise IndexError("there are no blocks")
        return max(bisect_right(self.starts, char) - 1, 0)


def table_block(rows: Iterable[Iterable[str]], place: Place) -> Block | None:
    """A table of these rows of cell texts: a row a line, its cells parted by commas; None if nothing stands in it."""
    text, cells = "", []
    for row in rows:
        spans = []
        for cell in row:
            if cell and text and not text.endswith("\n"):
                text += " " if text[-1] in ".,;:!?" else ", "
            spans.append((len(text), len(text) + len(cell)))
            text += cell
        if text and not text.endswith("\n"):
            cells.append(tuple(spans))
            text += "\n"
    text = text.removesuffix("\n")
    return Block(BlockKind.TABLE, text, cells=tuple(cells), place=place) if text else None
