"""Short names of weekdays: from one to another (Mon–Fri, lun. au ven.), and in front of a number (Sa 10–14 Uhr)."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.numerals import SPACE
from pocketvoice.text.normalise.patterns import one_of
from pocketvoice.text.normalise.spoken import Kind


class Weekdays:
    """Weekdays of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        days = "|".join(sorted(map(re.escape, language.weekdays), key=len, reverse=True))
        joint = rf"(?:{SPACE}?(?P<dash>[-–—]){SPACE}?|{SPACE}(?P<word>{language.weekday_joints}){SPACE})"
        self._range = re.compile(
            rf"(?P<first>{days})\.?{joint}(?P<second>{days})(?![^\W_])(?:\.(?!\s*\Z))?", re.IGNORECASE
        )
        months = one_of({*map(str.lower, language.months), *language.month_abbreviations})
        self._before_number = re.compile(
            rf"(?P<first>{days})(?P<point>\.?),?(?={SPACE}(?:(?:{months})\.?{SPACE})?\d)", re.IGNORECASE
        )

    def read(self, context: Context, at: int) -> Reading | None:
        """A weekday that begins there."""
        if not context.starts_word(at):
            return None
        match = self._range.match(context.text, at)
        if match:
            written = match["word"] or self._language.phrases.to
            joint = self._language.abbreviations.get(written, written)
            words = f"{self._name(match['first'])} {joint} {self._name(match['second'])}"
            return Reading(words, match.end(), Kind.DATE)
        match = self._before_number.match(context.text, at)
        if match and (match["point"] or match["first"][0].isupper()):
            return Reading(
                self._name(match["first"]) + ("," if match[0].endswith(",") else ""), match.end(), Kind.DATE
            )
        return None

    def _name(self, short: str) -> str:
        return self._language.weekdays[short.lower()]
