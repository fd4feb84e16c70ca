"""The text rules of one model, as its config gives them: which characters it never learnt and how a prompt begins and ends.

Plain data. It knows neither config files nor tokenizers; the engine fills it in from the model's config.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class TextRules:
    """How a model wants its text; the defaults are those of a config that says nothing."""

    replace_characters: Mapping[str, str] = field(default_factory=dict)
    """Character -> what the model reads in its place; "" removes it."""
    remove_semicolons: bool = False
    """The model never learnt the semicolon: it gets a comma."""
    append_terminal_punctuation: bool = True
    """A prompt must end on a full stop, an exclamation or a question mark."""
    capitalize_first_letter: bool = True
    """A prompt must begin with a capital (not so for models of romanised phonemes)."""
    pad_with_spaces_for_short_inputs: bool = False
    """Prompts of fewer than five words get eight spaces in front."""
