"""Running text to blocks: collapses white space, keeps track of marks, and ends a block when told to.

The readers of HTML, EPUB, DOCX, ODT, RTF and FB2 all write into a `Flow`; it knows none of them. One reader, one thread.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pocketvoice.documents.blocks import Block, BlockKind, Mark, MarkKind, Place

# Soft hyphen, zero-width space and joiners that no reader sees, byte order mark, and what can't stand in a text.
_UNSEEN = dict.fromkeys([0xAD, 0x200B, 0x2060, 0xFEFF, 0xFFFC, *range(9), 11, *range(14, 32), 0x7F])
_SPACES = re.compile(r"[ \t\n\r\f]+")
_LIGATURES = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
}  # fmt: skip
_TRANSLATED = {**_UNSEEN, **_LIGATURES}
_UNSEEN_TOO = re.compile("[\xad\u200b\u2060\ufeff\ufffc\x00-\x08\x0b\x0e-\x1f\x7f\ufb00-\ufb06]")


def seen(text: str) -> str:
    """The text without what nobody sees (soft hyphens, controls), ligatures taken apart."""
    return text.translate(_TRANSLATED) if _UNSEEN_TOO.search(text) else text


def collapsed(text: str) -> str:
    """One line, as it is seen."""
    return _SPACES.sub(" ", seen(text)).strip(" \xa0")


@dataclass(slots=True)
class Style:
    """What the next block is; readers keep a stack of these."""

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    label: str = ""
    """Spent by the first block that ends with this style."""
    names: tuple[str, ...] = ()
    """Spent likewise."""
    preformatted: bool = False


@dataclass(slots=True)
class _Open:
    """A mark whose end has not come yet."""

    start: int
    kind: MarkKind
    target: str


@dataclass
class Flow:
    """Collects the text of one block after the other."""

    part: int = 0
    page: str = ""
    line: int = 0
    """Where the source stands: goes into the place of the block that begins next."""
    done: list[Block] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _last: str = "\n"
    _marks: list[Mark] = field(default_factory=list)
    _opened: list[_Open] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _place: Place | None = None

    def take(self) -> Iterator[Block]:
        """The blocks that ended since the last call."""
        done, self.done = self.done, []
        yield from done

    @property
    def is_empty(self) -> bool:
        """True while the block holds no text."""
        return not self._length

    def text(self, text: str, *, preformatted: bool = False) -> None:
        """Adds text; its white space is collapsed unless it is preformatted."""
        text = seen(text)
        if not preformatted:
            text = _SPACES.sub(" ", text)
            if self._last in " \n":
                text = text.removeprefix(" ")
        self._add(text)

    def line_break(self) -> None:
        """A line ends inside the block; the second in a row is what `ends_twice` tells."""
        if self._length:
            if self._last == " ":
                self._trim_space()
            self._add("\n")

    @property
    def at_line_start(self) -> bool:
        return self._last == "\n" and self._length > 0

    def open(self, kind: MarkKind, target: str = "") -> None:
        """A stretch begins here; `close` ends the one that was opened last."""
        self._opened.append(_Open(self._length, kind, target))

    def close(self) -> None:
        opened = self._opened.pop()
        if self._length > opened.start:
            self._marks.append(Mark(opened.start, self._length, opened.kind, opened.target))

    def point(self, kind: MarkKind, label: str, target: str = "") -> None:
        """A note's sign or a page's beginning stands here."""
        if kind is MarkKind.PAGE:
            self.page = label
        self._marks.append(Mark(self._length, self._length, kind, target, label))

    def name(self, name: str) -> None:
        """Links may lead here by this name."""
        self._names.append(name)

    def end(self, style: Style) -> None:
        """Ends the block, if it holds any text; points and names pass on to the next one otherwise."""
        text = "".join(self._pieces)
        start, end = _core(text, preformatted=style.preformatted)
        if start >= end:
            self._restart(self._points_at_start(), keep_names=True)
            return
        names = (*style.names, *self._names)
        marks = _within(self._closed_marks(), start, end)
        label = style.label
        place = self._place or Place(self.part, self.page, self.line)
        self.done.append(Block(style.kind, text[start:end], style.level, label, marks, (), names, place))
        style.label, style.names = "", ()
        self._restart([], keep_names=False)

    def add(self, block: Block) -> None:
        """Adds a block that was made elsewhere (a table), with the names that were waiting."""
        names = (*block.names, *self._names)
        marks = (*(replace(mark, start=0, end=0) for mark in self._points_at_start()), *block.marks)
        self.done.append(replace(block, names=names, marks=marks))
        self._restart([], keep_names=False)

    def place(self) -> Place:
        """Where the source stands."""
        return Place(self.part, self.page, self.line)

    def _add(self, text: str) -> None:
        if not text:
            return
        if not self._length:
            self._place = self.place()
        self._pieces.append(text)
        self._length += len(text)
        self._last = text[-1]

    def _trim_space(self) -> None:
        self._pieces[-1] = self._pieces[-1].removesuffix(" ")
        self._length -= 1

    def _points_at_start(self) -> list[Mark]:
        return [replace(mark, start=0, end=0) for mark in self._marks if mark.start == mark.end]

    def _closed_marks(self) -> list[Mark]:
        """All marks; those that go on into the next block are cut here."""
        running = [Mark(mark.start, self._length, mark.kind, mark.target) for mark in self._opened]
        return [*self._marks, *running]

    def _restart(self, marks: list[Mark], *, keep_names: bool) -> None:
        self._pieces, self._length, self._last, self._place = [], 0, "\n", None
        self._marks = marks
        self._opened = [_Open(0, mark.kind, mark.target) for mark in self._opened]
        if not keep_names:
            self._names = []


def joined_code(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, those of code that follow each other as one: word processors make a paragraph of every line."""
    code: Block | None = None
    for block in blocks:
        if code is not None and block.kind is BlockKind.CODE:
            code = replace(code, text=f"{code.text}\n{block.text}", names=(*code.names, *block.names))
            continue
        if code is not None:
            yield code
            code = None
        if block.kind is BlockKind.CODE:
            code = block
        else:
            yield block
    if code is not None:
        yield code


def _core(text: str, *, preformatted: bool) -> tuple[int, int]:
    """Where the text begins and ends without white space around it (whole lines only, if preformatted)."""
    end = len(text.rstrip())
    if not preformatted:
        return len(text) - len(text.lstrip()), end
    start = 0
    while start < end and (stop := text.find("\n", start, end)) >= 0 and not text[start:stop].strip():
        start = stop + 1
    return start, end


def _within(marks: Sequence[Mark], start: int, end: int) -> tuple[Mark, ...]:
    """The marks moved and cut to this stretch of the text, in order; stretches that vanish are dropped."""
    kept = []
    for mark in marks:
        first, last = (min(max(at, start), end) - start for at in (mark.start, mark.end))
        if first < last or mark.start == mark.end:
            kept.append(replace(mark, start=first, end=last))
    return tuple(sorted(kept, key=lambda mark: (mark.start, -mark.end)))
