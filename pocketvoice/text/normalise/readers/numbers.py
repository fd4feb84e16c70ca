"""Numbers with nothing else about them: cardinals and years, ordinals, fractions, ranges and scores, codes, plain digits."""

import re

from pocketvoice.text.abbreviations import CONJUNCTIONS
from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.numerals import FRACTION_SIGNS, SPACE, Numeral
from pocketvoice.text.normalise.readers.amounts import MINUS, amounts_of
from pocketvoice.text.normalise.spoken import Kind

_BIG_FRACTION = re.compile(
    rf"(?P<top>\d{{1,4}})(?:{SPACE}?[/⁄]{SPACE}?)(?P<bottom>\d{{1,3}}(?:[.,]\d{{3}})+|\d{{1,6}})(?![\d/]|[.,]\d)"
)
_RANGE = re.compile(r"(?P<a>\d{1,12})[ \u00a0]?[-–—][ \u00a0]?(?P<b>\d{1,12})(?![^\W_]|[-–./]\d)")
_SCORE = re.compile(r"(?P<a>\d{1,3})(?P<mark>[:])(?P<b>\d{1,3})(?![^\W_:]|[.,]\d)")
_RATING = re.compile(r"(?P<first>\d{1,3}[.,]\d)/(?P<last>\d{1,3})(?![\d/]|[.,]\d)")
_SEASON = re.compile(r"(?P<a>\d{4})/(?P<b>\d{2})(?![\d/]|[.,]\d)")
_NUMBERED = re.compile(r"(?:\bn|\bnr|\bno|\bnúm|\bnum|número|numero)[.º°]{0,2}[ \u00a0]?\Z", re.IGNORECASE)
_TIMES_TEN = re.compile(
    rf"(?P<number>\d{{1,12}}(?:[.,]\d{{1,12}})?){SPACE}?[x×]{SPACE}?10(?:\^(?P<caret>[-−]?\d{{1,3}})|(?P<sup>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}))"
)
_COPULAS = frozenset(["is", "est", "ist", "es", "é", "è", ":", "are", "lautet"])
_SLASHED = re.compile(r"\d{1,6}(?:/\d{1,6}){2,4}(?![^\W_])")
_DASHED = re.compile(r"\d{1,6}(?:-\d{1,8}){2,6}(?![^\W_])")
_POWER = re.compile(r"(?P<base>\d{1,4})(?:\^(?P<caret>[-−]?\d{1,4})|(?P<sup>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))")
_SCIENTIFIC = re.compile(
    r"(?P<number>\d{1,12}(?:[.,]\d{1,12})?)[eE](?P<sign>[+-]?)(?P<power>\d{1,3})(?![^\W_])"
)
_MORE = re.compile(
    rf"\d+(?:[.,]\d+)?{SPACE}?[\^⁰¹²³⁴⁵⁶⁷⁸⁹⁻xX×eE/⁄:–—{FRACTION_SIGNS}-]|\d+{SPACE}\d+[/⁄]|[^\d]"
)
"""What more than a number begins with."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_DIGITS = re.compile(r"\d+")
_LONG = 13
"""Digits without marks from here on are a code, not a quantity."""


class Ordinals:
    """1st, 2nd and fractions that end so (1/4th), of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._ordinal = re.compile(language.ordinal_pattern)
        self._fraction = re.compile(rf"(?P<top>\d{{1,3}})/(?={language.ordinal_pattern})")

    def read(self, context: Context, at: int) -> Reading | None:
        """An ordinal that begins there."""
        if not context.starts_word(at):
            return None
        top = self._fraction.match(context.text, at)
        match = self._ordinal.match(context.text, top.end() if top else at)
        if match is None:
            return None
        if top:
            bottom = int(re.sub(r"\D", "", match[0]))
            return (
                Reading(self._language.fraction(int(top["top"]), bottom), match.end(), Kind.FRACTION)
                if bottom > 1
                else None
            )
        words = self._language.written_ordinal(
            match, context.before(at), context.after(match.end()), context.is_alone(at, match.end())
        )
        return Reading(words, match.end(), Kind.ORDINAL) if words else None


