"""Names of voices: what people may type, made fit to be shown and compared. A name never becomes a path inside the library."""

import re
import unicodedata
from collections.abc import Collection

from pocketvoice.errors import InputError

MOST_CHARACTERS = 80
_ID = re.compile(r"v[0-9a-f]{16}")
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"  # parts of emoji and of words in some scripts
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?")
_NOT_IN_FILES = re.compile(r'[<>:"/\\|?*\x00-\x1f]')


def is_id(key: str) -> bool:
    """Whether it has the form of a voice's id."""
    return _ID.fullmatch(key) is not None


def clean(name: str) -> str:
    """Without control and direction characters, with single spaces, at most 80 characters; "" if nothing is left."""
    composed = unicodedata.normalize("NFC", name)
    shown = "".join(mark if _is_shown(mark) else " " if mark.isspace() else "" for mark in composed)
    return _cut(" ".join(shown.split())).strip(_JOINERS + " ")


def checked(name: str) -> str:
    """The clean name; raises InputError if it is empty or has the form of an id."""
    cleaned = clean(name)
    if not cleaned:
        raise InputError("A voice needs a name: give it one.")
    if is_id(cleaned):
        raise InputError(f"{cleaned} looks like a voice's number: choose another name.")
    return cleaned


def folded(text: str) -> str:
    """For comparing: names that look alike are alike."""
    return unicodedata.normalize("NFKC", text).casefold()


def searchable(text: str) -> str:
    """For searching: without case and accents."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    return "".join(mark for mark in apart if not unicodedata.combining(mark))


def free_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or with the least number that makes it free; `taken` are folded names."""
    base = clean(wanted) or "Voice"
    if is_id(base):
        base = f"Voice {base}"
    if folded(base) not in taken:
        return base
    stem = re.sub(r" \d{1,4}$", "", base)
    number = 2
    while folded(name := _with_number(stem, number)) in taken:
        number += 1
    return name


def _with_number(stem: str, number: int) -> str:
    return f"{_cut(stem, MOST_CHARACTERS - 6).rstrip()} {number}"


def file_stem(name: str) -> str:
    """A file name to suggest for a voice: one that every system takes."""
    stem = _NOT_IN_FILES.sub("_", clean(name)).strip(". ")
    while len(stem.encode("utf-8", "ignore")) > 120:
        stem = stem[:-1].rstrip(". ")
    if not stem or _DEVICES.fullmatch(stem):
        stem = f"voice {stem}".strip()
    return stem


def _is_shown(mark: str) -> bool:
    """Letters, signs and emoji; not what controls, hides, or turns the direction of what stands behind it."""
    category = unicodedata.category(mark)
    return mark == " " or mark in _JOINERS or category[0] not in "CZ" or category == "Co"


def _cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """At most so many characters, not between a letter and its marks."""
    if len(text) <= most:
        return text
    end = most
    while end and (unicodedata.combining(text[end]) or text[end] in _JOINERS or text[end - 1] == "\u200d"):
        end -= 1
    return text[:end]
