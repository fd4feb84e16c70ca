"""How a text is read before it is spoken: whether numbers and signs become words, in which language, with whose pronunciations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pocketvoice.hub import catalogue
from pocketvoice.text.normalise.languages import language_code

if TYPE_CHECKING:
    from pocketvoice.text.normalise import PronunciationRules


@dataclass(frozen=True)
class Reading:
    """What a caller says of it."""

    normalise: bool = True
    """False leaves all that is no word to the model."""
    language: str | None = None
    """Of the text: a code (`en`, `pt-BR`) or a name (`french`); None is the model's own."""
    names_emoji: bool = False
    """Emoji are called by their names, while `normalise` is on; else they are skipped."""
    pronunciations: "PronunciationRules | None" = None
    """The user's own, for the voice that speaks."""


READING = Reading()


def language_of(reading: Reading, model_id: str) -> str | None:
    """The code of the language a text is put into words in; None if it is not.

    Raises UnknownNameError for a language that can't be. A model of the user's own is taken at its name: `my_german.yaml`.
    """
    if not reading.normalise:
        return None
    if not reading.language:
        return catalogue.language_code(model_id.rsplit("-", 1)[0]) or None
    return language_code(reading.language)
