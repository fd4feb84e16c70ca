"""A tree of HTML to blocks: walks the elements without recursion, so that no depth of nesting can hurt.

Serves saved pages, the clipboard, mails, Markdown and the files of an EPUB; what of a page is content was decided before
(`main_content`). Finds footnotes and the signs that lead to them, whether the page says so or only looks so.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum, auto
from urllib.parse import unquote

from pocketvoice.documents.blocks import Block, BlockKind, MarkKind
from pocketvoice.documents.flow import Flow, Style, collapsed
from pocketvoice.documents.html import elements
from pocketvoice.documents.html.tables import is_data_table, rows_of
from pocketvoice.documents.xml import Element, attribute, local, text_of

_BULLET = "•"
_LISTS = ("ul", "ol", "dl", "dir")
_EVERY_BLOCKS = 32
_MOST_DEPTH = 60
"""Levels of lists and quotes that are told apart."""


def html_blocks(
    root: Element, *, part: int = 0, resolve: Callable[[str], str] | None = None, base: str = ""
) -> Iterator[Block]:
    """The blocks of a tree, as they are found.

    `base` goes before `#id` in the blocks' names; `resolve` turns a link into the name of the block where it leads, or
    into an address (itself, by default).
    """
    yield from _HtmlFlow(part, resolve or (lambda href: href), base).blocks(root)


class _Undo(Enum):
    """What the end of an element undoes."""

    NOTHING = auto()
    MARK = auto()
    BLOCK = auto()
    LIST = auto()


class _HtmlFlow:
    """The state of one walk."""

    def __init__(self, part: int, resolve: Callable[[str], str], base: str) -> None:
        self.flow = Flow(part)
        self._resolve = resolve
        self._base = base
        self._styles = [Style()]
        self._lists: list[_List] = []

    def blocks(self, root: Element) -> Iterator[Block]:
        todo = [(root, iter(()), _Undo.NOTHING)]
        child: Element | None = root
        while todo:
            if child is None:
                element, _, undo = todo.pop()
                self._leave(undo)
                if element is not root and element.tail and todo:
                    self._text(element.tail)
            else:
                undo, walk = self._enter(child)
                todo.append((child, iter(child) if walk else iter(()), undo))
            child = next(todo[-1][1], None) if todo else None
            if len(self.flow.done) >= _EVERY_BLOCKS:
                yield from self.flow.take()
        self.flow.end(self._styles[-1])
        yield from self.flow.take()

    def _text(self, text: str) -> None:
        self.flow.text(text, preformatted=self._styles[-1].preformatted)

    def _enter(self, element: Element) -> tuple["_Undo", bool]:
        """Handles the beginning of an element: what its end undoes, and whether to go into it."""
        tag = local(element)
        if not tag or elements.is_unread(element, tag):
            return _Undo.NOTHING, False
        has_attributes = len(element.attrib) > 0
        if has_attributes and self._is_point(element, tag):
            return _Undo.NOTHING, False
        undo = self._begin_block(element, tag) if tag in elements.BLOCKS else self._begin_inline(element, tag)
        if tag == "dt" and _is_note_term(element):
            self._name(element, tag)  # passes on to the definition, which is the footnote
            return undo, False
        if tag == "table" and is_data_table(element):
            self._table(element)
            return undo, False
        if has_attributes:
            self._name(element, tag)
            self.flow.line = int(element.get("data-line", self.flow.line))
        if tag == "math":
            self._text(element.get("alttext") or text_of(element))
            return undo, False
        if element.text:
            self._text(element.text)
        return undo, True

    def _leave(self, undo: "_Undo") -> None:
        if undo is _Undo.MARK:
            self.flow.close()
        elif undo is not _Undo.NOTHING:
            self._end_block()
            self._styles.pop()
            if undo is _Undo.LIST:
                self._lists.pop()

    def _begin_block(self, element: Element, tag: str) -> "_Undo":
        self._end_block()
        style = replace(self._styles[-1], label="", names=())
        if tag in ("li", "dd", "dt", "p", "div") and self._styles[-1].label:
            style.label, self._styles[-1].label = (
                self._styles[-1].label,
                "",
            )  # <li><p>: the item's first block has it
        kind = style.kind
        if elements.types(element) & elements.NOTE_TYPES or self._looks_like_note(element, tag):
            style.kind, style.level = BlockKind.FOOTNOTE, 0
            if tag == "li" and self._lists:
                style.label = self._lists[-1].next_label(element).strip(".•")
        elif tag == "dd" and (term := element.getprevious()) is not None and _is_note_term(term):
            style.kind, style.level, style.label = BlockKind.FOOTNOTE, 0, text_of(term).strip("[]() .")
        elif kind in (BlockKind.FOOTNOTE, BlockKind.HEADING):
            pass  # what stands inside is part of it
        elif tag in elements.HEADINGS:
            style.kind, style.level = BlockKind.HEADING, elements.HEADINGS[tag]
        elif tag in ("li", "dd", "dt"):
            style.kind, style.level = BlockKind.LIST_ITEM, min(max(len(self._lists), 1), _MOST_DEPTH)
            style.label = self._label(element) if tag == "li" else ""
        elif tag == "blockquote":
            depth = style.level if kind is BlockKind.QUOTE else 0
            style.kind, style.level = BlockKind.QUOTE, min(depth + 1, _MOST_DEPTH)
        elif tag in ("pre", "xmp", "listing"):
            style.kind, style.level, style.preformatted = BlockKind.CODE, 0, True
        elif tag in ("figcaption", "caption"):
            style.kind, style.level = BlockKind.CAPTION, 0
        if tag in _LISTS:
            self._lists.append(_List(element, tag))
        self._styles.append(style)
        return _Undo.LIST if tag in _LISTS else _Undo.BLOCK

    def _end_block(self) -> None:
        self.flow.end(self._styles[-1])

    def _begin_inline(self, element: Element, tag: str) -> "_Undo":
        mark, target = elements.MARKS.get(tag), ""
        if tag == "a" and (href := element.get("href")):
            mark, target = MarkKind.LINK, self._resolve(href)
        if tag == "br":
            if self.flow.at_line_start and not self._styles[-1].preformatted:
                self._end_block()
            self.flow.line_break()
        if mark is not None and not self._styles[-1].preformatted:
            self.flow.open(mark, target)
            return _Undo.MARK
        return _Undo.NOTHING

    def _is_point(self, element: Element, tag: str) -> bool:
        """True for the sign of a footnote and for the beginning of a page, which are noted."""
        kinds = elements.types(element)
        if kinds & elements.PAGE_TYPES:
            label = element.get("title") or element.get("aria-label") or text_of(element)
            self._name(element, tag)
            self.flow.point(MarkKind.PAGE, label.strip(" .") or attribute(element, "id"))
            return True
        if tag != "a" or not (href := element.get("href", "")):
            return False
        text = text_of(element)
        if (
            self._styles[-1].kind is BlockKind.FOOTNOTE
            and "#" in href
            and (elements.is_back_link(text) or (self.flow.is_empty and elements.is_sign(text)))
        ):
            if elements.is_sign(text) and not self._styles[-1].label:
                self._styles[-1].label = text.strip("[]().:")
            return True
        return self._is_note_link(element, kinds, href, text)

    def _is_note_link(self, element: Element, kinds: frozenset[str], href: str, text: str) -> bool:
        says = bool(kinds & elements.NOTE_LINK_TYPES)
        looks = "#" in href and elements.is_sign(text) and elements.is_set_as_note(element, text)
        if not (says or looks):
            return False
        self._name(element, "a")
        self.flow.point(MarkKind.NOTE, text.strip("[]()"), self._resolve(href))
        return True

    def _looks_like_note(self, element: Element, tag: str) -> bool:
        """True for a paragraph that begins with a sign which leads back to the text, and is called by a link there."""
        if tag not in ("p", "li", "div", "aside", "dd", "dt"):
            return False
        first = element
        for _ in range(4):  # <p id="n1"><sup><a href="#r1">1</a></sup> ...
            if (first.text or "").strip() or not len(first):
                break
            first = first[0]
            if local(first) == "a" and "#" in first.get("href", ""):
                named = any(
                    attribute(one, "id") or one.get("name")
                    for one in (element, first, *first.iterancestors("{*}p"))
                )
                return named and elements.is_sign(text_of(first)) and text_of(element) != text_of(first)
            if local(first) in ("ul", "ol", "dl", "table", "li"):
                break
        return tag == "li" and self._has_back_link(element)

    def _has_back_link(self, item: Element) -> bool:
        """True for a list item with an id that ends in an arrow back to the text."""
        if not attribute(item, "id"):
            return False
        last = None
        for last in item.iter("{*}a"):
            if "#" in last.get("href", "") and (
                elements.is_back_link(text_of(last)) or elements.types(last) & {"doc-backlink"}
            ):
                return True
        return False

    def _label(self, item: Element) -> str:
        return self._lists[-1].next_label(item) if self._lists else _BULLET

    def _name(self, element: Element, tag: str) -> None:
        for name in elements.names(element, tag):
            self.flow.name(f"{self._base}#{unquote(name)}")

    def _table(self, element: Element) -> None:
        for caption in element.iter("{*}caption"):
            if text := collapsed(text_of(caption)):
                self.flow.add(Block(BlockKind.CAPTION, text, place=self.flow.place()))
            break
        self._name(element, "table")
        if (block := rows_of(element, self.flow.place())) is not None:
            self.flow.add(block)


def _is_note_term(term: Element) -> bool:
    """True for the sign of a footnote that stands as the term of its definition."""
    if local(term) != "dt" or not elements.is_sign(text_of(term)):
        return False
    links = (link for link in term.iter("{*}a") if "#" in link.get("href", ""))
    return any(True for _ in links) or "footnote" in term.getparent().get("class", "")


class _List:
    """The labels of a list's items."""

    def __init__(self, element: Element, tag: str) -> None:
        self._ordered = tag == "ol"
        self._type = element.get("type", "1")
        start = element.get("start", "")
        self._next = int(start) if start.lstrip("-").isdecimal() and len(start) < 7 else 1

    def next_label(self, item: Element) -> str:
        if not self._ordered:
            return _BULLET
        value = item.get("value", "")
        number = int(value) if value.lstrip("-").isdecimal() and len(value) < 7 else self._next
        self._next = number + 1
        if self._type in "aA" and 1 <= number <= 26:
            return chr(ord(self._type) + number - 1) + "."
        return f"{number}."
