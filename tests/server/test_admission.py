"""The queue before the engines: bounded, in turns among those who ask, and nothing is lost when someone leaves."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from pocketvoice.server.admission import Admission, AdmissionQueue
from pocketvoice.server.refusals import Refusal


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 10))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_turns_go_round_among_those_who_ask() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=1, most=20, each=1)
        first = await queue.acquire("anyone")
        order: list[str] = []

        async def ask(who: str) -> None:
            admission = await queue.acquire(who)
            order.append(who)
            queue.release(admission)

        waiting = [asyncio.ensure_future(ask(who)) for who in ("a", "a", "a", "a", "b", "c", "b")]
        await settle()
        queue.release(first)
        await asyncio.gather(*waiting)
        assert order == ["a", "b", "c", "a", "b", "a", "a"]
        assert (queue.open, queue.waiting, queue.speaking(0)) == (0, 0, 0)

    run(scene())


def test_too_many_are_told_to_come_back() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=1, most=2, each=1)
        admission = await queue.acquire("a")
        waiting = asyncio.ensure_future(queue.acquire("b"))
        await settle()
        with pytest.raises(Refusal) as refused:
            await queue.acquire("c")
        assert refused.value.status == 429
        assert 1 <= int(refused.value.headers["retry-after"]) <= 60
        queue.release(admission)
        queue.release(await waiting)
        queue.release(await queue.acquire("c"))

    run(scene())


def test_a_queue_full_of_one_makes_way_for_another() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=1, most=4, each=1)
        admission = await queue.acquire("greedy")
        greedy = [asyncio.ensure_future(queue.acquire("greedy")) for _ in range(3)]
        await settle()
        other = asyncio.ensure_future(queue.acquire("other"))
        await settle()
        assert (queue.open, queue.waiting) == (4, 3)
        with pytest.raises(Refusal) as refused:
            await greedy.pop()
        assert refused.value.status == 429
        with pytest.raises(Refusal):
            await queue.acquire("greedy")
        other_2 = asyncio.ensure_future(queue.acquire("other"))
        await settle()
        with pytest.raises(Refusal):
            await greedy.pop()  # two each, what is spoken counted too
        with pytest.raises(Refusal):
            await queue.acquire("other")
        for turn in (greedy[0], other, other_2):
            queue.release(admission)
            admission = await turn
        queue.release(admission)
        assert (queue.open, queue.waiting, queue.speaking(0)) == (0, 0, 0)

    run(scene())


def test_one_who_is_sent_away_may_leave_at_that_moment() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=1, most=3, each=1)
        admission = await queue.acquire("greedy")
        first, last = (asyncio.ensure_future(queue.acquire("greedy")) for _ in range(2))
        await settle()
        other = asyncio.ensure_future(queue.acquire("other"))
        await asyncio.sleep(0)  # the last one was told, but has not run yet
        last.cancel()
        with pytest.raises((Refusal, asyncio.CancelledError)):
            await last
        for turn in (first, other):
            queue.release(admission)
            admission = await turn
        queue.release(admission)
        assert (queue.open, queue.speaking(0)) == (0, 0)

    run(scene())


def test_one_who_leaves_the_queue_is_forgotten() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=1, most=3, each=1)
        admission = await queue.acquire("a")
        leaving, staying = (asyncio.ensure_future(queue.acquire(who)) for who in ("b", "c"))
        await settle()
        leaving.cancel()
        await settle()
        assert (queue.open, queue.waiting) == (2, 1)
        queue.release(admission)
        queue.release(await staying)
        assert queue.open == 0

    run(scene())


def test_leaving_at_the_very_moment_of_ones_turn_gives_it_on() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=1, most=3, each=1)
        admission = await queue.acquire("a")
        leaving, staying = (asyncio.ensure_future(queue.acquire(who)) for who in ("b", "c"))
        await settle()
        queue.release(admission)  # b's turn has come, but b has not run yet
        leaving.cancel()
        queue.release(await staying)
        await settle()
        assert (queue.open, queue.speaking(0)) == (0, 0)

    run(scene())


def test_engines_share_the_work() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=3, most=9, each=2)
        taken = [await queue.acquire("a") for _ in range(6)]
        assert sorted(admission.engine for admission in taken) == [0, 0, 1, 1, 2, 2]

    run(scene())


def test_one_who_does_not_take_makes_room() -> None:
    async def scene() -> None:
        queue = AdmissionQueue(engines=1, most=3, each=1)
        slow = await queue.acquire("slow")
        waiting: asyncio.Future[Admission] = asyncio.ensure_future(queue.acquire("quick"))
        await settle()
        assert not waiting.done()
        queue.hold(slow, True)
        quick = await waiting
        queue.hold(slow, False)
        queue.release(slow)
        queue.hold(slow, True)  # a timer that comes too late
        queue.release(quick)
        assert (queue.open, queue.speaking(0)) == (0, 0)

    run(scene())
