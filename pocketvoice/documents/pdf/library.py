"""PDFium behind one lock: documents, pages and the characters on them. The only module that calls the library.

PDFium serves one thread at a time in the whole process, so every call is made under `_LOCK`; a file that the garbage
collector drops is closed at the next call, never in the middle of another one.
"""

import atexit
import ctypes
import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import Any, NamedTuple
from weakref import WeakSet

from pocketvoice.documents.faults import DocumentError, ProtectedDocumentError, damaged
from pocketvoice.documents.source import MOST_TEXT_BYTES, Source

_LOCK = RLock()
_OPEN: "WeakSet[PdfFile]" = WeakSet()  # guarded by _LOCK
_ABANDONED: deque[Any] = deque()  # handles to be closed under the lock
_BREAKS = " \t\r\n\0\xa0\u2002\u2003\u2009\u202f"
_HYPHENS = "\x02\ufffe"  # PDFium's sign for a hyphen at the end of a line
_FIXED, _ITALIC, _FORCE_BOLD = 1, 1 << 6, 1 << 18
"""Flags of a font's descriptor."""
_BOLD = ("bold", "black", "heavy", "demi", "cmb", "sfbx", "-bd")
_SLANTED = ("italic", "oblique", "cmti", "cmsl", "sfti", "-it")
_TYPEWRITER = ("mono", "courier", "cmtt", "typewriter", "consol", "sftt", "cmsltt")
_NARROW_SPACE = 0.22
"""Sizes of the letters: a gap between two letters that is a space after all; PDFium wants a little more."""
_MOST_BOOKMARKS = 20_000
_MOST_PAGE_CHARS = 200_000


class Font(NamedTuple):
    """How a word is set."""

    size: float
    """Points, as seen on the page."""
    bold: bool
    italic: bool
    fixed: bool
    """All letters are equally wide."""
    angle: int
    """Direction of the writing in degrees: 0, 90, 180, 270; -1 for a slanting one."""


class Word(NamedTuple):
    """A run of characters without a space."""

    text: str
    x0: float
    """Points from the left edge, as all `x`."""
    x1: float
    y: float
    """The base line, in points from the lower edge."""
    font: Font
    glued: bool
    """No space stands before it."""


class Bookmark(NamedTuple):
    title: str
    level: int
    page: int


@dataclass(frozen=True)
class PageWords:
    """What stands on a page, in the order in which the file draws it."""

    words: tuple[Word, ...]
    width: float
    height: float
    pictures: int


