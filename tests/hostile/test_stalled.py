"""Clients that take nothing keep no places from those who do, and a key that has all places keeps none from another key."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from pocketvoice.server.admission import AdmissionQueue
from pocketvoice.server.refusals import Refusal


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 10))


def test_stalled_clients_give_their_places_up() -> None:
    async def story() -> None:
        queue = AdmissionQueue(engines=1, most=2, each=2)
        slow = [await queue.acquire("slow") for _ in range(2)]
        with pytest.raises(Refusal):
            await queue.acquire("slow")
        queue.stall(slow[0])  # it is not even held: nothing happens
        assert queue.open == 2
        for admission in slow:
            queue.hold(admission, True)
            queue.stall(admission)
        other = await asyncio.wait_for(queue.acquire("other"), 1)
        assert queue.open == 1
        queue.hold(slow[0], False)  # takes again, and counts again
        assert queue.open == 2
        for admission in (*slow, other):
            queue.release(admission)
        assert (queue.open, queue.speaking(0)) == (0, 0)

    run(story())


def test_one_key_with_all_places_leaves_another_one_its_share() -> None:
    """Nobody takes a place from it while it is spoken to: the other key is let in besides, and spoken at once."""

    async def story() -> None:
        queue = AdmissionQueue(engines=1, most=4, each=4)
        greedy = [await queue.acquire("greedy") for _ in range(4)]
        with pytest.raises(Refusal):
            await queue.acquire("greedy")
        others = [await asyncio.wait_for(queue.acquire(who), 1) for who in ("a", "b", "c", "d")]
        with pytest.raises(Refusal):
            await queue.acquire("greedy")
        for admission in (*greedy, *others):
            queue.release(admission)
        assert (queue.open, queue.speaking(0)) == (0, 0)

    run(story())


def test_nobody_is_refused_while_nobody_is_spoken_to() -> None:
    async def story() -> None:
        queue = AdmissionQueue(engines=1, most=2, each=2)
        slow = [await queue.acquire(who) for who in ("a", "b")]
        with pytest.raises(Refusal):
            await queue.acquire("c")
        for admission in slow:
            queue.hold(admission, True)
        quick = await asyncio.wait_for(queue.acquire("c"), 1)
        with pytest.raises(Refusal) as caught:
            await queue.acquire("a")
        assert caught.value.status == 429
        for admission in (*slow, quick):
            queue.release(admission)

    run(story())


def test_places_beyond_are_bounded() -> None:
    async def story() -> None:
        queue = AdmissionQueue(engines=1, most=2, each=2)
        for _ in range(2):
            await queue.acquire("greedy")
        asking = [asyncio.ensure_future(queue.acquire(f"key {number}")) for number in range(20)]
        await asyncio.sleep(0)
        refused = [one for one in asking if one.done() and one.exception() is not None]
        assert len(refused) == 14
        assert queue.open == 8
        for one in asking:
            one.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    run(story())
