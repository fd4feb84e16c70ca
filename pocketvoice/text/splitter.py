"""A text to segments: what the engine calls. Each segment is one prompt for the model and knows its place in the source.

The default mode reads a text as a person would: it keeps sentences whole, takes lines and `[pause:1s]` marks as silence,
drops what is only seen. The strict mode gives the reference package's prompts. Pure functions, usable from any thread.
"""

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

from pocketvoice.errors import EmptyTextError
from pocketvoice.text.align import aligned
from pocketvoice.text.clean import cleaned
from pocketvoice.text.passage_splitter import STOPS, PassageSplitter, ended
from pocketvoice.text.pauses import Passage, Silence, passages
from pocketvoice.text.rules import TextRules
from pocketvoice.text.segment import Segment, Span, SplitOptions, sentences_of
from pocketvoice.text.split_again import split_again
from pocketvoice.text.strict import strict_prompts
from pocketvoice.text.tokenizer import Tokenizer
from pocketvoice.text.traced import TracedText

__all__ = ["Segment", "SplitOptions", "iter_segments", "sentences_of", "split", "split_again"]

log = logging.getLogger(__name__)

_DEFAULTS = SplitOptions()
SpokenLine = Callable[[int, int], TracedText]
"""The words that stand for the part of the source between two indices."""

SENTENCE_END = re.compile(r"(?<=[a-zß-ÿ]{5}[.!?]) +(?=[A-ZÀ-Þ])")
"""Five small letters before the stop: no abbreviation is as long."""
_LONG_PASSAGE = 2000
"""Characters: more are split one by one."""
_MOST_TOLD = 3
"""Things that are not spoken, of one text: the listener knows then."""
_LONG_PAUSE_S = 10.0
"""A longer one is told: it sounds as if the speech had ended."""
_OPENERS = "\"'“‘„«‹([{¿¡"
_OF_WHAT_FOLLOWS = (
    "“„«([{"  # these belong to the words behind them, also where no space parts them from those before
)


def split(
    text: str, tokenizer: Tokenizer, rules: TextRules, options: SplitOptions = _DEFAULTS
) -> list[Segment]:
    """The segments of `text` in order; raises EmptyTextError if it has nothing to speak and no pause either."""
    return list(iter_segments(text, tokenizer, rules, options))


def iter_segments(
    text: str, tokenizer: Tokenizer, rules: TextRules, options: SplitOptions = _DEFAULTS
) -> Iterator[Segment]:
    """Yields the segments of `text` as soon as their paragraph is split: a book's first words need not wait for its last.

    The strict mode, like the reference, needs the whole text first. Raises EmptyTextError as `split` does.
    """
    if options.strict:
        yield from _strict(text, tokenizer, rules, options.max_tokens)
        return
    # One segment is held back: how far its span may be widened is known when the next one's beginning is.
    floor, held = 0, None
    splitter = PassageSplitter(text, tokenizer, rules, options.max_tokens)
    for segment in _assembled(text, splitter, rules, options):
        if held is not None:
            yield (wide := _widened(held, text, floor, segment.span[0]))
            floor = wide.span[1]
        held = segment
    if held is None:
        raise EmptyTextError("The text holds nothing that can be spoken.")
    yield _widened(held, text, floor, len(text))


def _assembled(
    text: str, splitter: PassageSplitter, rules: TextRules, options: SplitOptions
) -> Iterator[Segment]:
    assembly = _Assembly(text, splitter, rules, _spoken_lines(text, options))
    for item in passages(text, options.line_pause_s, options.paragraph_pause_s):
        for part in _parts(text, item):
            assembly.add(part)
            yield from assembly.taken()
    yield from assembly.finished()


def _spoken_lines(text: str, options: SplitOptions) -> SpokenLine:
    """What gives the words of a part of the text."""
    if options.language is None and options.pronunciations is None:
        return partial(TracedText.of, text)
    from pocketvoice.text.normalise import Normaliser, Style  # 0.1 s: not for the strict mode

    style = Style(emoji="named" if options.names_emoji else "skipped")
    normaliser = Normaliser(options.language or "", options.pronunciations, style=style)
    told: set[str] = set()

    def spoken(start: int, stop: int) -> TracedText:
        line = normaliser.line(text, start, stop)
        for message in (note.message for note in line.notes):
            if message not in told and len(told) < _MOST_TOLD:
                told.add(message)
                log.warning("%s", message)
        return line.traced()

    return spoken


def _parts(text: str, item: Passage | Silence) -> Iterator[Passage | Silence]:
    """A long passage in parts, cut where a sentence ends beyond doubt, so that its first words need not wait for its last."""
    if isinstance(item, Silence) or item.stop - item.start <= _LONG_PASSAGE:
        yield item
        return
    start, opens = item.start, item.opens
    while cut := SENTENCE_END.search(text, start + _LONG_PASSAGE, item.stop):
        yield Passage(start, cut.start(), opens=opens, closes=True)
        start, opens = cut.end(), True
    yield Passage(start, item.stop, opens=opens, closes=item.closes)


