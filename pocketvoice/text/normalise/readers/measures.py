"""Measures: a quantity and its unit: 5 kg, 12 km/h, 3-5 °C, 6'2", 20 %, 2x8 m²."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language, Noun
from pocketvoice.text.normalise.numerals import SPACE, Numeral
from pocketvoice.text.normalise.patterns import one_of
from pocketvoice.text.normalise.readers.amounts import Amount, amounts_of
from pocketvoice.text.normalise.spoken import Kind

_POWERS = {"2": "2", "²": "2", "^2": "2", "3": "3", "³": "3", "^3": "3"}
_FEET = re.compile(rf"(?P<feet>\d{{1,2}}){SPACE}?'{SPACE}?(?P<inches>\d{{1,2}}(?:\.\d)?){SPACE}?(?:\"|'')")
_INCHES = re.compile(r"(?P<inches>\d{1,3}(?:[.,]\d{1,2})?)\"")
"""Only where the quotation marks do not come in pairs."""


class Measures:
    """Numbers with units of one language. A single letter is a unit only right where one is expected."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._amounts = amounts_of(language)
        names = one_of(language.units)
        power = r"(?P<power>\^?[23]|[²³])?"
        self._unit = re.compile(
            rf"(?P<gap>[ \u00a0]|-(?=\w\w))?(?P<unit>{names}){power}"
            rf"(?:(?P<per>/)(?P<unit2>{names})(?P<power2>\^?[23]|[²³])?)?(?![^\W_]|[²³])"
            r"(?:(?<=[a-z])\.(?=[,;:)]|[ ][a-zà-ÿ]))?"
        )
        self._per = re.compile(rf"{SPACE}?/(?P<unit>{names}){power}(?![^\W_]|[²³])")
        self._sides = re.compile(rf"{SPACE}?[x×]{SPACE}?(?P<side>{language.numeral})")

    def read(self, context: Context, at: int) -> Reading | None:
        """A measure that begins at a number or its sign."""
        if not context.starts_word(at):
            return None
        feet = _FEET.match(context.text, at)
        if feet:
            return self._feet(feet)
        inches = _INCHES.match(context.text, at)
        if inches and context.text.count('"') % 2:
            return Reading(
                self._language.counted(self._language.parse(inches["inches"]), self._language.phrases.inch),
                inches.end(),
                Kind.MEASURE,
            )
        amount = self._amounts.at(context.text, at)
        if amount is None:
            return None
        return self._sided(context, amount) or self._simple(context, amount)

    def read_unit(self, context: Context, at: int) -> Reading | None:
        """The m/s behind a number that was read for itself, such as a power of ten."""
        if (
            not context.starts_word(at)
            or context.char(at - 1) not in (" ", "\u00a0")
            or not context.char(at - 2).isdigit()
        ):
            return None
        unit = self._unit.match(context.text, at)
        return (
            Reading(self._noun(unit).many, unit.end(), Kind.MEASURE)
            if unit and unit["per"] and unit[0] not in self._language.abbreviations
            else None
        )

    def _feet(self, match: re.Match[str]) -> Reading:
        language = self._language
        feet, inches = language.parse(match["feet"]), language.parse(match["inches"])
        words = f"{language.counted(feet, language.phrases.foot)} {language.counted(inches, language.phrases.inch)}"
        return Reading(words, match.end(), Kind.MEASURE)

    def _sided(self, context: Context, amount: Amount) -> Reading | None:
        """3 x 4 m."""
        sides: list[Numeral] = []
        stop = amount.stop
        while len(sides) < 3 and (side := self._sides.match(context.text, stop)):
            sides.append(self._language.parse(side["side"]))
            stop = side.end()
        unit = self._unit.match(context.text, stop) if sides else None
        if unit is None:
            return None
        by = f" {self._language.phrases.by} "
        noun = self._noun(unit)
        words = [self._amounts.say(amount), *(self._language.number(n) for n in sides[:-1])]
        return Reading(by.join([*words, self._language.counted(sides[-1], noun)]), unit.end(), Kind.MEASURE)

    def _simple(self, context: Context, amount: Amount) -> Reading | None:
        unit = self._unit.match(context.text, amount.stop)
        if unit and self._is_unit(context, unit, amount):
            noun = self._noun(unit)
            if unit["gap"] == "-":  # a 12-oz can
                noun = Noun(noun.one, noun.one, noun.gender)
            return Reading(self._amounts.say(amount, noun), unit.end(), Kind.MEASURE)
        per = self._per.match(context.text, amount.stop)
        if per:
            words = (
                f"{self._amounts.say(amount)} {self._language.per(self._powered(per['unit'], per['power']))}"
            )
            return Reading(words, per.end(), Kind.MEASURE)
        return None

    def _is_unit(self, context: Context, unit: re.Match[str], amount: Amount) -> bool:
        """A letter or a short word may be an ordinary one."""
        name = unit["unit"]
        if unit[0].strip().lower() in self._language.abbreviations and unit["per"]:
            return False
        if name == "s" and amount.first.fraction and unit["gap"] is None:
            return True  # 9.58s is no decade
        if name in self._language.loose_units and not unit["power"] and not unit["per"]:
            if (
                unit[0][0] in SPACE
                and name.isupper()
                and context.text[unit.end() : unit.end() + 2].lstrip()[:1].isdecimal()
            ):
                return False
            return self._language.takes_loose_unit(
                name, unit[0] != unit[0].lstrip(), context.after(unit.end())
            )
        return True

    def _noun(self, unit: re.Match[str]) -> Noun:
        noun = self._powered(unit["unit"], unit["power"])
        if not unit["per"]:
            return noun
        per = self._language.per(self._powered(unit["unit2"], unit["power2"]))
        return Noun(f"{noun.one} {per}", f"{noun.many} {per}", noun.gender)

    def _powered(self, name: str, power: str | None) -> Noun:
        noun = self._language.units[name]
        return self._language.power(noun, _POWERS[power]) if power else noun
