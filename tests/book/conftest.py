"""A small real EPUB, and engines that speak nothing but keep honest pieces."""

import struct
import zipfile
import zlib
from pathlib import Path

import pytest

CHAPTERS = (
    ("The boats", "<p>The children walked to the harbour, where the old boats were lying in the sun. Nobody was there.</p>"),
    ("The captain", "<p>The captain looked at his watch and at the sky.</p><blockquote><p>We leave now, he said.</p></blockquote>"),
    ("The sea", "<p>The sea was quiet. It cost $5.</p>"),
)  # fmt: skip


def png(width: int = 48, height: int = 64) -> bytes:
    """A red picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xc8\x1e\x1e" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def write_epub(path: Path, chapters: tuple[tuple[str, str], ...] = CHAPTERS) -> Path:
    """An EPUB 3 with a title, an author, a cover, a table of contents and a file a chapter."""
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    links = "".join(f'<li><a href="c{n}.xhtml">{title}</a></li>' for n, (title, _) in enumerate(chapters))
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        book.writestr(
            "book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>'
            "<dc:title>The Harbour</dc:title><dc:creator>Ann Writer</dc:creator><dc:language>en</dc:language></metadata>"
            '<manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
            f'<item id="cover" href="cover.png" properties="cover-image" media-type="image/png"/>{items}</manifest>'
            f"<spine>{spine}</spine></package>",
        )
        page = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>{}</body></html>'
        book.writestr("nav.xhtml", page.format(f'<nav epub:type="toc"><ol>{links}</ol></nav>'))
        book.writestr("cover.png", png())
        for number, (title, body) in enumerate(chapters):
            book.writestr(f"c{number}.xhtml", page.format(f"<h1>{title}</h1>{body}"))
    return path


@pytest.fixture(scope="session")
def epub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book."""
    return write_epub(tmp_path_factory.mktemp("epub") / "harbour.epub")
