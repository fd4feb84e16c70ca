"""The case files of the normaliser, and how spoken forms are compared."""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

CASES = Path(__file__).parent / "cases"
NAMES = {
    "en": "english", "fr": "french", "de": "german", "pt": "portuguese", "it": "italian", "es": "spanish", "nl": "dutch",
}  # fmt: skip


def plain(spoken: str) -> str:
    """Without case, punctuation and hyphens."""
    text = unicodedata.normalize("NFKC", spoken).lower().replace("-", " ").replace("–", " ").replace("’", "'")
    kept = "".join(c if c.isalnum() or c == "'" or unicodedata.combining(c) else " " for c in text)
    return " ".join(kept.split())


_NUMBER_PARTS = {
    "de": "null|ein[se]?|zwei|drei|vier|fünf|sechs?|sieb(?:en)?|acht|neun|zehn|elf|zwölf|zwan|drei|zig|ßig|und|hundert|"
    "tausend|quadrat|kubik|meter|millionen|(?:ste|te)[lrnm]?",
    "it": "uno?|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|\\w+dici|dicias\\w+|diciotto|venti?|"
    "trenta?|(?:quar|cinqu|sess|sett|ott|nov)anta?|cento?|mila|mille|per",
}


def sound(spoken: str, language: str) -> str:
    """`plain`, without the spaces inside of a number word and its accent: neither is heard."""
    words, text = _NUMBER_PARTS.get(language), plain(spoken).replace("tré", "tre")
    if not words:
        return text
    joined: list[str] = []
    for word in text.split():
        is_part = re.fullmatch(f"(?:{words})+", word) is not None
        if joined and is_part and re.fullmatch(f"(?:{words})+", joined[-1]):
            joined[-1] += word
        else:
            joined.append(word)
    return " ".join(joined)


def rows(file: Path) -> Iterator[list[str]]:
    """The columns of each line."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            yield line.split("\t")
