"""Cuts a segment that the model did not finish in two: smaller ones with the same words, at the same place in the source."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pocketvoice.text.passage_splitter import capitalized, made, with_comma
from pocketvoice.text.plan import MAX_ORPHAN_WORDS
from pocketvoice.text.rules import TextRules
from pocketvoice.text.segment import Segment, Span, SplitOptions
from pocketvoice.text.sentences import Gap, gaps
from pocketvoice.text.shared_spans import between_cuts, cut_place
from pocketvoice.text.tokenizer import Tokenizer

_ORPHAN_COST = 100.0
_UNEVEN_COST = 24.0
"""Of a cut at the very edge; a cut in the middle costs nothing. Between two words the middle outweighs their kind."""


def split_again(
    segment: Segment, tokenizer: Tokenizer, rules: TextRules, options: SplitOptions
) -> list[Segment]:
    """Two smaller segments that cover the same words, or the segment alone if it has no more than two words."""
    words = segment.text.split()
    if len(words) <= MAX_ORPHAN_WORDS:
        return [segment]
    kinds = list(gaps(words, [False] * len(words)))  # where quotation marks stood is not known any more
    spans = _word_spans(segment, words)
    possible = [i for i in range(1, len(words)) if cut_place(spans, i) is not None]
    if not possible:
        return [segment]
    cut = min(possible, key=lambda i: _cost(i, len(words), kinds[i - 1]))
    head = with_comma(" ".join(words[:cut]), rules)
    tail = " ".join(words[cut:])
    if kinds[cut - 1] is Gap.SENTENCE and rules.capitalize_first_letter:
        tail = capitalized(tail)
    before, behind = between_cuts(spans, 0, cut), between_cuts(spans, cut, len(spans))
    first = made(head, before, tokenizer, rules, is_short=cut <= MAX_ORPHAN_WORDS)
    last = made(tail, behind, tokenizer, rules, is_short=len(words) - cut <= MAX_ORPHAN_WORDS)
    edge = before[-1][1]
    return [
        replace(first, span=(segment.span[0], max(edge, segment.span[0]))),
        replace(last, span=(last.span[0], segment.span[1]), pause_after_s=segment.pause_after_s),
    ]


def _cost(cut: int, words: int, kind: Gap) -> float:
    """What it costs to cut behind the first `cut` of `words` words, at a gap of that kind."""
    orphans = (cut <= MAX_ORPHAN_WORDS) + (words - cut <= MAX_ORPHAN_WORDS)
    return kind.value + orphans * _ORPHAN_COST + _UNEVEN_COST * (2 * cut / words - 1) ** 2


def _word_spans(segment: Segment, words: Sequence[str]) -> list[Span]:
    """The place of each word in the source; in proportion to its length where the segment does not know it."""
    if len(segment.words) == len(words):
        return list(segment.words)
    start, stop = segment.span
    length = sum(map(len, words))
    edges = [0]
    for word in words:
        edges.append(edges[-1] + len(word))
    places = [start + edge * (stop - start) // length for edge in edges]
    return list(pairwise(places))
