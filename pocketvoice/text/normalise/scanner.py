"""Reads one piece of text: goes from token to token, asks the readers where something may have to be said otherwise.

Plain words, nearly all of a text, are told by a look at the word and passed over. A scanner is made once a language and
style; it keeps nothing of a text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages import language_of
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.languages.signs import CURRENCY_SIGNS
from pocketvoice.text.normalise.readers.addresses import Addresses
from pocketvoice.text.normalise.readers.alone import Alone
from pocketvoice.text.normalise.readers.dates import Dates
from pocketvoice.text.normalise.readers.measures import Measures
from pocketvoice.text.normalise.readers.money import Money
from pocketvoice.text.normalise.readers.numbers import Numbers, Ordinals
from pocketvoice.text.normalise.readers.roman import RomanList, Romans
from pocketvoice.text.normalise.readers.scripts import OtherScripts, all_in_latin, is_latin
from pocketvoice.text.normalise.readers.signs import Signs
from pocketvoice.text.normalise.readers.telephone import Telephones
from pocketvoice.text.normalise.readers.times import Times
from pocketvoice.text.normalise.readers.versions import Versions
from pocketvoice.text.normalise.readers.weekdays import Weekdays
from pocketvoice.text.normalise.readers.words import Abbreviations, Initialisms
from pocketvoice.text.normalise.spoken import Kind, Spoken, SpokenBuilder
from pocketvoice.text.normalise.style import Style
from pocketvoice.text.traced import TracedText

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_PLAIN_BEHIND = frozenset(" \n,;!?)\"'\u00a0")
"""Behind a word these say that it is by itself."""
_SPACES = ("", " ", "\n", "\u00a0")
_ENDS = frozenset(",;:)")
"""Behind a number, with a space behind it."""
_SILENT = frozenset(',;:!?)"”“»«')
"""Never read, and nothing that is read begins with one."""
_BEFORE_MORE = frozenset(".('[…—")
"""Read only if a digit, a stroke or another sign follows."""

Replaced = tuple[int, int, str]
"""Start, stop, and what the user wants said there."""


Read = Callable[[Context, int], Reading | None]


class Scanner:
    """Says texts of one language."""

    def __init__(self, code: str, style: Style) -> None:
        language = self.language = language_of(code, style)
        self._scripts = OtherScripts()
        self._addresses, self._dates = Addresses(language), Dates(language)
        self._money, self._signs, versions = (
            Money(language, CURRENCY_SIGNS),
            Signs(language),
            Versions(language),
        )
        measures, numbers, ordinals = Measures(language), Numbers(language), Ordinals(language)
        romans, times, telephones = Romans(language), Times(language), Telephones(language)
        abbreviations, initialisms = Abbreviations(language), Initialisms(language)
        self._digits = (
            abbreviations.read, self._addresses.read, telephones.read, self._dates.read, times.read, self._money.read,
            versions.read, ordinals.read, measures.read, initialisms.read, numbers.read,
        )  # fmt: skip
        amounts = self._money.read, ordinals.read, measures.read, numbers.read
        spaced = telephones.read, self._dates.read_named, times.read, *amounts
        self._digits_before = {
            **dict.fromkeys(_SPACES, spaced), ":": (times.read, *amounts), ",": amounts, "%": (measures.read, numbers.read),
            "°": amounts, "€": amounts, "/": (telephones.read, self._dates.read, *amounts),
        }  # fmt: skip
        """Digits by what stands right behind them: those that can't begin with the two are not asked."""
        self._spaced = spaced
        self._alone, self._for_alone = Alone(language), (self._dates.read_decade, numbers.read_alone)
        self._marks = (
            self._addresses.read_social, self._addresses.read_path, telephones.read, self._money.read, self._dates.read_decade,
            measures.read, self._signs.read,
        )  # fmt: skip
        self._for_marks = dict.fromkeys("$€£¥₹₩₽₺₴₿", (self._money.read, measures.read, self._signs.read))
        self._words = (
            self._signs.read_letter, self._scripts.read, self._addresses.read, Weekdays(language).read, self._dates.read_word,
            measures.read_unit, self._money.read, versions.read_word, RomanList(language).read,
            abbreviations.read, romans.read, initialisms.read,
        )  # fmt: skip
        self._written = _noted_words(self.language)
        self._noted: dict[str, bool] = {}

    def say(self, traced: TracedText, replaced: Sequence[Replaced] = ()) -> Spoken:
        """The piece as it is spoken; `replaced` are places of its own that the user's rules have decided, in order."""
        context = Context(traced.text, self.language)
        builder = SpokenBuilder(traced)
        kept = position = 0
        for start, stop, words in (*replaced, (len(traced.text), len(traced.text), "")):
            kept = self._until(context, builder, kept, position, start)
            builder.keep(kept, start)
            if words:
                builder.read(words, start, stop, Kind.PRONOUNCED)
            kept = position = max(stop, kept)
        return builder.finished()

    def _until(self, context: Context, builder: SpokenBuilder, kept: int, position: int, limit: int) -> int:
        """Reads as far as `limit`; the place up to which everything is in the builder."""
        text = context.text
        find = _TOKEN.search
        while match := find(text, position, limit):
            at, position = match.span()
            reading = self._reading(context, match[0], at, position)
            if reading is None or reading.stop > limit:
                continue
            begin = at if reading.start < 0 else max(reading.start, kept)
            builder.keep(kept, begin)
            spoken = reading.spoken if reading.kind is Kind.CARDINAL else all_in_latin(reading.spoken)
            builder.read(spoken, begin, reading.stop, reading.kind)
            if reading.note:
                builder.note(reading.note, begin, reading.stop)
            kept = position = reading.stop
        return kept

    def _reading(self, context: Context, token: str, at: int, stop: int) -> Reading | None:
        if token[0].isalpha():
            return _first(self._words, context, at) if self._may_be_more(context.text, token, stop) else None
        if token[0].isdecimal():
            return _first(self._for_digits(context.text, at, stop), context, at)
        if token in _SILENT:
            return None
        if (
            token in _BEFORE_MORE
            and not context.text[stop : stop + 1].isdecimal()
            and context.text[stop : stop + 1] not in (".", "/")
        ):
            return None
        reading = _first(self._for_marks.get(token, self._marks), context, at)
        return self._scripts.read(context, at) if reading is None and len(token) > 1 else reading

    def _for_digits(self, text: str, at: int, stop: int) -> tuple[Read, ...]:
        """The readers of the digits that stand there."""
        if self._alone.is_alone(text, at, stop):
            return self._for_alone
        behind = text[stop : stop + 1]
        if behind in _ENDS and not text[stop + 1 : stop + 2].isalnum():
            return self._spaced
        if behind == " " and text[stop + 1 : stop + 2] == "%":
            behind = "%"
        return self._digits_before.get(behind, self._digits)

    def _may_be_more(self, text: str, token: str, stop: int) -> bool:
        """Whether a word may be something else than a word; decided by itself and by what stands right behind it."""
        noted = self._noted.get(token)
        if noted is None:
            noted = self._noted[token] = self._is_noted(token)
        if noted:
            return True
        behind = text[stop : stop + 1]
        if not behind or behind in _PLAIN_BEHIND:
            return False
        if behind in ".-:":
            after = text[stop + 1 : stop + 2]
            return (
                after.isalnum()
                if behind == "."
                else after.isdecimal() or "@" in text
                if behind == "-"
                else after in ("/", "\\")
            )
        return True

    def _is_noted(self, token: str) -> bool:
        lower = token.lower()
        suffix = self.language.roman_suffix
        if suffix and re.fullmatch(rf"(?:[IVX]|[IVXLC]{{2,}})(?:{suffix})", token):
            return True
        ends = tuple(end.rstrip(".") for end in self.language.word_endings)
        return (
            len(token) == 1
            or not token.isalpha()
            or _is_odd(token)
            or lower in self._written
            or (bool(ends) and lower.endswith(ends))
        )


