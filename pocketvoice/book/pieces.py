"""The pieces a book is spoken in: a segment of the text each, with a seed that depends on what it says and on nothing else.

So the sound of a book is the same in whatever order, and by however many processes, its pieces are made; and what was spoken
before a kill, or before a page was changed, is found again by its key.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pocketvoice.book.script import Role
from pocketvoice.text.segment import Segment

LAST_TAKE = 3
"""Takes 1 to here are spoken where the one before does not fit its text."""
IN_PARTS = 9
"""The take of a segment that never ended: spoken in parts by the engine."""


@dataclass(frozen=True)
class Passaged:
    """A segment, and where it belongs."""

    chapter: int
    role: Role
    source: str
    """The passage whose characters the segment's spans count."""
    segment: Segment
    passage: int = 0
    """Number of the passage in its chapter."""


@dataclass(frozen=True)
class Piece:
    """A segment to be spoken, or a silence alone."""

    key: str
    """What its sound is called on the disk; "" for a silence alone."""
    chapter: int
    voice: int
    """Number of the voice."""
    source: str
    segment: Segment
    """`pause_after_s` of it is not in the sound: it is put in when the book is assembled."""
    passage: int = 0
    """Number of the passage in its chapter."""

    @property
    def letters(self) -> int:
        return len(self.segment.text)


@dataclass(frozen=True)
class Task:
    """A take that an engine is to speak; crosses processes as JSON."""

    key: str
    take: int
    voice: int
    seed: int
    text: str
    tokens: tuple[int, ...]
    frames_after_eos: int
    is_short: bool

    def to_json(self) -> str:
        return json.dumps(vars(self))

    @classmethod
    def of_json(cls, line: str) -> "Task":
        data = json.loads(line)
        return cls(**{**data, "tokens": tuple(data["tokens"])})

    @property
    def segment(self) -> Segment:
        """What the engine is given."""
        return Segment(
            self.text, self.tokens, (0, len(self.text)), self.frames_after_eos, is_short=self.is_short
        )


def pieces_of(
    segments: Iterable[Passaged], identities: list[str], roles: dict[Role, int], seed: int
) -> Iterator[Piece]:
    """The pieces in the order of the book. `identities` say, for each voice, all that its sound depends on beside the text.

    `roles` tell the number of the voice of a role. A sentence that is said again gets another sound than the first time.
    """
    times: Counter[str] = Counter()
    for one in segments:
        segment, voice = one.segment, roles[one.role]
        if not segment.tokens:
            yield Piece("", one.chapter, voice, one.source, segment, one.passage)
            continue
        said = [
            identities[voice],
            seed,
            segment.text,
            segment.tokens,
            segment.frames_after_eos,
            segment.is_short,
        ]
        digest = _digest(said)
        times[digest] += 1
        key = _digest([digest, times[digest]])[:24]
        yield Piece(key, one.chapter, voice, one.source, segment, one.passage)


def task(piece: Piece, take: int) -> Task:
    """What an engine needs to speak a take of a piece."""
    segment = piece.segment
    seed = int(_digest([piece.key, take])[:15], 16)
    return Task(
        piece.key,
        take,
        piece.voice,
        seed,
        segment.text,
        segment.tokens,
        segment.frames_after_eos,
        segment.is_short,
    )


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()
