"""Spanish."""

import re

from pocketvoice.text.normalise.languages import spanish_tables as tables
from pocketvoice.text.normalise.languages.base import Currency, Noun
from pocketvoice.text.normalise.languages.romance import Romance
from pocketvoice.text.normalise.number_words import spelled
from pocketvoice.text.normalise.numerals import Numeral

_UNITS = ("", "primero", "segundo", "tercero", "cuarto", "quinto", "sexto", "séptimo", "octavo", "noveno")
_TENS = (
    "",
    "décimo",
    "vigésimo",
    "trigésimo",
    "cuadragésimo",
    "quincuagésimo",
    "sexagésimo",
    "septuagésimo",
    "octogésimo",
    "nonagésimo",
)
_HUNDREDS = (
    "", "centésimo", "ducentésimo", "tricentésimo", "cuadringentésimo", "quingentésimo",
    "sexcentésimo", "septingentésimo", "octingentésimo", "noningentésimo",
)  # fmt: skip
_FUSED = {1: "decimo", 2: "vigesimo"}
_RULES = {"m": "cardinal-masculine", "f": "cardinal-feminine"}
_ENDINGS = (
    "a",
    "as",
    "ión",
    "iones",
    "dad",
    "dades",
    "tad",
    "tades",
    "tud",
    "triz",
    "ez",
    "umbre",
    "ie",
    "ies",
)


