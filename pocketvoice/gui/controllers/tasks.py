"""Coroutines started from slots. Each is kept until it ends, and what it raises reaches the one function that shows errors."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Tasks:
    """The coroutines that are running. Everything happens on the loop's thread."""

    def __init__(self, show_error: Callable[[BaseException], None]) -> None:
        self._show_error = show_error
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs `work` as a task; after `close` it is not begun."""
        if self._closed:
            work.close()
            return
        task = asyncio.get_event_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._on_done)

    async def close(self) -> None:
        """Cancels what runs and waits until it has ended."""
        self._closed = True
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._show_error(error)


class Latest(Generic[Value]):
    """Sends values one at a time and only the newest of those that wait: a slider makes many, the worker needs the last."""

    def __init__(self, tasks: Tasks, send: Callable[[Value], Coroutine[Any, Any, Any]]) -> None:
        self._tasks = tasks
        self._send = send
        self._waiting: list[Value] = []  # none or one
        self._busy = False

    def put(self, value: Value) -> None:
        """Sends `value` as soon as the one before has arrived."""
        self._waiting[:] = [value]
        if not self._busy:
            self._busy = True
            self._tasks.start(self._run())

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._send(self._waiting.pop())
        finally:
            self._busy = False
