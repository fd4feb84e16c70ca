"""Plans at which gaps a text is cut: into as few segments as fit, each within its tokens, where a cut is heard least.

Nor are there orphans, segments of one or two words, if it can be helped. Dynamic programming over atoms: parts of the text
that stay whole. Words are atoms only where a clause is too long to be one, which keeps a long ordinary text fast. It sees
counts and costs, never the text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pocketvoice.text.sentences import Gap

_SEGMENT_COST = 4.0
"""Of one more segment. More than a sentence's end, less than a cut inside a sentence: those are never made to save one."""
_FULLNESS_COST = 4.0
"""Times the square of how full a segment is: of two ways with as many segments the more even one is cheaper."""
_ORPHAN_COST = 100.0
"""Of a segment of one or two words: more than any cut."""
_LARGE_CLAUSE = 0.7
"""Of the limit: a clause larger than this may have to be cut, if only to give an orphan beside it company."""

MAX_ORPHAN_WORDS = 2
"""Words of a segment that is too short to be spoken well: in about 40 % of takes the models garble those."""


@dataclass(frozen=True)
class Measures:
    """A text as the planner sees it: one entry a word."""

    tokens: Sequence[int]
    """How many tokens each word takes."""
    counts: Sequence[int]
    """What each counts for in telling an orphan: 1, more for parts of a long unspaced word."""
    gaps: Sequence[Gap]
    """The gap behind each word; of the last, SENTENCE."""
    stopped: Sequence[bool]
    """Whether the word ends on punctuation; if not, a cut behind it adds a comma, one token."""


@dataclass(frozen=True)
class _Atom:
    stop: int  # index behind its last word
    tokens: int
    words: int
    cost: float  # of a cut behind it
    added: int  # tokens that a cut behind it adds


def best_cuts(measures: Measures, start: int, stop: int, limit: int) -> list[int]:
    """Where to cut the words from `start` to `stop`: the index behind the last word of each segment, ending with `stop`.

    A segment has at most `limit` tokens unless it is a single word.
    """
    atoms = list(_atoms(measures, start, stop, limit))
    best = [0.0]  # [i]: the least cost of cutting up the first i atoms
    came_from = [0]  # [i]: where the last segment of that way begins
    for end in range(1, len(atoms) + 1):
        cost, origin = _cheapest(atoms, best, end, limit)
        last = end == len(atoms)
        best.append(cost + (0.0 if last else atoms[end - 1].cost))
        came_from.append(origin)
    return _traced_back(atoms, came_from)


def _cheapest(atoms: Sequence[_Atom], best: Sequence[float], end: int, limit: int) -> tuple[float, int]:
    """The cheapest way to end a segment behind atom `end - 1`, and the atom it begins with."""
    tokens, words = (0 if end == len(atoms) else atoms[end - 1].added), 0
    cheapest, origin = float("inf"), end - 1
    for begin in range(end - 1, -1, -1):
        tokens += atoms[begin].tokens
        words += atoms[begin].words
        if tokens > limit and begin < end - 1:
            break  # a single atom may exceed the limit: there is no other way to speak it
        cost = best[begin] + _SEGMENT_COST + _FULLNESS_COST * (tokens / limit) ** 2
        if words <= MAX_ORPHAN_WORDS:
            cost += _ORPHAN_COST
        if cost < cheapest:
            cheapest, origin = cost, begin
    return cheapest, origin


def _traced_back(atoms: Sequence[_Atom], came_from: Sequence[int]) -> list[int]:
    """The cuts of the cheapest way, from its end to its beginning, in order."""
    cuts = []
    end = len(atoms)
    while end:
        cuts.append(atoms[end - 1].stop)
        end = came_from[end]
    return cuts[::-1]


def _atoms(measures: Measures, start: int, stop: int, limit: int) -> Iterator[_Atom]:
    """Yields the clauses of the text, and the single words of clauses that are large."""
    begin = start
    tokens = 0
    for i in range(start, stop):
        tokens += measures.tokens[i]
        if i + 1 < stop and measures.gaps[i].value > Gap.CLAUSE.value:
            continue
        if tokens > limit * _LARGE_CLAUSE:
            yield from (_atom(measures, word, word + 1) for word in range(begin, i + 1))
        else:
            yield _atom(measures, begin, i + 1)
        begin, tokens = i + 1, 0


def _atom(measures: Measures, start: int, stop: int) -> _Atom:
    return _Atom(
        stop,
        sum(measures.tokens[start:stop]),
        sum(measures.counts[start:stop]),
        float(measures.gaps[stop - 1].value),
        0 if measures.stopped[stop - 1] else 1,
    )
