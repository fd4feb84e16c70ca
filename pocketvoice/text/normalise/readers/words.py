"""Abbreviations by what stands around them, and initialisms: spelled (FBI, USB-C) or read (NASA)."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.languages.tables import COMMON_ACRONYMS
from pocketvoice.text.normalise.numerals import SPACE
from pocketvoice.text.normalise.patterns import one_of
from pocketvoice.text.normalise.spoken import Kind

_DOTTED = re.compile(r"(?:[^\W\d_]\.[ \u00a0]?){1,4}[^\W\d_](?:\.|(?![^\W_]))")
_INITIALS = re.compile(r"(?:[A-ZÀ-Þ]\.[ \u00a0]?){1,5}[A-ZÀ-Þ]\.(?:[A-ZÀ-Þ](?![^\W_]))?")
_ONE_INITIAL = re.compile(r"[A-ZÀ-Þ]\.(?=[ \u00a0]?[A-ZÀ-Þ])")
_CAPITALS = re.compile(r"(?P<letters>[A-ZÀ-Þ]{2,40})(?:(?P<plural>s)|(?P<tail>'[A-ZÀ-Þ]{1,2}))?(?![^\W_])")
_CODE = re.compile(r"[^\W_]{1,16}(?:-[^\W_]{1,24}){0,6}")
_SCIENTIFIC = re.compile(r"\d{1,12}[eE][+-]?\d{1,3}(?![^\W_])")
_PART = re.compile(r"\d+|[A-ZÀ-Þ]+(?![a-zà-ÿ])|[A-ZÀ-Þ]?[a-zà-ÿ]+|[^\W\d_]+")
_VOWELS = frozenset("AEIOUYÀÁÂÄÈÉÊËÌÍÎÏÒÓÔÖÙÚÛÜ")


class Abbreviations:
    """Abbreviations of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        tables = (language.abbreviations, language.titles, language.before_number, language.after_name)
        names = {name for table in tables for name in table}
        self._firsts = {c for name in names for c in (name[0].lower(), name[0].upper())}
        pattern = one_of(names, lambda name: re.escape(name).replace(r"\ ", rf"{SPACE}?"))
        self._pattern = re.compile(rf"(?P<name>{pattern})(?![^\W\d_]|(?<=\w)(?<!º)\d)", re.IGNORECASE)
        endings = "|".join(map(re.escape, language.word_endings))
        self._endings = (
            re.compile(rf"(?P<stem>[^\W\d_]{{2,40}}?)(?P<end>{endings})(?![^\W_])", re.IGNORECASE)
            if endings
            else None
        )

    def read(self, context: Context, at: int) -> Reading | None:
        """An abbreviation that begins there."""
        if not context.starts_word(at):
            return None
        match = self._pattern.match(context.text, at) if context.text[at] in self._firsts else None
        if match is None:
            return self._ending(context, at)
        name = re.sub(r"[ \u00a0]", " ", match["name"].lower())
        words = self._words(context, name, at, match.end(), match["name"])
        if words is None:
            return None
        if match["name"][0].isupper():
            words = words[:1].upper() + words[1:]
        return Reading(words, self._stop(context, match.end(), words), Kind.ABBREVIATION)

    def _ending(self, context: Context, at: int) -> Reading | None:
        """Hauptstr. 5"""
        match = self._endings.match(context.text, at) if self._endings else None
        if match is None:
            return None
        words = match["stem"] + self._language.word_endings[match["end"].lower()]
        return Reading(words, self._stop(context, match.end(), "Straße"), Kind.ABBREVIATION)

    def _words(self, context: Context, name: str, at: int, stop: int, written: str) -> str | None:
        language, after = self._language, context.after(stop + (context.char(stop) == "-"))
        if written.isupper() and len(written) > 1 and context.char(stop) == "-":
            return None  # MS-DOS
        follows_number = context.text[stop : stop + 3].lstrip(" \u00a0,")[:1].isdecimal()
        if name not in language.abbreviations:
            name = _normal(name, language)
        if name in language.after_name and language.is_after_name(
            name, context.before_as_written(at), after, context.char(stop)
        ):
            return language.after_name[name]
        if name in language.before_number and (follows_number or language.is_roman_next(after)):
            return language.before_number[name]
        if (
            name in language.titles
            and (after[:1].isupper() or after == language.phrases.and_)
            and written[:1].isupper() | (not language.titles_have_capitals)
        ):
            return language.title_before(language.titles[name], after)
        if written.isupper() and written.rstrip(".") in language.spelled_words:
            return None
        spoken = language.abbreviations.get(name)
        return (
            language.abbreviation_in_context(name, spoken, context.before(at), after or "1" * follows_number)
            if spoken is not None
            else None
        )

    def _stop(self, context: Context, stop: int, words: str) -> int:
        """An abbreviation at the end of a sentence leaves its point there."""
        if context.text[stop - 1] != ".":
            return stop
        rest = context.text[stop : stop + 4].strip(" \u00a0\"')»”")
        ends = not rest or rest[0] == "\n"
        if ends or (
            rest[0].isupper()
            and words in self._language.may_end_sentence
            and context.after(stop).lower() in self._language.openers
        ):
            return stop - 1
        return stop


def _normal(name: str, language: Language) -> str:
    return (
        name
        if name in language.titles or name in language.before_number or name in language.after_name
        else name.replace(" ", "")
    )


