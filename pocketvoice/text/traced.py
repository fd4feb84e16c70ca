"""Text that remembers where it came from: every character carries the span of the source it stands for.

Cleaning replaces, drops and inserts characters; a segment must still say which part of the user's text it speaks. So
the map is carried through each replacement instead of being searched for afterwards. Immutable, knows no rules.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Part = str | int
"""A piece of a replacement: text to insert, or the number of a group of the match to keep as it is."""
Replacement = Sequence[Part] | Callable[[re.Match[str]], Sequence[Part]]


@dataclass(frozen=True)
class TracedText:
    """Characters, and for each the half-open span of the source it stands for, in order.

    They never overlap, but for those of words that come from one thing (`1984`): each character has the place of the whole.
    """

    text: str
    starts: "array[int]"
    stops: "array[int]"

    @classmethod
    def of(cls, source: str, start: int, stop: int) -> "TracedText":
        """The part of `source` from `start` to `stop`, untouched."""
        return cls(source[start:stop], array("q", range(start, stop)), array("q", range(start + 1, stop + 1)))

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, part: slice) -> "TracedText":
        return TracedText(self.text[part], self.starts[part], self.stops[part])

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """The span of the source that the characters from `start` to `stop` (at least one) stand for."""
        return self.starts[start], self.stops[stop - 1]

    def sub(
        self,
        pattern: re.Pattern[str],
        replacement: Replacement,
        *,
        covering: bool = False,
        whole: bool = False,
    ) -> "TracedText":
        """Replaces every match: kept groups keep their origin, inserted text stands for the empty span where it is put.

        With `covering` inserted text stands for the whole match: where it is another way to write the same letters. Each of its
        characters stands for a share, with `whole` for all of it: where it is what one thing is called.
        """
        builder = _Builder(self, covering, whole)
        for match in pattern.finditer(self.text):
            parts = replacement(match) if callable(replacement) else replacement
            builder.replace(match, parts)
        return builder.finished()

    def insert(self, index: int, text: str) -> "TracedText":
        """Puts `text` before the character at `index`; it stands for the empty span there."""
        at = self.stops[index - 1] if index else self.starts[0]
        marks = array("q", [at]) * len(text)
        return TracedText(
            self.text[:index] + text + self.text[index:],
            self.starts[:index] + marks + self.starts[index:],
            self.stops[:index] + marks + self.stops[index:],
        )

    def joined(self, other: "TracedText") -> "TracedText":
        """This text, a space, the other text; the space stands for what lies between them in the source."""
        start, stop = array("q", [self.stops[-1]]), array("q", [other.starts[0]])
        return TracedText(
            f"{self.text} {other.text}", self.starts + start + other.starts, self.stops + stop + other.stops
        )

    def composed(self) -> "TracedText":
        """In the composed form (NFC): an accent typed as a character of its own joins its letter."""
        if unicodedata.is_normalized("NFC", self.text):
            return self
        return self.sub(
            _clusters(self.text), lambda match: (unicodedata.normalize("NFC", match[0]),), covering=True
        )


def _clusters(text: str) -> re.Pattern[str]:
    """What composition may change: a character with marks behind it, a Korean syllable in letters, a few by themselves.

    `re` has no class for marks, and a list of all of them takes longer to make than a look at the text's characters.
    """
    present = sorted(set(text))
    marks = [c for c in present if unicodedata.category(c)[0] == "M" or "\u1160" <= c <= "\u11ff"]
    alone = [c for c in present if unicodedata.normalize("NFC", c) != c]
    members = "".join(map(re.escape, marks)) or "\u0300"
    return re.compile(rf"[^\s{members}][{members}]+|[{''.join(map(re.escape, alone)) or members}]")


class _Builder:
    """Puts a text together out of what is kept of the old one and what replaces the rest, in order."""

    def __init__(self, traced: TracedText, covering: bool, whole: bool) -> None:
        self._traced = traced
        self._covering = covering
        self._whole = whole
        self._texts: list[str] = []
        self._starts = array("q")
        self._stops = array("q")
        self._position = 0  # what lies before it in the old text is done
        self._changed = False

    def replace(self, match: re.Match[str], parts: Sequence[Part]) -> None:
        self._changed = True
        self._keep(self._position, match.start())
        self._position = match.start()
        for part in parts:
            if isinstance(part, int):
                self._keep(*match.span(part))
            elif part:
                self._insert(part, match.end() if self._covering else self._position)
        self._position = match.end()

    def finished(self) -> TracedText:
        if not self._changed:
            return self._traced
        self._keep(self._position, len(self._traced.text))
        return TracedText("".join(self._texts), self._starts, self._stops)

    def _keep(self, start: int, stop: int) -> None:
        if stop <= start:
            return
        self._texts.append(self._traced.text[start:stop])
        self._starts.extend(self._traced.starts[start:stop])
        self._stops.extend(self._traced.stops[start:stop])
        self._position = stop

    def _insert(self, text: str, stop: int) -> None:
        """Inserted text stands for what lies between the position reached and `stop`, each character for a share."""
        start = self._edge(self._position)
        self._texts.append(text)
        if self._whole or self._is_of_one_thing(stop):
            end = self._traced.stops[stop - 1]
            self._starts.extend([start] * len(text))
            self._stops.extend([max(start, end)] * len(text))
            return
        # In shares, so that a position inside of a longer replacement still points somewhere inside of the original.
        length = self._traced.stops[stop - 1] - start if stop > self._position else 0
        edges = array("q", (start + length * i // len(text) for i in range(len(text) + 1)))
        self._starts.extend(edges[:-1])
        self._stops.extend(edges[1:])

    def _is_of_one_thing(self, stop: int) -> bool:
        """Whether what lies between the position reached and `stop` shares its place in the source with its neighbours."""
        starts, stops, first = self._traced.starts, self._traced.stops, self._position
        shares_before = 0 < first < len(starts) and starts[first] < stops[first - 1]
        return shares_before or (first < stop < len(starts) and starts[stop] < stops[stop - 1])

    def _edge(self, index: int) -> int:
        """The source position just before the character at `index`."""
        return self._traced.starts[index] if index < len(self._traced.text) else self._traced.stops[-1]
