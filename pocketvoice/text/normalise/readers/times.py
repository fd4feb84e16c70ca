"""Times of day (14h30, 2:30 pm, 14.30 Uhr, 5 a.m.) and durations in figures (1:02:03, 2 h 30 min)."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.numerals import SPACE
from pocketvoice.text.normalise.spoken import Kind

_SECONDS = r"(?P<h>\d{1,2}):(?P<m>[0-5]\d):(?P<s>[0-5]\d)(?![\d:])"
_LETTER_H = (
    rf"(?P<h>\d{{1,2}}){SPACE}?[LETTERS]{SPACE}?(?P<m>[0-5]\d)"
    rf"(?:{SPACE}?(?:min|m|mn))?(?:{SPACE}?(?P<s>[0-5]\d){SPACE}?s)?(?![^\W_])"
)
_BARE_HOUR = re.compile(rf"(?P<h>\d{{1,2}}){SPACE}?[-–]{SPACE}?(?=\d{{1,2}}[^\d])")


class Times:
    """Times of day of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        suffix = rf"(?:{SPACE}?(?P<suffix>{language.time_suffixes})(?![^\W_]))"
        self._seconds = re.compile(rf"{_SECONDS}{suffix}?", re.IGNORECASE)
        self._colon = re.compile(rf"(?P<h>\d{{1,2}}):(?P<m>[0-5]\d)(?![\d:]|,\d){suffix}?", re.IGNORECASE)
        self._point = re.compile(rf"(?P<h>\d{{1,2}})\.(?P<m>[0-5]\d)(?![\d:]|[.,]\d){suffix}?", re.IGNORECASE)
        self._letter = re.compile(_LETTER_H.replace("LETTERS", language.hour_letters))
        self._hour = re.compile(rf"(?P<h>\d{{1,2}}){suffix}", re.IGNORECASE)
        self._range = re.compile(rf"{SPACE}?[-–]{SPACE}?(?=\d{{1,2}}(?:[:.h]\d\d|h|{suffix}))", re.IGNORECASE)

    def read(self, context: Context, at: int) -> Reading | None:
        """A time that begins there, or two with a dash between."""
        if not context.starts_word(at) or (
            at > 1 and context.text[at - 1] in ":./" and context.text[at - 2].isdecimal()
        ):
            return None
        first = self._single(context, at)
        return self._ranged(context, first) if first else self._bare_start(context, at)

    def _bare_start(self, context: Context, at: int) -> Reading | None:
        """5-7 pm, 9-17 Uhr: the first hour has nothing of a time about it."""
        match = _BARE_HOUR.match(context.text, at)
        second = self._single(context, match.end()) if match else None
        if match is None or second is None or int(match["h"]) > 24:
            return None
        words = f"{self._language.cardinal(int(match['h']))} {self._language.time_to} {second.spoken}"
        return Reading(words, second.stop, Kind.TIME)

    def _ranged(self, context: Context, first: Reading) -> Reading:
        dash = self._range.match(context.text, first.stop)
        second = self._single(context, dash.end()) if dash else None
        if second is None:
            return first
        return Reading(f"{first.spoken} {self._language.time_to} {second.spoken}", second.stop, Kind.TIME)

    def _single(self, context: Context, at: int) -> Reading | None:
        return (
            self._with_seconds(context, at)
            or self._with_letter(context, at)
            or self._with_minutes(context, at)
            or self._whole(context, at)
        )

    def _with_seconds(self, context: Context, at: int) -> Reading | None:
        match = self._seconds.match(context.text, at)
        if not match or int(match["h"]) > 24:
            return None
        words = self._language.clock_seconds(
            int(match["h"]), int(match["m"]), int(match["s"]), _suffix(match), context.before(at)
        )
        return Reading(words, self._stop(context, match), Kind.TIME)

    def _with_letter(self, context: Context, at: int) -> Reading | None:
        """14h30, the form of the romance languages; with seconds it is read in full."""
        match = self._letter.match(context.text, at)
        if not match or int(match["h"]) > 24 or not self._language.has_letter_times:
            return None
        hour, minute = int(match["h"]), int(match["m"])
        if match["s"] and int(match["s"]):
            words = self._language.clock_seconds(hour, minute, int(match["s"]), "h", context.before(at))
        else:
            words = self._language.clock(hour, minute, "h", context.before(at))
        return Reading(words, match.end(), Kind.TIME)

    def _with_minutes(self, context: Context, at: int) -> Reading | None:
        match = self._colon.match(context.text, at)
        if match is None:
            match = self._point.match(context.text, at)
            if match is None or (
                not self._leads_to_time(context, match)
                and not self._language.is_point_time(
                    match[0], _suffix(match), context.before(at), context.is_alone(at, match.end())
                )
            ):
                return None
        if int(match["h"]) > 24 or (match["h"] + match["m"] == ""):
            return None
        words = self._language.clock(int(match["h"]), int(match["m"]), _suffix(match), context.before(at))
        return Reading(words, self._stop(context, match), Kind.TIME)

    def _leads_to_time(self, context: Context, match: re.Match[str]) -> bool:
        """9.00-18.00 uur: what the second is, the first is too."""
        dash = re.compile(r"[ \u00a0]?[-–][ \u00a0]?").match(context.text, match.end())
        second = self._point.match(context.text, dash.end()) if dash else None
        return bool(second and second["suffix"])

    def _whole(self, context: Context, at: int) -> Reading | None:
        """5 pm, 20 Uhr."""
        match = self._hour.match(context.text, at)
        if not match or int(match["h"]) > 24 or not self._language.is_hour(int(match["h"]), _suffix(match)):
            return None
        words = self._language.clock(int(match["h"]), 0, _suffix(match), context.before(at))
        return Reading(words, self._stop(context, match), Kind.TIME)

    def _stop(self, context: Context, match: re.Match[str]) -> int:
        """The point of `a.m.` is taken too, unless it ends the sentence as well."""
        stop = match.end()
        if match["suffix"] and "." in match["suffix"].rstrip(".") and context.char(stop) == ".":
            after = context.text[stop + 1 : stop + 3].strip()
            return stop + 1 if after[:1].islower() or after[:1].isdecimal() else stop
        return stop


def _suffix(match: re.Match[str]) -> str:
    return re.sub(r"[.\s]", "", match["suffix"] or "").lower()
