"""PLACEHOLDER interface."""

from dataclasses import dataclass, field

from pocketvoice.text.rules import TextRules
from pocketvoice.text.strict import strict_prompts
from pocketvoice.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Segment:
    """A piece of text given to the model at once, or a pause alone."""

    text: str
    """Exactly what goes to the tokenizer; "" for a pause alone."""
    tokens: tuple[int, ...]
    """`tokenizer.encode(text)`; () for a pause alone."""
    span: tuple[int, int]
    """Start and stop in the source text."""
    frames_after_eos: int
    """How many frames to go on after the end of speech was predicted."""
    pause_after_s: float = 0.0
    """Silence to insert behind it, seconds."""
    is_short: bool = False
    """One or two words standing alone: worth several takes."""
    words: tuple[tuple[int, int], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class SplitOptions:
    """How a text is split."""

    max_tokens: int = 50
    strict: bool = False
    line_pause_s: float = 0.25
    paragraph_pause_s: float = 0.6


def split(
    text: str, tokenizer: Tokenizer, rules: TextRules, options: SplitOptions = SplitOptions()
) -> list[Segment]:
    return [
        Segment(
            prompt, tuple(tokenizer.encode(prompt)), (0, len(text)), frames, 0.0, len(prompt.split()) <= 2
        )
        for prompt, frames in strict_prompts(text, tokenizer, rules, options.max_tokens)
    ]


def split_again(
    segment: Segment, tokenizer: Tokenizer, rules: TextRules, options: SplitOptions
) -> list[Segment]:
    return [segment]
