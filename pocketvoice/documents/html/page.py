"""A web page that was saved, or HTML from the clipboard: its details and its blocks."""

import re
from collections.abc import Iterator, Sequence

from pocketvoice.documents.blocks import Block, BlockKind
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.encoding import decode
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.html.flow import html_blocks
from pocketvoice.documents.html.main_content import main_content
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source
from pocketvoice.documents.xml import Element, descendants, parse_html, parse_xhtml, text_of

_CHARSET = re.compile(
    rb"""<(?:meta\b[^>]{0,300}?charset|\?xml[^>]{0,100}?encoding)\s*=\s*["']?([\w.:-]{2,40})""", re.I
)
_PARTED = re.compile(r"\s+[|–—·»«:-]+\s+|\s*[|—–»]\s*")


def open_reader(source: Source) -> "PageReader":
    return PageReader(html_text(source.data(), source.name), source.name)


def html_text(data: bytes, name: str) -> str:
    """The text of a page, in the encoding that it names if that is the right one."""
    named = _CHARSET.search(data[:8192])
    return decode(data, name, declared=named[1].decode("ascii", "replace") if named else "")


class PageReader:
    """Reads a page of the web."""

    parts: Sequence[Part] = (Part(),)
    needs_file = False
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, text: str, name: str) -> None:
        parse = parse_xhtml if "<?xml" in text[:100] else parse_html
        self._root = parse(text, name)
        self.details = page_details(self._root)

    def read(self, part: int) -> Iterator[Block]:
        blocks = html_blocks(main_content(self._root))
        return _without_echo(blocks, self.details.title)

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        pass


class FragmentReader(PageReader):
    """Reads HTML of which all is content: the clipboard's, a mail's."""

    def read(self, part: int) -> Iterator[Block]:
        return html_blocks(self._root)


def page_details(root: Element) -> Details:
    """What the head of a page says."""
    meta: dict[str, str] = {}
    for element in descendants(root, "meta"):
        key = (element.get("name") or element.get("property") or element.get("http-equiv") or "").lower()
        meta.setdefault(key, collapsed(element.get("content", "")))
    authors = meta.get("author") or meta.get("citation_author") or meta.get("dc.creator") or ""
    if not authors and not meta.get("article:author", "http").startswith("http"):
        authors = meta["article:author"]
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    language = language or meta.get("content-language", "") or meta.get("dc.language", "")
    return Details(
        _title(root, meta), (authors,) if authors else (), language.split(",")[0].strip().replace("_", "-")
    )


def _title(root: Element, meta: dict[str, str]) -> str:
    """The page's title without the name of the site that most pages add."""
    said = next((text_of(title) for title in descendants(root, "title") if text_of(title)), "")
    plain = meta.get("og:title") or meta.get("dc.title") or meta.get("citation_title") or ""
    if plain and (not said or plain in said):
        return plain
    headings = [text_of(heading) for heading in descendants(root, "h1")]
    if (
        len(headings) == 1
        and headings[0]
        and _PARTED.match(said.removeprefix(headings[0]))
        and said != headings[0]
    ):
        return headings[0]
    pieces = _PARTED.split(said)
    if (
        len(pieces) > 1
        and len(headings) == 1
        and headings[0]
        and headings[0].casefold() in (piece.casefold() for piece in pieces)
    ):
        return headings[0]
    return collapsed(said or plain)


def _without_echo(blocks: Iterator[Block], title: str) -> Iterator[Block]:
    """Leaves out a heading that says the same as the heading right before it."""
    before: Block | None = None
    for block in blocks:
        is_echo = (
            before is not None
            and before.kind is block.kind is BlockKind.HEADING
            and before.text == block.text
        )
        if not is_echo:
            yield block
        before = block
