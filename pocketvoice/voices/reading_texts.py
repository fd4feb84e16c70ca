"""Texts to read aloud into the microphone: natural, rich in sounds, 25 to 30 seconds each. From `resources/recording_texts/`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadingText:
    """One of them."""

    title: str
    text: str


def languages() -> list[str]:
    """Codes there are texts for: en, fr, de, it, pt, es, nl."""
    raise NotImplementedError


def reading_texts(language: str) -> list[ReadingText]:
    """The texts of a language (code or name); English ones where there are none."""
    raise NotImplementedError
