"""The text around a place, as a reader sees it, and what a reader answers.

A reader is asked at the beginning of a token and tells how far it reads and what is spoken for that; or None, and the
next reader is asked. Everything it looks at is bounded, so that a text is read in linear time.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from pocketvoice.text.abbreviations import CLINGING, CONJUNCTIONS
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.spoken import Kind

_NEAR = 48
"""Characters: no word that bears on a reading is longer or farther away."""
_WORD_AT_END = re.compile(r"[^\W_]+(?:['.][^\W_]+)*\Z")
_OPENING, _CLOSING = frozenset("(\"'"), frozenset(".,:")
_WORD_AFTER = re.compile(r"[ \u00a0]*[(\"']?([^\W\d_]+(?:['-][^\W\d_]+)*)")


class Reading(NamedTuple):
    """The characters up to `stop` are spoken as `spoken`."""

    spoken: str
    stop: int
    kind: Kind
    start: int = -1
    """Where it begins, if that is before the token it was asked at."""
    note: str = ""
    """Told to the listener, of what is not spoken."""


@dataclass
class Context:
    """One piece of text in work."""

    text: str
    language: Language
    _before: tuple[int, str] = (-1, "")  # the place last asked for, and the word
    _shouted: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def before(self, at: int) -> str:
        """The word in front of the place, in small letters; "" at the beginning of a line or behind a sentence."""
        return self.before_as_written(at).lower()

    def before_as_written(self, at: int) -> str:
        """The same with its capitals."""
        if self._before[0] != at:
            self._before = (at, _word_before(self.text[max(0, at - _NEAR) : at]))
        return self._before[1]

    def after(self, at: int) -> str:
        """The word behind the place as it is written, "" if something else stands there."""
        match = _WORD_AFTER.match(self.text, at)
        return match[1] if match else ""

    def char(self, at: int) -> str:
        """One character, "" outside the text."""
        return self.text[at] if 0 <= at < len(self.text) else ""

    def starts_word(self, at: int) -> bool:
        """Whether no letter or digit stands right before the place."""
        return at == 0 or not self.text[at - 1].isalnum()

    def ends_word(self, at: int) -> bool:
        """Whether no letter or digit stands right at the place."""
        return at >= len(self.text) or not self.text[at].isalnum()

    def is_alone(self, start: int, stop: int) -> bool:
        """Whether the line has nothing else."""
        line_start, line_stop = self._line(start)
        return not any(map(str.isalnum, self.text[line_start:start] + self.text[stop:line_stop]))

    def in_capitals(self, at: int) -> bool:
        """Whether the line, or the words around, are written in capitals, so that capitals say nothing."""
        start, stop = self._line(at)
        if start not in self._shouted:
            self._shouted[start] = _shouted_parts(self.text[start:stop])
        return any(first <= at - start < last for first, last in self._shouted[start])

    def _line(self, at: int) -> tuple[int, int]:
        stop = self.text.find("\n", at)
        return self.text.rfind("\n", 0, at) + 1, stop if stop >= 0 else len(self.text)


def _word_before(near: str) -> str:
    """The last word, behind which one mark, spaces and an opening bracket or quotation mark may stand."""
    near = (near[:-1] if near[-1:] in _OPENING else near).rstrip(" \u00a0")
    near = near[:-1] if near[-1:] in _CLOSING else near
    if not near[-1:].isalnum():
        return ""
    word = near[near.rfind(" ") + 1 :]
    if word.isalnum():
        return word
    match = _WORD_AT_END.search(word)
    assert match is not None, "it ends with a letter or a digit"
    return match[0]


_LETTERS = re.compile(r"[^\W\d_]{2,}")
_UPPER = r"[A-ZÀ-ÖØ-Þ]{1,30}(?:'[A-ZÀ-ÖØ-Þ]{1,30})?(?![^\W_])"
_RUN = re.compile(rf"(?<![^\W_]){_UPPER}(?:[ ,;:!?\"'-]{{1,4}}{_UPPER}){{2,}}")
_SMALL_WORDS = frozenset(word.upper() for word in (*CLINGING, *CONJUNCTIONS) if len(word) > 2)
"""Articles, prepositions and the like: between capitals they tell that a sentence is shouted."""


def _shouted_parts(line: str) -> list[tuple[int, int]]:
    """Where words stand in capitals that are no initialisms."""
    if _is_shouted(line):
        return [(0, len(line))]
    return [
        run.span() for run in _RUN.finditer(line) if not _SMALL_WORDS.isdisjoint(_LETTERS.findall(run[0]))
    ]


def _is_shouted(line: str) -> bool:
    """Two words of four letters or more, and nothing in small letters."""
    words = _LETTERS.findall(line)
    long = [word for word in words if len(word) > 3]
    return (
        len(words) > 1
        and bool(long)
        and all(word.isupper() for word in words)
        and len(max(long, key=len)) > 4
    )
