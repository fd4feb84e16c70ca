"""Portuguese."""

import re

from pocketvoice.text.normalise.languages import portuguese_tables as tables
from pocketvoice.text.normalise.languages.base import Currency, Noun
from pocketvoice.text.normalise.languages.romance import Romance
from pocketvoice.text.normalise.number_words import spelled
from pocketvoice.text.normalise.numerals import Numeral

_ENDINGS = (
    "a",
    "as",
    "ã",
    "ãs",
    "ção",
    "ções",
    "são",
    "sões",
    "dade",
    "dades",
    "tude",
    "gem",
    "gens",
    "ez",
    "ice",
    "ie",
    "ies",
)
_RULES = {"m": "cardinal-masculine", "f": "cardinal-feminine", "n": "cardinal-masculine"}
_SCALES = {
    6: ("milhão", "milhões"),
    9: ("bilhão", "bilhões"),
    12: ("trilhão", "trilhões"),
    15: ("quatrilhão", "quatrilhões"),
}
_DAYTIME = re.compile(r"(?:hs?)?(da)(manhã|tarde|noite|madrugada)\Z")


class Portuguese(tables.PortugueseTables, Romance):
    """How Portuguese says it."""

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        """`e` stands before the last group if that is below a hundred or a round hundred."""
        if number < 1000:
            return spelled("pt", number, _RULES[gender])
        groups = [
            (power, number // 10**power % 1000) for power in range(15, -1, -3) if number // 10**power % 1000
        ]
        words = [self._group(power, value, gender) for power, value in groups]
        last = groups[-1][1]
        link = " e " if len(words) > 1 and (last < 100 or last % 100 == 0) else " "
        return link.join(filter(None, (" ".join(words[:-1]), words[-1])))

    def _group(self, power: int, value: int, gender: str) -> str:
        if power == 0:
            return spelled("pt", value, _RULES[gender])
        if power == 3:
            return "mil" if value == 1 else f"{spelled('pt', value, _RULES[gender])} mil"
        one, many = _SCALES[power]
        return f"{spelled('pt', value, 'cardinal-masculine')} {one if value == 1 else many}"

    def ordinal(self, number: int, gender: str = "m") -> str:
        return spelled("pt", number, "ordinal-feminine" if gender == "f" else "ordinal-masculine")

    def gender_of(self, word: str) -> str:
        return self.gendered(word, tables.FEMININE, tables.MASCULINE, _ENDINGS)

    def is_counted(self, after: str) -> bool:
        return after.lower() not in (
            "de",
            "e",
            "ou",
            "a",
            "em",
            "por",
            "mais",
            "menos",
            "que",
            "é",
            "são",
            "com",
            "para",
            "da",
            "do",
            "foi",
            "era",
            "até",
            "na",
            "no",
            "as",
            "às",
        )

    def date(self, day: int, month: int, year: str, before: str) -> str:
        words = f"{self.day(day, before)} de {self.months[month - 1]}"
        return f"{words} de {self.short_year(year)}" if year else words

    def day(self, day: int, before: str) -> str:
        return "primeiro" if day == 1 else self.cardinal(day)

    def month_year(self, month: int, year: int) -> str:
        return f"{self.months[month - 1]} de {self.year(year)}"

    def several_days(self, days: list[int], marks: str, month: int, year: str, before: str) -> str:
        joint = " e " if "&" in marks or "/" in marks else " a "
        first = joint.join(self.day(day, before) for day in days[:-1])
        return f"{first}{joint}{self.date(days[-1], month, year, before)}"

    def is_month_word(self, month: str, year: str, after: str) -> bool:
        return month.lower() not in ("mar", "set", "out", "mai") or bool(year)

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        number, suffix = int(re.sub(r"\D", "", match["number"])), match["suffix"]
        if not number or (suffix in ("a", "o", "as", "os") and (number > 100 or not after)):
            return None
        plural = "s" if suffix in ("os", "as") else ""
        return self.ordinal(number, "f" if suffix in ("ª", "a", "as") else "m") + plural

    def is_hour(self, hour: int, suffix: str) -> bool:
        return suffix in ("h", "hs", "hr", "hrs") or bool(_DAYTIME.match(suffix)) or suffix in ("am", "pm")

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        """Twelve hours and thirty; of the afternoon in twelve hours."""
        hour, behind = self._of_day(hour, suffix)
        words = f"{self.cardinal(hour, 'f')} {'hora' if hour == 1 else 'horas'}"
        return (f"{words} e {self.cardinal(minute)}" if minute else words) + behind

    def _of_day(self, hour: int, suffix: str) -> tuple[int, str]:
        match = _DAYTIME.match(suffix)
        if match:
            if match[2] == "tarde" and 12 < hour < 19:
                hour -= 12
            return hour, f" da {match[2]}"
        if suffix in ("am", "pm"):
            return (
                hour,
                " da manhã" if suffix == "am" else " da tarde" if hour < 7 or hour == 12 else " da noite",
            )
        return hour, ""

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        hour, behind = self._of_day(hour, suffix)
        parts = ((hour, "h"), (minute, "min"), (second, "s"))
        return " e ".join(self._counted_plural(number, unit) for number, unit in parts) + behind

    def _counted_plural(self, number: int, unit: str) -> str:
        """Zero takes the plural here."""
        noun = self.units[unit]
        return f"{self.cardinal(number, noun.gender)} {noun.one if number == 1 else noun.many}"

    def decade(self, number: int, short: bool) -> str | None:
        return self.cardinal(number)

    def fraction(self, top: int, bottom: int) -> str:
        special = {2: "meio", 3: "terço"}.get(bottom)
        if special or bottom <= 10 or bottom in (100, 1000):
            name = special or self.ordinal(bottom)
            return f"{self.cardinal(top)} {name}{'' if top == 1 else 's'}"
        if bottom > 1000:
            return f"{self.cardinal(top)} sobre {self.cardinal(bottom)}"
        return f"{self.cardinal(top)} {self.cardinal(bottom)} avos"

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        part = "meio" if (top, bottom) == (1, 2) else self.fraction(top, bottom)
        return f"{self.cardinal(whole)} e {part}"

    def fraction_of(self, noun: Noun) -> str:
        return f"de {noun.one}"

    def mixed_of(self, noun: Noun, top: int, bottom: int) -> str:
        return f"de {noun.one}" if (top, bottom) != (1, 2) else noun.many

    def power(self, noun: Noun, exponent: str) -> Noun:
        word = {"2": "quadrad", "3": "cúbic"}[exponent] + ("a" if noun.gender == "f" else "o")
        return Noun(f"{noun.one} {word}", f"{noun.many} {word}s", noun.gender)

    def regnal(self, number: int, name: str, before: str) -> str:
        if number > 10:
            return self.cardinal(number)
        return self.ordinal(number, "f" if name.lower() in tables.FEMININE_NAMES else "m")

    def century(self, number: int, noun: str) -> str:
        return self.ordinal(number) if number <= 10 else self.cardinal(number)

    def roman_before_noun(self, number: int, noun: str) -> str:
        return self.ordinal(number, self.gender_of(noun))

    def score(self, a: int, b: int) -> str | None:
        return f"{self.cardinal(a)} a {self.cardinal(b)}"

    def years_to(self, before: str) -> str:
        return "e" if before == "entre" else "a"

    def with_cents(self, head: str, small: str, cents: int, currency: Currency) -> str:
        return f"{head} e {small}"

    def is_one(self, numeral: Numeral) -> bool:
        return numeral.integer == 1 and not numeral.fraction.strip("0")

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        if name in ("r.", "min.", "ap.", "dep.", "sec.", "pres.", "ed.", "eng.") and not after[:1].isupper():
            return {"min.": "minutos"}.get(name) if before.isdecimal() else None
        return spoken


SPEAKS = Portuguese
