"""Reads text files: the encoding is guessed, and what is no text is refused with a sentence. No widgets; blocks."""

import codecs
from pathlib import Path

from pocketvoice.documents.encoding import detect
from pocketvoice.errors import InputError, MissingFileError

MOST_BYTES = 20_000_000
"""Bytes of the largest file that is read; a long novel has two million."""
SUFFIXES = (".txt", ".text", ".md", ".markdown")

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOKED_AT = 1 << 16
_ENOUGH_TO_TELL = 12  # letters beyond ASCII; of fewer, Windows-1252 is the likeliest
_TEXT_CONTROLS = set(b"\t\n\v\f\r\x1b\x85")


def read_text(path: str | Path) -> str:
    """The text of a file. Raises MissingFileError, or InputError if it can't be read or is no text."""
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"{path.name} is a folder: choose a text file.")
        if path.stat().st_size > MOST_BYTES:
            raise InputError(
                f"{path.name} is too large ({MOST_BYTES // 1_000_000} MB at most): open a part of it."
            )
        data = path.read_bytes()
    except FileNotFoundError as exc:
        raise MissingFileError(f"There is no file {path}: check the path.") from exc
    except OSError as exc:
        raise InputError(f"{path.name} can't be read: {exc.strerror or exc}.", detail=repr(exc)) from exc
    return decode(data, path.name)


def decode(data: bytes, name: str) -> str:
    """The text of these bytes: by their byte order mark, their form (UTF-8, UTF-16), or the letters that come out."""
    try:
        text = data.decode(_encoding(data))
    except UnicodeError as exc:
        raise _no_text(name, repr(exc)) from exc
    if "\0" in text or _looks_binary(data, text):
        raise _no_text(name, "it holds control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _encoding(data: bytes) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding
    zeros_even, zeros_odd = data[:4000:2].count(0), data[1:4000:2].count(0)
    most = min(len(data), 4000) // 4  # half of the high bytes
    if max(zeros_even, zeros_odd) > most > 0:
        return "utf-16-be" if zeros_even > zeros_odd else "utf-16-le"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if sum(byte > 127 for byte in data[:_LOOKED_AT]) >= _ENOUGH_TO_TELL:
            return detect(data)
        # Every byte means something in Latin-1; in Windows-1252, which is what such files are, five do not.
        return "latin-1" if any(byte in data for byte in b"\x81\x8d\x8f\x90\x9d") else "cp1252"
    return "utf-8"


def _looks_binary(data: bytes, text: str) -> bool:
    start = text[:4000]
    controls = sum(1 for letter in start if ord(letter) < 32 and ord(letter) not in _TEXT_CONTROLS)
    return data.startswith((b"%PDF-", b"PK\x03\x04")) or controls > len(start) // 50


def _no_text(name: str, detail: str) -> InputError:
    return InputError(
        f"{name} is not a text file: choose a .txt or .md file, or paste the text.", detail=detail
    )
