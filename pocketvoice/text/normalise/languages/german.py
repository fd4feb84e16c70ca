"""German."""

import re

from pocketvoice.text.normalise.languages import german_tables as tables
from pocketvoice.text.normalise.languages.base import Currency, Language, Noun
from pocketvoice.text.normalise.number_words import spelled
from pocketvoice.text.normalise.numerals import Numeral

_TENS = "zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig"
_AND = re.compile(rf"(?<=[a-zß])und(?={_TENS})")
_LARGE = re.compile(r"(hundert|tausend)(?=\w)(?!ste)|(?<=\w)(hundert|tausend)(?!ste)")
_GENDERED = {"f": "cardinal-feminine", "m": "cardinal-neuter", "n": "cardinal-neuter"}


class German(tables.GermanTables, Language):
    """How German says it."""

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        return self._spaced(spelled("de", number, _GENDERED[gender] if counting else "numbering"))

    def _spaced(self, words: str) -> str:
        """With spaces in compound numbers, if the style wants them."""
        if self.style.compounds == "joined":
            return words
        return " ".join(_LARGE.sub(r" \1\2 ", _AND.sub(" und ", words)).split())

    def ordinal(self, number: int, gender: str = "m") -> str:
        """zweite; the ending is put behind by `_ordinal_with`."""
        if number > 999_999:
            return self._spaced(spelled("de", number, "ordinal").replace(" ", "").lower())
        return self._spaced(spelled("de", number, "ordinal"))

    def year(self, number: int) -> str:
        rule = "numbering-year" if 1100 <= number < 2000 else "numbering"
        return self._spaced(spelled("de", number, rule))

    def is_bare_year(self, number: int, before: str, after: str) -> bool:
        if not 1100 <= number < 2000 or not (before or after):
            return False
        return before in ("im", "jahr", "jahre", "seit", "anno", "jahres") or not after[:1].isupper()

    def digit(self, digit: str) -> str:
        return spelled("de", int(digit), "numbering")

    def is_one(self, numeral: Numeral) -> bool:
        return numeral.integer == 1 and not numeral.fraction

    def counted(self, numeral: Numeral, noun: Noun) -> str:
        if numeral.fraction:
            return f"{self.number(numeral)} {noun.many}"
        return super().counted(numeral, noun)

    def gender_of(self, word: str) -> str:
        lower = word.lower()
        if lower in tables.FEMININE or re.search(r"(?:ung|heit|keit|schaft|tion|ität|anz|enz|in)\Z", lower):
            return "f"
        if lower in tables.NEUTER or re.search(r"(?:chen|lein|ment|um)\Z", lower):
            return "n"
        return "f" if lower.endswith("e") and word[:1].isupper() else "m"

    def is_counted(self, after: str) -> bool:
        return after[:1].isupper()

    def date(self, day: int, month: int, year: str, before: str) -> str:
        words = f"{self._ordinal_with(day, before)} {self.months[month - 1]}"
        return f"{words} {self.short_year(year)}" if year else words

    def short_year(self, year: str) -> str:
        if len(year) == 4:
            return self.year(int(year))
        return self.year(int(year) + (2000 if int(year) < 70 else 1900))

    def day(self, day: int, before: str) -> str:
        return self._ordinal_with(day, before)

    def _ordinal_with(self, number: int, before: str, noun: str = "") -> str:
        """The ordinal with the ending that the word in front of it asks for."""
        stem = self.ordinal(number)
        if before in tables.DATIVE:
            return stem + "n"
        if before in tables.WEAK or (noun and self.gender_of(noun) == "f"):
            return stem
        return stem + ("s" if noun and self.gender_of(noun) == "n" else "r")

    def is_short_date(self, written: str, before: str, alone: bool, after: str) -> bool:
        pointed = written.endswith(".")
        if before in ("am", "vom", "zum", "bis", "ab", "den", "dem", "seit", "und"):
            return pointed or before in ("am", "vom", "zum")
        return (pointed and before not in self.numbered and before not in self.version_words) or alone

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        if match["suffixed"]:
            ending = match["suffix"].removeprefix("s").removeprefix("te")
            return self.ordinal(int(match["suffixed"])) + ending
        number, noun = int(match["number"]), after.lower()
        if (
            before in tables.DATIVE
            and number < 1000
            and before not in ("und", "bis", "ab", "den")
            and after[:1].isalpha()
        ):
            return (
                self._ordinal_with(number, before)
                if after[:1].isupper() or before in ("am", "im", "zum", "vom", "beim")
                else None
            )
        if before == "als" and number < 100 and after[:1].islower():
            return self.ordinal(number) + "r"  # kam als 1. ins Ziel
        of_many = noun in ("von", "des", "der", "aus", "im", "in") and before in ("der", "die", "das")
        if of_many or noun in tables.AFTER_ORDINAL or (before in tables.WEAK and after[:1].isupper()):
            return self._ordinal_with(number, before, after)
        return None

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        if before in ("dauer", "dauert", "fahrzeit", "laufzeit", "spielzeit") and minute:
            return f"{self.counted(Numeral(str(hour)), self.units['h'])} {self.counted(Numeral(str(minute)), self.units['min'])}"
        head = "ein" if hour == 1 else self.cardinal(hour)
        words = f"{head} Uhr {self.cardinal(minute)}" if minute else f"{head} Uhr"
        zone = suffix.removeprefix("uhr").removeprefix("h")
        return f"{words} {self.initials(zone)}" if zone else words

    def is_hour(self, hour: int, suffix: str) -> bool:
        return suffix.startswith("uhr")

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        head = self.clock(hour, 0, "uhr", before)
        minutes = self.counted(Numeral(str(minute)), self.units["min"])
        seconds = self.counted(Numeral(str(second)), self.units["s"])
        zone = suffix.removeprefix("uhr")
        return f"{head} {minutes} {seconds}" + (f" {self.initials(zone)}" if zone else "")

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
        return f"{head} {self.cardinal(cents)}" if currency.unit.one == "Euro" else f"{head} {small}"

    def decade(self, number: int, short: bool) -> str | None:
        return f"{self.cardinal(number)}er" if short or number >= 2000 else f"{self.year(number)}er"

    def fraction(self, top: int, bottom: int) -> str:
        if bottom == 2:
            return "ein halb" if top == 1 else f"{self.cardinal(top)} halbe"
        if bottom > 1000 or (bottom > 100 and bottom % 100):
            return f"{self.cardinal(top)} durch {self.cardinal(bottom)}"
        head = "ein" if top == 1 else self.cardinal(top)
        return f"{head} {self._part(bottom)}"

    def _part(self, bottom: int) -> str:
        special = {3: "Drittel", 7: "Siebtel", 8: "Achtel"}.get(bottom)
        if special:
            return special
        words = self.ordinal(bottom).removesuffix("e") + "el"
        return words if " " in words else words[:1].upper() + words[1:]

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        if (top, bottom) == (1, 2):
            return "eineinhalb" if whole == 1 else f"{self.cardinal(whole)}einhalb"
        return f"{self.cardinal(whole)} {self.fraction(top, bottom)}"

    def power(self, noun: Noun, exponent: str) -> Noun:
        word = "Quadrat" if exponent == "2" else "Kubik"
        space = " " if self.style.compounds == "spaced" else ""
        return Noun(f"{word}{space}{noun.one.lower()}", f"{word}{space}{noun.many.lower()}", noun.gender)

    def regnal(self, number: int, name: str, before: str) -> str:
        """Ludwig der Vierzehnte, von Ludwig dem Vierzehnten, Ludwigs des Vierzehnten."""
        stem = self.ordinal(number)
        stem = stem[:1].upper() + stem[1:]
        is_queen = name.lower() in ("elisabeth", "katharina", "maria", "margarethe", "victoria", "königin")
        if name.endswith("s") and name.lower() not in (
            "nikolaus",
            "johannes",
            "pius",
            "franziskus",
            "julius",
            "clemens",
        ):
            return f"des {stem}n"
        if before in tables.WITH_DATIVE:
            return f"der {stem}n" if is_queen else f"dem {stem}n"
        if before in tables.FOR_ACCUSATIVE:
            return f"die {stem}" if is_queen else f"den {stem}n"
        return f"die {stem}" if is_queen else f"der {stem}"

    def century(self, number: int, noun: str) -> str:
        return self.ordinal(number) + "r"

    def roman_ordinal(self, number: int, before: str, noun: str) -> str:
        """II. Weltkrieg."""
        return self._ordinal_with(number, before, noun)

    def telephone(self, written: str) -> str:
        """The code of the country is a number."""
        match = re.match(r"\+(\d{1,3})(?=\D)", written)
        if not match:
            return super().telephone(written)
        return f"plus {self.cardinal(int(match[1]))}, {super().telephone(written[match.end() :])}"

    def score(self, a: int, b: int) -> str | None:
        return f"{self.cardinal(a)} zu {self.cardinal(b)}"

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        if name in ("min.", "std.") and before.isdecimal():
            return "Minuten" if name == "min." else "Stunden"
        if name in ("i. a.", "i.a.") and after[:1].isupper():
            return "im Auftrag"
        return spoken


SPEAKS = German
