"""The strict mode: exactly the prompts the reference package feeds its model, quirks included.

A text is prepared as a whole, cut after runs of stop *tokens*, the parts are decoded back to text, grouped up to
`max_tokens`, and each group is prepared once more. Going through tokens and back is visible in the result (the
tokenizer's own normalisation, two spaces between parts that had one), so it is done the same way here. Unlike the
reference it looks only at the neighbourhood of a stop to tell a decimal point, which keeps long texts linear.
"""

import re
from collections.abc import Iterator, Sequence

from pocketvoice.errors import EmptyTextError
from pocketvoice.text.rules import TextRules
from pocketvoice.text.tokenizer import Tokenizer

_STOPS = ".!?…"
_WEAK = ",;:-–—"
_CLOSERS = "\"'”’)]»"
_WEAK_AFTER_STOP = re.compile(r"([.!?…])\s*[,;:]")

# Every token of these texts but the first ends a part. The first is the word mark, or glued to it.
_STOP_TOKENS = ".!...?"
_WEAK_TOKENS = ",;:"

PAD = " " * 8
"""Put before a short prompt by rules that ask for it: the earliest models stumble over a handful of tokens."""


def strict_prompts(
    text: str, tokenizer: Tokenizer, rules: TextRules, max_tokens: int
) -> list[tuple[str, int]]:
    """The prompts of `text` in order, each with its `frames_after_eos`; raises EmptyTextError if there are none."""
    prompts = []
    for group in _groups(text, tokenizer, rules, max_tokens):
        try:
            prompts.append((prepare(group, rules), frames_after_eos(_plain(group, rules))))
        except EmptyTextError:
            # The tokenizer normalised a character into one the rules remove, and nothing else was in the group.
            # The reference stops with an error in the middle of the speech; we go on with the next one.
            continue
    if not prompts:
        raise EmptyTextError("The text holds nothing that can be spoken.")
    return prompts


def frames_after_eos(text: str) -> int:
    """The reference's guess: short texts (four words or fewer) ring out longer.

    It counts before the end is put right: a lone dash that gives way to a full stop was a word.
    """
    return 3 + 2 if len(text.split()) <= 4 else 1 + 2


def prepare(text: str, rules: TextRules) -> str:
    """One prompt made ready for the tokenizer, as the reference does."""
    text = _plain(text, rules)
    if rules.capitalize_first_letter and not text[0].isupper():
        text = text[0].upper() + text[1:]
    if rules.append_terminal_punctuation:
        text = _with_stop(text)
    return padded(text, rules)


def _plain(text: str, rules: TextRules) -> str:
    """One line without the characters the model never learnt; raises EmptyTextError if nothing is left."""
    text = _replaced(text.strip(), rules)
    if not text:
        raise EmptyTextError("The text is empty: there is nothing to say.")
    # One pass over double spaces, as there: four spaces in a row become two.
    text = text.replace("\n", " ").replace("\r", " ").replace("  ", " ")
    return text.replace(";", ",") if rules.remove_semicolons else text


def padded(text: str, rules: TextRules) -> str:
    """The pad spaces in front of a short prompt, where the rules ask for them."""
    return PAD + text if rules.pad_with_spaces_for_short_inputs and len(text.split()) < 5 else text


def _replaced(text: str, rules: TextRules) -> str:
    if not rules.replace_characters:
        return text
    table = {ord(character): instead for character, instead in rules.replace_characters.items()}
    text = " ".join(text.translate(table).split())
    return _WEAK_AFTER_STOP.sub(r"\1", text)  # `"Hi?", she said` has become `Hi?, she said`


def _with_stop(text: str) -> str:
    """Ends the prompt on a stop: a weak mark at the end gives way to it, closing quotes stay behind it."""
    core = text.rstrip(_CLOSERS + " ")
    if not core or core[-1] in _STOPS:
        return text
    if core[-1] in _WEAK:
        return core.rstrip(_WEAK + " ") + "." + text[len(core) :].strip()
    return text + "."


def _groups(text: str, tokenizer: Tokenizer, rules: TextRules, max_tokens: int) -> Iterator[str]:
    """The parts of the text, grouped greedily while their token counts add up to no more than `max_tokens`."""
    group, size = "", 0
    for tokens in _parts(prepare(text, rules).strip(), tokenizer, max_tokens):
        part = tokenizer.decode(tokens)
        if not group:
            group, size = part, len(tokens)
        elif size + len(tokens) <= max_tokens:
            group, size = f"{group} {part}", size + len(tokens)
        else:
            yield group.strip()
            group, size = part, len(tokens)
    if group:
        yield group.strip()


def _parts(text: str, tokenizer: Tokenizer, max_tokens: int) -> Iterator[list[int]]:
    """The sentences as tokens; one longer than `max_tokens` in parts that end on a weak mark, if it has any."""
    stops = set(tokenizer.encode(_STOP_TOKENS)[1:])
    weak = set(tokenizer.encode(_WEAK_TOKENS)[1:])
    for sentence in _sentences(tokenizer.encode(text), stops, tokenizer):
        if len(sentence) <= max_tokens:
            yield sentence
            continue
        # Encoded anew: without the text before it the sentence may come apart into other tokens.
        again = tokenizer.encode(tokenizer.decode(sentence).strip())
        parts = _cut_at(again, _ends_of_runs(again, weak))
        # The sentence as it was, not as it was encoded again: the two can differ in their number of tokens.
        yield from parts if len(parts) > 1 else [sentence]


def _sentences(tokens: list[int], stops: set[int], tokenizer: Tokenizer) -> list[list[int]]:
    ends = _ends_of_runs(tokens, stops)
    kept = []
    for before, end, after in zip([0, *ends], ends, [*ends[1:], len(tokens)], strict=False):
        if not _is_decimal_point(tokens[before:end], tokens[end:after], tokenizer):
            kept.append(end)
    return _cut_at(tokens, kept)


def _ends_of_runs(tokens: Sequence[int], marks: set[int]) -> list[int]:
    """The indices just behind a run of marks, but for a run at the very end."""
    return [i for i in range(1, len(tokens)) if tokens[i - 1] in marks and tokens[i] not in marks]


def _cut_at(tokens: list[int], ends: Sequence[int]) -> list[list[int]]:
    return [tokens[start:stop] for start, stop in zip([0, *ends], [*ends, len(tokens)], strict=True)]


def _is_decimal_point(left: list[int], right: list[int], tokenizer: Tokenizer) -> bool:
    """Whether digit, point, digit meet here. Decoding loses a leading space, so `3. 5` counts too, as it does there."""
    before, after = tokenizer.decode(left), tokenizer.decode(right)
    return before[-1:] == "." and before[-2:-1].isdigit() and after[:1].isdigit()
