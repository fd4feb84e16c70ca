"""How much is collected before it is played."""

import pytest

from pocketvoice.playback.prebuffer import FRAME_S, MAX_PREBUFFER_S, prebuffer_s, wait_s


@pytest.mark.parametrize("made_per_s", [None, 1.2, 6.0])
def test_fast_model_waits_for_nothing(made_per_s: float | None) -> None:
    assert prebuffer_s(made_per_s, 1.0, 60) == 0
    assert prebuffer_s(made_per_s, 0.5, 60) == 0


def test_fast_speech_begins_with_more() -> None:
    assert prebuffer_s(6.0, 3.0, 60) == pytest.approx(4 * FRAME_S)


def test_slow_model_collects_what_it_will_lack() -> None:
    """What is collected and what is made meanwhile lasts for the whole."""
    made_per_s, left_s = 0.8, 30.0
    needed_s = prebuffer_s(made_per_s, 1.0, left_s)
    assert needed_s + made_per_s * left_s >= left_s
    assert needed_s < left_s / 2
    assert wait_s(needed_s, 2.0, made_per_s) == pytest.approx((needed_s - 2) / made_per_s)


def test_no_one_waits_for_ever() -> None:
    assert prebuffer_s(0.3, 1.0, 3600) == MAX_PREBUFFER_S
    assert wait_s(1.0, 2.0, 0.5) == 0
    assert wait_s(1.0, 0.0, None) == 0


def test_late_chunks_are_made_up_for() -> None:
    assert prebuffer_s(6.0, 1.0, 60, late_s=0.12) == pytest.approx(0.12)
    assert prebuffer_s(6.0, 2.0, 60, late_s=0.1) == pytest.approx(2 * FRAME_S + 0.2)
    assert prebuffer_s(6.0, 1.0, 60, late_s=9) < 0.5
