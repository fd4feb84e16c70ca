"""Text as an educated reader says it: numbers, dates, money, abbreviations and signs in words, each word with its place.

`normalise` does a whole text, `normalised_paragraphs` piece by piece as they are asked for. Importing this is light: a
language's tables and the number rules are loaded when the first text of that language comes. Pure functions, usable from
any thread.
"""

from pocketvoice.text.normalise.languages import LANGUAGES, language_code
from pocketvoice.text.normalise.normaliser import (
    Normaliser,
    normalise,
    normalise_part,
    normalised_paragraphs,
)
from pocketvoice.text.normalise.rules import Match, PronunciationRule, PronunciationRules
from pocketvoice.text.normalise.spoken import Kind, Note, Spoken, SpokenWord
from pocketvoice.text.normalise.style import Style

__all__ = [
    "LANGUAGES", "Kind", "Match", "Normaliser", "Note", "PronunciationRule", "PronunciationRules", "Spoken", "SpokenWord", "Style",
    "language_code", "normalise", "normalise_part", "normalised_paragraphs",
]  # fmt: skip