class _Assembly:
    """Puts passages and silences together into segments; passages with no silence between them share segments."""

    def __init__(self, source: str, splitter: PassageSplitter, rules: TextRules, spoken: SpokenLine) -> None:
        self._source = source
        self._spoken = spoken
        self._splitter = splitter
        self._rules = rules
        self._segments: list[Segment] = []
        self._waiting: TracedText | None = (
            None  # passages not yet split: the next one may belong to the same segment
        )
        self._mid_sentence = False  # the passage before ended at a pause mark inside its sentence
        self._implied_s = 0.0  # silence of line ends since the passage before
        self._explicit_s = 0.0  # silence of pause marks since the passage before

    def add(self, item: Passage | Silence) -> None:
        if isinstance(item, Passage):
            self._speak(item)
        elif item.explicit:
            self._pause(item)
        else:
            self._implied_s = max(self._implied_s, item.seconds)

    def taken(self) -> list[Segment]:
        """Takes out the segments that nothing can change any more: all but the last, whose pause may still grow."""
        ready = self._segments[:-1]
        del self._segments[:-1]
        return ready

    def finished(self) -> list[Segment]:
        self._split_waiting()
        return self._segments

    def _speak(self, passage: Passage) -> None:
        traced = cleaned(self._spoken(passage.start, passage.stop), self._rules)
        if traced is None:
            return
        opens = passage.opens or not self._mid_sentence
        traced = ended(traced, self._rules, opens=opens, closes=passage.closes)
        self._mid_sentence = not (passage.closes or traced.text.endswith(STOPS))
        if self._implied_s or self._explicit_s:
            self._split_waiting()
            self._imply_pause()
        self._waiting = traced if self._waiting is None else self._waiting.joined(traced)
        if len(self._waiting) > _LONG_PASSAGE:
            self._split_waiting()
        self._implied_s = self._explicit_s = 0.0

    def _split_waiting(self) -> None:
        if self._waiting is not None:
            self._segments += self._splitter.segments(self._waiting)
            self._waiting = None

    def _pause(self, silence: Silence) -> None:
        """The first pause mark goes to the segment before it, others are segments of their own."""
        if not silence.seconds:
            return
        if silence.seconds > _LONG_PAUSE_S:
            mark = self._source[silence.start : silence.stop]
            log.warning("The text asks for a silence of %g s: %s", silence.seconds, mark)
        self._split_waiting()
        if self._segments and not self._explicit_s:
            self._lengthen_last(silence.seconds)
        else:
            span = (silence.start, silence.stop)
            self._segments.append(Segment("", (), span, 0, pause_after_s=silence.seconds))
        self._explicit_s += silence.seconds

    def _imply_pause(self) -> None:
        """A line's end asks for its silence only as far as pause marks at the same place do not give it."""
        if self._segments and self._implied_s > self._explicit_s:
            self._lengthen_last(self._implied_s - self._explicit_s)

    def _lengthen_last(self, seconds: float) -> None:
        last = self._segments[-1]
        self._segments[-1] = replace(last, pause_after_s=last.pause_after_s + seconds)


def _widened(segment: Segment, source: str, floor: int, ceiling: int) -> Segment:
    """The segment, its span and sentences widened by the punctuation around their words, between `floor` and `ceiling`.

    Both are positions in the source: what lies outside of them belongs to a neighbour.
    """
    if not segment.text:
        return segment
    span = _with_punctuation(segment.span, source, floor, ceiling)
    sentences: list[Span] = []
    for sentence, following in pairwise([*segment.sentences, (span[1], span[1])]):
        sentences.append(_with_punctuation(sentence, source, max(floor, span[0]), following[0]))
        floor = sentences[-1][1]
    return replace(segment, span=span, sentences=tuple(sentences))


def _with_punctuation(span: Span, source: str, floor: int, ceiling: int) -> Span:
    start, stop = span
    while start > floor and source[start - 1] in _OPENERS:
        start -= 1
    while stop < ceiling and not (
        source[stop].isspace() or source[stop].isalnum() or source[stop] in _OF_WHAT_FOLLOWS
    ):
        stop += 1
    return start, stop


def _strict(text: str, tokenizer: Tokenizer, rules: TextRules, max_tokens: int) -> list[Segment]:
    # No tokenizer takes half a surrogate pair.
    valid = "".join(c for c in text if not "\ud800" <= c <= "\udfff")
    prompts = strict_prompts(valid, tokenizer, rules, max_tokens)
    places = aligned(text, [prompt for prompt, _ in prompts])
    return [
        Segment(prompt, tuple(tokenizer.encode(prompt)), span, frames, 0.0, len(prompt.split()) <= 2, words)
        for (prompt, frames), (span, words) in zip(prompts, places, strict=True)
    ]
