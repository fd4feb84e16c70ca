"""Python counts a text in characters, Qt in UTF-16 units: an emoji is one here and two there. Pure Python."""

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

_WIDE = re.compile("[\U00010000-\U0010ffff]")


def _has_wide(text: str) -> bool:
    """Whether any character takes two units. In C: a book is looked through at each key that is pressed in it."""
    return not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


class Utf16Map:
    """Translates positions in one text, both ways; what lies outside becomes the nearest end."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        wide = [found.start() for found in _WIDE.finditer(text)] if _has_wide(text) else []
        self._wide = wide  # indices of the characters that take two units
        self._second = [index + count + 1 for count, index in enumerate(wide)]  # their second units, for Qt

    def to_qt(self, index: int) -> int:
        """Qt's position of the character at `index`."""
        index = min(max(index, 0), self._length)
        return index + bisect_left(self._wide, index)

    def to_text(self, position: int) -> int:
        """The index of the character at Qt's `position`."""
        return min(max(position - bisect_right(self._second, position), 0), self._length)


@lru_cache(maxsize=2)
def utf16_map(text: str) -> Utf16Map:
    """The map of a text; the last ones are kept."""
    return Utf16Map(text)
