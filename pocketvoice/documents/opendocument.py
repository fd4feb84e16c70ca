"""OpenDocument texts (ODT, also flat as FODT): what Writer saves."""

from collections.abc import Iterator, Sequence

from pocketvoice.documents.archive import Archive
from pocketvoice.documents.blocks import Block, BlockKind, MarkKind, table_block
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.faults import ProtectedDocumentError
from pocketvoice.documents.flow import Flow, Style, collapsed, joined_code
from pocketvoice.documents.opendocument_styles import OdtStyles
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import MOST_TEXT_BYTES, Source
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

_UNREAD = {
    "table-of-content", "alphabetical-index", "illustration-index", "table-index", "annotation", "tracked-changes",
    "sequence-decls", "variable-decls", "user-field-decls", "forms", "ruby-text", "note", "hidden-text", "script", "desc",
    "title", "annotation-end", "meta", "bookmark-end",
}  # fmt: skip


def open_reader(source: Source) -> "OpenDocumentReader":
    return OpenDocumentReader(source)


class OpenDocumentReader:
    """Reads an ODT."""

    parts: Sequence[Part] = (Part(),)
    needs_file = False
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, source: Source) -> None:
        if source.head(2) == b"PK":
            archive = Archive(source)
            _check_protection(archive)
            self._root = parse_xml(archive.read("content.xml"), source.name)
            styles = parse_xml(archive.read("styles.xml"), source.name) if "styles.xml" in archive else None
            meta = parse_xml(archive.read("meta.xml"), source.name) if "meta.xml" in archive else None
        else:
            self._root = styles = meta = parse_xml(source.data(MOST_TEXT_BYTES), source.name)
        self._styles = OdtStyles.of(styles, self._root)
        self.details = _details(meta, self._styles.language)

    def read(self, part: int) -> Iterator[Block]:
        body = first(self._root, "body")
        text = next(children(body, "text"), None) if body is not None else None
        if text is not None:
            yield from joined_code(_OdtFlow(self._styles).blocks(text))

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        pass


def _check_protection(archive: Archive) -> None:
    manifest = "META-INF/manifest.xml"
    if (
        manifest in archive
        and first(parse_xml(archive.read(manifest), archive.name), "encryption-data") is not None
    ):
        raise ProtectedDocumentError(
            f"{archive.name} is protected by a password: save it without one and open that file."
        )


def _details(meta: Element | None, language: str) -> Details:
    def said(name: str) -> str:
        head = first(meta, "meta") if meta is not None else None
        return collapsed(text_of(first(head, name))) if head is not None else ""

    author = said("initial-creator") or said("creator")
    return Details(
        said("title"), tuple(filter(None, map(str.strip, author.split(";")))), said("language") or language
    )


