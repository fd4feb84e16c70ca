"""The words of a cleaned text with what the planner needs of each: tokens, weight, the gap behind it.

A word is what stands between spaces; a sign standing alone (`%`, `+`) belongs to the word before it, and a word too long
for the model is taken apart. Counts tokens word by word, which is exact for tokenizers whose pieces do not span spaces
(ours do not); the splitter checks the sum on the finished segment anyway.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pocketvoice.text.plan import Measures
from pocketvoice.text.sentences import Gap, gaps
from pocketvoice.text.traced import TracedText

_WORD = re.compile(r"\S+")
_SPEAKABLE = re.compile(r"[^\W_]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_QUOTES = re.compile('["“”„‟«»‹›「」『』]')
_PUNCTUATION = (".", "!", "?", ",", ";", ":")

_CHARACTERS_PER_WORD = 2
"""Of scripts written without spaces, for telling what is short."""
_PIECE_COUNT = 3
"""A piece of a word too long for the model is no orphan: it counts as three words."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Words:
    """The words of one text: their spans in it, and what the planner needs of each."""

    spans: Sequence[Span]
    measures: Measures


def words_of(traced: TracedText, source: str, count_tokens: Callable[[str], int], limit: int) -> Words:
    """Takes a cleaned text apart. `limit` is what one word may have in tokens before it is taken apart itself."""
    text = traced.text
    whole = list(_whole_words(text))
    strings = [text[start:stop] for start, stop in whole]
    quoted = _quoted(whole, traced, source)
    spans: list[Span] = []
    tokens: list[int] = []
    counts: list[int] = []
    behind: list[Gap] = []
    kinds = [*_unless_one_thing(gaps(strings, quoted), whole, traced), Gap.SENTENCE]
    for span, string, gap in zip(whole, strings, kinds, strict=True):
        weight = count_tokens(string)
        pieces = [span] if weight <= limit else list(_pieces(string, span[0], limit))
        spans += pieces
        tokens += [weight] if len(pieces) == 1 else [count_tokens(text[a:b]) for a, b in pieces]
        counts += [_count(string)] if len(pieces) == 1 else [_PIECE_COUNT] * len(pieces)
        behind += [Gap.INSIDE] * (len(pieces) - 1) + [gap]
    stopped = [text[stop - 1] in _PUNCTUATION for _, stop in spans]
    return Words(spans, Measures(tokens, counts, behind, stopped))


def _unless_one_thing(kinds: Iterable[Gap], words: Sequence[Span], traced: TracedText) -> Iterator[Gap]:
    """The gaps; between two words that stand for one thing of the source (`1984`) it is glued."""
    for gap, (before, after) in zip(kinds, pairwise(words), strict=True):
        yield Gap.GLUED if traced.starts[after[0]] < traced.stops[before[1] - 1] else gap


def _quoted(words: Sequence[Span], traced: TracedText, source: str) -> Sequence[bool]:
    """Whether a quotation mark, which cleaning removed, stands in the source behind each word."""
    if not words or not _QUOTES.search(source, *traced.span(0, len(traced))):
        return [False] * len(words)
    edges = ((traced.starts[a[1] - 1], traced.starts[b[0]]) for a, b in pairwise(words))
    # An edge begins with the word's last letter: a quotation mark and a space make it longer than two characters.
    return [stop - start > 2 and _QUOTES.search(source, start, stop) is not None for start, stop in edges]


def _whole_words(text: str) -> Iterator[Span]:
    """The words; what says nothing belongs to the word before it, at the very start to the one behind it."""
    start = stop = -1
    speaks = False
    for match in _WORD.finditer(text):
        speaking = _SPEAKABLE.search(match[0]) is not None
        if speaks and speaking:
            yield start, stop
            start = match.start()
        elif start < 0:
            start = match.start()
        stop = match.end()
        speaks = speaks or speaking
    if start >= 0:
        yield start, stop


def _pieces(word: str, offset: int, limit: int) -> Iterator[Span]:
    """Yields the spans of a giant word's pieces, small enough to be grouped evenly; punctuation stays with its letter."""
    size = max(1, limit // 6)  # characters, mostly a token or less each: some six pieces fill a segment
    for match in re.finditer(rf"\w{{1,{size}}}[^\w\s]{{0,{size}}}\s*|[^\w\s]{{1,{size}}}\s*", word):
        yield match.start() + offset, match.end() + offset


def _count(word: str) -> int:
    if word.isascii():
        return 1
    return max(1, -(-len(_UNSPACED.findall(word)) // _CHARACTERS_PER_WORD))  # rounded up
