"""An EPUB: a part for each file of its spine, read when it is asked for; footnotes of other files stay footnotes."""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from pocketvoice.documents.archive import Archive
from pocketvoice.documents.blocks import Block
from pocketvoice.documents.document import Part
from pocketvoice.documents.epub.contents import nav_entries, ncx_entries
from pocketvoice.documents.epub.package import read_package
from pocketvoice.documents.faults import DocumentError, too_large
from pocketvoice.documents.html.flow import html_blocks
from pocketvoice.documents.html.page import html_text
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source
from pocketvoice.documents.xml import Element, attribute, descendants, parse_xhtml

_MOST_CHAPTER_BYTES = 32_000_000
_MOST_BOOK_BYTES = 400_000_000
_MOST_COVER_BYTES = 20_000_000
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF")


def open_reader(source: Source) -> "EpubReader":
    return EpubReader(source)


class EpubReader:
    """Reads an EPUB."""

    needs_file = True

    def __init__(self, source: Source) -> None:
        self._archive = Archive(source)
        self._package = read_package(self._archive)
        self.details = self._package.details
        self._numbers = {member: number for number, member in enumerate(self._package.spine)}
        if sum(map(self._archive.size, self._package.spine)) > _MOST_BOOK_BYTES:
            raise too_large(source.name, _MOST_BOOK_BYTES)
        self.parts: Sequence[Part] = [Part(member) for member in self._package.spine]
        self.contents: Sequence[ContentsEntry] = self._contents()

    def read(self, part: int) -> Iterator[Block]:
        member = self.parts[part].name
        if member == self._package.nav and len(self.parts) > 1:
            return iter(())  # the table of contents as a page: `contents` has it
        root = self._page(member)
        return html_blocks(root, part=part, base=member, resolve=lambda href: self._name(member, href))

    def cover(self) -> bytes | None:
        member = self._package.cover
        if not member:
            return None
        data = self._archive.read(member, _MOST_COVER_BYTES)
        if data.startswith(_PICTURES):
            return data
        return self._picture_on(member)

    def close(self) -> None:
        self._archive.close()

    def _page(self, member: str) -> Element:
        data = self._archive.read(member, _MOST_CHAPTER_BYTES)
        return parse_xhtml(html_text(data, self._archive.name), self._archive.name)

    def _picture_on(self, member: str) -> bytes | None:
        """The first picture of a page."""
        for picture in descendants(self._page(member), "img", "image"):
            found = self._archive.resolve(member, attribute(picture, "src") or attribute(picture, "href"))
            if found:
                data = self._archive.read(found, _MOST_COVER_BYTES)
                return data if data.startswith(_PICTURES) else None
        return None

    def _contents(self) -> list[ContentsEntry]:
        nav, ncx = self._package.nav, self._package.ncx
        entries: list[ContentsEntry] = []
        try:
            if nav:
                entries = nav_entries(self._page(nav), lambda href: self._target(nav, href))
            if ncx and not entries:
                data = self._archive.read(ncx)
                entries = ncx_entries(data, self._archive.name, lambda href: self._target(ncx, href))
        except DocumentError:
            return []  # a book can be read without
        return entries

    def _target(self, base: str, href: str) -> tuple[int, str] | None:
        """(part, name of the block) where a link leads."""
        member = self._archive.resolve(base, href) or (base if href.startswith("#") else None)
        if member not in self._numbers:
            return None
        fragment = href.partition("#")[2]
        return self._numbers[member], f"{member}#{unquote(fragment)}" if fragment else ""

    def _name(self, base: str, href: str) -> str:
        """A link inside the book as the name of a block, another one as it is."""
        if re.match(r"[a-z][a-z0-9+.-]*:", href, re.I):
            return href
        member = base if href.startswith("#") else self._archive.resolve(base, href)
        fragment = href.partition("#")[2]
        return f"{member}#{unquote(fragment)}" if member and fragment else member or href
