"""The table of contents of an EPUB: the nav of EPUB 3, else the ncx of EPUB 2."""

from collections.abc import Callable, Iterator

from pocketvoice.documents.faults import DocumentError
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.html.elements import types
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.xml import Element, children, descendants, first, local, parse_xml, text_of

_MOST_ENTRIES = 20_000
_MOST_LEVEL = 6

Resolve = Callable[[str], tuple[int, str] | None]
"""A link to (part, name of the block); None if it leads nowhere in the spine."""


def nav_entries(root: Element, resolve: Resolve) -> list[ContentsEntry]:
    """The entries of the `nav` whose type is `toc`, or of the first one."""
    navs = list(descendants(root, "nav"))
    toc = next((nav for nav in navs if types(nav) & {"toc", "doc-toc"}), navs[0] if navs else None)
    lists = list(children(toc, "ol")) if toc is not None else []
    return _collected(_nav_items(lists, resolve))


def ncx_entries(data: bytes, name: str, resolve: Resolve) -> list[ContentsEntry]:
    """The entries of an ncx; none if it is damaged: a book can be read without."""
    try:
        root = parse_xml(data, name)
    except DocumentError:
        return []
    return _collected(_ncx_points(root, resolve))


def _collected(entries: Iterator[ContentsEntry]) -> list[ContentsEntry]:
    collected: list[ContentsEntry] = []
    for entry in entries:
        if len(collected) >= _MOST_ENTRIES:
            break
        collected.append(entry)
    return collected


def _nav_items(lists: list[Element], resolve: Resolve) -> Iterator[ContentsEntry]:
    todo = [(item, 1) for one in reversed(lists) for item in reversed(list(children(one, "li")))]
    while todo:
        item, level = todo.pop()
        label = next(children(item, "a", "span"), None)
        link = first(item, "a") if label is None or local(label) == "span" else label
        title = collapsed(text_of(label if label is not None else link))
        found = resolve(link.get("href", "")) if link is not None else None
        if title and found:
            yield ContentsEntry(title, min(level, _MOST_LEVEL), *found)
        for inner in children(item, "ol"):
            todo += [(one, level + 1) for one in reversed(list(children(inner, "li")))]


def _ncx_points(root: Element, resolve: Resolve) -> Iterator[ContentsEntry]:
    navmap = first(root, "navmap")
    todo = (
        [(point, 1) for point in reversed(list(children(navmap, "navpoint")))] if navmap is not None else []
    )
    while todo:
        point, level = todo.pop()
        title = collapsed(text_of(next(children(point, "navlabel"), None)))
        content = next(children(point, "content"), None)
        found = resolve(content.get("src", "")) if content is not None else None
        if title and found:
            yield ContentsEntry(title, min(level, _MOST_LEVEL), *found)
        todo += [(one, level + 1) for one in reversed(list(children(point, "navpoint")))]
