"""RTF to blocks: paragraphs with their styles, headings, lists, tables and footnotes.

Own reader rather than striprtf: that one gives the bare text, without headings, footnotes and the title.
"""

from collections.abc import Iterator, Sequence

from pocketvoice.documents.blocks import Block
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.rtf.flow import RtfFlow
from pocketvoice.documents.rtf.tokens import tokens
from pocketvoice.documents.source import Source


def open_reader(source: Source) -> "RtfReader":
    return RtfReader(source)


class RtfReader:
    """Reads an RTF."""

    parts: Sequence[Part] = (Part(),)
    needs_file = False
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, source: Source) -> None:
        self._data = source.data()
        head = RtfFlow()
        for _ in head.blocks(tokens(self._data[:200_000])):
            pass
        title, author = (collapsed(head.info.get(name, "")) for name in ("title", "author"))
        self.details = Details(title, (author,) if author else (), head.language)

    def read(self, part: int) -> Iterator[Block]:
        return RtfFlow().blocks(tokens(self._data))

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        pass
