"""Dutch."""

import re

from pocketvoice.text.normalise.languages import dutch_tables as tables
from pocketvoice.text.normalise.languages.base import Currency, Language, Noun
from pocketvoice.text.normalise.number_words import spelled
from pocketvoice.text.normalise.numerals import Numeral

_NUMBERS_BREAK = re.compile(r"(?<=duizend)(?=\w)|(?<=honderd)(?=\w)")


class Dutch(tables.DutchTables, Language):
    """How Dutch says it."""

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        if number == 1:
            return "één"  # the accent tells it from the article
        if 1100 <= number < 2000 and number % 100 == 0:
            words = spelled("nl", number // 100, "cardinal") + "honderd"
        else:
            words = spelled("nl", number, "cardinal")
        return _NUMBERS_BREAK.sub(" ", words) if self.style.compounds == "spaced" else words

    def ordinal(self, number: int, gender: str = "m") -> str:
        return spelled("nl", number, "ordinal")

    def fraction_digits(self, digits: str, gender: str) -> str:
        """3,14: fourteen; longer ones digit by digit."""
        return self.cardinal(int(digits)) if len(digits) == 2 and digits[0] != "0" else self.digits(digits)

    def is_one(self, numeral: Numeral) -> bool:
        return numeral.integer == 1 and not numeral.fraction

    def year(self, number: int) -> str:
        century, rest = divmod(number, 100)
        if not 1100 <= number < 2000 or not rest:
            return (
                f"{spelled('nl', century, 'cardinal')}honderd"
                if 1100 <= number < 2000
                else self.cardinal(number)
            )
        middle = "honderd" if rest < 10 else ""
        second = spelled("nl", rest, "cardinal")
        return spelled("nl", century, "cardinal") + middle + second

    def is_bare_year(self, number: int, before: str, after: str) -> bool:
        return 1100 <= number < 2000 and bool(before or after)

    def short_year(self, year: str) -> str:
        if len(year) == 4:
            return self.year(int(year))
        return self.year(int(year) + (2000 if int(year) < 70 else 1900))

    def date(self, day: int, month: int, year: str, before: str) -> str:
        words = f"{self.day(day, before)} {self.months[month - 1]}"
        return f"{words} {self.short_year(year)}" if year else words

    def several_days(self, days: list[int], marks: str, month: int, year: str, before: str) -> str:
        joint = " en " if "&" in marks or "/" in marks else " tot "
        first = joint.join(self.day(day, before) for day in days[:-1])
        return f"{first}{joint}{self.date(days[-1], month, year, before)}"

    def is_point_time(self, written: str, suffix: str, before: str, alone: bool) -> bool:
        return bool(suffix) or before == "om"

    def is_hour(self, hour: int, suffix: str) -> bool:
        return suffix not in ("h",)

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        words = f"{self.cardinal(hour)} uur"
        words += f" {self.cardinal(minute)}" if minute else ""
        behind = {"am": " 's ochtends", "pm": " 's middags" if hour < 6 or hour == 12 else " 's avonds"}.get(
            suffix, ""
        )
        return words + behind

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        minutes = self.counted(Numeral(str(minute)), self.units["min"])
        seconds = self.counted(Numeral(str(second)), self.units["s"])
        return f"{self.cardinal(hour)} uur {minutes} en {seconds}"

    def money(self, numeral: Numeral, currency: Currency) -> str:
        cents = self.cents(numeral)
        if cents is None or currency.cent is None:
            return self.counted(numeral, currency.unit)
        if not cents:
            return self.counted(Numeral(numeral.whole or "0"), currency.unit)
        small = self.counted(Numeral(str(cents)), currency.cent)
        if not numeral.integer:
            return small
        head = self.counted(Numeral(numeral.whole or "0"), currency.unit)
        return f"{head} {self.cardinal(cents)}" if currency.unit.one == "euro" else f"{head} en {small}"

    def decade(self, number: int, short: bool) -> str | None:
        return self.cardinal(number)

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        return self.ordinal(int(match["number"].replace(".", "")))

    def fraction(self, top: int, bottom: int) -> str:
        if bottom > 1000 or (bottom > 100 and bottom % 100):
            return f"{self.cardinal(top)} gedeeld door {self.cardinal(bottom)}"
        names = {2: ("half", "halve"), 4: ("kwart", "kwart")}
        one, many = names.get(bottom) or (self.ordinal(bottom), self.ordinal(bottom))
        return f"{'een' if top == 1 else self.cardinal(top)} {one if top == 1 else many}"

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        if (top, bottom) == (1, 2):
            return (
                "anderhalf"
                if whole == 1
                else f"{self.cardinal(whole)}ënhalf"
                if self.cardinal(whole).endswith("e")
                else f"{self.cardinal(whole)}eneenhalf"
            )
        return f"{self.cardinal(whole)} {self.fraction(top, bottom)}"

    def mixed_of(self, noun: Noun, top: int, bottom: int) -> str:
        return noun.one

    def power(self, noun: Noun, exponent: str) -> Noun:
        word = "vierkante" if exponent == "2" else "kubieke"
        return Noun(f"{word} {noun.one}", f"{word} {noun.many}")

    def to_the_power(self, base: str, power: int) -> str:
        if power == 2:
            return f"{base} {self.phrases.squared}"
        return (
            f"{base} tot de {self.ordinal(power)}"
            if power > 0
            else f"{base} tot de macht min {self.cardinal(-power)}"
        )

    def regnal(self, number: int, name: str, before: str) -> str:
        stem = self.ordinal(number)
        return f"de {stem[:1].upper()}{stem[1:]}"

    def score(self, a: int, b: int) -> str | None:
        return f"{self.cardinal(a)} {self.cardinal(b)}"

    def years_to(self, before: str) -> str:
        return "en" if before == "tussen" else "tot"

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        if name in ("min.",) and before.isdecimal():
            return "minuten"
        if name in ("mr.", "pl.", "red.", "geb.") and not after[:1].isupper() and name != "geb.":
            return None
        return spoken


SPEAKS = Dutch
