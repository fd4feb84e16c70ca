"""Starts an engine again whose model could not be loaded, or that gave up after three breakdowns, with growing pauses.

What broke it may pass: a disk comes back, memory gets free. Watches one client; on the loop's thread.
"""

import asyncio
import logging
import math
from collections.abc import Callable

from pocketvoice.worker.messages import Event, StateChanged, WorkerState
from pocketvoice.worker.parent.client import WorkerClient

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0


class Recovery:
    """Knows whether an engine can speak, and has it started again when it can't."""

    def __init__(
        self, client: WorkerClient, on_change: Callable[[], None], *, first_pause_s: float = FIRST_PAUSE_S
    ) -> None:
        """`on_change` is called when the engine has become able or unable to speak."""
        self._client = client
        self._on_change = on_change
        self._first_pause_s = self._pause_s = first_pause_s
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None  # kept until it ends
        self._unlisten = client.listen(self._on_event)

    @property
    def is_broken(self) -> bool:
        """Whether it has no model, and none is being loaded."""
        if self._client.state is WorkerState.CRASHED:
            return self._client.pid is None
        return self._client.ready is None and self._client.state in (WorkerState.IDLE, WorkerState.BUSY)

    @property
    def retry_s(self) -> int:
        """Whole seconds until there may be a model, at least one."""
        if self._timer is None:
            return 2
        return max(1, math.ceil(self._timer.when() - asyncio.get_running_loop().time()) + 1)

    def close(self) -> None:
        """Leaves the engine alone."""
        self._unlisten()
        if self._timer is not None:
            self._timer.cancel()

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, StateChanged):
            return
        if self._client.ready is not None:
            self._pause_s = self._first_pause_s
            self._on_change()
        elif self._timer is None:
            # Looked at a moment later: a worker that died is replaced within the same call.
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        if self._timer is not None or not self.is_broken:
            return
        log.warning("an engine has no model: it is started again in %.0f s", self._pause_s)
        self._timer = asyncio.get_running_loop().call_later(self._pause_s, self._restart)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        self._on_change()

    def _restart(self) -> None:
        self._timer = None
        if self.is_broken:
            self._task = asyncio.get_running_loop().create_task(self._client.restart())
