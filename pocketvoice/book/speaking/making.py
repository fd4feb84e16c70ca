"""All pieces of a book are spoken: each once, then those whose sound does not fit their text again, with other seeds.

What lies in the folder is not spoken again. Which take of a piece is heard depends on all first takes together and so neither
on their order nor on how often the work was broken off.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pocketvoice.book import fit
from pocketvoice.book.fit import Take
from pocketvoice.book.pieces import IN_PARTS, LAST_TAKE, Piece, task
from pocketvoice.book.speaking.crew import Crew
from pocketvoice.book.work import Pieces

Known = dict[str, dict[int, Take]]
"""Key of a piece -> number of the take -> the take."""

_SETTLED_S = 4.0  # before that nobody knows how fast it goes


@dataclass(frozen=True)
class Spoken:
    """All pieces, and what the check heard."""

    takes: dict[str, Take]
    """The take that is heard of each piece, by key."""
    again: tuple[Piece, ...]
    """Pieces that were spoken again."""
    doubtful: tuple[Piece, ...]
    """Those of them of which no take fits."""


@dataclass(frozen=True)
class Progress:
    """How far it is."""

    done: int
    """Pieces that are ready, of `count`."""
    count: int
    fraction: float
    """By letters."""
    left_s: float | None
    """Time left, seconds; None while that is not known."""
    chapter: int
    """Number of the chapter that is being spoken, from 0."""
    again: bool = False
    """Whether pieces are spoken again."""


OnProgress = Callable[[Progress], None]


def speak_all(pieces: Sequence[Piece], crew: Crew, folder: Pieces, on_progress: OnProgress) -> Spoken:
    """Speaks what is missing. Raises what an engine raises; then all that is ready stays in the folder."""
    known = folder.found()
    wanted = {piece.key: piece for piece in pieces if piece.key}
    _speak(wanted.values(), 0, crew, known, _Clock(list(wanted.values()), known, on_progress))
    paces = _paces(wanted.values(), known)
    misfits = [piece for piece in wanted.values() if _misfit(piece, known[piece.key].values(), paces) > 1.0]
    again = tuple(misfits)
    for number in range(1, LAST_TAKE + 1):
        _speak(misfits, number, crew, known, _Clock(misfits, known, on_progress, again=True))
        misfits = [piece for piece in misfits if _misfit(piece, known[piece.key].values(), paces) > 1.0]
    never = [piece for piece in misfits if not any(take.ended for take in known[piece.key].values())]
    _speak(never, IN_PARTS, crew, known, _Clock(never, known, on_progress, again=True))
    takes = {
        key: fit.best(piece.letters, known[key].values(), paces[piece.voice]) for key, piece in wanted.items()
    }
    doubtful = tuple(
        piece for piece in again if fit.misfit(piece.letters, takes[piece.key], paces[piece.voice]) > 1.0
    )
    return Spoken(takes, again, doubtful)


def _speak(pieces: Iterable[Piece], number: int, crew: Crew, known: Known, clock: "_Clock") -> None:
    missing = {piece.key: piece for piece in pieces if number not in known.get(piece.key, {})}
    if not missing:
        return
    clock.begin()
    for done in crew.speak(task(piece, number) for piece in missing.values()):
        known.setdefault(done.task.key, {})[number] = done.take
        clock.count(missing[done.task.key])


def _paces(pieces: Iterable[Piece], known: Known) -> dict[int, float | None]:
    """Letters a second of each voice, by the first takes."""
    by_voice: dict[int, list[tuple[int, Take]]] = {}
    for piece in pieces:
        by_voice.setdefault(piece.voice, []).append((piece.letters, known[piece.key][0]))
    return {voice: fit.pace(takes) for voice, takes in by_voice.items()}


def _misfit(piece: Piece, takes: Iterable[Take], paces: dict[int, float | None]) -> float:
    return min(fit.misfit(piece.letters, take, paces[piece.voice]) for take in takes)


class _Clock:
    """Tells how far a round is, and how long it will take, by the letters of its pieces."""

    def __init__(
        self, pieces: Sequence[Piece], known: Known, on_progress: OnProgress, *, again: bool = False
    ) -> None:
        self._count = len(pieces)
        self._letters = sum(piece.letters for piece in pieces)
        ready = [] if again else [piece for piece in pieces if piece.key in known]
        self._done, self._done_letters = len(ready), sum(piece.letters for piece in ready)
        self._first_letters = self._done_letters
        self._again = again
        self._on_progress = on_progress
        self._started = 0.0
        self._chapter = 0

    def begin(self) -> None:
        self._started = time.monotonic()
        self._tell()

    def count(self, piece: Piece) -> None:
        """One more is ready."""
        self._done += 1
        self._done_letters += piece.letters
        self._chapter = max(self._chapter, piece.chapter)
        self._tell()

    def _tell(self) -> None:
        took_s, made = time.monotonic() - self._started, self._done_letters - self._first_letters
        left_s = (
            took_s / made * (self._letters - self._done_letters) if made and took_s > _SETTLED_S else None
        )
        fraction = self._done_letters / max(self._letters, 1)
        self._on_progress(Progress(self._done, self._count, fraction, left_s, self._chapter, self._again))
