"""Quantities as they are written: sign, number or range or fraction, magnitude. Shared by money, measures and plain numbers."""

import re
from functools import lru_cache
from typing import NamedTuple

from pocketvoice.text.normalise.languages.base import Language, Noun
from pocketvoice.text.normalise.numerals import FRACTION_SIGNS, SPACE, Numeral, fraction_of
from pocketvoice.text.normalise.patterns import one_of

MINUS = "−–-"  # in this order it can stand in a set
_RANGE = rf"(?:{SPACE}?[-–—]{SPACE}?)"


class Amount(NamedTuple):
    """A quantity without its unit."""

    sign: str
    first: Numeral
    second: Numeral | None
    """The upper end of a range."""
    scale: Noun | None
    """Million ..."""
    fraction: tuple[int, int] | None
    """2 1/2 has (1, 2)."""
    stop: int

    @property
    def last(self) -> Numeral:
        """The number that a noun behind it agrees with."""
        return self.second or self.first

    @property
    def is_plain(self) -> bool:
        """One number and nothing else."""
        return not (self.second or self.scale or self.fraction)


class Amounts:
    """Recognises and says quantities of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._last: tuple[str, int, bool, Amount | None] = (
            "",
            -1,
            False,
            None,
        )  # replaced as a whole: any thread may
        number = language.numeral
        scales = one_of(language.scales)
        fraction = (
            rf"(?:(?P<mixed>\d{{1,4}}){SPACE}?)?(?:(?P<sign1>[{FRACTION_SIGNS}])|"
            rf"(?<![/\d])(?P<top>\d{{1,2}})[/⁄](?P<bottom>\d{{1,4}})(?![\d/]))"
        )
        scale = rf"(?:{SPACE}?(?P<scale>{scales})(?![^\W_]))?"
        self._fraction = re.compile(rf"(?P<sign>[+±{MINUS}]?)(?:{fraction}){scale}", re.IGNORECASE)
        self._plain = re.compile(
            rf"(?P<sign>[+±{MINUS}]?){SPACE}?(?P<first>{number}|\.\d{{1,12}})(?:{_RANGE}(?P<second>{number}))?{scale}",
            re.IGNORECASE,
        )
        self._single = re.compile(
            rf"(?P<sign>[+±{MINUS}]?){SPACE}?(?P<first>{number}|\.\d{{1,12}})(?P<second>(?!))?{scale}",
            re.IGNORECASE,
        )

    def at(self, text: str, at: int, ranges: bool = True, money: bool = False) -> Amount | None:
        """The quantity that begins there. In front of money `30 b` is billion; otherwise a letter has to touch its number."""
        found = self._at(text, at, ranges)
        if found is None or found.scale is None or money:
            return found
        letter, behind = text[found.stop - 1], text[found.stop - 2]
        if behind in SPACE:
            return found._replace(scale=None, stop=found.stop - 2)
        is_letter = behind.isdecimal() or behind in FRACTION_SIGNS
        if is_letter and (
            (letter.islower() and letter != "k") or (found.first.whole in ("4", "8") and letter == "K")
        ):
            return found._replace(scale=None, stop=found.stop - 1)
        return found

    def _at(self, text: str, at: int, ranges: bool) -> Amount | None:
        """Several readers ask for the same place, one behind the other."""
        last_text, last_at, last_ranges, found = self._last
        if last_text is text and last_at == at:
            is_the_same = found is None or not found.second or last_ranges == ranges
            if is_the_same and (last_ranges or not ranges):
                return found
        found = self._found(text, at, ranges)
        self._last = (text, at, ranges, found)
        return found

    def _found(self, text: str, at: int, ranges: bool) -> Amount | None:
        match = self._fraction.match(text, at)
        if match:
            top, bottom = (
                fraction_of(match["sign1"]) if match["sign1"] else (int(match["top"]), int(match["bottom"]))
            )
            if match["sign1"] or (match["mixed"] and 0 < top < bottom) or (0 < top < bottom < 101):
                return Amount(
                    match["sign"],
                    Numeral(match["mixed"] or ""),
                    None,
                    self._scale(match),
                    (top, bottom),
                    match.end(),
                )
        match = (self._plain if ranges else self._single).match(text, at)
        if not match:
            return None
        second = self._language.parse(match["second"]) if match["second"] else None
        return Amount(
            match["sign"], self._language.parse(match["first"]), second, self._scale(match), None, match.end()
        )

    def _scale(self, match: re.Match[str]) -> Noun | None:
        return self._language.scales[match["scale"].lower()] if match["scale"] else None

    def sign(self, amount: Amount) -> str:
        """The word for the sign, with a space behind it."""
        phrases = self._language.phrases
        words = {"+": phrases.plus, "±": phrases.plus_minus}
        return f"{words.get(amount.sign, phrases.minus)} " if amount.sign else ""

    def say(self, amount: Amount, noun: Noun | None = None) -> str:
        """The quantity with what it counts."""
        language = self._language
        if amount.scale:
            first = language.scaled(amount.last, amount.scale, noun)
        elif amount.fraction:
            first = self._with_fraction(amount, noun)
        elif noun:
            first = language.counted(amount.last, noun)
        else:
            first = language.number(amount.last)
        if amount.second:
            first = f"{self._lower_end(amount, noun)} {language.phrases.to} {first}"
        return self.sign(amount) + first

    def _lower_end(self, amount: Amount, noun: Noun | None) -> str:
        gender = noun.gender if noun and not amount.scale else "m"
        return self._language.number(amount.first, gender, bool(noun))

    def _with_fraction(self, amount: Amount, noun: Noun | None) -> str:
        assert amount.fraction is not None
        if amount.first.whole:
            words = self._language.mixed(int(amount.first.whole), *amount.fraction)
            return f"{words} {self._language.mixed_of(noun, *amount.fraction)}" if noun else words
        words = self._language.fraction(*amount.fraction)
        return f"{words} {self._language.fraction_of(noun)}" if noun else words


@lru_cache(maxsize=32)
def amounts_of(language: Language) -> Amounts:
    """Those of a language: its readers share them."""
    return Amounts(language)
