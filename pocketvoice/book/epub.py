"""An EPUB 3 that is read aloud: pages of the chapters, their sound, and media overlays that mark each sentence while it is heard.

The pages are made of the script, so pictures and layout of the document are not in them. The same book gives the same bytes.
"""

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from pocketvoice import paths
from pocketvoice.book.encoding import Cover, Tags
from pocketvoice.book.script import Chapter, Passage, Role, Script
from pocketvoice.book.timeline import Cue, TimedChapter

_DATE = (1980, 1, 1, 0, 0, 0)
_MODIFIED = "2000-01-01T00:00:00Z"  # has to be there; the time of making would give other bytes each time
_TAGS = {Role.TEXT: "p", Role.HEADING: "h2", Role.QUOTE: "p"}
_STYLE = "body{margin:5%;line-height:1.4}blockquote{margin:1em 2em}.spoken{background:#ffe9a8;color:#000}"
_CONTAINER = (
    '<?xml version="1.0" encoding="UTF-8"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def write_epub(
    target: Path,
    script: Script,
    chapters: Sequence[tuple[Chapter, TimedChapter, Path]],
    tags: Tags,
    cover: Cover | None,
    sample_rate: int,
) -> None:
    """Writes the book: of each chapter its text, its times from the start of its sound, and the sound (AAC in MP4).

    Raises OutputError or DiskFullError; the file appears complete or not at all.
    """
    book = _Book(script, tags, cover, sample_rate)
    with paths.atomic_write(target) as file, zipfile.ZipFile(file, "w") as archive:
        _add(archive, "mimetype", b"application/epub+zip")
        _add(archive, "META-INF/container.xml", _CONTAINER.encode())
        _add(archive, "EPUB/style.css", _STYLE.encode())
        timed = [(chapter, times) for chapter, times, _ in chapters]
        _add(archive, "EPUB/package.opf", book.package(timed).encode())
        _add(archive, "EPUB/nav.xhtml", book.contents(timed).encode())
        if cover is not None:
            _add(archive, f"EPUB/{_cover_name(cover)}", cover.data)
        for number, (chapter, times, sound) in enumerate(chapters, 1):
            _add(archive, f"EPUB/chapter{number}.xhtml", book.page(chapter, times.cues).encode())
            _add(archive, f"EPUB/chapter{number}.smil", book.overlay(number, times.cues).encode())
            info = zipfile.ZipInfo(f"EPUB/chapter{number}.m4a", _DATE)
            with archive.open(info, "w") as entry, sound.open("rb") as source:
                while block := source.read(1 << 20):
                    entry.write(block)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def _cover_name(cover: Cover) -> str:
    return "cover.png" if cover.mime == "image/png" else "cover.jpg"


