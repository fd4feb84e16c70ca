"""Words that come from one thing of the source (`1984` is three) share its place; segments never do.

Where a text is cut between two such words, the place is cut as well: in proportion, so that each part keeps some of it.
"""

from collections.abc import Sequence

Span = tuple[int, int]
"""Start and stop in a text, as indices of a Python str."""


def cut_place(spans: Sequence[Span], cut: int) -> int | None:
    """Where in the source a cut before word number `cut` falls, given the places of the words in order.

    None if the words on both sides come from so little of the source that it can't be told apart.
    """
    if not 0 < cut < len(spans):
        return spans[cut][0] if cut < len(spans) else spans[-1][1]
    if spans[cut][0] >= spans[cut - 1][1]:
        return spans[cut][0] if spans[cut][0] > spans[cut - 1][0] else None
    first = last = cut
    while first > 0 and spans[first][0] < spans[first - 1][1]:
        first -= 1
    while last + 1 < len(spans) and spans[last + 1][0] < spans[last][1]:
        last += 1
    start, stop, count = spans[first][0], spans[last][1], last + 1 - first
    place = start + (stop - start) * (cut - first) // count
    before = start + (stop - start) * (cut - first - 1) // count
    return place if place > before else None


def between_cuts(spans: Sequence[Span], start: int, stop: int) -> list[Span]:
    """The places of the words from `start` to `stop`, none reaching over the cuts on either side."""
    low, high = cut_place(spans, start), cut_place(spans, stop)
    own = list(spans[start:stop])
    if low is not None and start > 0:
        own = [(max(a, low), max(b, low)) for a, b in own]
    if high is not None and stop < len(spans):
        own = [(min(a, high), min(b, high)) for a, b in own]
    return own