class Numbers:
    """Numbers of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._amounts = amounts_of(language)
        self._before = language.digit_words
        self._weekdays = {*language.weekdays, *(name.lower() for name in language.weekdays.values())}

    def read(self, context: Context, at: int) -> Reading | None:
        """Whatever number begins there."""
        if _MORE.match(context.text, at) and context.starts_word(at):
            reading = (
                self._power(context, at)
                or self._rating(context, at)
                or self._range(context, at)
                or self._fraction(context, at)
            )
            reading = reading or self._score(context, at) or self._codes(context, at)
            if reading:
                return reading
        return self._plain(context, at)

    def read_alone(self, context: Context, at: int) -> Reading | None:
        """The digits that begin there, as a whole number."""
        match = _DIGITS.match(context.text, at)
        assert match is not None, "asked at a digit"
        return self._integer(context, at, Numeral(match[0]), match.end())

    def _power(self, context: Context, at: int) -> Reading | None:
        match = _POWER.match(context.text, at)
        if match:
            power = (match["caret"] or match["sup"].translate(_SUPERSCRIPTS)).replace("−", "-")
            base = self._language.cardinal(int(match["base"]))
            return Reading(self._language.to_the_power(base, int(power)), match.end(), Kind.SIGN)
        match = _TIMES_TEN.match(context.text, at)
        if match:
            power = (match["caret"] or match["sup"].translate(_SUPERSCRIPTS)).replace("−", "-")
            number = self._language.number(self._language.parse_loosely(match["number"]))
            ten = self._language.to_the_power(self._language.cardinal(10), int(power))
            return Reading(f"{number} {self._language.phrases.times} {ten}", match.end(), Kind.SIGN)
        match = _SCIENTIFIC.match(context.text, at)
        if match:
            number = self._language.number(self._language.parse_loosely(match["number"]))
            power = int(match["sign"] + match["power"])
            ten = self._language.to_the_power(self._language.cardinal(10), power)
            return Reading(f"{number} {self._language.phrases.times} {ten}", match.end(), Kind.SIGN)
        return None

    def _range(self, context: Context, at: int) -> Reading | None:
        match = _RANGE.match(context.text, at)
        if match is None:
            return None
        a, b, before = match["a"], match["b"], context.before(at)
        if context.text[max(0, at - 3) : at].rstrip(" \u00a0")[-1:] in ("°", "º"):  # the number of a law
            return Reading(
                f"{self._language.cardinal(int(a))}, {self._language.cardinal(int(b))}",
                match.end(),
                Kind.CODE,
            )
        joined = self._language.phrases.to
        if (
            len(a) == 4
            and 1000 <= int(a) < 2200
            and (
                (len(b) == 4 and int(b) > int(a) and int(b) < 2200) or (len(b) == 2 and int(b) > int(a) % 100)
            )
        ):
            second = self._language.year(int(b)) if len(b) == 4 else self._language.year_end(int(a), int(b))
            return Reading(
                f"{self._language.year(int(a))} {self._language.years_to(before)} {second}",
                match.end(),
                Kind.RANGE,
            )
        if len(a) > 4 or len(b) > 5 or a.startswith("0") or (b.startswith("0") and b != "0"):
            return None
        is_hours = before in self._weekdays and int(b) <= int(a)
        if "=" in context.text[match.end() : match.end() + 3]:
            joined = self._language.phrases.minus
        words = (
            self._language.score(int(a), int(b))
            if (int(b) <= int(a) and not is_hours)
            or before in self._language.score_words
            or len(b) - len(a) > 2
            else None
        )
        if words:
            return Reading(words, match.end(), Kind.SCORE)
        return Reading(
            f"{self._language.cardinal(int(a))} {joined} {self._language.cardinal(int(b))}",
            match.end(),
            Kind.RANGE,
        )

    def _rating(self, context: Context, at: int) -> Reading | None:
        """4.5/5"""
        match = _SEASON.match(context.text, at)
        if match and int(match["b"]) == (int(match["a"]) + 1) % 100 and 1800 <= int(match["a"]) < 2100:
            words = f"{self._language.year(int(match['a']))} {self._language.cardinal(int(match['b']))}"
            return Reading(words, match.end(), Kind.YEAR)
        match = _RATING.match(context.text, at)
        if match is None:
            return None
        first = self._language.number(self._language.parse_loosely(match["first"]))
        return Reading(
            f"{first} {self._language.out_of} {self._language.cardinal(int(match['last']))}",
            match.end(),
            Kind.SCORE,
        )

    def _fraction(self, context: Context, at: int) -> Reading | None:
        if context.before(at) in self._language.slash_words:
            return None
        amount = self._amounts.at(context.text, at, ranges=False)
        if amount and amount.fraction:
            return Reading(self._amounts.say(amount), amount.stop, Kind.FRACTION)
        match = _BIG_FRACTION.match(context.text, at)
        if not match or match["top"].startswith("0") or match["bottom"].startswith("0"):
            return None
        bottom = int(re.sub(r"\D", "", match["bottom"]))
        if bottom < 2 or (" " in match[0] and not context.is_alone(at, match.end())):
            return None
        return Reading(self._language.fraction(int(match["top"]), bottom), match.end(), Kind.FRACTION)

    def _score(self, context: Context, at: int) -> Reading | None:
        match = _SCORE.match(context.text, at)
        if match is None:
            return None
        near = re.findall(r"[^\W\d_]+", context.text[max(0, at - 24) : at].lower())
        if self._language.ratio_words.intersection(near):
            a, b = self._language.cardinal(int(match["a"])), self._language.cardinal(int(match["b"]))
            return Reading(f"{a} {self._language.phrases.to} {b}", match.end(), Kind.SCORE)
        words = self._language.score(int(match["a"]), int(match["b"]))
        return Reading(words, match.end(), Kind.SCORE) if words else None

    def _codes(self, context: Context, at: int) -> Reading | None:
        """Dates that are none, serial numbers."""
        match = _SLASHED.match(context.text, at) or _DASHED.match(context.text, at)
        if match is None:
            return None
        return Reading(", ".join(map(self._code_part, re.split("[-/]", match[0]))), match.end(), Kind.CODE)

    def _code_part(self, part: str) -> str:
        return (
            self._language.digits(part)
            if len(part) > 4 or part.startswith("0")
            else self._language.code_part(int(part))
        )

    def _is_code_word(self, context: Context, at: int, before: str) -> bool:
        """PIN 1234, the PIN is 1234."""
        if before in _COPULAS:
            before = context.before(context.text.rfind(before, 0, at)) if before.isalpha() else before
        return before in self._before

    def _plain(self, context: Context, at: int) -> Reading | None:
        amount = self._amounts.at(context.text, at, ranges=False)
        if amount is None:
            return None
        if not amount.is_plain or amount.sign or amount.first.fraction:
            return Reading(self._amounts.say(amount), amount.stop, Kind.CARDINAL)
        if amount.first.grouped:
            return self._grouped(context, amount.first, amount.stop)
        return self._integer(context, at, amount.first, amount.stop)

    def _coded(
        self, context: Context, at: int, digits: str, stop: int, before: str, after: str
    ) -> Reading | None:
        """Digits that are no quantity: a code, a telephone number, a room, a house."""
        language = self._language
        if len(digits) >= _LONG and digits.strip("0") != digits[0] and language.long_are_digits:
            return Reading(language.digits(digits), stop, Kind.DIGITS)
        if (digits.startswith("0") and len(digits) > 1) or (
            self._is_code_word(context, at, before) and len(digits) > 2
        ):
            return Reading(language.code_digits(digits), stop, Kind.DIGITS)
        if len(digits) == 3 and before in language.phone_words and after.lower() in ("", *CONJUNCTIONS):
            return Reading(language.digits(digits), stop, Kind.DIGITS)  # call 911
        is_house = len(digits) == 3 and language.is_house_number(context.text[stop : stop + 48])
        if (before in language.room_words and len(digits) in (3, 4)) or is_house:
            return Reading(language.room(digits), stop, Kind.CARDINAL)
        return None

    def _is_numbered(self, context: Context, at: int, before: str) -> bool:
        """No. 5, chapter 1, § 1: the number is a name, and what stands behind it is not counted."""
        return (
            before.rstrip(".") in self._language.numbered
            or context.text[max(0, at - 2) : at].rstrip(" \u00a0")[-1:] == "§"
            or _NUMBERED.search(context.text, max(0, at - 8), at) is not None
        )

    def _grouped(self, context: Context, numeral: Numeral, stop: int) -> Reading:
        """2.500 pessoas: a quantity, in the gender of what it counts."""
        language, after = self._language, context.after(stop)
        if after and context.char(stop) in (" ", "\u00a0") and language.is_counted(after):
            words = language.number(numeral, language.gender_of(after), True)
        else:
            words = language.number(numeral)
        return Reading(words, stop, Kind.CARDINAL)

    def _integer(self, context: Context, at: int, numeral: Numeral, stop: int) -> Reading:
        language, digits = self._language, numeral.whole
        before, after = context.before(at), context.after(stop)
        sign = context.char(at - 1)
        if sign != " " and sign in MINUS and sign and context.char(at - 2).isalnum():
            before = ""
        if len(digits) > 2 or digits[0] == "0":
            reading = self._coded(context, at, digits, stop, before, after)
            if reading:
                return reading
        value = numeral.integer
        if len(digits) == 4 and language.is_bare_year(
            value, before, "" if context.is_alone(at, stop) and not before else after or "."
        ):
            return Reading(language.year(value), stop, Kind.YEAR)
        spaced = bool(after) and context.text[stop : stop + 1] in (" ", "\u00a0")
        counting = spaced and language.is_counted(after) and not self._is_numbered(context, at, before)
        gender = language.gender_of(after) if counting else "m"
        start = at - 1 if len(digits) == 2 and sign == "'" and context.char(at - 2) in " (" else at  # '68
        return Reading(
            language.bare(value, gender, counting, before, after), stop, Kind.CARDINAL, start=start
        )
