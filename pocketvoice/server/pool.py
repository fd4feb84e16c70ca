"""The engines of a server: one or several workers with the same model behind one queue. One loop's thread.

A worker that dies is replaced by its client, and its requests go on; one that died three times within a minute is left alone
for a while, and then started again. The pool owns no worker: whoever made the clients opens and closes them.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pocketvoice.server.admission import Admission, AdmissionQueue
from pocketvoice.server.refusals import Refusal
from pocketvoice.server.speech_stream import SpeechStream
from pocketvoice.worker.messages import Ready, Synthesize, WorkerState
from pocketvoice.worker.parent.client import RequestHandle, WorkerClient

log = logging.getLogger(__name__)

_RESTART_S = 30.0


class EnginePool:
    """Speaks with clients that have been entered."""

    def __init__(self, clients: Sequence[WorkerClient], most: int) -> None:
        """At most `most` requests are spoken or wait."""
        assert clients, "a pool has at least one engine"
        self._clients = list(clients)
        self.queue = AdmissionQueue(len(clients), most)
        self._background: set[asyncio.Task[None]] = set()  # kept until they end
        self._restarted_at = time.monotonic()

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
    async def speech(self, request: Synthesize, who: str) -> AsyncIterator[SpeechStream]:
        """Speaks a text when the turn of `who` comes; raises Refusal. Leaving the block stops it."""
        self._restart_broken()
        admission = await self.queue.acquire(who)
        handle: RequestHandle | None = None
        try:
            client = self._clients[admission.engine]
            handle = await client.send(request)
            yield SpeechStream(client, handle, self.queue, admission)
        finally:
            self._end(handle, admission)

    def _end(self, handle: RequestHandle | None, admission: Admission) -> None:
        """Stops a request in a task of its own: the caller's may be being cancelled, and could not wait for it."""
        if handle is None or handle.done:
            self.queue.release(admission)
        else:
            self._start(self._stop(handle, admission))

    async def _stop(self, handle: RequestHandle, admission: Admission) -> None:
        try:
            await handle.stop()
        finally:
            self.queue.release(admission)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _restart_broken(self) -> None:
        """Starts engines again that gave up, at most every 30 s: what broke them may pass."""
        now = time.monotonic()
        broken = [
            client for client in self._clients if client.state is WorkerState.CRASHED and client.pid is None
        ]
        if broken and now - self._restarted_at > _RESTART_S:
            self._restarted_at = now
            for client in broken:
                log.warning("an engine that broke down is started again")
                self._start(client.restart())

    async def report(self) -> list[dict[str, Any]]:
        """What each engine is doing, and how much memory its process holds."""
        pids = [client.pid for client in self._clients]
        memory = await asyncio.to_thread(lambda: [_memory(pid) for pid in pids])
        return [
            {
                "pid": pid,
                "state": client.state.value,
                "speaking": self.queue.speaking(index),
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