class PdfFile:
    """An open PDF."""

    def __init__(self, source: Source) -> None:
        raw = _library()
        self._raw = raw
        self._name = source.name
        self._handle: Any = None
        with _locked(raw):
            self._handle, self._kept = _load(raw, source)
            if not self._handle:
                raise _why(raw.FPDF_GetLastError(), source.name)
            self.pages = int(raw.FPDF_GetPageCount(self._handle))
            _OPEN.add(self)
        producers = (self.said("Producer") + self.said("Creator")).lower() if self.pages > 0 else ""
        self._narrow = "ghostscript" in producers or "groff" in producers
        if self.pages < 1:
            self.close()
            raise damaged(source.name, "PDF: no page")

    def close(self) -> None:
        if self._handle:
            _ABANDONED.append((self._handle, self._kept))
            self._handle = None
            with _locked(self._raw):
                pass

    def __del__(self) -> None:
        if self._handle:
            _ABANDONED.append((self._handle, self._kept))

    def said(self, key: str) -> str:
        """A text of the file about itself: `Title`, `Author`."""
        return self._text(
            lambda buffer, size: self._raw.FPDF_GetMetaText(self._handle, key.encode(), buffer, size)
        )

    def language(self) -> str:
        return self._text(lambda buffer, size: self._raw.FPDFCatalog_GetLanguage(self._handle, buffer, size))

    def label(self, page: int) -> str:
        """What the page is called, such as `xii`; its number if the file gives none."""
        found = self._text(lambda buffer, size: self._raw.FPDF_GetPageLabel(self._handle, page, buffer, size))
        return found or str(page + 1)

    def bookmarks(self) -> list[Bookmark]:
        """The outline, from top to bottom; an outline in a circle is followed once."""
        with _locked(self._raw):
            return list(self._walk_bookmarks())

    def page(self, number: int) -> PageWords:
        """The words of a page. Raises DocumentError if the page is damaged."""
        raw = self._raw
        with _locked(raw):
            page = raw.FPDF_LoadPage(self._handle, number)
            if not page:
                raise damaged(self._name, f"PDF: page {number + 1} can't be read")
            text = raw.FPDFText_LoadPage(page)
            try:
                words = tuple(_PageReader(raw, text, self._narrow).words()) if text else ()
                size = raw.FPDF_GetPageWidthF(page), raw.FPDF_GetPageHeightF(page)
                pictures = 0 if words else _pictures(raw, page)
            finally:
                if text:
                    raw.FPDFText_ClosePage(text)
                raw.FPDF_ClosePage(page)
        return PageWords(words, *size, pictures)

    def _text(self, ask: Any) -> str:
        """A text that PDFium writes into a buffer whose size it tells first."""
        with _locked(self._raw):
            size = ask(None, 0)
            if not 2 < size < 100_000:
                return ""
            buffer = (ctypes.c_ushort * (size // 2))()
            ask(buffer, size)
        return bytes(buffer).decode("utf-16-le", "ignore").strip("\0 \n\r\t")

    def _walk_bookmarks(self) -> Iterator[Bookmark]:
        raw = self._raw
        seen: set[int | None] = set()
        todo = [(raw.FPDFBookmark_GetFirstChild(self._handle, None), 1)]
        while todo:
            mark, level = todo.pop()
            address = ctypes.cast(mark, ctypes.c_void_p).value
            if not mark or address in seen or len(seen) >= _MOST_BOOKMARKS:
                continue
            seen.add(address)
            title = self._text(lambda buffer, size, mark=mark: raw.FPDFBookmark_GetTitle(mark, buffer, size))
            page = self._page_of(mark)
            if title and page >= 0:
                yield Bookmark(" ".join(title.split()), min(level, 6), page)
            todo.append((raw.FPDFBookmark_GetNextSibling(self._handle, mark), level))
            todo.append((raw.FPDFBookmark_GetFirstChild(self._handle, mark), level + 1))

    def _page_of(self, mark: Any) -> int:
        raw = self._raw
        target = raw.FPDFBookmark_GetDest(self._handle, mark)
        if not target and (action := raw.FPDFBookmark_GetAction(mark)):
            target = raw.FPDFAction_GetDest(self._handle, action)
        return int(raw.FPDFDest_GetDestPageIndex(self._handle, target)) if target else -1


@cache
def _library() -> Any:
    """The library, loaded at the first PDF. It takes itself down at the end of the process: files must be closed before."""
    import pypdfium2.raw as raw

    atexit.register(_close_all, raw)  # after that of pypdfium2, so it runs before
    return raw


@cache
def _address_of_text(raw: Any) -> Any:
    """`FPDFText_GetTextObject` giving plain addresses: made to pointers and cast back, they cost as much as the rest."""
    made = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    return made(ctypes.cast(raw.FPDFText_GetTextObject, ctypes.c_void_p).value or 0)


def _close_all(raw: Any) -> None:
    for file in list(_OPEN):
        file.close()
    with _locked(raw):
        pass


class _PageReader:
    """Cuts the characters of a page into words."""

    def __init__(self, raw: Any, text: Any, narrow: bool) -> None:
        self._raw = raw
        self._page = text
        self._narrow = narrow
        self._fonts: dict[int, Font] = {}
        self._drawn = _address_of_text(raw)
        self._box = tuple(ctypes.c_double() for _ in range(4))

    def words(self) -> Iterator[Word]:
        text = self._characters()
        start, glued = 0, False
        for at in range(len(text) + 1):
            letter = text[at] if at < len(text) else " "
            if letter in _BREAKS or letter in _HYPHENS:
                for first, last in self._parted(start, at) if at > start else ():
                    hyphen = "-" if letter in _HYPHENS and last == at else ""
                    yield from self._pieces(text, first, last, glued, hyphen)
                start, glued = at + 1, False

    def _parted(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The word, parted at gaps that PDFium does not take for spaces, in files that set them so narrow."""
        looks = self._narrow and end - start > 3 and not self._font(start).fixed
        cuts = self._wide_gaps(start, end) if looks else []
        if len(cuts) <= (end - start) // 4:  # more: letters that are set apart on purpose
            for cut in cuts:
                yield start, cut
                start = cut
        yield start, end

    def _wide_gaps(self, start: int, end: int) -> list[int]:
        left, right, below, above = self._box
        limit, last, cuts = _NARROW_SPACE * self._font(start).size, math.inf, []
        for at in range(start, end):
            self._raw.FPDFText_GetCharBox(self._page, at, left, right, below, above)
            if left.value - last > limit:
                cuts.append(at)
            last = right.value
        return cuts

    def _characters(self) -> str:
        """The characters, one for each index that PDFium uses."""
        raw, count = self._raw, max(min(self._raw.FPDFText_CountChars(self._page), _MOST_PAGE_CHARS), 0)
        units = (ctypes.c_ushort * (count + 1))()
        if raw.FPDFText_GetText(self._page, 0, count, units) == count + 1:
            text = bytes(units)[:-2].decode("utf-16-le", "replace")
            if len(text) == count:
                return text
        codes = (raw.FPDFText_GetUnicode(self._page, at) for at in range(count))
        return "".join(
            chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\0" for code in codes
        )

    def _pieces(self, text: str, start: int, end: int, glued: bool, hyphen: str) -> Iterator[Word]:
        """The word, parted where its font changes (a raised number at its end)."""
        first, last = self._font(start), self._font(end - 1)
        cut = end
        if first != last:
            cut = next((at for at in range(start + 1, end) if self._font(at) != first), end)
        yield self._word(text[start:cut] + (hyphen if cut == end else ""), start, cut, first, glued)
        if cut < end:
            yield from self._pieces(text, cut, end, True, hyphen)

    def _word(self, text: str, start: int, end: int, font: Font, glued: bool) -> Word:
        raw, (x, y, below, above) = self._raw, self._box
        raw.FPDFText_GetCharOrigin(self._page, start, x, y)
        x0, y0 = x.value, y.value
        raw.FPDFText_GetCharBox(self._page, end - 1, x, y, below, above)
        left, right, bottom, top = x.value, y.value, below.value, above.value
        match font.angle:
            case 90:
                return Word(text, y0, top, -x0, font, glued)
            case 180:
                return Word(text, -x0, -left, -y0, font, glued)
            case 270:
                return Word(text, -y0, -bottom, x0, font, glued)
        return Word(text, x0, max(right, x0), y0, font, glued)

    def _font(self, at: int) -> Font:
        address = self._drawn(self._page, at) or 0
        if address not in self._fonts:
            self._fonts[address] = self._font_at(at)
        return self._fonts[address]

    def _font_at(self, at: int) -> Font:
        raw, matrix, flags = self._raw, self._raw.FS_MATRIX(), ctypes.c_int()
        raw.FPDFText_GetMatrix(self._page, at, matrix)
        size = raw.FPDFText_GetFontSize(self._page, at) * (math.hypot(matrix.c, matrix.d) or 1.0)
        buffer = ctypes.create_string_buffer(128)
        raw.FPDFText_GetFontInfo(self._page, at, buffer, 128, flags)
        name = buffer.value.decode("latin-1").lower()
        degrees = math.degrees(math.atan2(matrix.b, matrix.a)) % 360
        nearest = round(degrees / 90) * 90
        # The weight that PDFium tells is a guess where a font is not embedded: names and flags are all there is.
        bold = flags.value & _FORCE_BOLD > 0 or any(word in name for word in _BOLD)
        italic = flags.value & _ITALIC > 0 or any(word in name for word in _SLANTED)
        fixed = flags.value & _FIXED > 0 or any(word in name for word in _TYPEWRITER)
        return Font(round(size, 1), bold, italic, fixed, nearest % 360 if abs(degrees - nearest) < 3 else -1)


def _load(raw: Any, source: Source) -> tuple[Any, Any]:
    """(handle, what must live as long as it): from memory, or by blocks from the open file if that is large."""
    if source.size <= MOST_TEXT_BYTES:
        data = source.data()
        return raw.FPDF_LoadMemDocument64(data, len(data), None), data
    access = raw.FPDF_FILEACCESS()

    def get_block(_: Any, position: int, buffer: Any, size: int) -> int:
        source.file.seek(position)
        data = source.file.read(size)
        ctypes.memmove(buffer, data, len(data))
        return int(len(data) == size)

    callback = type(access.m_GetBlock)(get_block)
    access.m_FileLen, access.m_GetBlock = source.size, callback
    return raw.FPDF_LoadCustomDocument(access, None), (access, callback, source.file)


def _why(code: int, name: str) -> DocumentError:
    if code == 4:
        return ProtectedDocumentError(
            f"{name} is protected by a password: save it without one and open that file."
        )
    if code == 5:
        return ProtectedDocumentError(
            f"{name} is encrypted in a way that can't be undone here: get it without protection."
        )
    return damaged(name, f"PDFium error {code}")


def _pictures(raw: Any, page: Any) -> int:
    """How many pictures stand on the page."""
    count = min(raw.FPDFPage_CountObjects(page), 200)
    kinds = (raw.FPDFPageObj_GetType(raw.FPDFPage_GetObject(page, at)) for at in range(max(count, 0)))
    return sum(kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM) for kind in kinds)


@contextmanager
def _locked(raw: Any) -> Iterator[None]:
    """The library for this thread alone; closes what was abandoned."""
    with _LOCK:
        while _ABANDONED:
            handle, _ = _ABANDONED.popleft()
            if handle:
                raw.FPDF_CloseDocument(handle)
        yield
