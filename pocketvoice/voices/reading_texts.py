"""Texts to read aloud into the microphone: natural, rich in sounds, 25 to 30 seconds each. From `resources/recording_texts/`."""

import tomllib
from dataclasses import dataclass
from functools import cache

from pocketvoice import paths


@dataclass(frozen=True)
class ReadingText:
    """A text to read aloud, and its title."""

    title: str
    text: str


def languages() -> list[str]:
    """Codes there are texts for: en, fr, de, it, pt, es, nl."""
    return list(_texts())


def reading_texts(language: str) -> list[ReadingText]:
    """The texts of a language, by code ("en", "pt-BR") or name ("english", also of a model: "french_24l"); else English ones."""
    wanted = language.replace("_", "-").casefold().partition("-")[0]
    for code, (name, texts) in _texts().items():
        if wanted in (code, name):
            return list(texts)
    return list(_texts()["en"][1])


@cache
def _texts() -> dict[str, tuple[str, tuple[ReadingText, ...]]]:
    """code -> (name, texts), English first."""
    found = {}
    for file in sorted((paths.resources_dir() / "recording_texts").glob("*.toml")):
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        texts = tuple(ReadingText(one["title"], one["text"]) for one in data["texts"])
        found[str(data["code"])] = (file.stem, texts)
    return dict(sorted(found.items(), key=lambda item: item[0] != "en"))
