"""What splitting a text yields, segments, and how it is asked for: plain data, shared by the splitter and its callers.

A segment is not a sentence: it holds one or several, or a part of a long one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pocketvoice.text.normalise import PronunciationRules

Span = tuple[int, int]
"""Start and stop in a text, as indices of a Python str."""


@dataclass(frozen=True)
class Segment:
    """A piece of text given to the model at once, or a pause alone."""

    text: str
    """Exactly what goes to the tokenizer; "" for a pause alone."""
    tokens: tuple[int, ...]
    """`tokenizer.encode(text)`; () for a pause alone."""
    span: Span
    """Where it stands in the source text. Spans of the segments of a text are in order and do not overlap."""
    frames_after_eos: int
    """Frames to go on for after the model predicts the end of speech, unless the caller or the model sets them."""
    pause_after_s: float = 0.0
    """Silence to insert behind it, seconds."""
    is_short: bool = False
    """One or two words that have to stand alone: these garble often and are worth several takes."""
    words: tuple[Span, ...] = field(default=(), repr=False)
    """Where each of its words stands in the source text; empty where that is not known."""
    letters: tuple[int, ...] = field(default=(), repr=False)
    """How many letters are spoken for each of `words`, with the space behind it: `1984` is long for its place."""
    sentences: tuple[Span, ...] = field(default=(), repr=False)
    """Where its sentences, and parts of such, stand in the source text, in order; empty where that is not known."""
    continues: bool = field(default=False, repr=False)
    """Whether the first of them began in the segment before."""


@dataclass(frozen=True)
class SplitOptions:
    """How a text is split: how long segments get, and how long silences are."""

    max_tokens: int = 50
    """A segment has no more: over 50 the models skip words."""
    strict: bool = False
    """Exactly the reference package's prompts; no pauses, no cleaning beyond the model's rules."""
    line_pause_s: float = 0.25
    """Silence where a line or a list item ends, seconds."""
    paragraph_pause_s: float = 0.6
    """Silence where a blank line stands, seconds."""
    language: str | None = None
    """Numbers, dates, signs and abbreviations are put into words of this language (a code of `normalise.LANGUAGES`); None leaves
    them to the model."""
    names_emoji: bool = False
    """Emoji are called by their names, if a language is given; else they are skipped."""
    pronunciations: "PronunciationRules | None" = field(default=None, repr=False)
    """The user's own, for the voice that speaks; they count without a language, too."""


def sentences_of(segments: Iterable[Segment]) -> list[Span]:
    """The sentences that the segments of a text are made of: one that was cut is whole again."""
    found: list[Span] = []
    for segment in segments:
        parts = list(segment.sentences)
        # The first part goes on with the sentence that the segment before could not hold.
        if segment.continues and parts and found:
            found[-1] = (found[-1][0], parts.pop(0)[1])
        found += parts
    return found
