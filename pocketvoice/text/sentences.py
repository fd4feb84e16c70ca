"""Where a cleaned text may be cut: what kind of gap lies between two words, from a sentence's end to a number's inside.

A point is the hard case: it ends a sentence, or an abbreviation, an initial, an ordinal. The rules lean towards "no end":
a missed end costs nothing unless the text has to be cut just there, a false one makes a stop and a capital in the middle
of a sentence. Works on words as strings; it knows no tokens and no spans.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from pocketvoice.text import abbreviations


class Gap(Enum):
    """What lies between two neighbouring words; the value is what a cut there costs."""

    SENTENCE = 0
    """The end of a sentence."""
    TAG = 8
    """A question or exclamation that the sentence goes on after: `Are you sure? she asked.`"""
    CLAUSE = 12
    """A comma, semicolon or colon (dashes and brackets have become commas), or dots."""
    CONJUNCTION = 18
    """Before and, because, which ..."""
    QUOTE = 20
    """A quotation begins or ends here, without punctuation."""
    WORD = 26
    """Between two words of a clause, where nothing else is said of them."""
    CLINGING = 32
    """After an article, a preposition, or a number with its unit behind it."""
    GLUED = 60
    """Inside an abbreviation, a name with initials, a number, a date."""
    INSIDE = 70
    """Between two pieces of one word, which is too long for the model."""


_ROMAN = re.compile(r"[IVXLC]+")
_NO_VOWEL = re.compile(r"[^\W\d_aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûü]+", re.IGNORECASE)
_CURRENCY = frozenset("€$£¥")
_UNIT_LENGTH = 4  # letters at most: km, Uhr, °C, Mio


def gaps(words: Sequence[str], quoted: Sequence[bool]) -> Iterator[Gap]:
    """The gap behind each word but the last; `quoted[i]` says whether a quotation mark stood behind word `i`."""
    opening = True  # the word is the first of its sentence
    for i in range(len(words) - 1):
        gap = _gap("" if opening else words[i - 1], words[i], words[i + 1], quoted[i])
        opening = gap is Gap.SENTENCE
        yield gap


def _gap(previous: str, word: str, following: str, quoted: bool) -> Gap:
    """The gap between `word` and `following`; `previous` is empty if the word begins its sentence."""
    mark = word.rstrip("'")[-1:]  # a single closing quote may stand behind the mark
    if mark == ".":
        return _behind_point(previous, word.rstrip("'"), following)
    if mark in ("?", "!"):
        return Gap.TAG if following[0].islower() else Gap.SENTENCE
    if mark in (",", ";", ":"):
        return Gap.CLAUSE
    return _between_words(word, following, quoted)


def _between_words(word: str, following: str, quoted: bool) -> Gap:
    if word[-1].isdigit() and following[0].isdigit():
        return Gap.GLUED
    if word in _CURRENCY or (word[-1].isdigit() and len(following.rstrip(".,;:!?")) <= _UNIT_LENGTH):
        return Gap.CLINGING
    if following.lower() in abbreviations.CONJUNCTIONS:
        return Gap.CONJUNCTION
    if quoted:
        return Gap.QUOTE
    return Gap.CLINGING if word.lower() in abbreviations.CLINGING else Gap.WORD


def _behind_point(previous: str, word: str, following: str) -> Gap:
    if word.endswith(".."):
        # Dots end a sentence or only hesitate in it: a capital behind them tells, but not that of "I".
        opens = following[0].isupper() and _stem(following) not in ("i", "ich")
        return Gap.SENTENCE if opens else Gap.CLAUSE
    core = word[:-1].lstrip("'")
    if following[0].islower():
        return _before_small_letter(core)
    if following[0].isdigit():
        return _before_number(core, previous)
    return Gap.SENTENCE if _ends_before_capital(previous, core, following) else Gap.GLUED


def _before_small_letter(core: str) -> Gap:
    """Mostly an abbreviation; but some people write whole texts in small letters."""
    lower = core.lower()
    looks_short = len(core) == 1 or "." in core or _NO_VOWEL.fullmatch(core) or lower.endswith("str")
    ordinal = (core.isdigit() and len(core) <= 2) or _ROMAN.fullmatch(core)
    return Gap.GLUED if lower in abbreviations.USUALLY_INSIDE or looks_short or ordinal else Gap.SENTENCE


def _before_number(core: str, previous: str) -> Gap:
    lower = core.lower()
    glued = (
        lower in abbreviations.BEFORE_NUMBER
        or lower in abbreviations.NEVER_LAST
        or lower in abbreviations.TITLES
        or (lower in abbreviations.TITLES_IF_CAPITAL and core[0].isupper())
        or lower.endswith("str")
        or (len(core) == 1 and core.isalpha() and core != "I")
        or (core.isdigit() and len(core) <= 2)
        or (not previous and core.isdigit())
        or _is_dotted(core)
    )
    return Gap.GLUED if glued else Gap.SENTENCE


def _ends_before_capital(previous: str, core: str, following: str) -> bool:
    lower, opener = core.lower(), _opens_sentence(following)
    if lower in abbreviations.TITLES or lower in abbreviations.NEVER_LAST:
        return False
    if lower in abbreviations.TITLES_IF_CAPITAL and core[:1].isupper():
        return False
    if core.isdigit():
        return _number_ends(previous, core, following)
    if lower in abbreviations.MAY_BE_LAST or _is_dotted(core) or lower.endswith("str"):
        return opener
    if len(core) == 1 and core.isalpha():
        return opener and core.isupper()  # `J. Smith`, but `vitamin C. The`
    return True


def _number_ends(previous: str, core: str, following: str) -> bool:
    """`in 1990. Then` ends; `am 3. Oktober`, `der 2. Weltkrieg` and the number of a list item do not."""
    if not previous or len(core) > 2:
        return bool(previous)
    before, after = _stem(previous), _stem(following)
    return not (
        before in abbreviations.BEFORE_ORDINAL
        or after in abbreviations.MONTHS
        or after in abbreviations.AFTER_ORDINAL
    )


def _is_dotted(core: str) -> bool:
    """`U.S`, `a.m`, `Ph.D`: an acronym with points; not an address or a file name (`x.org`, `2.10.3`)."""
    return "." in core and all(len(part) <= 2 and part.isalpha() for part in core.split("."))


def _opens_sentence(word: str) -> bool:
    stem = _stem(word)
    return stem in abbreviations.STARTERS or stem.split("'")[0] in abbreviations.STARTERS


def _stem(word: str) -> str:
    return word.strip(".,;:!?'").lower()
