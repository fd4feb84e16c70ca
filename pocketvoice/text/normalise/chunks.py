"""A text cut lazily into pieces small enough to be worked on at once, at places no reading reaches over."""

import re
from collections.abc import Iterator

PARAGRAPH = re.compile(r"\n[ \t\r]*\n\s*")
_SENTENCE = re.compile(r"(?<=[^\W\d_]{4}[.!?…])['\"”’)»]{0,3}\s{1,20}(?=[^\w\s]?[A-ZÀ-Þ])|\n")
SIZE = 2000
"""Characters: longer paragraphs are cut at a sentence, or at a space."""
_FIRST = 400
"""The first piece is small: speech begins with it."""


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Start and stop of the pieces, in order and without gaps."""
    start, size = 0, _FIRST
    while start < len(text):
        stop = _cut(text, start, size)
        yield start, stop
        start, size = stop, SIZE


def _cut(text: str, start: int, size: int) -> int:
    limit = start + size
    paragraph = PARAGRAPH.search(text, start, limit)
    if paragraph:
        return paragraph.end()
    if limit >= len(text):
        return len(text)
    ends = [match.end() for match in _SENTENCE.finditer(text, start + size // 2, limit)]
    if ends:
        return ends[-1]
    space = max(text.rfind(" ", start + 1, limit), text.rfind("\n", start + 1, limit))
    return space + 1 if space > 0 else _between_characters(text, limit)


def _between_characters(text: str, at: int) -> int:
    """Never between a letter and its accent, nor inside a number if that can be helped."""
    back = at
    while back > at - 50 and text[back - 1].isalnum() and text[back].isalnum():
        back -= 1
    if back > at - 50:
        return back
    while at < len(text) and 0x300 <= ord(text[at]) <= 0x36F:
        at += 1
    return at
