"""Numbers with nothing about them, nearly all of a table or a list: told by a look, so that no other reader is asked."""

import re
from collections.abc import Iterable

from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.languages.signs import CURRENCY_SIGNS

_LETTERS = re.compile(r"[^\W\d_]+")
_LONGEST = 12
"""Digits: longer ones may be codes."""
_SHORT_WORD = 3
"""Letters: such a word may be a unit, an hour's suffix or `of`."""
_MOST_WORDS = 20_000
_NUMBER_BEHIND = re.compile(r"(\d+)[/⁄]?")
_MARKS = frozenset(",;:")
_ENDS = ("", "\n")


class Alone:
    """Tells numbers of one language that are only numbers."""

    def __init__(self, language: Language) -> None:
        names = (
            language.units,
            language.scales,
            language.currencies,
            language.months,
            language.month_abbreviations,
            CURRENCY_SIGNS,
        )
        self._counted = {word for group in names for word in _first_words(group)}
        self._of = re.compile(language.date_of, re.IGNORECASE)
        self._times = re.compile(language.time_suffixes, re.IGNORECASE)
        self._phone_words = language.phone_words
        self._ordinary: dict[str, bool] = {}
        self._last: tuple[str, bool] = ("", False)  # replaced as a whole: any thread may

    def is_alone(self, text: str, at: int, stop: int) -> bool:
        """Whether neither what stands behind the digits nor another number makes them more than a whole number."""
        behind = text[stop : stop + 1]
        if stop - at > _LONGEST:
            return False
        if behind in _ENDS:
            return True
        after = text[stop + 1 : stop + 2]
        if behind in _MARKS:
            return after in (" ", "\n", "")
        if behind != " ":
            return False
        if after.isalpha():
            return self._is_ordinary(text, stop + 1)
        return after.isdecimal() and not self._belong_together(text, at, stop)

    def _is_ordinary(self, text: str, at: int) -> bool:
        """Whether the word there is no unit, month, currency, magnitude or anything of a time."""
        match = _LETTERS.match(text, at)
        if match is None or len(match[0]) <= _SHORT_WORD:
            return False
        word = match[0]
        known = self._ordinary.get(word)
        if known is None:
            if len(self._ordinary) > _MOST_WORDS:
                self._ordinary = {}
            lower = word.lower()
            known = lower not in self._counted and not self._of.match(word) and not self._times.match(word)
            self._ordinary[word] = known
        return known

    def _belong_together(self, text: str, at: int, stop: int) -> bool:
        """1 234, 2 1/2, 01 23 45, call 912 345 678."""
        match = _NUMBER_BEHIND.match(text, stop + 1)
        assert match is not None, "the caller has seen a digit"
        is_group = stop - at <= 3 and len(match[1]) == 3
        return is_group or text[at] == "0" or len(match[0]) > len(match[1]) or self._has_phone_words(text)

    def _has_phone_words(self, text: str) -> bool:
        """Whether a telephone number may be anywhere in the text."""
        last, found = self._last
        if last is not text:
            found = not self._phone_words.isdisjoint(_LETTERS.findall(text.lower()))
            self._last = (text, found)
        return found


def _first_words(names: Iterable[str]) -> Iterable[str]:
    """The letters at the beginning of each, small."""
    return (match[0].lower() for name in names if (match := _LETTERS.match(name)))
