"""The ways of saying things that most languages share. A language is a subclass with its own tables and ways.

Methods return words to speak. Genders are "m", "f" and "n"; a language without them ignores the argument. A language is
made once a style and never changes.
"""

import re

from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables
from pocketvoice.text.normalise.number_words import LIMIT
from pocketvoice.text.normalise.numerals import Numeral, numeral_pattern, parsed
from pocketvoice.text.normalise.style import Style

__all__ = ["Currency", "Language", "Noun", "Phrases"]


class Language(Tables):
    """One language."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.numeral = numeral_pattern(self.decimal, self.groups)

    def parse(self, text: str) -> Numeral:
        """A number that the pattern `numeral` matched."""
        return parsed(text, self.decimal)

    # Number words

    def cardinal(self, number: int, gender: str = "m", counting: bool = False) -> str:
        """A whole number; `counting` if a noun follows."""
        if number < LIMIT:
            return self.below_limit(number, gender, counting)
        for scale in sorted(self.default_scales, reverse=True):
            head, rest = divmod(number, 10**scale)
            if 0 < head < LIMIT:
                noun = self.default_scales[scale]
                words = f"{self.cardinal(head, noun.gender, True)} {noun.one if head == 1 else noun.many}"
                return f"{words} {self.cardinal(rest, gender, counting)}" if rest else words
        return self.digits(str(number))

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        """A number that the rules know."""
        raise NotImplementedError

    def ordinal(self, number: int, gender: str = "m") -> str:
        """First, second, ..."""
        raise NotImplementedError

    def digits(self, text: str) -> str:
        """Digit by digit; other characters are left out."""
        return " ".join(self.digit(c) for c in text if c.isdecimal())

    def digit(self, digit: str) -> str:
        """One digit by itself."""
        return self.cardinal(int(digit))

    def fraction_digits(self, digits: str, gender: str) -> str:
        """What stands behind the decimal mark."""
        return self.digits(digits)

    def number(self, numeral: Numeral, gender: str = "m", counting: bool = False) -> str:
        """A number as a quantity."""
        whole = numeral.whole or "0"
        if not numeral.fraction:
            return self.cardinal(int(whole), gender, counting)
        mark = self.phrases.point if numeral.mark == "." else self.phrases.comma
        head = self.cardinal(int(whole), gender if not counting else self.decimal_gender(gender))
        return f"{head} {mark} {self.fraction_digits(numeral.fraction, gender)}"

    def decimal_gender(self, gender: str) -> str:
        """The gender of the whole part of a decimal before a noun of `gender`."""
        return gender

    def year(self, number: int) -> str:
        """A year of our era."""
        return self.cardinal(number)

    def is_bare_year(self, number: int, before: str, after: str) -> bool:
        """Whether four digits by themselves are read as a year that sounds unlike the number."""
        return False

    def is_one(self, numeral: Numeral) -> bool:
        """Whether a noun behind it stands in the singular."""
        return numeral.is_one

    def noun(self, noun: Noun, numeral: Numeral) -> str:
        """The noun in the form the number wants."""
        return noun.one if self.is_one(numeral) else noun.many

    def counted(self, numeral: Numeral, noun: Noun) -> str:
        """A number of things."""
        return f"{self.number(numeral, noun.gender, True)} {self.noun(noun, numeral)}"

    def scaled(self, numeral: Numeral, scale: Noun, noun: Noun | None) -> str:
        """1.6 billion dollars; romance languages put `de` in between."""
        words = self.counted(numeral, scale)
        return f"{words} {self.of_scale(noun)}" if noun else words

    def of_scale(self, noun: Noun) -> str:
        """A noun behind million."""
        return noun.many

    def gender_of(self, word: str) -> str:
        """The gender of a noun in the text that a number counts, guessed from its form."""
        return "m"

    # Things made of numbers

    def fraction(self, top: int, bottom: int) -> str:
        """2/3."""
        raise NotImplementedError

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        """2 1/2."""
        return f"{self.cardinal(whole)} {self.phrases.and_} {self.fraction(top, bottom)}"

    def power(self, noun: Noun, exponent: str) -> Noun:
        """Square and cubic units."""
        raise NotImplementedError

    def per(self, noun: Noun) -> str:
        """per hour."""
        return f"{self.phrases.per} {noun.one}"

    def date(self, day: int, month: int, year: str, before: str) -> str:
        """A whole date; `year` is as written, "" for none; `before` is the word in front of it."""
        raise NotImplementedError

    def month_first(self, day: int, month: int, year: str, before: str) -> str:
        """A date written with the month first."""
        return self.date(day, month, year, before)

    def month_year(self, month: int, year: int) -> str:
        """May 1998."""
        return f"{self.months[month - 1]} {self.year(year)}"

    def short_year(self, year: str) -> str:
        """The year of a date as written: two or four digits."""
        number = int(year)
        if len(year) == 2:
            number += 2000 if number < 70 else 1900
        return self.year(number)

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        """A time of day; `suffix` is what follows it in the text (pm, Uhr, h) in small letters without points."""
        raise NotImplementedError

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        """A time of day with seconds."""
        raise NotImplementedError

    def money(self, numeral: Numeral, currency: Currency) -> str:
        """An amount without magnitude."""
        raise NotImplementedError

    def cents(self, numeral: Numeral) -> int | None:
        """The hundredths of an amount; None if it has more digits than money has."""
        tail = numeral.fraction.rstrip("0")
        return int(tail.ljust(2, "0")) if len(tail) <= 2 else None

    def decade(self, number: int, short: bool) -> str | None:
        """The 1990s, the '80s: `number` is 1990 or 80."""
        return None

    def regnal(self, number: int, name: str, before: str) -> str:
        """The number of a king or a pope."""
        return self.ordinal(number)

    def roman_ordinal(self, number: int, before: str, noun: str) -> str:
        """A Roman number with a mark behind it that makes it an ordinal."""
        return self.century(number, noun.lower())

    def roman_before_noun(self, number: int, noun: str) -> str:
        """A Roman number between an article and a noun; "" where that is not a usage."""
        return ""

    def century(self, number: int, noun: str) -> str:
        """The number of a century."""
        return self.ordinal(number)

    def initials(self, text: str) -> str:
        """Letters one by one."""
        return " ".join(c for c in text if c.isalnum())

    # Choices by context

    def takes_loose_unit(self, name: str, spaced: bool, after: str) -> bool:
        """Whether a single letter behind a number is a unit."""
        if spaced and name.isupper() and (after[:1].isupper() or name in "BK"):
            return False
        if name == "d":
            return spaced and not after
        if name == "in":
            return not after
        return name not in ("a", "cd", "C", "F", "M") and (
            spaced or name not in ("A", "K", "J", "N", "B", "t", "s")
        )

    def parse_loosely(self, text: str) -> Numeral:
        """A number whose point is a decimal mark in any language."""
        whole, mark, fraction = text.replace(",", ".").partition(".")
        return Numeral(whole, fraction, mark and self.decimal)

    def mixed_of(self, noun: Noun, top: int, bottom: int) -> str:
        """What 2 1/2 is of."""
        return noun.many

    def fraction_of(self, noun: Noun) -> str:
        """What a fraction is of: a quarter mile."""
        return noun.one

    def day_range_after(self, month: int, first: str, last: str, year: str) -> str:
        """May 3-5."""
        return self.several_days([int(first), int(last)], "-", month, year, "")

    def several_days(self, days: list[int], marks: str, month: int, year: str, before: str) -> str:
        """3-5 May, 17/18 June: the last with its month."""
        joint = f" {self.phrases.to} " if set(marks) <= set("-–.") and len(days) == 2 else " "
        if marks.strip(".") == "&":
            joint = f" {self.phrases.and_} "
        first = joint.join(self.day(day, before) for day in days[:-1])
        return f"{first}{joint}{self.date(days[-1], month, year, before)}"

    def day(self, day: int, before: str) -> str:
        """The day of a date by itself."""
        return self.cardinal(day)

    def is_month_word(self, month: str, year: str, after: str) -> bool:
        """Whether what stands behind a day is a month and no other word."""
        return True

    def is_short_date(self, written: str, before: str, alone: bool, after: str) -> bool:
        """Whether 3.10. is a date."""
        return False

    def is_point_time(self, written: str, suffix: str, before: str, alone: bool) -> bool:
        """Whether 14.30 is a time."""
        return bool(suffix) or before in self.point_time_words

    def is_hour(self, hour: int, suffix: str) -> bool:
        """Whether a whole number with a suffix is a time of day and no duration."""
        return True

    def groups_are_phone(self, written: str, before: str, alone: bool) -> bool:
        """Whether 123-4567 is a telephone number."""
        is_years = all(len(part) == 4 and 1000 <= int(part) < 2200 for part in written.split("-"))
        return before.rstrip(".:") in self.phone_words or (alone and not is_years)

    def telephone(self, written: str) -> str:
        """A telephone number, its groups parted by commas."""
        plus = f"{self.phrases.plus} " if written.startswith("+") else ""
        groups = re.findall(r"[A-Z]+|\d+", written)
        return plus + ", ".join(self.digits(g) if g.isdecimal() else self.vanity(g) for g in groups)

    def vanity(self, letters: str) -> str:
        """Letters in a telephone number."""
        return letters if len(letters) > 1 else self.initials(letters)

    def octet(self, part: str) -> str:
        """A part of an IP address."""
        return self.digits(part)

    def to_the_power(self, base: str, power: int) -> str:
        """x², 10^6."""
        phrases = self.phrases
        if power in (2, 3):
            return f"{base} {phrases.squared if power == 2 else phrases.cubed}"
        minus = f"{phrases.minus} " if power < 0 else ""
        return f"{base} {phrases.power} {minus}{self.cardinal(abs(power))}"

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        """What `ordinal_pattern` matched."""
        return None

    def year_end(self, start: int, end: int) -> str:
        """The second year of 1960-80."""
        return self.cardinal(end)

    def years_to(self, before: str) -> str:
        """Between two years."""
        return self.phrases.to

    def score(self, a: int, b: int) -> str | None:
        """3:2, 3-2."""
        return f"{self.cardinal(a)} {self.cardinal(b)}"

    def code_digits(self, digits: str) -> str:
        """A number read digit by digit because of what it is."""
        return self.digits(digits)

    def room(self, digits: str) -> str:
        """The number of a room or a flight."""
        return self.cardinal(int(digits)) if digits[0] != "0" else self.digits(digits)

    def is_counted(self, after: str) -> bool:
        """Whether the word behind a number may be what it counts."""
        return True

    def bare(self, value: int, gender: str, counting: bool, before: str, after: str) -> str:
        """A whole number with nothing about it but words."""
        return self.cardinal(value, gender, counting)

    def is_house_number(self, behind: str) -> bool:
        """Whether a street's name follows a number of three digits, so that it is read in two parts."""
        return False

    def is_word(self, label: str, end: str) -> bool:
        """Whether `label.end` is rather two sentences than an address."""
        return (
            end
            in (
                "it",
                "in",
                "me",
                "no",
                "at",
                "is",
                "be",
                "so",
                "us",
                "de",
                "es",
                "as",
                "la",
                "se",
                "ne",
                "le",
            )
            and not label.isascii()
        )

    def address_number(self, digits: str) -> str:
        """Digits in an address."""
        return self.cardinal(int(digits)) if len(digits) <= 2 and digits[0] != "0" else self.digits(digits)

    def code_number(self, digits: str) -> str:
        """Digits in a word with letters: short ones as a number."""
        if digits[0] == "0" or len(digits) > 2:
            return self.digits(digits)
        return self.cardinal(int(digits))

    def code_part(self, number: int) -> str:
        """A part of a serial number."""
        return self.cardinal(number)

    def split_words(self, parts: list[str]) -> list[str]:
        """Words written together in small letters, taken apart where they are known."""
        return [
            self.initials(p) if p.isupper() and len(p) > 1 and p not in self.acronyms else p for p in parts
        ]

    def is_after_name(self, name: str, before: str, after: str, following: str) -> bool:
        """Whether an abbreviation stands behind a name: Main St., Sunset Dr."""
        return before[:1].isupper()

    def title_before(self, spoken: str, name: str) -> str:
        """A title in the form that the name behind it asks for."""
        return spoken

    def is_roman_next(self, after: str) -> bool:
        """Whether the next word may be a Roman number."""
        return bool(after) and set(after) <= set("IVXLC")

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        """The spoken form of an abbreviation, or None if it is none here; `after` is "1" if a number follows."""
        return spoken

    def sharp(self, before: str) -> str:
        """# behind a letter: C#."""
        return self.phrases.hash
