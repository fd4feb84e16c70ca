"""A recogniser listens to the shipped model: what it says through the whole engine must be understood.

The bounds leave room for chance (other processors round otherwise); a model whose weights and tokenizer, latents or voice states
do not belong together is not understood at all: its word error is near 100 %.
"""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.builtin.conftest import VOICES, Say

SENTENCES = slice(0, 30, 3)  # ten of the held-out ones
AT_MOST = {"slt": 0.15, "rms": 0.25}
SHORT = ["Hello there.", "Right now.", "Best wishes.", "Thursday morning.", "What else?", "Happy birthday!"]
SECONDS_PER_LETTER = (0.035, 0.13)


def heard_errors(hearing: Any, ear: Any, said: dict[str, np.ndarray]) -> float:
    """Word error rate over all texts."""
    errors = sum(
        hearing.word_errors(hearing.plain(text), hearing.plain(ear.hear(samples)))
        for text, samples in said.items()
    )
    return errors / sum(len(hearing.plain(text)) for text in said)


@pytest.fixture(scope="module")
def held_out(recipe: Path) -> list[str]:
    return (recipe / "held_out.txt").read_text(encoding="utf-8").splitlines()[SENTENCES]


@pytest.fixture(scope="module")
def hear_numbers(recipe: Path, hearing: Any) -> Any:
    """The recipe's script about numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(recipe))
        return importlib.import_module("hear_numbers")


@pytest.mark.parametrize("voice", VOICES)
def test_sentences_are_understood(say: Say, hearing: Any, ear: Any, held_out: list[str], voice: str) -> None:
    said = {text: say(text, voice) for text in held_out}
    for text, samples in said.items():
        low, high = (limit * len(text) for limit in SECONDS_PER_LETTER)
        assert low < len(samples) / hearing.RATE < high, text
        assert hearing.longest_silence_s(samples) < 1.0, text
    assert heard_errors(hearing, ear, said) <= AT_MOST[voice]


def test_short_texts_are_understood(say: Say, hearing: Any, ear: Any) -> None:
    assert heard_errors(hearing, ear, {text: say(text) for text in SHORT}) <= 0.35


def test_numbers_are_heard_as_they_are_meant(say: Say, hear_numbers: Any, ear: Any) -> None:
    """Money, a time, a date, a share: left as figures the model misreads a quarter of their words."""
    missed, meant = np.sum(
        [hear_numbers.missed(words, ear.hear(say(text))) for text, words in hear_numbers.cases()[:40:5]],
        axis=0,
    )
    assert meant > 20
    assert missed <= 0.15 * meant


def test_the_ear_tells_nonsense(say: Say, hearing: Any, ear: Any, held_out: list[str]) -> None:
    """The same sounds backwards are not understood: the other tests can fail."""
    backwards = {text: say(text)[::-1].copy() for text in held_out[:3]}
    assert heard_errors(hearing, ear, backwards) > 0.8


def test_runs_are_compared_sentence_by_sentence(hearing: Any) -> None:
    four = hearing.Heard("One two three four.", "one two three four", 0, 4, 1.0)
    two = hearing.Heard("Five six.", "five six", 0, 2, 0.5)
    right, worse = [four, two], [replace(four, heard="one two tree four", wrong=1), two]
    told = hearing.compared(worse, right)
    assert told.startswith("word error +16.67 points against it (95 %: +0.00 to +25.00)")
    assert told.endswith("of 2 sentences 1 are heard otherwise, 1 worse, 0 better")
    assert hearing.compared(right, worse).startswith("word error -16.67 points")
    with pytest.raises(ValueError, match="other texts"):
        hearing.compared(right, right[::-1])
