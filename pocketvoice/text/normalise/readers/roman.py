"""Roman numbers where the context says that they are numbers: kings, chapters, centuries, wars."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.spoken import Kind

_ROMAN = re.compile(r"(M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))")
_SMALL = re.compile(r"(x{0,3}(?:ix|iv|v?i{0,3}))(?![^\W_])")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_CLEAR = 3
"""A Roman number of so many letters is no initial."""


def roman_value(text: str) -> int:
    """XIV -> 14; the numeral is well-formed."""
    values = [_VALUES[c] for c in text.upper()]
    return sum(-v if v < following else v for v, following in zip(values, [*values[1:], 0], strict=True))


class Romans:
    """Roman numbers of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._suffix = re.compile(language.roman_suffix) if language.roman_suffix else None

    def read(self, context: Context, at: int) -> Reading | None:
        """A Roman number that begins there, in capitals; in small letters only behind a word that is numbered."""
        if not context.starts_word(at):
            return None
        match = _ROMAN.match(context.text, at)
        if match and match[0]:
            return self._capital(context, at, match)
        match = _SMALL.match(context.text, at)
        if match and match[0] and context.before(at).rstrip(".") in self._language.numbered:
            return Reading(self._language.cardinal(roman_value(match[0])), match.end(), Kind.ROMAN)
        return None

    def _capital(self, context: Context, at: int, match: re.Match[str]) -> Reading | None:
        suffix = self._suffix.match(context.text, match.end()) if self._suffix else None
        if suffix and match[0] in ("L", "C", "D", "M"):
            return None
        stop = suffix.end() if suffix else match.end()
        if not context.ends_word(stop):
            return None
        value, before, after = roman_value(match[0]), context.before(at), context.after(stop)
        words = self._words(context, value, before, after, at, stop, bool(suffix), match[0])
        if not words:
            return None
        if (
            context.char(stop) == "."
            and self._language.roman_takes_point
            and not suffix
            and context.after(stop + 1)[:1]
        ):
            stop += 1
        return Reading(words, stop, Kind.ROMAN)

    def _words(
        self,
        context: Context,
        value: int,
        before: str,
        after: str,
        at: int,
        stop: int,
        suffixed: bool,
        written: str,
    ) -> str:
        language = self._language
        if suffixed:
            return language.roman_ordinal(value, before, after)
        if after.lower() in language.century_words and language.century_before_noun:
            return language.century(value, after.lower())
        if before in language.century_words:
            return language.century(value, before)
        if before.rstrip(".") in language.numbered:
            return language.cardinal(value)
        if (
            before in language.roman_articles
            and after
            and not context.in_capitals(at)
            and len(written) > (written in "CDMLXVI")
        ):
            return language.roman_before_noun(value, after)
        name = context.before_as_written(at)
        if self._is_name(context, name, at, written, after):
            second_before = context.before(context.text.rfind(name, 0, at))
            return language.regnal(value, name, second_before)
        return ""

    def _is_name(self, context: Context, name: str, at: int, written: str, after: str) -> bool:
        """A name with a capital in front of a number: not `Sam and I`, not `Vitamin C`, not the start of a sentence."""
        if (
            context.in_capitals(at)
            or not name[:1].isupper()
            or name.isupper()
            or context.char(at - 1) != " "
            or not context.char(at - 2).isalpha()
        ):
            return False
        lower = name.lower()
        if written in ("I", "C", "D", "M", "L", "CD", "MD", "DC", "MC", "CC", "DM", "MM", "CM", "V", "X"):
            return lower in self._language.regnal_names
        if set(written) & set("LCDM") and lower not in self._language.numbered:
            return False  # a size, a car, a disc
        return lower not in self._language.not_names


class RomanList:
    """`I.`, `II.`, `III.` in front of the lines of a list or a heading."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def read(self, context: Context, at: int) -> Reading | None:
        """A Roman number with a point at the beginning of a line."""
        if at and context.text[at - 1] != "\n":
            return None
        match = _ROMAN.match(context.text, at)
        if (
            not match
            or not match[0]
            or context.char(match.end()) not in (".", ")")
            or context.char(match.end() + 1) != " "
        ):
            return None
        if len(match[0]) == 1 and match[0] not in "IVX":
            return None
        return Reading(self._language.cardinal(roman_value(match[0])), match.end(), Kind.ROMAN)