def only_replaced(traced: TracedText, replaced: Sequence[Replaced] = ()) -> Spoken:
    """The piece as it is written, but for what the user's rules have decided."""
    builder, kept = SpokenBuilder(traced), 0
    for start, stop, words in replaced:
        builder.keep(kept, start)
        builder.read(words, start, stop, Kind.PRONOUNCED)
        kept = stop
    builder.keep(kept, len(traced.text))
    return builder.finished()


def _first(readers: Iterable[Read], context: Context, at: int) -> Reading | None:
    for read in readers:
        reading = read(context, at)
        if reading is not None:
            return reading
    return None


def _is_odd(token: str) -> bool:
    """Has a capital behind its first letter, or letters that are not Latin."""
    return not token[1:].islower() or not (token.isascii() or all(map(is_latin, token)))


def _noted_words(language: Language) -> frozenset[str]:
    """Words in small letters that may be something else than a word: months, abbreviations, codes of currencies."""
    tables = (
        language.abbreviations,
        language.titles,
        language.before_number,
        language.after_name,
        language.month_abbreviations,
        language.weekdays,
    )
    words = {word.split(".")[0].split(" ")[0] for table in tables for word in table}
    words.update(word.lower() for word in (*CURRENCY_SIGNS, *language.months) if word.isalpha())
    words.update(
        str(word) for word in ("ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii", "xiii", "xiv", "xv")
    )
    return frozenset(words)


@lru_cache(maxsize=32)
def scanner_of(code: str, style: Style) -> Scanner:
    """The scanner of a language, made at the first call."""
    return Scanner(code, style)
