"""Files made to hurt whoever opens them. Generators of bytes; no tests."""

import io
import zipfile
from collections.abc import Callable

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Plain text.</p></body></html>'
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha ha ha ha ha ha ha ha ha">'
    + "".join(
        f'<!ENTITY {chr(98 + n)} "{"&" + chr(97 + n) + ";" * 1}{("&" + chr(97 + n) + ";") * 19}">'
        for n in range(9)
    )
    + "]>"
)


def zipped(members: dict[str, bytes | str], *, stored: str = "mimetype") -> bytes:
    """A zip file of these members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data, zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED)
    return file.getvalue()


def package(manifest: str, spine: str, metadata: str = "<dc:title>A book</dc:title>") -> str:
    """The package file of an EPUB."""
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">'
        f"<metadata>{metadata}</metadata><manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    )


def epub(members: dict[str, bytes | str], manifest: str = "", spine: str = "") -> bytes:
    """An EPUB with one page `c.xhtml` unless told otherwise."""
    manifest = manifest or '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
    spine = spine or '<itemref idref="c"/>'
    whole: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(manifest, spine),
        "OEBPS/c.xhtml": PAGE,
    }
    return zipped(whole | members)


def docx(document: bytes | str) -> bytes:
    """A DOCX with this text."""
    return zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": document})


def odt(content: bytes | str, **others: bytes | str) -> bytes:
    """An ODT with this content."""
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content, **others})


def zip_bomb() -> bytes:
    """Forty kilobytes that unpack to forty megabytes."""
    return docx(b"<w>" + b"\0" * 40_000_000)


def lying_zip() -> bytes:
    """A member that claims to be small and is not."""
    data = bytearray(docx(b" " * 3_000_000))
    for at in range(len(data) - 4):
        if data[at : at + 4] == b"PK\x01\x02" and b"document.xml" in data[at : at + 80]:
            data[at + 24 : at + 28] = (100).to_bytes(4, "little")
    return bytes(data)


def million_members() -> bytes:
    """An end record that claims millions of members."""
    data = bytearray(zipped({"a": "a"}))
    at = data.rfind(b"PK\x05\x06")
    data[at + 10 : at + 12] = (0xFFFF).to_bytes(2, "little")
    data[at + 12 : at + 16] = (500_000_000).to_bytes(4, "little")
    return bytes(data)


def encrypted_zip() -> bytes:
    """A DOCX whose members are marked as encrypted."""
    data = bytearray(docx("<w/>"))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + offset] |= 1
    return bytes(data)


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
EXTERNAL = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY n SYSTEM "http://127.0.0.1:9/x">]>'
DEEP = 100_000

REFUSED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "zip bomb": ("bomb.docx", zip_bomb),
    "zip that lies about sizes": ("lie.docx", lying_zip),
    "zip of millions of files": ("many.epub", million_members),
    "zip with a password": ("locked.docx", encrypted_zip),
    "zip cut off": ("cut.epub", lambda: epub({})[:-30]),
    "zip cut in the middle": ("cut.docx", lambda: docx("<w/>" * 10_000)[:300]),
    "zip of something else": ("folder.zip", lambda: zipped({"readme.txt": "Read me."})),
    "entity bomb in DOCX": (
        "lol.docx",
        lambda: docx(BOMB + f'<w:document xmlns:w="{WORD}">&j;</w:document>'),
    ),
    "entity bomb in FB2": (
        "lol.fb2",
        lambda: (BOMB + "<FictionBook><body><p>&j;</p></body></FictionBook>").encode(),
    ),
    "nesting in DOCX": (
        "deep.docx",
        lambda: docx(
            f'<w:document xmlns:w="{WORD}">' + "<w:sdt>" * DEEP + "</w:sdt>" * DEEP + "</w:document>"
        ),
    ),
    "nesting in FB2": (
        "deep.fb2",
        lambda: (
            "<FictionBook><body>" + "<section>" * DEEP + "</section>" * DEEP + "</body></FictionBook>"
        ).encode(),
    ),
    "nesting in RTF": ("deep.rtf", lambda: b"{\\rtf1 " + b"{" * DEEP + b"x" + b"}" * DEEP + b"}"),
    "nesting of mails": (
        "deep.eml",
        lambda: (
            b"From: a@b.c\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b0\n\n"
            + b"".join(
                b"--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n" % (n, n + 1) for n in range(5000)
            )
        ),
    ),
    "DRM": (
        "drm.epub",
        lambda: epub(
            {
                "META-INF/encryption.xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
                '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
                '<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
                '<CipherData><CipherReference URI="OEBPS/c.xhtml"/></CipherData></EncryptedData></encryption>'
            }
        ),
    ),
    "ODT with a password": (
        "locked.odt",
        lambda: odt(
            "xx",
            **{
                "META-INF/manifest.xml": '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
                '<m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>'
            },
        ),
    ),
    "EPUB without its files": ("hollow.epub", lambda: zipped({"mimetype": "application/epub+zip"})),
    "EPUB that leads outside": (
        "outside.epub",
        lambda: epub({}, '<item id="c" href="../../../../etc/passwd" media-type="application/xhtml+xml"/>'),
    ),
    "zeros": ("nothing.txt", lambda: b"\0" * 5_000_000),
    "zeros called PDF": ("nothing.pdf", lambda: b"\0" * 5_000_000),
    "noise": ("noise.txt", lambda: bytes(range(256)) * 2000),
    "PDF cut off": ("cut.pdf", lambda: b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj"),
    "PDF of noise": ("noise.pdf", lambda: b"%PDF-1.4\n" + bytes(range(256)) * 400),
    "PDF with pages in a circle": (
        "circle.pdf",
        lambda: (
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj\n"
            b"trailer<</Root 1 0 R>>\n%%EOF"
        ),
    ),
    "empty": ("empty.txt", lambda: b""),
    "spaces": ("spaces.txt", lambda: b" \n\t\n " * 1000),
    "page of scripts": ("script.html", lambda: b"<html><script>" + b"x=1;" * 1000 + b"</script></html>"),
    "picture": ("picture.png", lambda: b"\x89PNG\r\n\x1a\n" + bytes(200)),
    "old Word": ("old.doc", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000)),
    "locked DOCX": (
        "locked.docx",
        lambda: (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
            + bytes(600)
            + "EncryptedPackage".encode("utf-16-le")
            + bytes(600)
        ),
    ),
    "Kindle": ("kindle.azw3", lambda: bytes(60) + b"BOOKMOBI" + bytes(500) + b"x"),
}
"""What it is -> (name, bytes): files that are refused."""

OPENED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "spine in a loop": ("loop.epub", lambda: epub({}, spine='<itemref idref="c"/>' * 20_000), "Plain text."),
    "entity bomb in EPUB": (
        "lol.epub",
        lambda: epub({"OEBPS/c.xhtml": BOMB + PAGE.replace("Plain", "&j;Plain")}),
        "Plain text.",
    ),
    "external entity": (
        "xxe.epub",
        lambda: epub({"OEBPS/c.xhtml": EXTERNAL + PAGE.replace("Plain", "&e;&n;Plain")}),
        "Plain text.",
    ),
    "external entity in DOCX": (
        "xxe.docx",
        lambda: docx(
            EXTERNAL
            + f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>Plain text. &e;</w:t></w:r></w:p></w:body></w:document>'
        ),
        "Plain text.",
    ),
    "nesting in HTML": (
        "deep.html",
        lambda: b"<html><body><p>Plain text.</p>" + b"<div>" * DEEP + b"deep" + b"</div>" * DEEP,
        "Plain text.",
    ),
    "nesting in Markdown": ("deep.md", lambda: b"Plain text.\n\n" + b"> " * DEEP + b"deep\n", "Plain text."),
    "lists in Markdown": ("list.md", lambda: b"Plain text.\n\n" + b"- " * 5000 + b"deep\n", "Plain text."),
    "brackets in Markdown": ("br.md", lambda: b"Plain text.\n\n" + b"[" * 5000 + b"\n", "Plain text."),
    "nav in a circle": (
        "nav.epub",
        lambda: epub(
            {
                "OEBPS/n.xhtml": f"<html xmlns='http://www.w3.org/1999/xhtml'><nav>{'<ol><li>' * 200}</nav></html>"
            },
            '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="n" properties="nav" href="n.xhtml" media-type="application/xhtml+xml"/>',
        ),
        "Plain text.",
    ),
    "one long line": ("long.txt", lambda: b"Plain text. " * 500_000, "Plain text."),
    "styles in a circle": (
        "circle.docx",
        lambda: zipped(
            {
                "word/styles.xml": f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="A"><w:basedOn w:val="B"/></w:style>'
                '<w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>',
                "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:pPr><w:pStyle w:val="A"/></w:pPr>'
                "<w:r><w:t>Plain text.</w:t></w:r></w:p></w:body></w:document>",
            }
        ),
        "Plain text.",
    ),
}
"""What it is -> (name, bytes, what is read): files that are opened unharmed."""
