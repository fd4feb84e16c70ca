"""French, as in France: soixante-dix, quatre-vingts."""

import re

from pocketvoice.text.normalise.languages import french_tables as tables
from pocketvoice.text.normalise.languages.base import Currency, Noun
from pocketvoice.text.normalise.languages.romance import Romance
from pocketvoice.text.normalise.number_words import spelled
from pocketvoice.text.normalise.numerals import Numeral

_ENDINGS = (
    "tion",
    "tions",
    "sion",
    "sions",
    "té",
    "tés",
    "ée",
    "ées",
    "ette",
    "ettes",
    "ance",
    "ances",
    "ence",
    "ences",
    "ure",
    "ures",
    "esse",
    "esses",
    "ille",
    "illes",
    "elle",
    "elles",
    "ude",
    "udes",
    "aison",
    "aisons",
    "ade",
    "ades",
)


class French(tables.FrenchTables, Romance):
    """How French says it."""

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        rule = "cardinal-feminine" if gender == "f" else "cardinal-masculine"
        return spelled("fr", number, rule).replace("-et-", " et ")

    def ordinal(self, number: int, gender: str = "m") -> str:
        if number == 1:
            return "première" if gender == "f" else "premier"
        return spelled("fr", number, "ordinal-feminine" if gender == "f" else "ordinal-masculine").replace(
            "-et-", " et "
        )

    def is_one(self, numeral: Numeral) -> bool:
        """The plural begins at two."""
        return numeral.integer < 2

    def fraction_digits(self, digits: str, gender: str) -> str:
        """3,05: zero five; 3,14: fourteen; 24,1313: in pairs."""
        zeros = len(digits) - len(digits.lstrip("0"))
        if zeros == len(digits) or len(digits) > 6:
            return self.digits(digits)
        rest = digits[zeros:]
        head = " ".join([self.digit("0")] * zeros)
        tail = self.cardinal(int(rest)) if len(rest) <= 3 else self.in_pairs(rest)
        return f"{head} {tail}" if head else tail

    def decimal_gender(self, gender: str) -> str:
        return "m"

    def gender_of(self, word: str) -> str:
        return self.gendered(word, tables.FEMININE, tables.MASCULINE, _ENDINGS)

    def date(self, day: int, month: int, year: str, before: str) -> str:
        words = f"{self.day(day, before)} {self.months[month - 1]}"
        return f"{words} {self.short_year(year)}" if year else words

    def day(self, day: int, before: str) -> str:
        return "premier" if day == 1 else self.cardinal(day)

    def several_days(self, days: list[int], marks: str, month: int, year: str, before: str) -> str:
        """Les dix-sept dix-huit juin; du trois au cinq mai."""
        joint = (
            " au "
            if before == "du"
            else " à "
            if set(marks) <= set("-–") and len(days) == 2
            else " et "
            if "&" in marks
            else " "
        )
        first = joint.join(self.day(day, before) for day in days[:-1])
        return f"{first}{joint}{self.date(days[-1], month, year, before)}"

    def is_short_date(self, written: str, before: str, alone: bool, after: str) -> bool:
        return (
            (
                before
                in (
                    "le",
                    "du",
                    "au",
                    "dès",
                    "lundi",
                    "mardi",
                    "mercredi",
                    "jeudi",
                    "vendredi",
                    "samedi",
                    "dimanche",
                )
                or alone
            )
            and len(written) >= 5
            and written.rstrip(".")[-3] == "."
        )

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        number, suffix = int(match["number"]), match["suffix"]
        if number == 2 and suffix in ("nd", "nde"):
            return "second" if suffix == "nd" else "seconde"
        if number == 1 and suffix in ("e", "es", "è", "ème"):
            return "unième" if suffix != "es" else None
        gender = "f" if suffix in ("re", "ère", "res", "ères", "nde") else "m"
        plural = "s" if suffix in ("ers", "res", "ères", "ièmes", "èmes", "es") else ""
        return self.ordinal(number, gender) + plural

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        heure = "heure" if hour < 2 else "heures"
        words = f"{self.cardinal(hour, 'f')} {heure}"
        zone = suffix if suffix in ("utc", "gmt", "cet") else ""
        words += f" {self.cardinal(minute, 'f')}" if minute else ""
        return f"{words} {self.initials(zone.upper())}" if zone else words

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        minutes = self.counted(Numeral(str(minute)), self.units["min"])
        seconds = self.counted(Numeral(str(second)), self.units["s"])
        return f"{self.clock(hour, 0, suffix, before)} {minutes} et {seconds}"

    def with_cents(self, head: str, small: str, cents: int, currency: Currency) -> str:
        return f"{head} {self.cardinal(cents)}" if currency.unit.one == "euro" else f"{head} et {small}"

    def scaled(self, numeral: Numeral, scale: Noun, noun: Noun | None) -> str:
        if scale.one == "mille":
            head = self.number(numeral)
            return f"{head} mille" + (f" {noun.many}" if noun else "")
        return super().scaled(numeral, scale, noun)

    def decade(self, number: int, short: bool) -> str | None:
        return self.cardinal(number)

    def fraction(self, top: int, bottom: int) -> str:
        names = {2: ("demi", "demis"), 3: ("tiers", "tiers"), 4: ("quart", "quarts")}
        if bottom > 1000 or top > bottom * 20 or (bottom == 20 and top > 1):
            return f"{self.cardinal(top)} sur {self.cardinal(bottom)}"
        one, many = names.get(bottom) or (self.ordinal(bottom), f"{self.ordinal(bottom)}s")
        return f"{self.cardinal(top)} {one if top == 1 else many}"

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        part = "demi" if (top, bottom) == (1, 2) else self.fraction(top, bottom)
        return f"{self.cardinal(whole)} et {part}"

    def fraction_of(self, noun: Noun) -> str:
        return f"de {noun.one}"

    def power(self, noun: Noun, exponent: str) -> Noun:
        word = "carré" if exponent == "2" else "cube"
        return Noun(f"{noun.one} {word}", f"{noun.many} {word}s", noun.gender)

    def regnal(self, number: int, name: str, before: str) -> str:
        return (
            ("première" if name.lower() in ("élisabeth", "elisabeth", "catherine") else "premier")
            if number == 1
            else self.cardinal(number)
        )

    def roman_ordinal(self, number: int, before: str, noun: str) -> str:
        return self.ordinal(number, self.gender_of(noun) if noun.lower() != "siècle" else "m")

    def code_number(self, digits: str) -> str:
        return self.digits(digits) if digits[0] == "0" or len(digits) > 3 else self.cardinal(int(digits))

    def telephone(self, written: str) -> str:
        """In pairs, as they are written."""
        plus = "plus " if written.startswith("+") else ""
        groups = re.findall(r"\d+", written)
        return plus + ", ".join(self._group(group) for group in groups)

    def _group(self, group: str) -> str:
        if len(group) > 3:
            return self.in_pairs(group) if len(group) % 2 == 0 else self.digits(group)
        zeros = len(group) - len(group.lstrip("0"))
        tail = group[zeros:]
        return " ".join([*["zéro"] * zeros, *([self.cardinal(int(tail))] if tail else [])])

    def of_scale(self, noun: Noun) -> str:
        return f"d'{noun.many}" if noun.many[0] in "aeiouéh" else f"de {noun.many}"

    def is_after_name(self, name: str, before: str, after: str, following: str) -> bool:
        return False

    def score(self, a: int, b: int) -> str | None:
        return f"{self.cardinal(a)} à {self.cardinal(b)}"

    def years_to(self, before: str) -> str:
        return "et" if before == "entre" else "à"

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        if (
            name in ("me", "st", "ste", "st.", "ste.", "sts", "pr", "dre", "dres", "drs")
            and not after[:1].isupper()
        ):
            return spoken if name in ("dres", "dre", "drs") and not after else None
        return spoken


SPEAKS = French