class Initialisms:
    """Words in capitals, initials and words with digits inside."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def read(self, context: Context, at: int) -> Reading | None:
        """An initialism that begins there."""
        if not context.starts_word(at):
            return None
        return self._pointed(context, at) or self._capitals(context, at) or self._code(context, at)

    def _pointed(self, context: Context, at: int) -> Reading | None:
        """U.S.A., J. K. Rowling, James T. Kirk: the points end no sentence."""
        match = _INITIALS.match(context.text, at)
        if match:
            stop = match.end()
            rest = context.text[stop : stop + 2].strip(" \u00a0)\"'")
            after = context.after(stop)
            ends = match[0][-1] == "." and (
                not rest.strip(".")
                or rest[0] == "\n"
                or (after.lower() in self._language.openers and after[:1].isupper())
            )
            word = re.sub(r"[.\s]", "", match[0])
            spoken = word if word in self._language.acronyms else self._language.initials(word)
            if " " in match[0] and not self._is_initial(context, at, stop):
                return None
            return Reading(spoken, stop - 1 if ends else stop, Kind.INITIALISM)
        match = _ONE_INITIAL.match(context.text, at)
        if match and self._is_initial(context, at, match.end()):
            return Reading(match[0][0], match.end(), Kind.INITIALISM)
        return None

    def _is_initial(self, context: Context, at: int, stop: int) -> bool:
        """The point ends a sentence in `vitamin C. The`, `plan B. Then`."""
        after = context.after(stop).lower()
        return after not in self._language.openers and context.before(at) not in self._language.lettered

    def _capitals(self, context: Context, at: int) -> Reading | None:
        match = _CAPITALS.match(context.text, at)
        if match is None:
            return self._single(context, at)
        letters = match["letters"]
        if match["tail"] or self._is_word(context, at, letters):
            return self._in_small_letters(context, at, match)
        numbered = bool(re.match(r"[ \u00a0]\d", context.text[match.end() : match.end() + 2]))
        spoken = " ".join(letters) if numbered and len(letters) < 3 else self._language.initials(letters)
        plural = self._language.plural_of_initials if match["plural"] else ""
        return Reading(spoken + plural, match.end(), Kind.INITIALISM)

    def _single(self, context: Context, at: int) -> Reading | None:
        """A word of one letter in a line of capitals."""
        if (
            context.text[at] not in "AEOÀÈYUÓÉ"
            or not context.ends_word(at + 1)
            or not context.in_capitals(at)
        ):
            return None
        return Reading(context.text[at].lower(), at + 1, Kind.WORD)

    def _in_small_letters(self, context: Context, at: int, match: re.Match[str]) -> Reading | None:
        """A word in capitals is written as others are: voices spell capitals."""
        if len(match[0]) < 3 and not context.in_capitals(at):
            return None
        opens = (
            not context.text[:at].rstrip(" \"'(¿¡").rstrip("\n")
            or context.text[:at].rstrip(" \"'(¿¡")[-1:] in ".!?\n"
        )
        known = match["letters"] in self._language.acronyms or match["letters"] in COMMON_ACRONYMS
        small = context.in_capitals(at) or match["letters"] in self._language.shouted
        word = match[0].lower() if small and not (opens or known) else match[0].capitalize()
        return Reading(word, match.end(), Kind.INITIALISM if known else Kind.WORD)

    def _is_word(self, context: Context, at: int, letters: str) -> bool:
        """Read and not spelled."""
        language = self._language
        if letters in language.acronyms or letters in COMMON_ACRONYMS or letters in language.shouted:
            return True
        if letters in language.spelled_words or not _VOWELS.intersection(letters):
            return False
        if context.in_capitals(at) or not letters.isascii():
            return True
        return len(letters) > 7 or (len(letters) > 3 and _is_readable(letters))

    def _code(self, context: Context, at: int) -> Reading | None:
        """B2A23C, H2O, A4: letters one by one, digits in small groups."""
        match = None if _SCIENTIFIC.match(context.text, at) else _CODE.match(context.text, at)
        if match is None or not any(map(str.isdecimal, match[0])) or not any(map(str.isalpha, match[0])):
            return None
        if not context.text[at].isdecimal() and not re.match(r"[^\W_]*\d", match[0].split("-")[0]):
            return None
        parts = [
            self._language.code_part(int(group))
            if group.isdecimal() and len(group) < 4 and group[0] != "0" and "-" in match[0]
            else " ".join(map(self._part, _PART.findall(group)))
            for group in match[0].split("-")
        ]
        return Reading(" ".join(parts), match.end(), Kind.CODE)

    def _part(self, part: str) -> str:
        language = self._language
        if part.isdecimal():
            return language.code_number(part)
        if not part.isalpha() or (
            len(part) > 1
            and (part in language.acronyms or (len(part) > 3 and _VOWELS.intersection(part.upper())))
        ):
            return part
        if part.islower() and _VOWELS.intersection(part.upper()) and len(part) > 1:
            return part
        return language.initials(part) if part.isupper() or not _VOWELS.intersection(part.upper()) else part


def _is_readable(letters: str) -> bool:
    """Vowels and consonants in turns: no four consonants in a row, no three at an end."""
    shape = "".join("v" if c in _VOWELS else "c" for c in letters)
    return (
        "cccc" not in shape
        and "vvv" not in shape
        and not shape.startswith("ccc")
        and not shape.endswith("ccc")
    )
