"""What the engine does next, as a table: what is wanted, and what follows from it."""

from dataclasses import replace

import pytest

from pocketvoice.worker.child.scheduler import Demand, Kind, Turn, Work, must_leave, next_work, turn_is_over

IDLE = Demand(is_loaded=True, now_s=100.0)
EVERYTHING = Demand(
    load="m", is_loaded=True, speeches=("a", "b"), speech="a", clones=("c",),
    turns=(Turn("s", 99.0),), exports=("x",), now_s=100.0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("demand", "work"),
    [
        (Demand(), None),
        (IDLE, None),
        (EVERYTHING, Work(Kind.LOAD, "m")),
        (replace(EVERYTHING, load=None, is_loaded=False), None),  # without a model everything waits
        (replace(EVERYTHING, load=None), Work(Kind.SPEAK, "a")),
        (replace(EVERYTHING, load=None, speech="b"), Work(Kind.SPEAK, "b")),  # the one heard has enough
        (replace(EVERYTHING, load=None, speech=None), Work(Kind.CLONE, "c")),
        (replace(EVERYTHING, load=None, speech=None, clones=()), Work(Kind.SYNTHESIZE, "s")),
        (replace(IDLE, exports=("x", "y")), Work(Kind.EXPORT, "x")),
        (replace(IDLE, exports=("x",), turns=(Turn("s", 0.0, is_full=True),)), Work(Kind.EXPORT, "x")),
        (replace(IDLE, clones=("c", "d")), Work(Kind.CLONE, "c")),
    ],
)
def test_most_urgent_work_is_next(demand: Demand, work: Work | None) -> None:
    assert next_work(demand) == work


@pytest.mark.parametrize(
    ("work", "demand", "leaves"),
    [
        # What can't be taken up again is not left.
        (Work(Kind.LOAD, "m"), EVERYTHING, False),
        (Work(Kind.CLONE, "c"), EVERYTHING, False),
        # Another model ends everything that is made with this one.
        (Work(Kind.SPEAK, "a"), EVERYTHING, True),
        (Work(Kind.EXPORT, "x"), EVERYTHING, True),
        (Work(Kind.SYNTHESIZE, "s"), EVERYTHING, True),
        # A speech makes way for the one that is heard, once that needs sound.
        (Work(Kind.SPEAK, "a"), replace(IDLE, speeches=("a", "b"), speech="a"), False),
        (Work(Kind.SPEAK, "b"), replace(IDLE, speeches=("a", "b"), speech="a"), True),
        (Work(Kind.SPEAK, "b"), replace(IDLE, speeches=("a", "b"), speech="b"), False),
        (Work(Kind.SPEAK, "a"), replace(IDLE, speeches=("a", "b"), speech="b"), False),
        (Work(Kind.SPEAK, "a"), replace(IDLE, speeches=("a",)), False),
        (Work(Kind.SPEAK, "a"), replace(IDLE, speeches=("b",), speech="b"), True),  # it has ended
        (Work(Kind.SPEAK, "a"), IDLE, True),
        (Work(Kind.SPEAK, "a"), replace(IDLE, speeches=("a",), clones=("c",), exports=("x",)), False),
        # Speech and voices go before what is only written or sent.
        (Work(Kind.SYNTHESIZE, "s"), replace(IDLE, speeches=("a",), speech="a"), True),
        (Work(Kind.SYNTHESIZE, "s"), replace(IDLE, clones=("c",)), True),
        (Work(Kind.SYNTHESIZE, "s"), replace(IDLE, exports=("x",)), False),
        (Work(Kind.SYNTHESIZE, "s"), replace(IDLE, turns=(Turn("s", 1.0), Turn("t", 0.0))), False),  # its turn ends
        (Work(Kind.EXPORT, "x"), replace(IDLE, speeches=("a",), speech="a"), True),
        (Work(Kind.EXPORT, "x"), replace(IDLE, speeches=("a",)), False),  # it has enough for now
        (Work(Kind.EXPORT, "x"), replace(IDLE, turns=(Turn("s", 0.0),)), True),
        (Work(Kind.EXPORT, "x"), replace(IDLE, turns=(Turn("s", 0.0, is_full=True),)), False),
        (Work(Kind.EXPORT, "x"), replace(IDLE, exports=("x", "y")), False),
    ],
)  # fmt: skip
def test_work_is_left_for_what_is_wanted_more(work: Work, demand: Demand, leaves: bool) -> None:
    assert must_leave(work, demand) is leaves


LATE, EARLY = Turn("late", 99.0), Turn("early", 101.0)
NEW, NEWER = Turn("new", 99.9, is_new=True), Turn("newer", 99.95, is_new=True)


@pytest.mark.parametrize(
    ("turns", "last_was_new", "chosen"),
    [
        ((EARLY, LATE), False, "late"),  # the one whose sound runs out first
        ((NEWER, NEW), False, "new"),  # the one that has waited longest
        ((LATE, NEW), False, "new"),
        ((LATE, NEW), True, "late"),  # no second new one while another one's sound has run out
        ((EARLY, NEW), True, "new"),
        ((replace(LATE, is_full=True), NEW), True, "new"),
        ((replace(LATE, is_full=True), EARLY), False, "early"),
        ((replace(LATE, is_full=True),), False, None),
    ],
)
def test_turns_go_round(turns: tuple[Turn, ...], last_was_new: bool, chosen: str | None) -> None:
    work = next_work(replace(IDLE, turns=turns, last_turn_was_new=last_was_new))
    assert (None if work is None else work.request_id) == chosen


@pytest.mark.parametrize(
    ("work", "turns", "over"),
    [
        (Work(Kind.SYNTHESIZE, "early"), (EARLY, LATE), True),
        (Work(Kind.SYNTHESIZE, "late"), (EARLY, LATE), False),
        (Work(Kind.SYNTHESIZE, "late"), (LATE, NEW), True),
        (
            Work(Kind.SYNTHESIZE, "late"),
            (replace(LATE, is_full=True),),
            False,
        ),  # nobody else wants the engine
        (Work(Kind.EXPORT, "x"), (LATE,), False),  # that is left at once
    ],
)
def test_turn_ends_for_a_more_urgent_one(work: Work, turns: tuple[Turn, ...], over: bool) -> None:
    assert turn_is_over(work, replace(IDLE, turns=turns)) is over
