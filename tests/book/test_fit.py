"""Which takes fit their text."""

import numpy as np
import pytest

from pocketvoice.book.fit import Take, best, misfit, pace, speech_seconds

RATE = 24_000


def sound(*parts: tuple[float, float]) -> np.ndarray:
    """Noise of (seconds, level) each."""
    rng = np.random.default_rng(1)
    return np.concatenate(
        [level * rng.standard_normal(int(seconds * RATE)) for seconds, level in parts]
    ).astype(np.float32)


def test_only_speech_is_counted() -> None:
    assert speech_seconds(sound((0.5, 0.0), (2.0, 0.1), (1.0, 0.0)), RATE) == pytest.approx(2.0, abs=0.05)
    assert speech_seconds(sound((1.0, 0.1), (3.0, 0.0), (1.0, 0.1)), RATE) == pytest.approx(2.5, abs=0.05)
    assert speech_seconds(np.zeros(RATE), RATE) == 0.0
    assert speech_seconds(np.zeros(0), RATE) == 0.0


def test_pace_is_that_of_most_pieces() -> None:
    takes = [(100, Take(0, True, 0.15 + 100 / 15)) for _ in range(9)]
    assert pace([*takes, (100, Take(0, False, 30.0)), (100, Take(0, True, 30.0))]) == pytest.approx(15.0)
    assert pace([*takes[:2], *[(20, Take(0, True, 0.15 + 20 / 12)) for _ in range(3)]]) == pytest.approx(12.0)
    assert pace(takes[:2]) is None  # too few to tell
    assert misfit(100, Take(0, True, 60.0), None) == 0.0
    assert misfit(100, Take(0, False, 60.0), None) == float("inf")


@pytest.mark.parametrize(
    ("letters", "factor", "fits"),
    [
        (120, 1.0, True),
        (120, 1.3, True),
        (120, 1.6, False),
        (120, 0.6, False),
        (12, 1.6, True),
        (12, 3.0, False),
    ],
)
def test_length_has_to_fit_the_letters(letters: int, factor: float, fits: bool) -> None:
    take = Take(0, True, factor * (0.15 + letters / 15))
    assert (misfit(letters, take, 15.0) <= 1.0) == fits
    assert misfit(letters, Take(0, False, take.speech_s), 15.0) == float("inf")


def test_first_fitting_take_is_heard_else_the_nearest() -> None:
    fitting, long, longer = 8.15, 16.0, 20.0
    takes = [Take(0, True, longer), Take(2, True, fitting), Take(1, True, fitting)]
    assert best(120, takes, 15.0).number == 1
    assert best(120, [Take(0, True, longer), Take(1, False, fitting), Take(2, True, long)], 15.0).number == 2
    assert best(120, [Take(0, False, longer), Take(9, False, fitting)], 15.0).number == 9
