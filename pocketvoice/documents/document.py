"""A document that was opened: what is known of it at once, and its blocks, read part by part when they are asked for.

Any thread may call it: one reads at a time, under the document's lock. What was read stays in memory (a book of 1,000
pages is some 10 MB of blocks), a file that is read piece by piece stays open until `close`. Knows no file formats: a `Reader` does.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from threading import RLock
from typing import Protocol

from pocketvoice.documents.blocks import Block, BlockKind, BlockText
from pocketvoice.documents.positions import Chapter, ContentsEntry, Position, chapters_of, nearest
from pocketvoice.errors import PocketVoiceError

_QUOTE_CHARS = 48
_READ_BLOCKS = 16


@dataclass(frozen=True)
class Details:
    """What a document says of itself; empty where it says nothing."""

    title: str = ""
    authors: tuple[str, ...] = ()
    language: str = ""
    """As in BCP 47, such as `de` or `pt-BR`."""


@dataclass(frozen=True)
class Part:
    """A stretch of the source that is read at once: a file of an EPUB, some pages of a PDF, mostly the whole file."""

    name: str = ""
    """What the source calls it."""


class Reader(Protocol):
    """Reads one kind of file: cheap things are known when it is made, blocks come part by part."""

    @property
    def needs_file(self) -> bool:
        """True if blocks are read from the file when they are asked for, so that it has to stay open."""
        ...

    @property
    def details(self) -> Details: ...

    @property
    def parts(self) -> Sequence[Part]: ...

    @property
    def contents(self) -> Sequence[ContentsEntry]:
        """The table of contents that the file carries; empty if none."""
        ...

    def read(self, part: int) -> Iterator[Block]:
        """The blocks of a part, in order. Raises DocumentError."""
        ...

    def cover(self) -> bytes | None:
        """The picture of the cover as it lies in the file (JPEG, PNG ...), or None."""
        ...

    def close(self) -> None: ...


class _PartBlocks:
    """The blocks of one part: those read so far, and the reading that goes on."""

    def __init__(self, source: Iterator[Block], lock: RLock) -> None:
        self._source = source
        self._lock = lock
        self._error: PocketVoiceError | None = None  # guarded by the lock
        self.read: list[Block] = []  # grows under the lock, is only appended to

    def __iter__(self) -> Iterator[Block]:
        number = 0
        while number < len(self.read) or self._read_on(number):
            yield self.read[number]
            number += 1

    def _read_on(self, number: int) -> bool:
        """Reads on until block `number` is there; False if the part ends before. Raises DocumentError, each time anew."""
        with self._lock:
            if self._error is not None:
                raise self._error
            try:
                if number >= len(self.read):  # another thread may have read it meanwhile
                    self.read += islice(self._source, _READ_BLOCKS)
            except PocketVoiceError as exc:
                self._error = exc  # the iterator is over now: asked again, it would look like a shorter part
                raise
            return number < len(self.read)


@dataclass(frozen=True, eq=False)
class Document:
    """A document: its details, its table of contents, its blocks."""

    id: str
    """Of the content: the same bytes have the same id wherever the file lies and whatever it is called."""
    name: str
    """The file's name."""
    format: str
    """`epub`, `pdf`, `docx` ..."""
    details: Details
    parts: tuple[Part, ...]
    contents: tuple[ContentsEntry, ...]
    """The table of contents that the file carries; `chapters` are there in any case."""
    _reader: Reader
    _lock: RLock = field(default_factory=RLock)
    _parts: dict[int, _PartBlocks] = field(default_factory=dict)  # guarded by _lock
    _whole: list[BlockText] = field(default_factory=list)  # at most one; guarded by _lock

    @property
    def title(self) -> str:
        """The title, or the file's name without its ending."""
        return self.details.title or self.name.rsplit(".", 1)[0] or self.name

    @property
    def author(self) -> str:
        """The authors in one line; empty if unknown."""
        return ", ".join(self.details.authors)

    @property
    def language(self) -> str:
        return self.details.language

    def blocks(self, part: int = 0) -> Iterator[Block]:
        """The blocks from the start of a part to the end of the document, read as they are asked for."""
        for number in range(part, len(self.parts)):
            yield from self._blocks_of(number)

    def part(self, part: int) -> BlockText:
        """The blocks of one part, read whole."""
        return BlockText.of(self._blocks_of(part))

    @property
    def whole(self) -> BlockText:
        """All blocks as one text; reads whatever was not read yet."""
        with self._lock:
            if not self._whole:
                self._whole.append(BlockText.of(self.blocks()))
            return self._whole[0]

    @property
    def text(self) -> str:
        """The text of all blocks; `whole` leads from its characters to the blocks."""
        return self.whole.text

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """The chapters, by the table of contents or else by the headings; reads the whole document."""
        return chapters_of(self.title, self.whole, self.contents)

    def position(self, part: int, block: int, offset: int = 0) -> Position:
        """The position `offset` characters into a block of a part; it is found again when the document is opened anew."""
        text = self.part(part).blocks[block].text
        return Position(part, block, offset, text[offset : offset + _QUOTE_CHARS])

    def position_at(self, char: int) -> Position:
        """The position of a character of `text`."""
        whole = self.whole
        number = whole.block_at(char)
        block = whole.blocks[number]
        first = next(at for at, other in enumerate(whole.blocks) if other.place.part == block.place.part)
        offset = min(char - whole.starts[number], len(block.text))
        return Position(block.place.part, number - first, offset, block.text[offset:][:_QUOTE_CHARS])

    def find(self, position: Position) -> Position:
        """The position where its words stand in this reading of the document: the same, or the nearest with these words."""
        part = min(max(position.part, 0), len(self.parts) - 1)
        found = nearest(position, part, self.part(part).blocks)
        others = (number for number in range(len(self.parts)) if number != part)
        while found is None and (number := next(others, None)) is not None:
            found = nearest(position, number, self.part(number).blocks)
        return found or Position(part, 0, 0, "")

    def char_of(self, position: Position) -> int:
        """The character of `text` at a position; reads the whole document."""
        found = self.find(position)
        whole = self.whole
        for number, block in enumerate(whole.blocks):
            if block.place.part == found.part:
                return min(whole.starts[number + found.block] + found.offset, len(whole.text))
        return 0

    def footnote(self, target: str) -> Block | None:
        """The footnote that a mark of kind NOTE leads to; reads the whole document."""
        notes = (block for block in self.whole.blocks if block.kind is BlockKind.FOOTNOTE)
        return next((block for block in notes if target in block.names), None)

    def cover(self) -> bytes | None:
        """The picture of the cover as it lies in the file, or None."""
        with self._lock:
            return self._reader.cover()

    def close(self) -> None:
        """Closes the source; what was read stays."""
        with self._lock:
            self._reader.close()

    def __enter__(self) -> "Document":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):  # at the interpreter's end anything may be gone already
            self.close()

    def _blocks_of(self, part: int) -> _PartBlocks:
        with self._lock:
            if part not in self._parts:
                self._parts[part] = _PartBlocks(self._reader.read(part), self._lock)
            return self._parts[part]
