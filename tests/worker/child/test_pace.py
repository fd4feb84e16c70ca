"""What is learnt of the model's pace while it makes sound."""

import pytest

from pocketvoice.worker.child.pace import Clock, Pace


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def run(time: Time, learnt: Pace, waits_s: list[float], chunk_s: float = 0.16) -> None:
    clock = Clock(learnt, time)
    for wait_s in waits_s:
        time.now += wait_s
        clock.count(chunk_s)
    clock.close()
    clock.close()


def test_even_pace_is_never_late(time: Time) -> None:
    learnt = Pace()
    run(time, learnt, [0.3, *[0.04] * 20])
    assert learnt.late_s == 0
    assert learnt.made_per_s == pytest.approx(4.0, rel=0.1)


def test_hole_at_the_beginning_is_remembered_and_forgotten(time: Time) -> None:
    """The second chunk came 0.3 s after the first, of 0.16 s."""
    learnt = Pace()
    run(time, learnt, [0.05, 0.3, *[0.04] * 20])
    assert learnt.late_s == pytest.approx(0.14)
    run(time, learnt, [0.05, *[0.04] * 20])
    assert 0 < learnt.late_s < 0.14
    for _ in range(20):
        run(time, learnt, [0.05, *[0.04] * 20])
    assert learnt.late_s == 0


def test_late_chunk_after_the_beginning_does_not_count(time: Time) -> None:
    """By then enough is collected, or the model is too slow, which is another matter."""
    learnt = Pace()
    run(time, learnt, [0.05, *[0.04] * 15, 9.0, *[0.04] * 3])
    assert learnt.late_s == 0


def test_speech_broken_off_counts(time: Time) -> None:
    learnt = Pace()
    run(time, learnt, [0.05, 0.5])
    assert learnt.late_s == pytest.approx(0.34)
    Clock(learnt, time).close()  # nothing came: nothing is learnt
    assert learnt.late_s == pytest.approx(0.34)
