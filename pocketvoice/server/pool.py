"""The engines of a server: one or several workers with the same model behind one queue. One loop's thread.

A worker that dies is replaced by its client, and its requests go on; one that can't load its model, or died three times within
a minute, gets no requests, and is started again after a while (`recovery`). The pool owns no worker: whoever made the clients
opens and closes them.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pocketvoice.hub import catalogue
from pocketvoice.server.admission import Admission, AdmissionQueue
from pocketvoice.server.options import Limits
from pocketvoice.server.recovery import FIRST_PAUSE_S, Recovery
from pocketvoice.server.refusals import Refusal, no_model
from pocketvoice.server.speech_stream import SpeechStream, check_pauses
from pocketvoice.text.alphabet import UnknownLetters, unknown_letters
from pocketvoice.worker.messages import Ready, Synthesize
from pocketvoice.worker.parent.client import RequestHandle, WorkerClient


class EnginePool:
    """Speaks with clients that have been entered."""

    def __init__(
        self,
        clients: Sequence[WorkerClient],
        most: int,
        *,
        sound_s: float = Limits.sound_s,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        """At most `most` requests are spoken or wait, and make `sound_s` seconds of sound each, at most.

        A broken engine is started again after `first_pause_s`, then after twice as long, and so on.
        """
        self.sound_s = sound_s
        assert clients, "a pool has at least one engine"
        self._clients = list(clients)
        self._recoveries = [
            Recovery(client, self._on_change, first_pause_s=first_pause_s) for client in clients
        ]
        self.queue = AdmissionQueue(len(clients), most, can_serve=self._can_serve)
        self._streams: set[SpeechStream] = set()
        self._background: set[asyncio.Task[None]] = set()  # kept until they end

    def close(self) -> None:
        """Leaves the engines alone."""
        for recovery in self._recoveries:
            recovery.close()

    @property
    def ready(self) -> Ready | None:
        """The loaded model, while there is one."""
        return next((client.ready for client in self._clients if client.ready is not None), None)

    def model(self) -> Ready:
        """The loaded model; raises Refusal (503) if there is none at the moment."""
        ready = self.ready
        if ready is None:
            raise self._no_model()
        return ready

    def unknown_letters(self, text: str) -> UnknownLetters | None:
        """What is to be told of a text mostly in letters that the loaded model does not know; None where there is nothing."""
        ready = self.ready
        return None if ready is None else unknown_letters(text, catalogue.language_code(ready.language))

    @property
    def retry_s(self) -> int:
        """Seconds after which it is worth asking again for a model, while none is loaded."""
        return min(recovery.retry_s for recovery in self._recoveries)

    def _no_model(self) -> Refusal:
        return no_model(self.retry_s)

    def _can_serve(self, engine: int) -> bool:
        return not self._recoveries[engine].is_broken

    def _on_change(self) -> None:
        """An engine has got a model or has none: its requests end, and those that wait go elsewhere or end too."""
        for stream in list(self._streams):
            if not self._can_serve(stream.engine):
                self._start(stream.fail(self._no_model()))
        if any(map(self._can_serve, range(len(self._clients)))):
            self.queue.serve()
        else:
            self.queue.refuse_waiting(self._no_model())

    @asynccontextmanager
    async def speech(self, request: Synthesize, who: str) -> AsyncIterator[SpeechStream]:
        """Speaks a text when the turn of `who` comes; raises Refusal. Leaving the block stops it."""
        await asyncio.to_thread(check_pauses, request.text, request.speed, self.sound_s)
        if not any(map(self._can_serve, range(len(self._clients)))):
            raise self._no_model()
        admission = await self.queue.acquire(who)
        handle: RequestHandle | None = None
        try:
            client = self._clients[admission.engine]
            handle = await client.send(request)
            stream = SpeechStream(client, handle, self.queue, admission, self.sound_s)
            self._streams.add(stream)
            try:
                yield stream
            finally:
                self._streams.discard(stream)
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
