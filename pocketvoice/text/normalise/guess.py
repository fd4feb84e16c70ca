"""The language of a paragraph, guessed from its letters by `py3langid`; it loads when it is first asked (half a second).

Short or mixed paragraphs get no guess: a wrong one is heard, none costs nothing.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pocketvoice.text.normalise.chunks import PARAGRAPH

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]

_MIN_LETTERS = 25
_MIN_PROBABILITY = 0.9
_ENOUGH = 2000
"""Characters that are looked at."""
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class LanguageOfParagraph:
    """A paragraph and the language it is taken for."""

    start: int
    stop: int
    language: str | None
    """A code of the candidates, None if it can't be told."""


def guessed_language(text: str, candidates: Collection[str]) -> str | None:
    """The one of `candidates` (codes such as `en`) that `text` is in, None if it can't be told."""
    if len(set(candidates)) < 2:
        return next(iter(candidates), None)
    text = text[:_ENOUGH]
    if len(_LETTER.findall(text)) < _MIN_LETTERS:
        return None
    language, probability = _identifier(tuple(sorted(set(candidates)))).classify(text)
    return str(language) if probability >= _MIN_PROBABILITY else None


def paragraph_languages(text: str, candidates: Collection[str]) -> Iterator[LanguageOfParagraph]:
    """The paragraphs in order, each looked at when it is asked for; together they are the whole text."""
    start = 0
    for match in PARAGRAPH.finditer(text):
        yield LanguageOfParagraph(start, match.end(), guessed_language(text[start : match.end()], candidates))
        start = match.end()
    if start < len(text):
        yield LanguageOfParagraph(start, len(text), guessed_language(text[start:], candidates))


@lru_cache(maxsize=8)
def _identifier(candidates: tuple[str, ...]) -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(candidates))
    return identifier
