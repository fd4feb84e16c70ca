"""Dates: ISO, in figures in the language's order, with the month's name before or behind the day; and decades."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.numerals import SPACE
from pocketvoice.text.normalise.patterns import one_of
from pocketvoice.text.normalise.spoken import Kind

_ISO = re.compile(r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d/-]|\.\d)")
_FIGURES = re.compile(
    r"(?P<a>\d{1,2})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})(?![\d/-]|\.\d)"
)
_NO_YEAR = re.compile(r"(?P<a>\d{1,2})[.](?P<b>\d{1,2})[.]?(?![\d/-])")
_STROKE = re.compile(r"(?P<a>\d{1,2})(?P<mark>[/-])(?P<b>\d{1,2})(?![\d/-]|[.,]\d|[^\W_])")
_YEAR = r"(?P<year>\d{4}|'\d{2})(?![\d:.,]\d|[^\W_])"


class Dates:
    """Dates of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._names = {name.lower(): i for i, name in enumerate(language.months, 1)}
        self._names.update(language.month_abbreviations)
        names = one_of(self._names)
        month = rf"(?P<month>{names})(?P<point>\.?)(?![^\W_])"
        of, comma = (
            language.date_of,
            rf"(?:,?{SPACE}|[-/]|{SPACE}(?:{language.date_of}){SPACE}|{SPACE}?\.{SPACE}?)",
        )
        mark = language.day_mark
        days = rf"(?P<days>\d{{1,2}}{mark}(?:{SPACE}?[-–/&]{SPACE}?\d{{1,2}}{mark}){{0,3}})"
        self._day_first = re.compile(
            rf"{days}(?:{SPACE}|-|(?<=\.))(?:(?:{of}){SPACE})?{month}(?:{comma}{_YEAR})?", re.IGNORECASE
        )
        self._month_first = re.compile(
            rf"{month}(?:{SPACE}|-)(?P<day>\d{{1,2}}){mark}(?:{SPACE}?[-–]{SPACE}?(?P<day2>\d{{1,2}}){mark})?(?![\d:%€$]|[.,]\d|{SPACE}?[ap]\.?m)(?:,?{SPACE}{_YEAR})?",
            re.IGNORECASE,
        )
        self._month_year = re.compile(
            rf"{month}(?:{SPACE}(?:(?:{of}){SPACE})?)(?P<year>\d{{4}})(?!\d|[.,]\d)", re.IGNORECASE
        )
        self._decade = re.compile(language.decade_pattern, re.IGNORECASE) if language.decade_pattern else None

    def read(self, context: Context, at: int) -> Reading | None:
        """A date that begins with a figure."""
        if not context.starts_word(at) or (context.char(at - 1) in "/:" and context.char(at - 2).isdecimal()):
            return None
        return (
            self._by_name(context, at)
            or self._iso(context, at)
            or self._figures(context, at)
            or self.read_decade(context, at)
        )

    def read_named(self, context: Context, at: int) -> Reading | None:
        """A date that begins with a figure behind which the month's name stands, or a decade."""
        if not context.starts_word(at) or (context.char(at - 1) in "/:" and context.char(at - 2).isdecimal()):
            return None
        return self._by_name(context, at) or self.read_decade(context, at)

    def read_word(self, context: Context, at: int) -> Reading | None:
        """A date that begins with the month's name."""
        text, before = context.text, context.before(at)
        match = self._month_first.match(text, at) if self._language.month_comes_first else None
        if match and self._is_day(match["day"]) and self._is_month(match) and self._is_real(context, match):
            year = (match["year"] or "").lstrip("'")
            if match["day2"]:
                return Reading(
                    self._language.day_range_after(self._month(match), match["day"], match["day2"], year),
                    match.end(),
                    Kind.DATE,
                )
            return Reading(
                self._language.month_first(int(match["day"]), self._month(match), year, before),
                match.end(),
                Kind.DATE,
            )
        match = self._month_year.match(text, at)
        if match and self._is_month(match) and 1000 <= int(match["year"]) < 2200:
            return Reading(
                self._language.month_year(self._month(match), int(match["year"])), match.end(), Kind.DATE
            )
        return None

    def read_decade(self, context: Context, at: int) -> Reading | None:
        """The 1990s, the '80s."""
        match = self._decade.match(context.text, at) if self._decade else None
        if match is None:
            return None
        digits = next(group for group in match.groups() if group)
        words = self._language.decade(int(digits), len(digits) == 2)
        return Reading(words, match.end(), Kind.DATE) if words else None

    def _by_name(self, context: Context, at: int) -> Reading | None:
        match = self._day_first.match(context.text, at)
        if not match or not self._is_month(match) or not self._is_real(context, match):
            return None
        days = re.findall(r"\d+", match["days"])
        if not all(map(self._is_day, days)):
            return None
        before, year = context.before(at), (match["year"] or "").lstrip("'")
        marks = re.sub(r"[\d\s]", "", match["days"])
        if len(days) == 1:
            words = self._language.date(int(days[0]), self._month(match), year, before)
        else:
            words = self._language.several_days(
                [int(day) for day in days], marks, self._month(match), year, before
            )
        return Reading(words, match.end(), Kind.DATE)

    def _is_real(self, context: Context, match: re.Match[str]) -> bool:
        """A month's name that is a word of its own (may, mars) needs a date's form around it."""
        return self._language.is_month_word(match["month"], match["year"] or "", context.after(match.end()))

    def _is_month(self, match: re.Match[str]) -> bool:
        """`mar` is a month, `mar.` too; `Mayor` was excluded by the pattern."""
        return match["month"].lower() in self._names

    def _month(self, match: re.Match[str]) -> int:
        return self._names[match["month"].lower()]

    @staticmethod
    def _is_day(day: str) -> bool:
        return 1 <= int(day) <= 31

    def _iso(self, context: Context, at: int) -> Reading | None:
        match = _ISO.match(context.text, at)
        if (
            not match
            or not self._may_be(int(match["day"]), int(match["month"]))
            or not 1000 <= int(match["year"]) < 2300
        ):
            return None
        language, before = self._language, context.before(at)
        day, month = int(match["day"]), int(match["month"])
        return Reading(language.month_first(day, month, match["year"], before), match.end(), Kind.DATE)

    def _figures(self, context: Context, at: int) -> Reading | None:
        match = _FIGURES.match(context.text, at)
        if match is None:
            return self._day_and_month(context, at)
        a, b = int(match["a"]), int(match["b"])
        if (
            len(match["year"]) == 2
            and match["mark"] != "/"
            and match["mark"] not in self._language.short_date_marks
        ):
            return None
        language = self._language
        day, month = (b, a) if match["mark"] == "/" and not language.day_month_slash and a <= 12 else (a, b)
        if not self._may_be(day, month):
            day, month = month, day
        if not self._may_be(day, month):
            return None
        say = language.month_first if (day, month) == (b, a) else language.date
        return Reading(say(day, month, match["year"], context.before(at)), match.end(), Kind.DATE)

    def _day_and_month(self, context: Context, at: int) -> Reading | None:
        """`am 3.10.`, `le 17.06`."""
        match = _STROKE.match(context.text, at)
        if match and self._is_stroke_date(match, context.before(at)):
            a, b = int(match["a"]), int(match["b"])
            first = not self._language.day_month_slash and match["mark"] == "/" and a <= 12
            day, month = (b, a) if first or b > 12 else (a, b)
            say = self._language.month_first if first else self._language.date
            return Reading(say(day, month, "", context.before(at)), match.end(), Kind.DATE)
        match = _NO_YEAR.match(context.text, at)
        if not match or not self._may_be(int(match["a"]), int(match["b"])):
            return None
        before = context.before(at)
        if not self._language.is_short_date(
            match[0], before, context.is_alone(at, match.end()), context.after(match.end())
        ):
            return None
        goes_on = bool(context.text[match.end() : match.end() + 3].strip(" \u00a0\"')\n"))
        stop = match.end() if self._language.keeps_date_point and goes_on else match.end("b")
        return Reading(self._language.date(int(match["a"]), int(match["b"]), "", before), stop, Kind.DATE)

    def _is_stroke_date(self, match: re.Match[str], before: str) -> bool:
        """12/03 behind `on` or a weekday; behind an article only if it can be no fraction."""
        a, b = int(match["a"]), int(match["b"])
        if not (self._may_be(a, b) or self._may_be(b, a)) or before not in self._language.date_words:
            return False
        if match["mark"] == "-":
            return before in self._language.dash_date_words
        is_clear = match["a"][0] == "0" or match["b"][0] == "0" or a >= b or b > 4
        return is_clear or not self._language.day_month_slash or before in self._language.weekdays.values()

    @staticmethod
    def _may_be(day: int, month: int) -> bool:
        return 1 <= day <= 31 and 1 <= month <= 12
