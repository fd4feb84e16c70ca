"""Telephone numbers and other groups of digits that are read one by one: +1 416-555-0192, 01 23 45 67 89, 111-11-1111."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.spoken import Kind

_S = r"[ \u00a0./-]"
_INTERNATIONAL = re.compile(
    rf"\+\d{{1,3}}(?:{_S}?\(\d{{1,5}}\){_S}?|{_S})?\d{{1,12}}(?:{_S}\d{{2,8}}){{0,5}}(?!\d)"
)
_WITH_BRACKETS = re.compile(rf"\(\d{{2,5}}\){_S}?\d{{2,8}}(?:{_S}\d{{2,8}}){{0,4}}(?![\d,]\d)")
_AMERICAN = re.compile(r"(?:1[-. ])?\(?\d{3}\)?([-. ])\d{3}\1\d{4}(?:-\d{2,5})?(?!\d)")
_VANITY = re.compile(r"(?:1-)?(?:800|888|877|866|900)(?:-[A-Z0-9]{1,7}){1,3}(?![^\W_])")
_GROUPS = re.compile(r"\d{3}-\d{2}-\d{4}(?!\d)|\d{3}-\d{3}-\d{3,4}(?!\d)|\d{4}-\d{4}(?!\d)|\d{3}-\d{4}(?!\d)")
_LEADING_ZERO = re.compile(rf"0\d{{1,4}}(?:{_S}\d{{2,8}}){{1,5}}(?![\d]|[.,]\d)")
_SHORT_LOCAL = re.compile(r"\d{2,4}(?:[ ]\d{2,8}){1,4}(?!\d|[.,]\d)")
_BY_FIRST = {
    "(": (_WITH_BRACKETS, _AMERICAN),
    "0": (_AMERICAN, _GROUPS, _LEADING_ZERO),
    "1": (_AMERICAN, _VANITY, _GROUPS),
    "8": (_AMERICAN, _VANITY, _GROUPS),
    "9": (_AMERICAN, _VANITY, _GROUPS),
}


class Telephones:
    """Telephone numbers of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def read(self, context: Context, at: int) -> Reading | None:
        """A telephone number that begins with a plus, a bracket or a digit."""
        if not context.starts_word(at):
            return None
        text = context.text
        first = text[at]
        match = _INTERNATIONAL.match(text, at) if first == "+" else None
        if match and sum(map(str.isdecimal, match[0])) >= 7:
            return self._reading(match[0], match.end())
        for pattern in _BY_FIRST.get(first, (_AMERICAN, _GROUPS)):
            match = pattern.match(text, at)
            if match and self._is_number(context, pattern, match):
                return self._reading(match[0], match.end())
        match = _SHORT_LOCAL.match(text, at)
        least = 5 if first == "0" else 8  # an area's code in front
        if match and sum(map(str.isdecimal, match[0])) >= least and self._follows_phone_word(context, at):
            return self._reading(match[0], match.end())
        return None

    def _follows_phone_word(self, context: Context, at: int) -> bool:
        """Call 912 345 678; also with words between."""
        near = re.findall(r"[^\W\d_]+", context.text[max(0, at - 32) : at].lower())
        return bool(self._language.phone_words.intersection(near[-3:]))

    def _is_number(self, context: Context, pattern: re.Pattern[str], match: re.Match[str]) -> bool:
        digits = sum(map(str.isdecimal, match[0]))
        if pattern is _LEADING_ZERO:
            return (
                digits >= 8 and not re.match(r"0\d[./-]\d\d[./-]\d{4}", match[0]) and match[0].count(".") != 1
            )
        if (
            pattern is _GROUPS
            and match[0].count("-") == 1
            and (match[0].split("-")[1][0] == "0" or self._follows_phone_word(context, match.start()))
        ):
            return True
        if pattern is _GROUPS and match[0].count("-") == 1:
            return self._language.groups_are_phone(
                match[0], context.before(match.start()), context.is_alone(*match.span())
            )
        return digits >= 7 or pattern is _VANITY

    def _reading(self, written: str, stop: int) -> Reading:
        return Reading(self._language.telephone(written), stop, Kind.TELEPHONE)
