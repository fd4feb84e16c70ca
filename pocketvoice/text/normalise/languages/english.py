"""English, with American order of dates and spelling of units; British forms are understood."""

import re

from pocketvoice.text.normalise.languages import english_tables as tables
from pocketvoice.text.normalise.languages.base import Currency, Language, Noun
from pocketvoice.text.normalise.number_words import spelled
from pocketvoice.text.normalise.numerals import Numeral

_HUNDRED, _THOUSAND, _MILLION = 100, 1000, 10**6
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


class English(tables.EnglishTables, Language):
    """How English says it."""

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        """With `and` in the last group of a number below a million, without it above."""
        if number >= _MILLION or number < _HUNDRED:
            return spelled("en", number, "cardinal")
        head, rest = number - number % _THOUSAND, number % _THOUSAND
        if not head:
            return spelled("en", number, "cardinal-verbose")
        if not rest:
            return spelled("en", head, "cardinal")
        link = "and " if rest < _HUNDRED else ""
        return f"{spelled('en', head, 'cardinal')} {link}{spelled('en', rest, 'cardinal-verbose')}"

    def ordinal(self, number: int, gender: str = "m") -> str:
        return spelled("en", number, "ordinal")

    def digit(self, digit: str) -> str:
        return spelled("en", int(digit), "cardinal")

    def number(self, numeral: Numeral, gender: str = "m", counting: bool = False) -> str:
        if numeral.fraction and not numeral.whole:
            return f"{self.phrases.point} {self.digits(numeral.fraction)}"
        return super().number(numeral, gender, counting)

    def noun(self, noun: Noun, numeral: Numeral) -> str:
        return noun.one if numeral.integer == 1 and not numeral.fraction else noun.many

    def scaled(self, numeral: Numeral, scale: Noun, noun: Noun | None) -> str:
        head = self.number(numeral) if numeral.fraction else spelled("en", numeral.integer, "cardinal")
        return f"{head} {scale.one}" + (f" {noun.many}" if noun else "")

    def year(self, number: int) -> str:
        century, rest = divmod(number, _HUNDRED)
        if number < 1000 or number > 9999 or (number % _THOUSAND < 10 and number >= 1000):
            return spelled("en", number, "cardinal")
        if not rest:
            return f"{spelled('en', century, 'cardinal')} hundred"
        second = f"oh {self.digit(str(rest))}" if rest < 10 else spelled("en", rest, "cardinal")
        return f"{spelled('en', century, 'cardinal')} {second}"

    def is_bare_year(self, number: int, before: str, after: str) -> bool:
        if (
            number % _HUNDRED == 0
            and number % _THOUSAND
            and after[:1].islower()
            and after not in tables.AFTER_YEAR
        ):
            return True  # fifteen hundred people
        return 1100 <= number < 2100 or (
            1010 <= number < 1100 and before in ("in", "since", "year", "of", "by", "from")
        )

    def year_end(self, start: int, end: int) -> str:
        return f"oh {self.digit(str(end))}" if end < 10 else self.cardinal(end)

    def years_to(self, before: str) -> str:
        return self.phrases.and_ if before == "between" else self.phrases.to

    def short_year(self, year: str) -> str:
        if len(year) == 4:
            return self.year(int(year))
        number = int(year)
        return self.year(number + (2000 if number < 70 else 1900))

    def date(self, day: int, month: int, year: str, before: str) -> str:
        """The third of May, twenty twenty."""
        the = "" if before in ("the", "and", "or", "to") else "the "
        words = f"{the}{self.ordinal(day)} of {self.months[month - 1]}"
        return f"{words}, {self.short_year(year)}" if year else words

    def month_first(self, day: int, month: int, year: str, before: str) -> str:
        words = f"{self.months[month - 1]} {self.ordinal(day)}"
        return f"{words}, {self.short_year(year)}" if year else words

    def day(self, day: int, before: str) -> str:
        return self.ordinal(day) if before == "the" else f"the {self.ordinal(day)}"

    def several_days(self, days: list[int], marks: str, month: int, year: str, before: str) -> str:
        joint = " and " if "&" in marks else " to " if len(days) == 2 and "/" not in marks else ", "
        the = "" if before == "the" else "the "
        words = f"{the}{joint.join(map(self.ordinal, days))} of {self.months[month - 1]}"
        return f"{words}, {self.short_year(year)}" if year else words

    def day_range_after(self, month: int, first: str, last: str, year: str) -> str:
        words = f"{self.months[month - 1]} {self.ordinal(int(first))} to {self.ordinal(int(last))}"
        return f"{words}, {self.short_year(year)}" if year else words

    def is_month_word(self, month: str, year: str, after: str) -> bool:
        lower = month.lower()
        if lower in self.ambiguous_months:
            return month[:1].isupper() or bool(year)
        return True

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        words = self.cardinal(hour)
        if minute:
            words += f" oh {self.cardinal(minute)}" if minute < 10 else f" {self.cardinal(minute)}"
        elif suffix[:2] not in ("am", "pm") and suffix not in ("hours", "hrs", "o'clock"):
            words += " o'clock" if hour else " hundred"
        elif suffix in ("hours", "hrs"):
            words += " hundred"
        return words + self._suffix(suffix)

    def _suffix(self, suffix: str) -> str:
        if not suffix:
            return ""
        if suffix[:2] in ("am", "pm"):
            zone = f" {suffix[2:].upper()}" if suffix[2:] else ""
            return f" {suffix[:2].upper()}{zone}"
        return (
            f" {suffix}"
            if suffix in ("hours",)
            else " o'clock"
            if suffix == "o'clock"
            else f" {suffix.upper()}"
        )

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        parts = [
            self._counted(hour, "hour"),
            self._counted(minute, "minute"),
            self._counted(second, "second"),
        ]
        return f"{parts[0]} {parts[1]} and {parts[2]}{self._suffix(suffix)}"

    def _counted(self, number: int, noun: str) -> str:
        return f"{self.cardinal(number)} {noun}{'' if number == 1 else 's'}"

    def money(self, numeral: Numeral, currency: Currency) -> str:
        cents = self.cents(numeral)
        if cents is None or currency.cent is None:
            return self.counted(Numeral(numeral.whole or "0") if cents == 0 else numeral, currency.unit)
        small = self.counted(Numeral(str(cents)), currency.cent)
        if not cents:
            return self.counted(Numeral(numeral.whole or "0"), currency.unit)
        if not numeral.integer:
            return small
        return f"{self.counted(Numeral(numeral.whole), currency.unit)} and {small}"

    def decade(self, number: int, short: bool) -> str | None:
        """nineteen eighties, eighties."""
        if number % 10:
            return None
        century, rest = divmod(number, _HUNDRED)
        tens = _plural(spelled("en", rest, "cardinal")) if rest else ""
        if short:
            return tens or None
        if not rest:
            return f"{self.year(number)}s" if number % _THOUSAND else f"{spelled('en', number, 'cardinal')}s"
        return f"{spelled('en', century, 'cardinal')} {tens}" if rest > 9 else None

    def fraction(self, top: int, bottom: int) -> str:
        if top == bottom:
            return f"{self.cardinal(top)} {self.cardinal(bottom)}"
        if bottom == 2:
            return "one half" if top == 1 else f"{self.cardinal(top)} halves"
        if (bottom > 100 and bottom % 100) or bottom > 1000 or top > bottom:
            return f"{self.cardinal(top)} over {self.cardinal(bottom)}"
        name = "quarter" if bottom == 4 else self.ordinal(bottom)
        return f"{self.cardinal(top)} {name}{'' if top == 1 else 's'}"

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        part = self.fraction(top, bottom)
        if top == 1:
            part = (
                "a half"
                if bottom == 2
                else f"a{'n' if bottom in (8, 11, 18, 80) else ''} {part.removeprefix('one ')}"
            )
        return f"{self.cardinal(whole)} and {part}"

    def fraction_of(self, noun: Noun) -> str:
        return noun.one

    def power(self, noun: Noun, exponent: str) -> Noun:
        word = "square" if exponent == "2" else "cubic"
        return Noun(f"{word} {noun.one}", f"{word} {noun.many}")

    def regnal(self, number: int, name: str, before: str) -> str:
        if name.lower() in ("war", "bowl", "act", "type", "phase", "wrestlemania"):
            return self.cardinal(number)
        if name.lower() in tables.CARDINAL_NAMES:
            return self.cardinal(number)
        return f"the {self.ordinal(number)}"

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        """21st; a wrong suffix is read as it stands."""
        digits = re.sub(r"\D", "", match["number"])
        number, suffix = int(digits), match["suffix"].lower()
        if digits[0] == "0":
            return f"{self.digits(digits)} {suffix}"
        right = _SUFFIXES.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
        if suffix != right:
            return f"{self.cardinal(number)} {suffix}"
        return self.ordinal(number)

    def room(self, digits: str) -> str:
        """Four zero four, twelve fourteen."""
        if len(digits) == 3 and digits[1] == "0":
            return self.digits(digits) if digits[2] != "0" else self.cardinal(int(digits))
        if len(digits) == 3:
            return f"{self.digit(digits[0])} {self.cardinal(int(digits[1:]))}"
        return self.year(int(digits)) if digits[0] != "0" else self.digits(digits)

    def octet(self, part: str) -> str:
        return self.digits(part)

    def code_part(self, number: int) -> str:
        return spelled("en", number, "cardinal")

    def initials(self, text: str) -> str:
        """In capitals: what the English voices spell."""
        return text

    def vanity(self, letters: str) -> str:
        return letters

    def telephone(self, written: str) -> str:
        return _toll_free(super().telephone(written), written)

    def address_number(self, digits: str) -> str:
        return (
            self.digits(digits)
            if len(digits) > 1 and not digits.endswith("000")
            else self.cardinal(int(digits))
        )

    def code_number(self, digits: str) -> str:
        if digits[0] == "0" or (len(digits) == 3 and digits[1:] != "00") or len(digits) > 4:
            return self.digits(digits)
        if len(digits) == 4 and digits[2:] != "00":
            return self.digits(digits)
        return self.cardinal(int(digits))

    def bare(self, value: int, gender: str, counting: bool, before: str, after: str) -> str:
        return self.cardinal(value)

    def is_house_number(self, behind: str) -> bool:
        return bool(tables.STREET.match(behind))

    def is_after_name(self, name: str, before: str, after: str, following: str) -> bool:
        """Main St., 1428 Elm St., Sunset Dr.: behind a name, and not in front of one as a title."""
        if name in ("st.", "st", "dr.", "dr") and after[:1].isupper() and after.lower() not in self.openers:
            return before[:1].isupper() and following == ","
        return (before[:1].isupper() and before.lower() not in self.openers) or bool(
            re.fullmatch(r"\d+(?:st|nd|rd|th)", before)
        )

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        if name.rstrip(".") in ("n", "s", "e", "w"):
            return spoken if before.isdecimal() and (after[:1].isupper() or after == "1") else None
        return spoken

    def sharp(self, before: str) -> str:
        return "sharp" if before in "CFcf" else "hash"


def _plural(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _toll_free(words: str, written: str) -> str:
    """Eight hundred, at the start of an American number with letters."""
    return re.sub(r"\beight zero zero\b", "eight hundred", words, count=1) if "800-" in written else words


SPEAKS = English