class _OdtFlow:
    """The walk through the text."""

    def __init__(self, styles: OdtStyles) -> None:
        self._flow = Flow()
        self._styles = styles
        self._pages = 1
        self._counts: dict[int, int] = {}

    def blocks(self, text: Element) -> Iterator[Block]:
        todo: list[tuple[Element, Style]] = [(text, Style())]
        while todo:
            element, style = todo.pop()
            tag = local(element)
            if tag in _UNREAD or not tag:
                continue
            if tag in ("p", "h"):
                yield from self._paragraph(element, tag, style)
            elif tag == "table":
                yield from self._table(element)
            elif tag == "list":
                todo += self._items(element, style)
            elif tag == "soft-page-break":
                self._page()
            else:
                todo += [(child, style) for child in reversed(element)]

    def _items(self, listed: Element, style: Style) -> list[tuple[Element, Style]]:
        """The children of a list's items, last first, each item's first with its label."""
        level = style.level + 1 if style.kind is BlockKind.LIST_ITEM else 1
        name = attribute(listed, "style-name") or self._list_style(listed)
        if attribute(listed, "continue-numbering") != "true" or level not in self._counts:
            self._counts[level] = 0
        todo: list[tuple[Element, Style]] = []
        for item in children(listed, "list-item", "list-header"):
            label = ""
            if local(item) == "list-item" and any(True for _ in children(item, "p", "h")):
                label = self._styles.label(name, level, self._counts[level])
                self._counts[level] += 1
            inner = Style(BlockKind.LIST_ITEM, level, label)
            todo += [(child, inner) for child in item]
        return todo[::-1]

    def _list_style(self, listed: Element) -> str:
        """The style of a list that does not name one: that of the list around it, or of its first paragraph."""
        for above in listed.iterancestors():
            if local(above) == "list" and (name := attribute(above, "style-name")):
                return name
        paragraph = first(listed, "p", "h")
        return (
            self._styles.lists_of.get(attribute(paragraph, "style-name"), "") if paragraph is not None else ""
        )

    def _paragraph(self, element: Element, tag: str, style: Style) -> Iterator[Block]:
        named = self._styles.kind_of(attribute(element, "style-name"))
        if tag == "h":
            level = attribute(element, "outline-level")
            style = Style(BlockKind.HEADING, min(int(level), 6) if level.isdecimal() else 1)
        elif named is not None and style.kind is BlockKind.PARAGRAPH:
            style = named
        notes = self._inline(element, preformatted=style.preformatted)
        self._flow.end(style)
        yield from self._flow.take()
        for note in notes:
            yield from self._note(note)

    def _inline(self, element: Element, *, preformatted: bool = False) -> list[Element]:
        """Adds the text of a paragraph; the notes that it calls are handed back."""
        notes: list[Element] = []
        todo: list[tuple[Element, bool, int]] = [(element, False, 0)]
        while todo:
            one, ended, opened = todo.pop()
            if ended:
                for _ in range(opened):
                    self._flow.close()
                self._flow.text(one.tail or "", preformatted=preformatted)
                continue
            tag = local(one)
            if tag == "note":
                notes.append(one)
                self._flow.point(
                    MarkKind.NOTE, text_of(first(one, "note-citation")), f"#{attribute(one, 'id')}"
                )
            marks = self._marks(one, tag)
            if one is not element:
                todo.append((one, True, len(marks)))
            for kind, target in marks:
                self._flow.open(kind, target)
            if tag in _UNREAD:
                continue
            self._leaf(one, tag)
            self._flow.text(one.text or "", preformatted=preformatted)
            todo += [(child, False, 0) for child in reversed(one)]
        return notes

    def _leaf(self, element: Element, tag: str) -> None:
        if tag == "s":
            count = attribute(element, "c")
            self._flow.text(" " * (min(int(count), 200) if count.isdecimal() else 1), preformatted=True)
        elif tag == "tab":
            self._flow.text(" ")
        elif tag == "line-break":
            self._flow.line_break()
        elif tag == "soft-page-break":
            self._page()
        elif tag in ("bookmark", "bookmark-start") and (name := attribute(element, "name")):
            self._flow.name(f"#{name}")
        elif tag in ("p", "h") and not self._flow.is_empty:
            self._flow.text(" ")  # a text box inside the paragraph

    def _page(self) -> None:
        self._pages += 1
        self._flow.point(MarkKind.PAGE, str(self._pages))

    def _marks(self, element: Element, tag: str) -> list[tuple[MarkKind, str]]:
        if tag == "a":
            return [(MarkKind.LINK, attribute(element, "href"))]
        if tag == "span":
            return [(kind, "") for kind in self._styles.marks_of(attribute(element, "style-name"))]
        return []

    def _note(self, note: Element) -> Iterator[Block]:
        label = text_of(first(note, "note-citation"))
        style = Style(BlockKind.FOOTNOTE, label=label, names=(f"#{attribute(note, 'id')}",))
        body = first(note, "note-body")
        for paragraph in descendants(body, "p", "h") if body is not None else ():
            self._inline(paragraph)
            self._flow.end(style)
        yield from self._flow.take()

    def _table(self, table: Element) -> Iterator[Block]:
        rows = [list(children(row, "table-cell")) for row in descendants(table, "table-row")]
        if max((len(row) for row in rows), default=0) < 2:
            for paragraph in descendants(table, "p", "h"):
                yield from self._paragraph(paragraph, local(paragraph), Style())
            return
        block = table_block(([self._cell(cell) for cell in row] for row in rows), self._flow.place())
        if block is not None:
            self._flow.add(block)
        yield from self._flow.take()

    def _cell(self, cell: Element) -> str:
        inner = _OdtFlow(self._styles)
        for paragraph in descendants(cell, "p", "h"):
            inner._inline(paragraph)
            inner._flow.end(Style())
        return collapsed(" ".join(block.text for block in inner._flow.take()))
