"""Words in other alphabets: in Latin letters, by `anyascii`; what has no letters there is left out with a note."""

import re
import unicodedata
from functools import lru_cache

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.spoken import Kind

_BEYOND_LATIN = re.compile("[^\x00-\u024f]")


class OtherScripts:
    """The same for every language."""

    def read(self, context: Context, at: int) -> Reading | None:
        """A word with letters that are not Latin."""
        text, stop = context.text, at
        while stop < len(text) and _is_of_word(text[stop]):
            stop += 1
        written = text[at:stop]
        if all(map(is_latin, written)):
            return None
        spoken = all_in_latin(written)
        note = "" if spoken else f"“{written}” is not spoken: the voice does not know these letters."
        return Reading(spoken, stop, Kind.FOREIGN, note=note)


@lru_cache(maxsize=8192)
def _is_of_word(char: str) -> bool:
    """A letter or a mark on one: vowels are marks in many alphabets."""
    return (char.isalnum() and not char.isdecimal()) or unicodedata.category(char)[0] == "M"


@lru_cache(maxsize=8192)
def is_latin(char: str) -> bool:
    """A letter of the Latin alphabet with or without marks, or a mark."""
    if char < "\u0250":
        return True
    return unicodedata.name(char, "").startswith(("LATIN", "MODIFIER LETTER", "COMBINING"))


def all_in_latin(text: str) -> str:
    """A text with its letters in Latin ones."""
    if not _BEYOND_LATIN.search(text):
        return text
    return "".join(in_latin(char) if char.isalpha() and not is_latin(char) else char for char in text)


@lru_cache(maxsize=8192)
def in_latin(char: str) -> str:
    """A letter in Latin ones, "" if it has none."""
    from anyascii import anyascii

    return "".join(c for c in anyascii(char) if c.isalpha() or c == "'")
