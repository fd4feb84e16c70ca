"""One cleaned passage to segments: its beginning and end put right, its words grouped into segments, each made a prompt.

A PassageSplitter serves one text: it remembers the token counts of the words it met. It is not shared between threads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pocketvoice.text.pauses import SPEAKABLE
from pocketvoice.text.plan import MAX_ORPHAN_WORDS, best_cuts
from pocketvoice.text.rules import TextRules
from pocketvoice.text.segment import Segment, Span
from pocketvoice.text.sentences import Gap
from pocketvoice.text.shared_spans import between_cuts, cut_place
from pocketvoice.text.strict import frames_after_eos, padded
from pocketvoice.text.tokenizer import Tokenizer
from pocketvoice.text.traced import TracedText
from pocketvoice.text.words import Words, words_of

STOPS = (".", "!", "?")
_MARKS = (*STOPS, ",", ";", ":")
_AROUND_WORDS = "".join((*_MARKS, " '"))
_WEAK_END = " ,;:-/"

_SPARE_TOKENS = 3
"""A word may need so many more than its own when a capital and a stop are added; a longer word is taken apart."""


def capitalized(text: str) -> str:
    """The text with a capital in front; addresses, and names that have theirs inside (`iPhone`), stay as they are."""
    word = text.split(" ", 1)[0]
    upper = text[0].upper()  # longer than one for letters without a capital of their own: `ß` becomes `SS`
    if len(upper) > 1 or not text[0].isalpha() or "@" in word or "://" in word or any(map(str.isupper, word)):
        return text
    return upper + text[1:]


def ended(traced: TracedText, rules: TextRules, *, opens: bool, closes: bool) -> TracedText:
    """A cleaned passage with a capital if it `opens` a sentence, and a stop if it `closes` one, else a comma."""
    if opens and rules.capitalize_first_letter:
        traced = TracedText(capitalized(traced.text), traced.starts, traced.stops)
    if not rules.append_terminal_punctuation or traced.text.rstrip("'").endswith(STOPS if closes else _MARKS):
        return traced
    core = traced[: len(traced.text.rstrip(_WEAK_END))]
    if core.text.endswith(STOPS):
        return core
    return core.insert(len(core), "." if closes else ",")


class PassageSplitter:
    """Splits the passages of one text into segments of at most `max_tokens` tokens."""

    def __init__(self, source: str, tokenizer: Tokenizer, rules: TextRules, max_tokens: int) -> None:
        self._source = source
        self._tokenizer = tokenizer
        self._rules = rules
        self._max_tokens = max(max_tokens, 1)
        self._token_counts: dict[str, int] = {}

    def segments(self, passage: TracedText) -> list[Segment]:
        """The segments of a passage that `ended` made ready, in order."""
        words = words_of(passage, self._source, self._count_tokens, max(self._max_tokens - _SPARE_TOKENS, 1))
        places = [_spoken_span(passage, *span) for span in words.spans]
        return list(self._planned(passage, words, places, 0, len(words.spans), self._max_tokens))

    def _count_tokens(self, text: str) -> int:
        count = self._token_counts.get(text)
        if count is None:
            count = self._token_counts[text] = len(self._tokenizer.encode(text))
        return count

    def _planned(
        self, passage: TracedText, words: Words, places: Sequence[Span], start: int, stop: int, limit: int
    ) -> Iterator[Segment]:
        """The segments of the words from `start` to `stop`, `places` being those in the source, planned for `limit` tokens each."""
        for end in best_cuts(words.measures, start, stop, limit):
            if end < stop and cut_place(places, end) is None:
                continue  # a long word for a single sign: the two parts would have one place
            segment = self._segment(passage, words, places, start, end)
            excess = len(segment.tokens) - self._max_tokens
            if excess > 0 and end - start > 1 and limit > 1:
                # The finished text has more tokens than its words: plan this part again for fewer.
                planned = sum(words.measures.tokens[start:end])
                fewer = max(min(limit, planned) - excess, 1)
                yield from self._planned(passage, words, places, start, end, fewer)
            elif SPEAKABLE.search(segment.text):  # not so for a piece of a giant word of signs
                yield segment
            start = end

    def _segment(
        self, passage: TracedText, words: Words, places: Sequence[Span], start: int, stop: int
    ) -> Segment:
        first, last = words.spans[start][0], words.spans[stop - 1][1]
        text = passage.text[first:last].strip()
        measures = words.measures
        if start and measures.gaps[start - 1] is Gap.SENTENCE and self._rules.capitalize_first_letter:
            text = capitalized(text)
        if stop < len(words.spans):
            text = with_comma(text, self._rules)
        spans = between_cuts(places, start, stop)
        count = sum(measures.counts[start:stop])
        segment = made(text, spans, self._tokenizer, self._rules, is_short=count <= MAX_ORPHAN_WORDS)
        letters = tuple(last + 1 - first for first, last in words.spans[start:stop])
        continues = start > 0 and measures.gaps[start - 1] is not Gap.SENTENCE
        return replace(
            segment,
            letters=letters,
            sentences=_grouped(spans, measures.gaps[start : stop - 1]),
            continues=continues,
        )


def with_comma(text: str, rules: TextRules) -> str:
    """A text that was cut in the middle of a sentence, with a comma: it tells the model that the sentence goes on."""
    return f"{text}," if rules.append_terminal_punctuation and not text.endswith(_MARKS) else text


def made(
    text: str, words: Sequence[Span], tokenizer: Tokenizer, rules: TextRules, *, is_short: bool
) -> Segment:
    """The segment of a finished text whose words stand at `words` in the source; `is_short` becomes its mark."""
    prompt = padded(text, rules)
    tokens = tuple(tokenizer.encode(prompt))
    span = (words[0][0], words[-1][1])
    return Segment(prompt, tokens, span, frames_after_eos(text), is_short=is_short, words=tuple(words))


def _grouped(words: Sequence[Span], gaps: Sequence[Gap]) -> tuple[Span, ...]:
    """The spans of the sentences that the words make up, given the gaps between them."""
    edges = [0, *(i + 1 for i, gap in enumerate(gaps) if gap is Gap.SENTENCE), len(words)]
    return tuple((words[first][0], words[last - 1][1]) for first, last in pairwise(edges))


def _spoken_span(passage: TracedText, start: int, stop: int) -> Span:
    """The span in the source of a word without the punctuation around it, some of which stands nowhere there."""
    word = passage.text[start:stop]
    core = word.strip(_AROUND_WORDS)
    before = len(word) - len(word.lstrip(_AROUND_WORDS))
    return passage.span(start + before, start + before + len(core)) if core else passage.span(start, stop)
