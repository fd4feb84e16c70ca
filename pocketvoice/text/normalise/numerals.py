"""Numbers as they are written: which characters belong to one, and what they come to in a language's convention.

A point between digits is a thousands mark in German and a decimal mark in English; both conventions are understood in
both, where the digits leave no doubt (1,234.50 and 1.234,50).
"""

import re
from functools import lru_cache
from typing import NamedTuple

SPACE = "[ \u00a0]"
"""Between a number and what belongs to it; never a line's end."""

_FRACTIONS = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5),
    "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8), "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
FRACTION_SIGNS = "".join(_FRACTIONS)


class Numeral(NamedTuple):
    """A number without its sign."""

    whole: str
    """Digits without thousands marks; "" for `.5`."""
    fraction: str = ""
    """The digits behind the decimal mark."""
    mark: str = ""
    """The decimal mark as it is written."""
    grouped: bool = False
    """Written with thousands marks, so never a year."""

    @property
    def integer(self) -> int:
        """The whole part's value."""
        return int(self.whole or "0")

    @property
    def is_one(self) -> bool:
        """Exactly one, without a fraction that is spoken."""
        return self.integer == 1 and not self.fraction.strip("0")


def fraction_of(sign: str) -> tuple[int, int]:
    """Numerator and denominator of a character such as ½."""
    return _FRACTIONS[sign]


@lru_cache(maxsize=16)
def numeral_pattern(decimal: str, groups: str) -> str:
    """The regular expression (without groups) of a number in a convention; spaces group in all but English."""
    other = "," if decimal == "." else "."
    d, o = re.escape(decimal), re.escape(other)
    parts = [
        rf"\d{{1,3}}(?:{d}\d{{3}}){{2,7}}(?:{o}\d{{1,12}})?(?![\d{d}])",
        rf"\d{{1,3}}(?:{o}\d{{3}}){{1,7}}{d}\d{{1,30}}",
    ]
    parts += [rf"[1-9]\d{{0,2}}(?:{_mark(g)}\d{{3}}){{1,7}}(?!\d)(?:{d}\d{{1,30}})?" for g in groups]
    if decimal == ".":
        parts.append(r"\d{1,3}(?:\.\d{3}){1,7},\d{1,12}(?![\d,])")
    if decimal == ",":
        parts.append(r"\d{1,3}(?:,\d{3}){1,7}\.\d{1,12}(?![\d.])")
    plain = rf"\d{{1,40}}(?:[{d}]\d{{1,40}})?" if decimal == "." else r"\d{1,40}(?:[.,]\d{1,40})?"
    return "(?:" + "|".join([*parts, plain]) + ")"


def _mark(group: str) -> str:
    return SPACE if group == " " else re.escape(group)


def parsed(text: str, decimal: str) -> Numeral:
    """The number that `numeral_pattern` matched."""
    marks = [c for c in text if not c.isdecimal()]
    if not marks:
        return Numeral(text)
    last = marks[-1]
    whole, _, tail = text.rpartition(last)
    if len(marks) > 1:
        return _grouped(text) if len(set(marks)) == 1 else _decimal(whole, tail, last, True)
    if last == decimal or len(tail) != 3 or len(whole) > 3 or whole.startswith("0") or not whole:
        return _decimal(whole, tail, last, False)
    return _grouped(text)


def _grouped(text: str) -> Numeral:
    return Numeral("".join(filter(str.isdecimal, text)), grouped=True)


def _decimal(whole: str, tail: str, mark: str, grouped: bool) -> Numeral:
    return Numeral("".join(filter(str.isdecimal, whole)), tail, mark, grouped)
