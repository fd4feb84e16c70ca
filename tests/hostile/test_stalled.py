"""Clients that take nothing keep no places from those who do."""

import asyncio

import pytest

from pocketvoice.server.admission import AdmissionQueue
from pocketvoice.server.refusals import Refusal


def test_stalled_clients_give_their_places_up() -> None:
    async def story() -> None:
        queue = AdmissionQueue(engines=1, most=2, each=2)
        slow = [await queue.acquire("slow") for _ in range(2)]
        with pytest.raises(Refusal):
            await queue.acquire("other")
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

    asyncio.run(story())
