"""Paragraphs of a text, and how long it takes to read on: to the end of the chapter, and of all. No widgets; main thread only.

All positions are indices of the reader's text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pocketvoice.gui.controllers.outline import Outline
from pocketvoice.gui.controllers.speech import SpeechController

_LETTER = re.compile(r"\S")


@dataclass(frozen=True)
class TimeLeft:
    """Seconds at the speed of now."""

    all_s: float
    chapter_s: float | None
    """None where there are no chapters."""


class ReadingTime:
    """Tells from the speech that is heard, or from the pace of the last one."""

    def __init__(
        self,
        speech: SpeechController,
        text: Callable[[], str],
        place: Callable[[], int],
        outline: Callable[[], Outline],
    ) -> None:
        """`place` is where the reading goes on, and `outline` what is known of the text."""
        self._speech = speech
        self._text = text
        self._place = place
        self._outline = outline

    def place(self) -> int:
        """Where the ear is; at rest, where the reading will go on."""
        view = self._speech.view
        return view.source if view.active and view.span is not None else self._place()

    def chapter_end(self) -> int:
        """Where the chapter ends that is being read; the end of the text where there is none."""
        place = self.place()
        starts = (chapter.start for chapter in self._outline().chapters if chapter.start > place)
        return min(starts, default=len(self._text()))

    def left(self) -> TimeLeft:
        """To the end of the chapter, and of what is read."""
        end = self._end()
        has_chapters = len(self._outline().chapters) > 1
        chapter_s = self.left_to(min(self.chapter_end(), end)) if has_chapters else None
        return TimeLeft(self.left_to(end), chapter_s)

    def left_to(self, index: int) -> float:
        """Seconds from here to there."""
        view, letters = self._speech.view, max(index - self.place(), 0)
        if view.active and view.total_s:
            return view.left_s * min(letters / max(self._end() - view.source, 1), 1.0)
        return letters * self._speech.letter_s / view.speed

    def _end(self) -> int:
        return self._speech.end if self._speech.view.active else len(self._text())


def paragraph_before(text: str, place: int) -> int | None:
    """The start of the paragraph, or of the one before if `place` is there; None before the first."""
    start = text.rfind("\n", 0, place) + 1
    if not text[start:place].strip():
        while start > 0 and text[start - 1].isspace():
            start -= 1
        if start == 0:
            return None
        start = text.rfind("\n", 0, start) + 1
    first = _LETTER.search(text, start)
    return first.start() if first else None


def paragraph_after(text: str, place: int) -> int | None:
    """The start of the next paragraph; None after the last."""
    end = text.find("\n", place)
    first = _LETTER.search(text, end) if end >= 0 else None
    return first.start() if first else None
