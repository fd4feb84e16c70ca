"""Italian."""

import re

from pocketvoice.text.normalise.languages import italian_tables as tables
from pocketvoice.text.normalise.languages.base import Currency, Noun
from pocketvoice.text.normalise.languages.romance import Romance
from pocketvoice.text.normalise.number_words import spelled
from pocketvoice.text.normalise.numerals import Numeral

_FIRST = ("", "primo", "secondo", "terzo", "quarto", "quinto", "sesto", "settimo", "ottavo", "nono", "decimo")
_ENDINGS = ("a", "zione", "zioni", "sione", "sioni", "tà", "tù", "trice", "trici", "gine", "ione")
_DAYTIME = {"am": "del mattino", "pm": "del pomeriggio"}
_BREAK = re.compile(r"(?<=mila)(?=\w)|(?<=mille)(?=\w)|(?<=cento)(?=\w)")


class Italian(tables.ItalianTables, Romance):
    """How Italian says it."""

    def below_limit(self, number: int, gender: str, counting: bool) -> str:
        if number == 1 and counting:
            return "una" if gender == "f" else "un"
        if number == 1 and gender == "f":
            return "una"
        words = spelled("it", number, "numbering")
        if (
            self.style.compounds == "spaced"
        ):  # also without the accent, which is written only at the end of a word
            return _BREAK.sub(" ", words).replace("tré", "tre")
        return words

    def ordinal(self, number: int, gender: str = "m") -> str:
        """primo to decimo, then the number with -esimo."""
        if number <= 10:
            words = _FIRST[number]
        else:
            stem = spelled("it", number, "numbering").replace("é", "e").replace(" ", "")
            stem = stem if stem.endswith(("tre", "sei")) else stem[:-1]
            stem = re.sub(r"mil\Z", "mill", stem) if number % 1000 == 0 and number > 1000 else stem
            words = stem + "esimo"
        return words[:-1] + "a" if gender == "f" else words

    def digit(self, digit: str) -> str:
        return spelled("it", int(digit), "numbering")

    def counted(self, numeral: Numeral, noun: Noun) -> str:
        if (
            numeral.is_one
            and not numeral.fraction
            and noun.gender == "m"
            and re.match(r"s[bcdfgklmnpqrtvz]|z|gn|ps|x|y", noun.one)
        ):
            return f"uno {noun.one}"
        if numeral.is_one and not numeral.fraction and noun.gender == "f" and noun.one[0] in "aeiou":
            return f"un'{noun.one}"
        return super().counted(numeral, noun)

    def fraction_digits(self, digits: str, gender: str) -> str:
        zeros = len(digits) - len(digits.lstrip("0"))
        if len(digits) > 3 or zeros == len(digits):
            return self.digits(digits)
        return " ".join([*["zero"] * zeros, self.cardinal(int(digits))])

    def gender_of(self, word: str) -> str:
        return self.gendered(word, tables.FEMININE, tables.MASCULINE, _ENDINGS)

    def is_counted(self, after: str) -> bool:
        return after.lower() not in (
            "di",
            "e",
            "o",
            "a",
            "in",
            "per",
            "più",
            "meno",
            "che",
            "è",
            "sono",
            "con",
            "da",
            "del",
            "su",
            "fu",
            "era",
            "al",
            "ma",
            "non",
            "fino",
        )

    def bare(self, value: int, gender: str, counting: bool, before: str, after: str) -> str:
        if (
            value == 1
            and counting
            and gender == "m"
            and re.match(r"s[bcdfgklmnpqrtvz]|z|gn|ps|x|y", after.lower())
        ):
            return "uno"
        if value == 1 and counting and gender == "f" and after[:1].lower() in "aeiou":
            return "un'"
        return super().bare(value, gender, counting, before, after)

    def date(self, day: int, month: int, year: str, before: str) -> str:
        words = f"{self.day(day, before)} {self.months[month - 1]}"
        return f"{words} {self.short_year(year)}" if year else words

    def day(self, day: int, before: str) -> str:
        return "primo" if day == 1 else self.cardinal(day)

    def several_days(self, days: list[int], marks: str, month: int, year: str, before: str) -> str:
        joint = " al " if before in ("dal", "dall") else " e " if "&" in marks or "/" in marks else " "
        first = joint.join(self.day(day, before) for day in days[:-1])
        return f"{first}{joint}{self.date(days[-1], month, year, before)}"

    def is_month_word(self, month: str, year: str, after: str) -> bool:
        return month.lower() not in ("mar", "set", "ago", "mag", "gen") or bool(year)

    def written_ordinal(self, match: re.Match[str], before: str, after: str, alone: bool) -> str | None:
        number, suffix = int(re.sub(r"\D", "", match["number"])), match["suffix"]
        if suffix == "°" and not (before in self.roman_articles and after[:1].islower()):
            return None
        if not number or (suffix in ("o", "a") and (number > 50 or before in ("alle", "dalle", "ore"))):
            return None
        return self.ordinal(number, "f" if suffix in ("ª", "a", "esima", "ma") else "m")

    def is_hour(self, hour: int, suffix: str) -> bool:
        return suffix not in ("h", "ore")

    def clock(self, hour: int, minute: int, suffix: str, before: str) -> str:
        words = (
            "una"
            if hour == 1
            else "mezzanotte"
            if hour == 0 and not minute and before in ("a", "ore")
            else self.cardinal(hour)
        )
        if minute:
            in_context = (
                before in ("alle", "dalle", "ore", "le", "all", "dall", "verso", "sulle", "delle")
                or before.endswith("'")
                or bool(suffix)
            )
            words += f" e {self.cardinal(minute)}" + (
                "" if in_context else " minuti" if minute > 1 else " minuto"
            )
        behind = _DAYTIME.get(suffix) or (
            re.sub(r"(del|di)(?=\w)", r"\1 ", suffix) if suffix.startswith("d") else ""
        )
        return f"{words} {behind}".rstrip()

    def clock_seconds(self, hour: int, minute: int, second: int, suffix: str, before: str) -> str:
        seconds = self.counted(Numeral(str(second)), self.units["s"])
        minutes = self.counted(Numeral(str(minute)), self.units["min"])
        return f"{'una' if hour == 1 else self.cardinal(hour)} e {minutes} e {seconds}"

    def with_cents(self, head: str, small: str, cents: int, currency: Currency) -> str:
        return f"{head} {small}"

    def of_scale(self, noun: Noun) -> str:
        return f"di {noun.many}"

    def scaled(self, numeral: Numeral, scale: Noun, noun: Noun | None) -> str:
        if scale.one == "mila":
            head = (
                f"{self.cardinal(numeral.integer)}mila"
                if not numeral.fraction
                else f"{self.number(numeral)} mila"
            )
            return head + (f" {noun.many}" if noun else "")
        return super().scaled(numeral, scale, noun)

    def per(self, noun: Noun) -> str:
        """al mese, all'ora, alla settimana."""
        if noun.one[0] in "aeiou":
            return f"all'{noun.one}"
        return f"{'alla' if noun.gender == 'f' else 'al'} {noun.one}"

    def to_the_power(self, base: str, power: int) -> str:
        if power in (2, 3):
            return super().to_the_power(base, power)
        if power < 0:
            return f"{base} alla meno {self.cardinal(-power)}"
        return f"{base} alla {self.ordinal(power, 'f') if power else 'zero'}"

    def decade(self, number: int, short: bool) -> str | None:
        return self.cardinal(number)

    def fraction(self, top: int, bottom: int) -> str:
        if bottom > 1000 or (bottom > 100 and bottom % 100):
            return f"{self.cardinal(top)} su {self.cardinal(bottom)}"
        if bottom == 2:
            return "un mezzo" if top == 1 else f"{self.cardinal(top)} mezzi"
        name = self.ordinal(bottom)
        return f"{self.cardinal(top, 'm', True)} {name if top == 1 else name[:-1] + 'i'}"

    def mixed(self, whole: int, top: int, bottom: int) -> str:
        part = "mezzo" if (top, bottom) == (1, 2) else self.fraction(top, bottom)
        return f"{self.cardinal(whole)} e {part}"

    def fraction_of(self, noun: Noun) -> str:
        return f"di {noun.one}"

    def mixed_of(self, noun: Noun, top: int, bottom: int) -> str:
        return noun.many if (top, bottom) == (1, 2) else f"di {noun.one}"

    def power(self, noun: Noun, exponent: str) -> Noun:
        stem = "quadrat" if exponent == "2" else "cub"
        one, many = ("a", "e") if noun.gender == "f" else ("o", "i")
        return Noun(f"{noun.one} {stem}{one}", f"{noun.many} {stem}{many}", noun.gender)

    def regnal(self, number: int, name: str, before: str) -> str:
        return self.ordinal(number, "f" if name.lower() in tables.FEMININE_NAMES else "m")

    def roman_before_noun(self, number: int, noun: str) -> str:
        return self.ordinal(number, self.gender_of(noun))

    def score(self, a: int, b: int) -> str | None:
        return f"{self.cardinal(a)} a {self.cardinal(b)}"

    def years_to(self, before: str) -> str:
        return "e" if before in ("tra", "fra") else "al"

    def title_before(self, spoken: str, name: str) -> str:
        if spoken != "san":
            return spoken
        return "santa" if name.endswith("a") and name not in ("Andrea", "Luca", "Mattia") else spoken

    def abbreviation_in_context(self, name: str, spoken: str, before: str, after: str) -> str | None:
        if (
            name in ("s.", "min.", "dir.", "vs.", "ns.", "all.", "co.", "on.", "sec.", "max.", "ss.")
            and not after[:1].isupper()
        ):
            return (
                {"min.": "minuti", "sec.": "secondi"}.get(name)
                if before.isdecimal()
                else spoken
                if name in ("ss.", "all.", "max.", "min.", "sec.")
                else None
            )
        return spoken


SPEAKS = Italian
