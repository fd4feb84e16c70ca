"""Sentences in the sound of a segment: real speech of the built-in voice, put together so that every beginning is known."""

from collections.abc import Sequence

import numpy as np
import pytest

from pocketvoice.playback.alignment import LEAD_S, sentence_offsets

RATE = 24_000
SENTENCES = (
    "It was cold, and the shops were closed.",
    "We left early.",
    "Nobody had told them about the ferry, or about the rain.",
    "The children walked to the harbour.",
    "He did not say a word.",
)


@pytest.fixture(scope="module")
def spoken() -> list[np.ndarray]:
    """Each sentence by itself, without the silence around it."""
    from pocketvoice import TTSModel

    model = TTSModel.load_model("builtin_en")
    voice = model.get_state_for_audio_prompt("slt")
    return [trimmed(model.generate_audio(voice, text, seed=3).numpy()) for text in SENTENCES]


def trimmed(sound: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(np.abs(sound) > 0.02)
    return sound[loud[0] : loud[-1] + 1]


def joined(
    sounds: Sequence[np.ndarray], pauses_s: Sequence[float], noise: float = 0.0
) -> tuple[np.ndarray, list[int]]:
    """The sounds with pauses before each, and where each begins."""
    parts, begins, length = [], [], 0
    for sound, pause_s in zip(sounds, pauses_s, strict=True):
        parts += [np.zeros(int(pause_s * RATE), np.float32), sound]
        begins.append(length + len(parts[-2]))
        length = begins[-1] + len(sound)
    whole = np.concatenate([*parts, np.zeros(RATE // 3, np.float32)])
    return whole + np.random.default_rng(1).normal(0, noise, len(whole)).astype(np.float32), begins


def letters(numbers: Sequence[int]) -> list[int]:
    return [len(SENTENCES[number]) + 1 for number in numbers]


@pytest.mark.parametrize("noise", [0.0, 0.002])
@pytest.mark.parametrize(
    "numbers", [(0, 1), (1, 0), (2, 1), (0, 3, 1), (4, 2), (1, 4, 1), (3, 0, 4), (2, 0)], ids=str
)
def test_pause_between_two_is_found(spoken: list[np.ndarray], numbers: tuple[int, ...], noise: float) -> None:
    """Not the one behind a comma; and a sentence is cut a moment before it begins, never inside."""
    pauses_s = [0.08, 0.3, 0.22][: len(numbers)]
    sound, begins = joined([spoken[number] for number in numbers], pauses_s, noise)
    found = sentence_offsets(sound, RATE, letters(numbers))
    assert found[0] == 0
    for offset, begin in zip(found[1:], begins[1:], strict=True):
        assert -0.15 * RATE < offset - begin <= 0.02 * RATE


def test_beginning_of_a_sound_is_enough(spoken: list[np.ndarray]) -> None:
    """While the rest is being made: what is there is found, what is not is estimated."""
    numbers = (3, 0, 4)
    sound, begins = joined([spoken[number] for number in numbers], [0.0, 0.3, 0.3])
    whole_s = len(sound) / RATE
    made = sound[: begins[1] + RATE // 2]
    found = sentence_offsets(made, RATE, letters(numbers), whole_s * 1.15)
    assert abs(found[1] - begins[1] + LEAD_S * RATE) < 0.03 * RATE
    assert found[2] > len(made)
    nothing_yet = sentence_offsets(sound[:0], RATE, letters(numbers), whole_s)
    assert 0 < nothing_yet[1] < nothing_yet[2] < len(sound)


def test_without_pauses_by_length() -> None:
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 4 * RATE).astype(np.float32)
    _, half = sentence_offsets(noise, RATE, [40, 40])
    assert abs(half - 2 * RATE) < 0.4 * RATE
    assert sentence_offsets(noise, RATE, [40]) == [0]
    assert sentence_offsets(np.zeros(0, np.float32), RATE, [10, 10]) == [0, 0]
    many = sentence_offsets(noise[:RATE], RATE, [5] * 30)
    assert many == sorted(set(many))
