"""The seven languages, each loaded when it is first asked for."""

import importlib
from functools import lru_cache

from pocketvoice.errors import UnknownNameError
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.style import Style

_MODULES = {
    "en": "english", "fr": "french", "de": "german", "pt": "portuguese", "it": "italian", "es": "spanish", "nl": "dutch",
}  # fmt: skip
LANGUAGES = tuple(_MODULES)
"""Codes of the languages that can be normalised."""


def language_code(language: str) -> str:
    """The code of a language given as `en`, `pt-BR`, `French` or by a model's name (`french_24l`).

    Raises UnknownNameError for one that can't be normalised.
    """
    lower = language.lower()
    code = lower.split("-")[0].split("_")[0]
    if code in LANGUAGES:
        return code
    for known, name in _MODULES.items():
        if name in lower:
            return known
    raise UnknownNameError(
        f"Numbers can't be read in {language[:40]!r}: choose one of {', '.join(LANGUAGES)}.",
        suggestions=LANGUAGES,
    )


@lru_cache(maxsize=32)
def language_of(code: str, style: Style) -> Language:
    """The language of a code in LANGUAGES."""
    module = importlib.import_module(f"pocketvoice.text.normalise.languages.{_MODULES[code]}")
    made: Language = module.SPEAKS(style)
    return made
