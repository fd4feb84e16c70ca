"""Words in other alphabets: in Latin letters, by `anyascii`; what has no letters there is left out with a note."""

import re
import unicodedata
from functools import lru_cache

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.spoken import Kind

_WORD = re.compile(r"[^\W\d_a-zA-Z][^\W\d_]{0,63}")


class OtherScripts:
    """The same for every language."""

    def read(self, context: Context, at: int) -> Reading | None:
        """A word whose letters are not Latin."""
        if is_latin(context.text[at]):
            return None
        match = _WORD.match(context.text, at)
        if match is None:
            return None
        stop = at + 1
        while stop < match.end() and not is_latin(context.text[stop]):
            stop += 1
        written = context.text[at:stop]
        spoken = _transliterated(written)
        note = "" if spoken else f"“{written}” is not spoken: the voice does not know these letters."
        return Reading(spoken, stop, Kind.FOREIGN, note=note)


@lru_cache(maxsize=4096)
def is_latin(char: str) -> bool:
    """A letter of the Latin alphabet with or without marks, or a mark."""
    if char < "\u0250":
        return True
    return unicodedata.name(char, "").startswith(("LATIN", "MODIFIER LETTER", "COMBINING"))


@lru_cache(maxsize=4096)
def _transliterated(word: str) -> str:
    from anyascii import anyascii

    return " ".join("".join(c if c.isalpha() or c in "' " else "" for c in anyascii(word)).split())
