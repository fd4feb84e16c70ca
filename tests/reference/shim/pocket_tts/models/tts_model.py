"""The model, and how a text is prepared for it: in pocketvoice that is the strict mode of the room `text`."""

from collections.abc import Mapping
from typing import Any

from pocket_tts import TTSModel
from pocketvoice.engine.voice_source import is_state_file as _is_safetensors_source
from pocketvoice.text import strict
from pocketvoice.text.rules import TextRules

__all__ = ["TTSModel", "_is_safetensors_source", "prepare_text_prompt", "split_into_best_sentences"]


def _rules(
    pad_with_spaces_for_short_inputs: bool,
    remove_semicolons: bool,
    append_terminal_punctuation: bool = True,
    capitalize_first_letter: bool = True,
    replace_characters: Mapping[str, str] | None = None,
) -> TextRules:
    return TextRules(
        replace_characters=replace_characters or {},
        remove_semicolons=remove_semicolons,
        append_terminal_punctuation=append_terminal_punctuation,
        capitalize_first_letter=capitalize_first_letter,
        pad_with_spaces_for_short_inputs=pad_with_spaces_for_short_inputs,
    )


def prepare_text_prompt(text: str, *rules: bool, **more: Any) -> tuple[str, int]:
    return strict.prepare(text, _rules(*rules, **more)), strict.frames_after_eos(text)


def split_into_best_sentences(
    tokenizer: Any, text_to_generate: str, max_tokens: int, *rules: bool, **more: Any
) -> list[str]:
    prompts = strict.strict_prompts(text_to_generate, tokenizer, _rules(*rules, **more), max_tokens)
    return [prompt for prompt, _ in prompts]