class Spanish(tables.SpanishTables, Romance):
    """How Spanish says it."""

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        if gender == "f":
            return self._feminine(number)
        return spelled("es", number, "cardinal-masculine" if counting and gender == "m" else "numbering")

    def _feminine(self, number: int) -> str:
        """doscientas mil: the library leaves thousands masculine."""
        thousands, rest = divmod(number, 1000)
        if not 1 < thousands < 1000:
            return spelled("es", number, "cardinal-feminine")
        rule = "cardinal-masculine" if thousands % 10 == 1 else "cardinal-feminine"
        words = f"{spelled('es', thousands, rule)} mil"
        return f"{words} {spelled('es', rest, 'cardinal-feminine')}" if rest else words

    def number(self, numeral: Numeral, gender: str = "m", counting: bool = False) -> str:
        words = super().number(numeral, gender, counting)
        return words.removesuffix("o") if counting and gender == "m" and words.endswith(" uno") else words

    def ordinal(self, number: int, gender: str = "m") -> str:
        """Fused in the tens of ten and twenty, in two words from thirty on."""
        words = self._ordinal(number)
        return re.sub(r"o(?=\s|\Z)", "a", words) if gender == "f" else words

    def _ordinal(self, number: int) -> str:
        thousands, rest = divmod(number, 1000)
        if number >= 10**6:
            return f"{self.cardinal(number)}"
        parts = []
        if thousands:
            parts.append(
                "milésimo"
                if thousands == 1
                else self.cardinal(thousands, "m", True).replace(" ", "") + "milésimo"
            )
        parts.append(_HUNDREDS[rest // 100])
        tens, units = divmod(rest % 100, 10)
        if tens in _FUSED and units:
            fused = _FUSED[tens] + _UNITS[units]
            parts.append(fused.replace("oo", "o"))
        else:
            parts += [_TENS[tens], _UNITS[units]]
        return " ".join(filter(None, parts))

    def digit(self, digit: str) -> str:
        return spelled("es", int(digit), "numbering")

    def decimal_gender(self, gender: str) -> str:
        return "f" if gender == "f" else "n"

    def fraction_digits(self, digits: str, gender: str) -> str:
        zeros = len(digits) - len(digits.lstrip("0"))
        if len(digits) > 3 or zeros == len(digits):
            return self.in_pairs(digits) if zeros < len(digits) else self.digits(digits)
        head = " ".join(["cero"] * zeros)
        gender = "f" if gender == "f" else "n"
        return f"{head} {self.cardinal(int(digits), gender)}".strip()

    def gender_of(self, word: str) -> str:
        return self.gendered(word, tables.FEMININE, tables.MASCULINE, _ENDINGS)

    def is_counted(self, after: str) -> bool:
        """Words that are no nouns leave `uno` as it is."""
        return after.lower() not in (
            "de",
            "y",
            "o",
            "a",
            "en",
            "por",
            "más",
            "menos",
            "que",
            "es",
            "son",
            "con",
            "para",
            "del",
            "al",
            "el",
            "la",
            "fue",
            "era",
            "hasta",
            "se",
            "sobre",
        )

    def bare(self, value: int, gender: str, counting: bool, before: str, after: str) -> str:
        return (
            "una"
            if value == 1 and before == "la" and not counting
            else super().bare(value, gender, counting, before, after)
        )

    def date(self, day: int, month: int, year: str, before: str) -> str:
        words = f"{self.day(day, before)} de {self.months[month - 1]}"
        return f"{words} de {self.short_year(year)}" if year else words

    def day(self, day: int, before: str) -> str:
        return "primero" if day == 1 else self.cardinal(day)

    def month_year(self, month: int, year: int) -> str:
        return f"{self.months[month - 1]} de {self.year(year)}"

    def several_days(self, days: list[int], marks: str, month: int, year: str, before: str) -> str:
        joint = " al " if before == "del" else " y " if "&" in marks or "/" in marks else " a "
        first = joint.join(self.day(day, before) for day in days[:-1])
        return f"{first}{joint}{self.date(days[-1], month, year, before)}"

    def is_month_word(self, month: str, year: str, after: str) -> bool:
        return month.lower() not in ("mar", "set", "may") or bool(year)

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        number, suffix = int(re.sub(r"\D", "", match["number"])), match["suffix"]
        if (
            not number
            or number > 999_999
            or (suffix in ("no", "na", "do", "da", "mo", "ma", "as", "os", "to", "ta") and number > 100)
        ):
            return None
        words = self.ordinal(
            number, "f" if suffix in ("ª", "ra", "era", "da", "ta", "ma", "va", "na", "as") else "m"
        )
        return self._short(words) if suffix == "er" else words

    @staticmethod
    def _short(words: str) -> str:
        """primer, tercer: in front of a noun."""
        return re.sub(r"(primer|tercer)o\Z", r"\1", words)

    def is_point_time(self, written: str, suffix: str, before: str, alone: bool) -> bool:
        return super().is_point_time(written, suffix, before, alone) or alone

    def is_hour(self, hour: int, suffix: str) -> bool:
        return suffix not in ("h", "hs", "hrs", "horas")

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        words = self.cardinal(hour, "f")
        if minute:
            part = {15: "cuarto", 30: "media"}.get(minute) or self.cardinal(minute)
            words += f" y {part}"
        return words + self._suffix(hour, suffix)

    def _suffix(self, hour: int, suffix: str) -> str:
        """Of the morning, of the afternoon; a zone."""
        match = re.match(r"(am|pm)?(?:(gmt|utc|est|pst|cet)([+-][\d:]+)?)?\Z", suffix)
        if not match:
            return ""
        words = {
            "am": " de la mañana",
            "pm": " de la tarde" if hour < 8 or hour == 12 else " de la noche",
        }.get(match[1] or "", "")
        if match[2]:
            words += f" {self.initials(match[2])}"
        if match[3]:
            sign = self.phrases.minus if match[3][0] == "-" else self.phrases.plus
            words += f" {sign} " + " ".join(self.cardinal(int(part)) for part in match[3][1:].split(":"))
        return words

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        hours = self.counted(Numeral(str(hour)), self.units["h"])
        minutes = self.counted(Numeral(str(minute)), self.units["min"])
        seconds = self.counted(Numeral(str(second)), self.units["s"])
        return f"{hours} {minutes} y {seconds}{self._suffix(hour, suffix)}"

    def with_cents(self, head: str, small: str, cents: int, currency: Currency) -> str:
        return f"{head} con {small}"

    def decade(self, number: int, short: bool) -> str | None:
        return self.cardinal(number)

    def fraction(self, top: int, bottom: int) -> str:
        special = {2: "medio", 3: "tercio"}.get(bottom)
        name = special or self._part(bottom)
        if name is None:
            return f"{self.cardinal(top)} sobre {self.cardinal(bottom)}"
        return f"{self.cardinal(top, 'm', True)} {name}{'' if top == 1 else 's'}"

    def _part(self, bottom: int) -> str | None:
        if (
            bottom <= 10
            or (bottom < 1000 and bottom % 100 == 0)
            or (bottom % 1000 == 0 and bottom <= 100_000)
        ):
            return self._ordinal(bottom) if bottom > 3 else None
        if bottom == 10**6:
            return "millonésimo"
        if bottom > 100:
            return None
        words = self.cardinal(bottom).replace(" y ", "i").replace("é", "e").replace("ó", "o")
        return re.sub(r"(?:a|o)\Z", "", words) + "avo" if words.endswith(("a", "uno")) else words + "avo"

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        part = "medio" if (top, bottom) == (1, 2) else self.fraction(top, bottom)
        return f"{self.cardinal(whole)} y {part}"

    def fraction_of(self, noun: Noun) -> str:
        return f"de {noun.one}"

    def mixed_of(self, noun: Noun, top: int, bottom: int) -> str:
        return noun.one if (top, bottom) == (1, 2) else f"de {noun.one}"

    def power(self, noun: Noun, exponent: str) -> Noun:
        word = {"2": "cuadrad", "3": "cúbic"}[exponent] + ("a" if noun.gender == "f" else "o")
        return Noun(f"{noun.one} {word}", f"{noun.many} {word}s", noun.gender)

    def regnal(self, number: int, name: str, before: str) -> str:
        if number > 10:
            return self.cardinal(number)
        return self.ordinal(number, "f" if name.lower() in tables.FEMININE_NAMES else "m")

    def century(self, number: int, noun: str) -> str:
        return self.ordinal(number) if number <= 10 else self.cardinal(number)

    def roman_before_noun(self, number: int, noun: str) -> str:
        if self.gender_of(noun) == "f":
            return self.ordinal(number, "f")
        return (
            "undécimo" if number == 11 else "duodécimo" if number == 12 else self._short(self.ordinal(number))
        )

    def telephone(self, written: str) -> str:
        """A country's code of two digits is a number."""
        match = re.match(r"\+(\d{2})(?=\D)", written)
        if not match:
            return super().telephone(written)
        return f"más {self.cardinal(int(match[1]))}, {super().telephone(written[match.end() :])}"

    def score(self, a: int, b: int) -> str | None:
        return f"{self.cardinal(a)} a {self.cardinal(b)}"

    def years_to(self, before: str) -> str:
        return "y" if before == "entre" else "a"

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        return None if name == "d." and not after[:1].isupper() else spoken


SPEAKS = Spanish
