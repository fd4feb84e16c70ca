"""What kind of document a file is: by its content first, by its name where the content leaves it open.

Kinds that are known and not read (old Word files, Kindle books, pictures, spreadsheets) are refused with what to do.
"""

import re

from pocketvoice.documents.archive import Archive
from pocketvoice.documents.encoding import decode
from pocketvoice.documents.faults import DocumentError, NoTextError, ProtectedDocumentError
from pocketvoice.documents.source import Source

_HEAD_BYTES = 8192

SUFFIXES = {
    ".txt": "txt", ".text": "txt", ".log": "txt", ".rst": "txt", ".adoc": "txt", ".tex": "txt",
    ".md": "markdown", ".markdown": "markdown", ".mkd": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".xht": "html", ".shtml": "html",
    ".mht": "mhtml", ".mhtml": "mhtml", ".eml": "email",
    ".pdf": "pdf", ".epub": "epub", ".docx": "docx", ".docm": "docx", ".dotx": "docx",
    ".odt": "odt", ".ott": "odt", ".fodt": "odt", ".rtf": "rtf",
    ".fb2": "fb2", ".fbz": "fb2", ".srt": "subtitles", ".vtt": "subtitles",
}  # fmt: skip
"""Endings of names, and the format each stands for."""

_OTHERS = (
    (b"\x89PNG", "a picture", "run text recognition (OCR) on it first"),
    (b"\xff\xd8\xff", "a picture", "run text recognition (OCR) on it first"),
    (b"GIF8", "a picture", "run text recognition (OCR) on it first"),
    (b"II*\0", "a picture", "run text recognition (OCR) on it first"),
    (b"MM\0*", "a picture", "run text recognition (OCR) on it first"),
    (b"AT&TFORM", "a DjVu file", "convert it to PDF with its text"),
    (b"%!PS", "a PostScript file", "convert it to PDF"),
    (b"ITSF", "a Windows help file", "convert it to EPUB"),
    (b"\x1f\x8b", "a packed file", "unpack it and open what is inside"),
    (b"BZh", "a packed file", "unpack it and open what is inside"),
    (b"\xfd7zXZ\0", "a packed file", "unpack it and open what is inside"),
    (b"7z\xbc\xaf", "a packed file", "unpack it and open what is inside"),
    (b"Rar!", "a packed file", "unpack it and open what is inside"),
    (b"\x7fELF", "a program", "choose a document"),
    (b"MZ", "a program", "choose a document"),
    (b"SQLite format 3", "a database", "choose a document"),
    (b"RIFF", "sound or video", "choose a document"),
    (b"OggS", "sound or video", "choose a document"),
    (b"fLaC", "sound or video", "choose a document"),
    (b"ID3", "sound or video", "choose a document"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIL_HEADER = re.compile(
    r"^(From|To|Subject|Date|Received|Return-Path|Message-ID|MIME-Version|Delivered-To|Content-Type|DKIM-Signature): ",
    re.M | re.I,
)
_HEADER_BLOCK = re.compile(r"\A(?:From .*\n)?(?:[!-9;-~]+:.*\n(?:[ \t].*\n)*)+(?:\n|\Z)")
_CUE = re.compile(r"\A\s*\d+\s*\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} *--> *\d")
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.I)
_TAGS = re.compile(r"</?(?:p|div|br|h[1-6]|span|a|ul|li|table|article)\b[^>]*>", re.I)


def detect_format(source: Source) -> str:
    """The format: a value of `SUFFIXES`. Raises DocumentError for what is no document that can be read."""
    head = source.head(_HEAD_BYTES)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _inside_zip(source)
    if head.lstrip()[:5] == b"{\\rtf":
        return "rtf"
    if head.startswith(_OLE):
        raise _office_file(source)
    _refuse_others(source, head)
    return _text_format(source, head)


def _inside_zip(source: Source) -> str:
    archive = Archive(source)
    mimetype = archive.read("mimetype", 1000).strip() if "mimetype" in archive else b""
    if mimetype == b"application/epub+zip" or "META-INF/container.xml" in archive:
        return "epub"
    if mimetype.startswith(b"application/vnd.oasis.opendocument.text"):
        return "odt"
    if "word/document.xml" in archive or any(name.startswith("word/document") for name in archive.names):
        return "docx"
    if any(name.lower().endswith(".fb2") for name in archive.names):
        return "fb2"
    raise DocumentError(_why_not(source.name, archive, mimetype))


def _why_not(name: str, archive: Archive, mimetype: bytes) -> str:
    if "content.xml" in archive and not mimetype.startswith(b"application/vnd.oasis"):
        return f"{name} does not say what it is: save it anew as ODT or DOCX."
    if "xl/workbook.xml" in archive or b"spreadsheet" in mimetype:
        return f"{name} is a spreadsheet: copy the text you want to hear, or save it as a document."
    if "ppt/presentation.xml" in archive or b"presentation" in mimetype:
        return f"{name} is a presentation: export it as PDF and open that."
    return f"{name} is a packed folder: unpack it and open a document inside."


def _office_file(source: Source) -> DocumentError:
    data = source.head(1 << 20)
    if "EncryptedPackage".encode("utf-16-le") in data:
        return ProtectedDocumentError(
            f"{source.name} is protected by a password: save it without one and open that file."
        )
    return DocumentError(f"{source.name} is a file of an old Office program: save it as DOCX and open that.")


def _refuse_others(source: Source, head: bytes) -> None:
    if not head.strip(b"\0"):
        raise NoTextError(f"{source.name} holds nothing but zeros: get it again.")
    if head[60:68] in (b"BOOKMOBI", b"TEXtREAd"):
        raise DocumentError(f"{source.name} is a Kindle book: convert it to EPUB and open that.")
    if head[4:8] == b"ftyp":
        raise DocumentError(f"{source.name} is sound or video: choose a document.")
    for magic, what, remedy in _OTHERS:
        if head.startswith(magic):
            raise DocumentError(f"{source.name} is {what}: {remedy}.")


def _text_format(source: Source, head: bytes) -> str:
    """The format of what should be text."""
    text = decode(_whole_characters(head), source.name).lstrip()
    named = SUFFIXES.get(source.suffix, "txt")
    if "<FictionBook" in text:
        return "fb2"
    if "<office:document" in text:
        return "odt"
    if text.startswith("WEBVTT") or _CUE.match(text):
        return "subtitles"
    if named not in ("html", "markdown") and _is_mail(text):
        return "mhtml" if "multipart/related" in text and "text/html" in text else "email"
    if named in ("txt", "pdf", "epub", "docx", "odt", "rtf", "fb2") and _is_html(text):
        return "html"
    if named in ("pdf", "epub", "docx", "odt", "rtf", "fb2"):
        raise DocumentError(f"{source.name} is not a file of the kind its name says: check where it is from.")
    return named


def _whole_characters(head: bytes) -> bytes:
    """The head cut so that no wide character is torn."""
    return head[: len(head) & ~3] if len(head) == _HEAD_BYTES else head


def _is_mail(text: str) -> bool:
    headers = _HEADER_BLOCK.match(text)
    return headers is not None and len({found.lower() for found in _MAIL_HEADER.findall(headers[0])}) >= 2


def _is_html(text: str) -> bool:
    return _HTML.search(text[:2000]) is not None or (text.startswith("<") and len(_TAGS.findall(text)) > 5)
