"""Text that comes in pieces, as a language model writes it: handed on in whole sentences, as soon as each is beyond doubt. Pure."""

import re
from collections.abc import Iterator

from pocketvoice.text.sentences import Gap, gaps

_WORD = re.compile(r"\S+")
_LEAST_WORDS = 3  # fewer are garbled often when they are spoken alone: they wait for the next sentence
_LINE_END = re.compile(r"\n\s*\Z")


_LOOKED_AT = 4000  # characters: a sentence that is longer is handed on in parts


class IncomingText:
    """Collects pieces of a text, and hands on whole sentences. The work for a text grows with its length alone."""

    def __init__(self) -> None:
        self._rest = ""
        self._pieces: list[str] = []  # came since it was looked at
        self._characters = 0  # of these
        self._wait_for = 0  # more characters before another look is worth it

    def push(self, piece: str) -> str:
        """Takes a piece; returns the sentences that are complete now, "" if there are none."""
        self._pieces.append(piece)
        self._characters += len(piece)
        if self._characters < self._wait_for and "\n" not in piece:
            return ""
        return self._look()

    def _look(self) -> str:
        self._rest += "".join(self._pieces)
        self._pieces, self._characters = [], 0
        end = max(self._ends(), default=0)
        if not end and len(self._rest) > _LOOKED_AT:
            end = self._rest.rfind(" ", 0, _LOOKED_AT) + 1 or _LOOKED_AT
        ready, self._rest = self._rest[:end], self._rest[end:]
        self._wait_for = 0 if end else len(self._rest) // 16
        return ready

    def finish(self) -> str:
        """Returns what has not been handed on yet."""
        ready, self._rest, self._pieces = self._rest + "".join(self._pieces), "", []
        return ready

    def _ends(self) -> Iterator[int]:
        """Where a sentence ends that has enough words before it."""
        found = list(_WORD.finditer(self._rest))
        if found and found[-1].end() == len(self._rest):
            found.pop()  # the last word may go on
        words = [word.group() for word in found]
        for index, gap in enumerate(gaps(words, [False] * len(words)), 1):
            if index >= _LEAST_WORDS and gap is Gap.SENTENCE:
                yield found[index - 1].end()
        if len(words) >= _LEAST_WORDS and _LINE_END.search(self._rest):
            yield len(self._rest)
