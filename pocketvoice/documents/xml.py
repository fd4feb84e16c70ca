"""XML and HTML to trees of lxml, safely: no entity is expanded from the file, no DTD is loaded, nothing is fetched.

The only module here that makes parsers. Elements are `Any`: lxml carries no types.
"""

import html.entities
import io
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pocketvoice.documents.faults import DocumentError, damaged

Element = Any
"""An element of lxml."""

_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_PREDEFINED = {"amp", "lt", "gt", "quot", "apos"}
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_SUBSET = re.compile(r"<!DOCTYPE[^\[<>]*\[.*?\]\s*>", re.S | re.I)
_SAFE = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}


def parse_xml(data: bytes, name: str) -> Element:
    """The root of an XML file. Raises DocumentError if it is none, or nested out of all measure."""
    from lxml import etree

    parser = etree.XMLParser(remove_comments=True, remove_pis=True, collect_ids=False, **_SAFE)
    try:
        root = etree.fromstring(data, parser)
    except (etree.LxmlError, ValueError) as exc:
        raise damaged(name, f"XML: {exc}") from exc
    if root is None:
        raise damaged(name, "XML: no element")
    return root


def parse_xhtml(text: str, name: str) -> Element:
    """The root of a page of an EPUB: as XML if it is that, as HTML if it only should be."""
    try:
        return parse_xml(_DECLARATION.sub("", _with_characters(text)).encode("utf-8", "replace"), name)
    except DocumentError:
        return parse_html(text, name)


def parse_html(text: str, name: str) -> Element:
    """The root of an HTML page, however broken. Raises DocumentError if nothing is in it."""
    from lxml import etree

    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=False
    )
    text = _SUBSET.sub("", _DECLARATION.sub("", text.replace("\0", "")), count=1)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError) as exc:
        raise damaged(name, f"HTML: {exc}") from exc
    if root is None:
        raise damaged(name, "HTML: no element")
    return root


def _with_characters(text: str) -> str:
    """Named characters of HTML (`&nbsp;`) as what they are: XML knows five names only."""

    def character(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name in _PREDEFINED else html.entities.html5.get(name + ";", match[0])

    return _NAMED.sub(character, text)


def local(element: Element) -> str:
    """The name of an element without its namespace; empty for what is no element (an entity)."""
    tag = element.tag
    return _local(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower()


def attribute(element: Element, name: str) -> str:
    """The value of an attribute of this local name, in whatever namespace; empty if it has none."""
    value = element.get(name)
    if value is not None:
        return str(value)
    return next((str(v) for key, v in element.attrib.items() if key.rpartition("}")[2] == name), "")


def children(element: Element, *names: str) -> Iterator[Element]:
    """The children of these local names."""
    return (child for child in element if local(child) in names)


def descendants(root: Element, *names: str) -> Iterator[Element]:
    """All elements below of these local names, in order."""
    return (element for element in root.iter() if local(element) in names)


def first(root: Element, *names: str) -> Element | None:
    """The first element below of one of these local names."""
    return next(descendants(root, *names), None)


def text_of(element: Element | None) -> str:
    """All text inside, in one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def stream_xml(data: bytes, name: str, *tags: str) -> Iterator[Element]:
    """The elements of these full names as each ends, for files too large for a tree; the caller clears what it has used.

    Raises DocumentError where the file stops being XML.
    """
    from lxml import etree

    events = etree.iterparse(
        io.BytesIO(data), events=("end",), tag=tags, remove_comments=True, remove_pis=True, **_SAFE
    )
    try:
        for _, element in events:
            yield element
    except (etree.LxmlError, ValueError) as exc:
        raise damaged(name, f"XML: {exc}") from exc


def forget(element: Element) -> None:
    """Frees an element of a stream, and those before it."""
    element.clear(keep_tail=True)
    parent = element.getparent()
    while parent is not None and (before := element.getprevious()) is not None:
        parent.remove(before)
