"""The seven languages, each loaded when it is first asked for."""

import importlib
from functools import lru_cache

from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.style import Style

_MODULES = {
    "en": "english", "fr": "french", "de": "german", "pt": "portuguese", "it": "italian", "es": "spanish", "nl": "dutch",
}  # fmt: skip
LANGUAGES = tuple(_MODULES)
"""Codes of the languages that can be normalised."""


@lru_cache(maxsize=32)
def language_of(code: str, style: Style) -> Language:
    """The language of a code in LANGUAGES."""
    module = importlib.import_module(f"pocketvoice.text.normalise.languages.{_MODULES[code]}")
    made: Language = module.SPEAKS(style)
    return made
