"""FictionBook (FB2), also zipped: sections with titles, verse, quotes, and notes from the body that holds them."""

import base64
import re
from collections.abc import Iterator, Sequence

from pocketvoice.documents.archive import Archive
from pocketvoice.documents.blocks import Block, BlockKind, MarkKind, table_block
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.encoding import decode
from pocketvoice.documents.faults import damaged
from pocketvoice.documents.flow import Flow, Style, collapsed
from pocketvoice.documents.html.elements import is_sign
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source
from pocketvoice.documents.xml import (
    Element,
    attribute,
    children,
    descendants,
    first,
    local,
    parse_xml,
    text_of,
)

_ENCODING = re.compile(rb"""<\?xml[^>]{0,100}encoding\s*=\s*["']([\w.-]{2,40})["']""")
_BINARY = re.compile(r"<binary\b([^>]*)>(.*?)</binary\s*>", re.S)
_MARKS = {"emphasis": MarkKind.EMPHASIS, "strong": MarkKind.STRONG, "code": MarkKind.CODE}
_KINDS = {
    "p": None, "subtitle": BlockKind.HEADING, "v": None, "text-author": None, "date": None,
}  # fmt: skip
_MOST_COVER_CHARS = 28_000_000


def open_reader(source: Source) -> "FictionBookReader":
    return FictionBookReader(source)


class FictionBookReader:
    """Reads an FB2."""

    parts: Sequence[Part] = (Part(),)
    needs_file = False
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, source: Source) -> None:
        data = _unzipped(source)
        declared = _ENCODING.search(data[:300])
        text = decode(data, source.name, declared=declared[1].decode("ascii") if declared else "")
        self._pictures = {_id(match[1]): match for match in _BINARY.finditer(text)}
        text = re.sub(r"\A\s*<\?xml[^>]*\?>", "", _BINARY.sub("", text))
        self._root = parse_xml(text.encode("utf-8", "replace"), source.name)
        if local(self._root) != "fictionbook":
            raise damaged(source.name, f"FB2: the root is {self._root.tag}")
        self.details = _details(self._root)

    def read(self, part: int) -> Iterator[Block]:
        flow = _BookFlow()
        for body in children(self._root, "body"):
            notes = (attribute(body, "name") or "").lower() in ("notes", "comments", "footnotes", "note")
            yield from flow.body(body, notes=notes)

    def cover(self) -> bytes | None:
        page = first(self._root, "coverpage")
        picture = first(page, "image") if page is not None else None
        found = self._pictures.get(attribute(picture, "href").lstrip("#")) if picture is not None else None
        if found is None or len(found[2]) > _MOST_COVER_CHARS:
            return None
        return base64.b64decode(found[2])

    def close(self) -> None:
        pass


def _unzipped(source: Source) -> bytes:
    if source.head(2) != b"PK":
        return source.data()
    archive = Archive(source)
    return archive.read(next(name for name in archive.names if name.lower().endswith(".fb2")))


def _id(attributes: str) -> str:
    found = re.search(r"""\bid\s*=\s*["']([^"']*)""", attributes)
    return found[1] if found else ""


def _details(root: Element) -> Details:
    info = first(root, "title-info")
    if info is None:
        return Details()
    authors = tuple(filter(None, map(_author, children(info, "author"))))
    title = collapsed(text_of(next(children(info, "book-title"), None)))
    return Details(title, authors, text_of(next(children(info, "lang"), None)))


def _author(author: Element) -> str:
    names = (
        text_of(next(children(author, name), None)) for name in ("first-name", "middle-name", "last-name")
    )
    return " ".join(filter(None, names)) or text_of(next(children(author, "nickname"), None))


class _BookFlow:
    """The walk through the bodies."""

    def __init__(self) -> None:
        self._flow = Flow()

    def body(self, body: Element, *, notes: bool) -> Iterator[Block]:
        """The blocks of a body; in one of notes each section is a footnote."""
        todo: list[tuple[Element, Style, int]] = [(body, Style(), 0)]
        while todo:
            element, style, level = todo.pop()
            tag = local(element)
            self._name(element)
            if tag == "title":
                self._title(element, style, max(level, 1))
            elif tag in _KINDS:
                self._paragraph(element, style, tag, level)
            elif tag == "table":
                rows = ([collapsed(text_of(cell)) for cell in row] for row in descendants(element, "tr"))
                if (block := table_block(rows, self._flow.place())) is not None:
                    self._flow.add(block)
            elif tag == "stanza":
                self._verse(element, style)
            elif tag not in ("image", "empty-line", "binary", ""):
                inner, deeper = self._inside(element, tag, style, level, notes)
                todo += [(child, inner, deeper) for child in reversed(element)]
            yield from self._flow.take()

    def _inside(self, element: Element, tag: str, style: Style, level: int, notes: bool) -> tuple[Style, int]:
        if tag == "section":
            if notes and attribute(element, "id"):
                style = Style(BlockKind.FOOTNOTE)
            return style, min(level + 1, 6)
        if tag in ("cite", "epigraph", "annotation") and style.kind is not BlockKind.FOOTNOTE:
            return Style(BlockKind.QUOTE, 1), level
        return style, level

    def _title(self, title: Element, style: Style, level: int) -> None:
        if style.kind is BlockKind.FOOTNOTE:
            style.label = collapsed(text_of(title)).strip("[]().")
            return
        for number, line in enumerate(children(title, "p")):
            if number and not self._flow.is_empty:
                self._flow.text(" " if is_sign(text_of(line)) else "\n", preformatted=True)
            self._inline(line)
        self._flow.end(Style(BlockKind.HEADING, level))

    def _paragraph(self, element: Element, style: Style, tag: str, level: int) -> None:
        self._inline(element)
        self._flow.end(Style(BlockKind.HEADING, min(level + 1, 6)) if tag == "subtitle" else style)

    def _verse(self, stanza: Element, style: Style) -> None:
        for line in children(stanza, "v"):
            self._inline(line)
            self._flow.line_break()
        self._flow.end(style)

    def _inline(self, element: Element) -> None:
        """The text of a paragraph with its marks."""
        todo: list[tuple[Element, bool]] = [(element, False)]
        while todo:
            one, ended = todo.pop()
            if ended:
                if self._mark(one) is not None:
                    self._flow.close()
                self._flow.text(one.tail or "")
                continue
            if one is not element:
                if local(one) == "a" and (attribute(one, "type") == "note" or is_sign(text_of(one))):
                    self._flow.point(MarkKind.NOTE, text_of(one).strip("[](){}"), attribute(one, "href"))
                    self._flow.text(one.tail or "")
                    continue
                todo.append((one, True))
                if (mark := self._mark(one)) is not None:
                    self._flow.open(mark, attribute(one, "href"))
            self._flow.text(one.text or "")
            todo += [(child, False) for child in reversed(one)]

    def _mark(self, element: Element) -> MarkKind | None:
        return MarkKind.LINK if local(element) == "a" else _MARKS.get(local(element))

    def _name(self, element: Element) -> None:
        if name := attribute(element, "id"):
            self._flow.name(f"#{name}")
