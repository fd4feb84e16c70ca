"""The text of a DOCX to blocks, paragraph by paragraph as the file is parsed.

Own reader rather than mammoth: that one builds the whole document as HTML before the first word comes, and drops page
breaks, numbers of lists and the levels of custom headings.
"""

import re
from collections.abc import Iterator, Sequence

from pocketvoice.documents.archive import Archive
from pocketvoice.documents.blocks import Block, BlockKind, table_block
from pocketvoice.documents.document import Part
from pocketvoice.documents.flow import Flow, Style, collapsed, joined_code
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import MOST_TEXT_BYTES, Source
from pocketvoice.documents.word.package import Numbering, ParagraphStyle, open_package, read_styles
from pocketvoice.documents.word.runs import Runs, W, property_of
from pocketvoice.documents.xml import (
    Element,
    attribute,
    children,
    descendants,
    first,
    forget,
    local,
    stream_xml,
)

_TRANSPARENT = {"body", "document", "sdt", "sdtcontent", "ins", "moveto", "customxml", "smarttag"}
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|nagłówek|заголовок)\s*([1-9])")
_CONTENTS = re.compile(r"toc \d|toc heading|table of figures|contents heading|inhaltsverzeichnis|index \d")
_MOST_DOCUMENT_BYTES = 4 * MOST_TEXT_BYTES


def open_reader(source: Source) -> "WordReader":
    return WordReader(source)


class WordReader:
    """Reads a DOCX."""

    parts: Sequence[Part] = (Part(),)
    needs_file = True
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, source: Source) -> None:
        self._archive = Archive(source)
        self._package = open_package(self._archive)
        self._styles = read_styles(self._package.side("styles.xml"))
        self.details = self._package.details()

    def read(self, part: int) -> Iterator[Block]:
        return joined_code(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        package = self._package
        data = package.archive.read(package.main, _MOST_DOCUMENT_BYTES)
        notes = {kind: package.side(f"{kind}s.xml") for kind in ("footnote", "endnote")}
        body = _Body(
            Runs(Flow(), package.links()), self._styles, Numbering.of(package.side("numbering.xml")), notes
        )
        for element in stream_xml(data, package.archive.name, W + "p", W + "tbl"):
            if all(local(one) in _TRANSPARENT for one in element.iterancestors()):
                if not _is_contents_box(element):
                    yield from body.element(element)
                forget(element)

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        self._archive.close()


def _is_contents_box(element: Element) -> bool:
    """True for what stands in the box of a table of contents that Word makes."""
    for box in element.iterancestors(W + "sdt"):
        gallery = first(box, "docpartgallery")
        if gallery is not None and attribute(gallery, "val") == "Table of Contents":
            return True
    return False


class _Body:
    """Turns paragraphs and tables into blocks."""

    def __init__(
        self,
        runs: Runs,
        styles: dict[str, ParagraphStyle],
        numbering: Numbering,
        notes: dict[str, Element | None],
    ) -> None:
        self._runs = runs
        self._flow = runs.flow
        self._styles = styles
        self._numbering = numbering
        self._notes = {
            kind: {attribute(note, "id"): note for note in root} if root is not None else {}
            for kind, root in notes.items()
        }

    def element(self, element: Element) -> Iterator[Block]:
        """The blocks of a paragraph or a table, then the footnotes that it calls."""
        if local(element) == "tbl":
            self._table(element)
        else:
            self._paragraph(element)
        yield from self._flow.take()
        calls, self._runs.note_calls = self._runs.note_calls, []
        for kind, number, label in calls:
            yield from self._note(kind, number, label)

    def _paragraph(self, paragraph: Element) -> None:
        said = _ParagraphSays(paragraph, self._styles)
        if _CONTENTS.match(said.style.name):
            return
        style = self._style_of(said)
        boxes = self._runs.add(paragraph, preformatted=style.preformatted)
        if said.is_drop_cap:
            return  # a letter in a frame of its own: the word goes on in the next paragraph
        self._flow.end(style)
        for box in boxes:
            for inner in descendants(box, "p"):
                self._runs.add(inner)
                self._flow.end(Style())

    def _style_of(self, said: "_ParagraphSays") -> Style:
        name = said.style.name
        label = self._numbering.label(said.number, said.list_level) if said.number not in ("", "0") else None
        if (level := said.heading_level) is not None:
            return Style(BlockKind.HEADING, level, label if label and label != "•" else "")
        if label is not None:
            return Style(BlockKind.LIST_ITEM, said.list_level + 1, label)
        if name.startswith(("list bullet", "list number")):
            return Style(BlockKind.LIST_ITEM, 1, "•" if "bullet" in name else "")
        if "quot" in name or name == "block text":
            return Style(BlockKind.QUOTE, 1)
        if name in ("source code", "html preformatted", "preformatted text", "code", "macro"):
            return Style(BlockKind.CODE, preformatted=True)
        if name.endswith("caption"):
            return Style(BlockKind.CAPTION)
        return Style()

    def _table(self, table: Element) -> None:
        rows = [list(descendants(row, "tc")) for row in children(table, "tr")]
        if max((len(row) for row in rows), default=0) < 2:
            for paragraph in descendants(table, "p"):
                self._paragraph(paragraph)
            return
        block = table_block(([self._cell(cell) for cell in row] for row in rows), self._flow.place())
        if block is not None:
            self._flow.add(block)

    def _cell(self, cell: Element) -> str:
        """The text of a cell, and the calls of footnotes in it."""
        inner = Runs(Flow(), self._runs.links, self._runs.note_calls)
        for paragraph in descendants(cell, "p"):
            inner.add(paragraph)
            inner.flow.end(Style())
        return collapsed(" ".join(block.text for block in inner.flow.take()))

    def _note(self, kind: str, number: str, label: str) -> Iterator[Block]:
        note = self._notes[kind].pop(number, None)
        if note is None:
            return
        inner = Runs(Flow(), {})
        style = Style(BlockKind.FOOTNOTE, label=label, names=(f"#{kind}-{number}",))
        for paragraph in descendants(note, "p"):
            inner.add(paragraph)
            inner.flow.end(style)
        yield from inner.flow.take()


class _ParagraphSays:
    """What a paragraph's properties say, with its style's."""

    def __init__(self, paragraph: Element, styles: dict[str, ParagraphStyle]) -> None:
        properties = next(children(paragraph, "ppr"), None)
        named = property_of(properties, "pstyle")
        self.style = styles.get(named, ParagraphStyle(named.lower()))
        own = next(children(properties, "numpr"), None) if properties is not None else None
        self.number = property_of(own, "numid") or self.style.number
        level = property_of(own, "ilvl")
        self.list_level = min(int(level), 8) if level.isdecimal() else self.style.list_level
        self._outline = property_of(properties, "outlinelvl")
        frame = next(children(properties, "framepr"), None) if properties is not None else None
        self.is_drop_cap = frame is not None and attribute(frame, "dropCap") in ("drop", "margin")

    @property
    def heading_level(self) -> int | None:
        name = self.style.name
        if name == "title":
            return 1
        if found := _HEADING.match(name):
            return min(int(found[1]), 6)
        outline = int(self._outline) if self._outline.isdecimal() else self.style.outline
        return min(outline + 1, 6) if outline is not None and outline < 9 else None
