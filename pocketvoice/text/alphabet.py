"""Letters that a model does not know: which alphabet most of a text is in.

The models were trained on languages in Latin letters; others are spoken as they are spelled in these, or
not at all. Pure functions, usable from any thread.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

LANGUAGES = {
    "en": "English", "fr": "French", "de": "German", "it": "Italian", "pt": "Portuguese", "es": "Spanish", "nl": "Dutch",
}  # fmt: skip
"""Code -> name of the languages that are written in Latin letters, as far as there are models for them."""

_LATIN = (
    "\\u0000-\\u02ff\\u1e00-\\u1eff\\u2070-\\u209c\\u2100-\\u214f\\u2c60-\\u2c7f"
    "\\ua720-\\ua7ff\\uab30-\\uab6f\\ufb00-\\ufb06\\uff21-\\uff5a\\U0001d400-\\U0001d7ff"
)
_OTHER = re.compile(rf"[^\W\d_{_LATIN}]")
_LETTER = re.compile(r"[^\W\d_]")
_KNOWN = re.compile(rf"(?=[{_LATIN}])[^\W\d_]")

_NAMES = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}
_SAMPLES, _SAMPLE_CHARS = 20, 2000


@dataclass(frozen=True)
class UnknownLetters:
    """Most letters of a text are of another alphabet than the model's."""

    alphabet: str
    """Of most of them: "Arabic"."""
    language: str
    """Of the model: "English"."""
    is_all: bool
    """Whether there is no letter that the model knows."""

    @property
    def sentence(self) -> str:
        """What to tell, with the remedy."""
        start = "The text is" if self.is_all else "Most of the text is"
        return (
            f"{start} in {self.alphabet} letters, which the {self.language} model was not made for: it is hard to understand, "
            "if it is heard at all. Use a model that was made for them, or write it in Latin letters."
        )


def unknown_letters(text: str, language: str) -> UnknownLetters | None:
    """What is to be told of the letters of `text` for a model of `language` (ISO 639-1).

    None if the model knows at least half of them, or if nobody knows which letters it was made for.
    """
    if language not in LANGUAGES or text.isascii():
        return None
    sample = _sample(text)
    other = _OTHER.findall(sample)
    if 2 * len(other) <= len(_LETTER.findall(sample)):
        return None
    return UnknownLetters(_alphabet(other), LANGUAGES[language], _KNOWN.search(text) is None)


def _sample(text: str) -> str:
    """The text; of a long one pieces from all over."""
    if len(text) <= _SAMPLES * _SAMPLE_CHARS:
        return text
    step = len(text) // _SAMPLES
    return "".join(text[at : at + _SAMPLE_CHARS] for at in range(0, step * _SAMPLES, step))


def _alphabet(letters: list[str]) -> str:
    names = Counter(unicodedata.name(letter, "unknown").split()[0] for letter in letters)
    if names["HIRAGANA"] + names["KATAKANA"]:  # Japanese is written in Chinese letters too
        names["HIRAGANA"] += names.pop("CJK", 0)
    first = names.most_common(1)[0][0]
    return _NAMES.get(first, first.title())