class _Book:
    """The texts of its files."""

    def __init__(self, script: Script, tags: Tags, cover: Cover | None, sample_rate: int) -> None:
        self._tags = tags
        self._cover = cover
        self._rate = sample_rate
        self._language = escape(tags.language or "und")
        self._id = hashlib.sha256(f"{script.document} {tags}".encode("utf-8", "replace")).hexdigest()[:32]

    def page(self, chapter: Chapter, cues: Sequence[Cue]) -> str:
        """A chapter, every sentence that is heard in a span of its own."""
        numbered = list(enumerate(cues))
        parts = []
        for at, passage in enumerate(chapter.passages):
            inside = _marked(passage, [(number, cue) for number, cue in numbered if cue.passage == at])
            tag = _TAGS[passage.role]
            block = f"<{tag}>{inside}</{tag}>"
            parts.append(f"<blockquote>{block}</blockquote>" if passage.role is Role.QUOTE else block)
        return self._xhtml(chapter.title, "\n".join(parts))

    def overlay(self, number: int, cues: Sequence[Cue]) -> str:
        """When each span of a chapter is heard."""
        page, sound = f"chapter{number}.xhtml", f"chapter{number}.m4a"
        parts = (
            f'<par id="p{at}"><text src="{page}#s{at}"/>'
            f'<audio src="{sound}" clipBegin="{self._clock(cue.start)}" clipEnd="{self._clock(cue.stop)}"/></par>'
            for at, cue in enumerate(cues)
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>'
            '<smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops" version="3.0"><body>'
            f'<seq id="q" epub:textref="{page}#text">{"".join(parts)}</seq></body></smil>'
        )

    def contents(self, chapters: Sequence[tuple[Chapter, TimedChapter]]) -> str:
        """The table of contents."""
        links = "".join(
            f'<li><a href="chapter{number}.xhtml">{escape(_valid(chapter.title))}</a></li>'
            for number, (chapter, _) in enumerate(chapters, 1)
        )
        return self._xhtml("Contents", f'<nav epub:type="toc"><h1>Contents</h1><ol>{links}</ol></nav>')

    def package(self, chapters: Sequence[tuple[Chapter, TimedChapter]]) -> str:
        """What is in it, in which order, and how long it is."""
        spoken_s = [sum(cue.stop - cue.start for cue in times.cues) / self._rate for _, times in chapters]
        numbers = range(1, len(chapters) + 1)
        return "".join(
            [
                '<?xml version="1.0" encoding="UTF-8"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
                'unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">',
                *self._metadata(),
                *(
                    f'<meta property="media:duration" refines="#o{n}">{spoken_s[n - 1]:.3f}s</meta>'
                    for n in numbers
                ),
                f'<meta property="media:duration">{sum(spoken_s):.3f}s</meta>',
                '<meta property="media:active-class">spoken</meta></metadata><manifest>',
                '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
                '<item id="style" href="style.css" media-type="text/css"/>',
                *self._cover_item(),
                *(
                    f'<item id="c{n}" href="chapter{n}.xhtml" media-type="application/xhtml+xml" media-overlay="o{n}"/>'
                    f'<item id="o{n}" href="chapter{n}.smil" media-type="application/smil+xml"/>'
                    f'<item id="a{n}" href="chapter{n}.m4a" media-type="audio/mp4"/>'
                    for n in numbers
                ),
                "</manifest><spine>",
                *(f'<itemref idref="c{n}"/>' for n in numbers),
                "</spine></package>",
            ]
        )

    def _metadata(self) -> Iterator[str]:
        tags = self._tags
        yield f'<dc:identifier id="id">urn:pocketvoice:{self._id}</dc:identifier>'
        yield f"<dc:title>{escape(_valid(tags.album))}</dc:title><dc:language>{self._language}</dc:language>"
        if tags.author:
            yield f"<dc:creator>{escape(_valid(tags.author))}</dc:creator>"
        if tags.narrator:
            yield f'<meta property="media:narrator">{escape(_valid(tags.narrator))}</meta>'
        yield f'<meta property="dcterms:modified">{_MODIFIED}</meta>'

    def _cover_item(self) -> Iterator[str]:
        if self._cover is not None:
            name = _cover_name(self._cover)
            yield f'<item id="cover" href="{name}" media-type="{self._cover.mime}" properties="cover-image"/>'

    def _xhtml(self, title: str, body: str) -> str:
        return (
            '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html>'
            '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
            f'lang="{self._language}" xml:lang="{self._language}"><head><title>{escape(_valid(title))}</title>'
            f'<link rel="stylesheet" href="style.css"/></head><body id="text">{body}</body></html>'
        )

    def _clock(self, sample: int) -> str:
        return f"{sample / self._rate:.3f}s"


def _marked(passage: Passage, cues: Sequence[tuple[int, Cue]]) -> str:
    """The text of a passage with its sentences in spans."""
    parts, at = [], 0
    for number, cue in cues:
        start, stop = max(cue.span[0], at), max(cue.span[1], at)
        parts.append(_escaped(passage.text[at:start]))
        parts.append(f'<span id="s{number}">{_escaped(passage.text[start:stop])}</span>')
        at = stop
    return "".join([*parts, _escaped(passage.text[at:])])


def _escaped(text: str) -> str:
    return escape(_valid(text), quote=False).replace("\n", "<br/>")


def _valid(text: str) -> str:
    """Without what can't stand in XML."""
    return "".join(
        sign
        for sign in text
        if sign in "\n\t"
        or ((sign >= " " and not "\ud800" <= sign <= "\udfff" and sign < "\ufffe") or sign > "\uffff")
    )
