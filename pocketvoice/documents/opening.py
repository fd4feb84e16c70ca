"""Opening a document: the file is checked, its format found, its reader made; foreign errors become sentences here.

Every reader's module is imported when the first file of its kind is opened, and with it the library that it uses.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path

from pocketvoice.documents.blocks import Block
from pocketvoice.documents.detection import SUFFIXES, detect_format
from pocketvoice.documents.document import Details, Document, Part, Reader
from pocketvoice.documents.faults import NoTextError, damaged
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source, source_at, source_of_bytes
from pocketvoice.errors import PocketVoiceError

_READERS = {
    "txt": "plain",
    "markdown": "markdown",
    "html": "html.page",
    "mhtml": "mail",
    "email": "mail",
    "pdf": "pdf.book",
    "epub": "epub.book",
    "docx": "word.document",
    "odt": "opendocument",
    "rtf": "rtf.document",
    "fb2": "fictionbook",
    "subtitles": "subtitles",
}
"""Format -> the module of this room whose `open_reader(source)` reads it."""

EXTENSIONS = tuple(SUFFIXES)
"""Endings of the names of files that can be opened, for a file dialogue; what counts is the content."""


def open_document(path: str | Path) -> Document:
    """Opens a file of any kind. Raises MissingFileError, or DocumentError with one sentence and the remedy."""
    return _document(source_at(path))


def document_from_bytes(data: bytes, name: str) -> Document:
    """Opens the bytes of a file; its name helps where the content leaves the kind open."""
    return _document(source_of_bytes(data, name))


def document_from_html(html: str, name: str = "Pasted text") -> Document:
    """The document in an HTML fragment, as the clipboard holds it: all of it is content."""
    from pocketvoice.documents.html.page import FragmentReader

    source = source_of_bytes(html.encode("utf-8", "replace"), name)
    return _document(source, lambda source: FragmentReader(html, source.name), "html")


def document_from_text(text: str, name: str = "Pasted text") -> Document:
    """The document in a plain text that was pasted or typed."""
    from pocketvoice.documents.plain import PlainReader

    source = source_of_bytes(text.encode("utf-8", "replace"), name)
    return _document(source, lambda source: PlainReader(text, source.name), "txt")


def can_open(path: str | Path) -> bool:
    """True if the file holds a kind of document that can be read; opens it for a look at its beginning."""
    try:
        source = source_at(path)
    except PocketVoiceError:
        return False
    try:
        with _mapped_errors(source.name):
            detect_format(source)
    except PocketVoiceError:
        return False
    finally:
        source.close()
    return True


def _document(source: Source, make: Callable[[Source], Reader] | None = None, kind: str = "") -> Document:
    """The document of a source; closes the source if there is none. Raises NoTextError if it holds no text."""
    with ExitStack() as on_failure:
        on_failure.callback(source.close)
        with _mapped_errors(source.name):
            kind = kind or detect_format(source)
            reader = _SafeReader((make or _reader_of(kind))(source), source)
            identity = source.digest()  # after the reader was made: it refuses what is too large
            document = Document(
                identity,
                source.name,
                kind,
                reader.details,
                tuple(reader.parts),
                tuple(reader.contents),
                reader,
            )
        if not reader.needs_file:
            source.close()
        if next(document.blocks(), None) is None:
            raise NoTextError(f"{source.name} holds no text: choose another document.")
        on_failure.pop_all()
        return document


def _reader_of(kind: str) -> Callable[[Source], Reader]:
    module = import_module(f"pocketvoice.documents.{_READERS[kind]}")
    make: Callable[[Source], Reader] = module.open_reader
    return make


class _SafeReader:
    """A reader whose foreign errors, met in a file that is not what it should be, become DocumentErrors."""

    def __init__(self, reader: Reader, source: Source) -> None:
        self._reader = reader
        self._source = source

    @property
    def needs_file(self) -> bool:
        return self._reader.needs_file

    @property
    def details(self) -> Details:
        return self._reader.details

    @property
    def parts(self) -> Sequence[Part]:
        return self._reader.parts

    @property
    def contents(self) -> Sequence[ContentsEntry]:
        return self._reader.contents

    def read(self, part: int) -> Iterator[Block]:
        with _mapped_errors(self._source.name):
            yield from self._reader.read(part)

    def cover(self) -> bytes | None:
        with _mapped_errors(self._source.name):
            return self._reader.cover()

    def close(self) -> None:
        self._reader.close()
        self._source.close()


@contextmanager
def _mapped_errors(name: str) -> Iterator[None]:
    """What a file with a broken inside raises in the code that trusts it, as one sentence."""
    try:
        yield
    except PocketVoiceError:
        raise
    except (ValueError, LookupError, EOFError, OSError) as exc:
        raise damaged(name, repr(exc)) from exc
    except (RecursionError, MemoryError) as exc:
        raise damaged(name, type(exc).__name__) from exc
