"""The engines of a server: one or several workers with the same model behind one queue. One loop's thread.

A worker that dies is replaced by its client, and its requests go on; one that died three times within a minute is left alone
for a while, and then started again. The pool owns no worker: whoever made the clients opens and closes them.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pocketvoice.server.admission import Admission, AdmissionQueue
from pocketvoice.server.refusals import Refusal
from pocketvoice.server.speech_stream import SpeechStream, Wanted
from pocketvoice.worker.messages import Ready, SamplingOptions, Synthesize, WorkerState
from pocketvoice.worker.parent.client import RequestHandle, WorkerClient

log = logging.getLogger(__name__)

_REVIVE_S = 30.0


class EnginePool:
    """Clients that have been entered."""

    def __init__(self, clients: Sequence[WorkerClient], most: int) -> None:
        assert clients, "a pool has at least one engine"
        self._clients = list(clients)
        self.places = AdmissionQueue(len(clients), most)
        self._ends: set[asyncio.Task[None]] = set()
        self._revived_at = time.monotonic()

    @property
    def ready(self) -> Ready | None:
        """The loaded model, while there is one."""
        return next((client.ready for client in self._clients if client.ready is not None), None)

    def model(self) -> Ready:
        """The loaded model; raises Refusal (503) if there is none at the moment."""
        ready = self.ready
        if ready is None:
            raise Refusal(
                503,
                "No model is loaded at the moment: try again shortly.",
                code="no_model",
                headers={"retry-after": "2"},
            )
        return ready

    @asynccontextmanager
    async def speech(self, wanted: Wanted, who: str) -> AsyncIterator[SpeechStream]:
        """Speaks a text when its turn comes; raises Refusal. Leaving the block stops it."""
        self._revive()
        place = await self.places.take(who)
        handle: RequestHandle | None = None
        try:
            client = self._clients[place.engine]
            sampling = SamplingOptions(
                wanted.temp, wanted.eos_threshold, wanted.noise_clamp, wanted.sampler_decode_steps
            )
            handle = await client.send(
                Synthesize(wanted.text, wanted.voice, wanted.speed, wanted.seed, sampling=sampling)
            )
            yield SpeechStream(client, handle, self.places, place)
        finally:
            self._end(handle, place)

    def _end(self, handle: RequestHandle | None, place: Admission) -> None:
        """Not awaited here: whoever leaves may be being cancelled."""
        if handle is None or handle.done:
            self.places.give_back(place)
            return
        task = asyncio.get_running_loop().create_task(self._stop(handle, place))
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    async def _stop(self, handle: RequestHandle, place: Admission) -> None:
        try:
            await handle.stop()
        finally:
            self.places.give_back(place)

    def _revive(self) -> None:
        """Starts engines that gave up; not more often than they may be expected to have recovered."""
        now = time.monotonic()
        broken = [
            client for client in self._clients if client.state is WorkerState.CRASHED and client.pid is None
        ]
        if broken and now - self._revived_at > _REVIVE_S:
            self._revived_at = now
            for client in broken:
                log.warning("an engine that broke down is started again")
                task = asyncio.get_running_loop().create_task(client.restart())
                self._ends.add(task)
                task.add_done_callback(self._ends.discard)

    async def report(self) -> list[dict[str, Any]]:
        """What each engine is doing, and how much memory its process holds."""
        pids = [client.pid for client in self._clients]
        memory = await asyncio.to_thread(lambda: [_memory(pid) for pid in pids])
        return [
            {
                "pid": pid,
                "state": client.state.value,
                "speaking": self.places.speaking(index),
                "rss_bytes": held[0],
                "unique_bytes": held[1],
            }
            for index, (client, pid, held) in enumerate(zip(self._clients, pids, memory, strict=True))
        ]


def _memory(pid: int | None) -> tuple[int | None, int | None]:
    """Bytes in memory, and those that no other process shares (weights are mapped from the file and shared)."""
    import psutil

    if pid is None:
        return None, None
    try:
        process = psutil.Process(pid)
        held = process.memory_full_info()
        return held.rss, getattr(held, "uss", None)
    except psutil.Error:
        return None, None
