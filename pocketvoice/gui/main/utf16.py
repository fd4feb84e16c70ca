"""Python counts a text in characters, Qt in UTF-16 units: an emoji is one here and two there. Pure Python."""

from bisect import bisect_left, bisect_right
from functools import lru_cache


class Utf16Map:
    """Translates positions in one text, both ways; what lies outside becomes the nearest end."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        wide = [] if text.isascii() else [index for index, letter in enumerate(text) if letter > "\uffff"]
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
