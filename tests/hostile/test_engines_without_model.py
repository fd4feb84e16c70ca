"""An engine whose model has gone: every path says 503 and when to come back, and speech returns with the model."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal
from pocketvoice.worker.messages import Event, Ready, StateChanged, Stopped, Synthesize, WorkerState
from pocketvoice.worker.parent.client import WorkerClient
from pocketvoice.worker.parent.open_requests import RequestHandle
from tests.waiting import until_async

pytestmark = pytest.mark.expects_log("an engine has no model")
READY = cast(Ready, object())


class FakeEngine:
    """A worker's client that loads its model at the third attempt."""

    def __init__(self) -> None:
        self.state, self.ready, self.pid = WorkerState.IDLE, cast(Ready | None, READY), 7
        self.restarts: list[float] = []
        self._handles: dict[str, RequestHandle] = {}
        self._listener: Callable[[Event], None] = lambda event: None

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        self._listener = listener
        return lambda: None

    async def send(self, request: Synthesize) -> RequestHandle:
        handle = RequestHandle(f"r{len(self._handles)}", self._stop)
        self._handles[handle.request_id] = handle
        return handle

    async def _stop(self, request_id: str) -> None:
        handle = self._handles[request_id]
        if not handle.done:
            handle.take(Stopped(request_id, None))

    async def restart(self) -> None:
        self.restarts.append(asyncio.get_running_loop().time())
        self.change(WorkerState.LOADING)
        if len(self.restarts) == 3:
            self.ready = READY
        self.change(WorkerState.IDLE)

    def change(self, new: WorkerState) -> None:
        old, self.state = self.state, new
        self._listener(StateChanged("", old, new, ""))

    def lose_model(self) -> None:
        """It died, and the new one can't load."""
        self.ready = None
        self.change(WorkerState.CRASHED)
        self.change(WorkerState.STARTING)
        self.change(WorkerState.LOADING)
        self.change(WorkerState.BUSY)


def a_pool(engine: FakeEngine, most: int = 32) -> EnginePool:
    return EnginePool([cast(WorkerClient, engine)], most, first_pause_s=0.05)


async def refused(pool: EnginePool) -> Refusal:
    try:
        async with pool.speech(Synthesize("Hello."), "somebody") as speech:
            async for _ in speech:
                pass
    except Refusal as refusal:
        return refusal
    pytest.fail("it was spoken")


def run(work: Any) -> None:
    asyncio.run(asyncio.wait_for(work, 10))


def test_speech_that_runs_ends_with_503() -> None:
    async def story() -> None:
        engine = FakeEngine()
        pool = a_pool(engine)
        running = [asyncio.ensure_future(refused(pool)) for _ in range(18)]  # two of them wait for a turn
        await asyncio.sleep(0.01)
        engine.lose_model()
        for refusal in await asyncio.gather(*running):
            assert refusal.status == 503
            assert int(refusal.headers["retry-after"]) >= 1
        assert pool.queue.open == 0
        pool.close()

    run(story())


def test_new_requests_get_503_until_the_model_is_back() -> None:
    async def story() -> None:
        engine = FakeEngine()
        pool = a_pool(engine)
        start = asyncio.get_running_loop().time()
        engine.lose_model()
        await asyncio.sleep(0)
        assert (await refused(pool)).status == 503
        await until_async(lambda: pool.ready is not None)
        pauses = [at - start for at in engine.restarts]
        assert pauses[1] - pauses[0] > 1.5 * pauses[0], "pauses grow"
        async with pool.speech(Synthesize("Hello."), "somebody"):
            assert pool.queue.open == 1
        pool.close()

    run(story())
