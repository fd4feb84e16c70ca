"""What the elements of HTML mean for somebody who reads: blocks, inline marks, things that nobody reads. Tables of names."""

import re

from pocketvoice.documents.blocks import MarkKind
from pocketvoice.documents.xml import Element, local

UNREAD = frozenset({
    "script", "style", "template", "noscript", "head", "iframe", "frame", "frameset", "object", "embed", "applet",
    "video", "audio", "canvas", "svg", "map", "area", "meta", "link", "button", "input", "textarea", "select",
    "datalist", "option", "optgroup", "nav", "rp", "rt", "rtc", "dialog", "menu", "progress", "meter", "source",
    "track", "param", "noembed", "noframes", "command",
})  # fmt: skip
"""Elements that are left out with all that is in them."""

BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "html", "legend", "li", "main", "ol", "p", "pre", "search", "section", "summary", "table",
    "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp", "listing",
})  # fmt: skip
"""Elements that begin on a line of their own."""

HEADINGS = {f"h{level}": level for level in range(1, 7)}
MARKS = {
    "em": MarkKind.EMPHASIS, "i": MarkKind.EMPHASIS, "cite": MarkKind.EMPHASIS, "dfn": MarkKind.EMPHASIS,
    "var": MarkKind.EMPHASIS, "strong": MarkKind.STRONG, "b": MarkKind.STRONG,
    "code": MarkKind.CODE, "kbd": MarkKind.CODE, "samp": MarkKind.CODE, "tt": MarkKind.CODE,
}  # fmt: skip
NOTE_TYPES = {"footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"}
NOTE_LINK_TYPES = {"noteref", "doc-noteref"}
PAGE_TYPES = {"pagebreak", "doc-pagebreak"}
_UNREAD_TYPES = {
    "toc",
    "landmarks",
    "page-list",
    "doc-toc",
    "doc-pagelist",
    "doc-backlink",
    "backlink",
    "loi",
    "lot",
}
_UNREAD_CLASSES = frozenset({
    "headerlink", "mw-editsection", "noprint", "sr-only", "visually-hidden", "screen-reader-text", "skip-link",
    "skiplink", "skip-to-content", "mw-jump-link", "anchorjs-link", "hash-link", "heading-anchor", "print-hidden",
    "lineno", "lnum", "linenum", "line-number", "linenos", "linenodiv",
})  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.I)
_NOTE_CLASS = re.compile(r"(?:foot|end)?note-?_?(?:ref|link|call|anchor)|fn-?ref|^footnote$", re.I)
_SIGN = re.compile(r"[\[(]?(?:\d{1,4}|[ivxlc]{1,6}|[a-z]|[*†‡§¶#]{1,4})[\])]?[.:]?", re.I)
_BACK = re.compile(r"[↩↑^⏎⤴▲←⇐↵\ufe0e\s]+")


_EPUB_TYPES = ("{http://www.idpf.org/2007/ops}type", "epub:type", "role")
_NO_TYPES: frozenset[str] = frozenset()
_NAMES = ("id", "{http://www.w3.org/XML/1998/namespace}id")


def types(element: Element) -> frozenset[str]:
    """What `epub:type` and `role` say of an element."""
    said = [value for name in _EPUB_TYPES if (value := element.get(name))]
    return frozenset(" ".join(said).lower().split()) if said else _NO_TYPES


def is_unread(element: Element, tag: str) -> bool:
    """True for what nobody sees or reads on the page."""
    if tag in UNREAD:
        return True
    attributes = element.attrib
    if not len(attributes):
        return False
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    if (classes := attributes.get("class")) and not _UNREAD_CLASSES.isdisjoint(classes.split()):
        return True
    if (style := attributes.get("style")) and _HIDDEN_STYLE.search(style):
        return True
    return not _UNREAD_TYPES.isdisjoint(types(element))


def names(element: Element, tag: str) -> list[str]:
    """What links call this element."""
    found = [name for key in _NAMES if (name := element.get(key))]
    return [*found, element.get("name")] if tag == "a" and element.get("name") else found


def is_sign(text: str) -> bool:
    """True for what stands for a footnote: `1`, `[12]`, `*`, `iv`."""
    return _SIGN.fullmatch(text.strip()) is not None


def is_back_link(text: str) -> bool:
    """True for the arrow that leads from a footnote back to the text."""
    return _BACK.fullmatch(text) is not None


def is_set_as_note(link: Element, text: str) -> bool:
    """True if the link is set as the signs of footnotes are: raised, in brackets, or by a class that says so."""
    return is_raised(link) or text[:1] in "[*†‡" or _NOTE_CLASS.search(link.get("class", "")) is not None


def is_raised(element: Element) -> bool:
    """True if the link stands in superscript, or holds nothing but superscript."""
    parent = element.getparent()
    inner = [local(child) for child in element]
    return (parent is not None and local(parent) == "sup") or (
        inner[:1] == ["sup"] and not (element.text or "").strip()
    )
