"""The case files of the normaliser, and how spoken forms are compared."""

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


def rows(file: Path) -> Iterator[list[str]]:
    """The columns of each line."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            yield line.split("\t")
