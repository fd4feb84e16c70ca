"""Finds prompts of the strict mode back in their source: a best effort, for their text went through the tokenizer.

Words are looked for in order, without regard to case and compatibility forms, never far from where the last one was
found. What is not found gets an empty span at that place; the spans are in order and never overlap.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from pocketvoice.text.segment import Span
from pocketvoice.text.traced import TracedText

_WORD = re.compile(r"[^\W_]+")
_REACH = 200  # characters in which a word is looked for: what lies between two words is seldom longer


def aligned(source: str, prompts: Iterable[str]) -> Iterator[tuple[Span, tuple[Span, ...]]]:
    """For each prompt its span in the source and those of its words."""
    folded = _folded(source)
    position = 0
    for prompt in prompts:
        words: list[Span] = []
        for word in _WORD.findall(_fold(prompt)):
            at = folded.text.find(word, position, position + _REACH + len(word))
            if at >= 0:
                position = at + len(word)
                words.append(folded.span(at, position))
        here = folded.starts[position] if position < len(folded) else len(source)
        yield ((words[0][0], words[-1][1]) if words else (here, here)), tuple(words)


def _folded(source: str) -> TracedText:
    # Only characters that change are searched for: a text has few kinds of them.
    changing = sorted(c for c in set(source) if _fold(c) != c)
    traced = TracedText.of(source, 0, len(source))
    if not changing:
        return traced
    pattern = re.compile("[" + "".join(map(re.escape, changing)) + "]")
    return traced.sub(pattern, lambda match: (_fold(match[0]),), covering=True)


def _fold(text: str) -> str:
    """Small letters in their plainest form, character by character, so that parts fold as the whole does."""
    return "".join(unicodedata.normalize("NFKC", character).lower() for character in text)
