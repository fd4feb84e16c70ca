"""When everything in a book is heard: its chapters and its sentences, by the samples of the pieces. Plain values.

Positions are samples from the start of the book, or of the file where each chapter has its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pocketvoice.audio.chunk import Samples
from pocketvoice.book.pieces import Piece
from pocketvoice.playback.alignment import sentence_offsets

LEAD_S = 0.4
"""Silence before the first word of a chapter."""


@dataclass(frozen=True)
class Cue:
    """A sentence, and when it is heard."""

    start: int
    stop: int
    text: str
    span: tuple[int, int] = (0, 0)
    """Where it stands in its passage."""
    passage: int = 0
    """Number of the passage in its chapter."""


@dataclass(frozen=True)
class TimedChapter:
    """A chapter, and when it is heard."""

    title: str
    start: int
    stop: int
    cues: tuple[Cue, ...]

    def moved(self, by: int) -> "TimedChapter":
        """The same, `by` samples later."""
        cues = tuple(replace(cue, start=cue.start + by, stop=cue.stop + by) for cue in self.cues)
        return TimedChapter(self.title, self.start + by, self.stop + by, cues)


class ChapterTimer:
    """Finds the sentences of a chapter while its sound goes by."""

    def __init__(self, title: str, start: int, sample_rate: int) -> None:
        self._title = title
        self._start = start
        self._now = start
        self._rate = sample_rate
        self._cues: list[Cue] = []

    def silence(self, samples: int) -> None:
        self._now += samples

    def piece(self, piece: Piece, samples: Samples) -> None:
        """The sound of a piece, without the silence behind it."""
        spans = list(piece.segment.sentences) or [piece.segment.span]
        letters = [float(max(stop - start, 1)) for start, stop in spans]
        offsets = [*sentence_offsets(samples, self._rate, letters), len(samples)]
        for number, span in enumerate(spans):
            start, stop = self._now + offsets[number], self._now + offsets[number + 1]
            before = self._cues[-1] if self._cues else None
            is_rest = number == 0 and piece.segment.continues
            if is_rest and before is not None and before.passage == piece.passage:
                self._cues.pop()
                start, span = before.start, (before.span[0], span[1])
            text = " ".join(piece.source[slice(*span)].split())
            self._cues.append(Cue(start, stop, text, span, piece.passage))
        self._now += len(samples)

    def finished(self) -> TimedChapter:
        return TimedChapter(self._title, self._start, self._now, tuple(self._cues))


def in_sentences(chapters: Iterable[TimedChapter]) -> Sequence[Cue]:
    """The cues of all chapters."""
    return [cue for chapter in chapters for cue in chapter.cues]
