"""A job for the engine's thread, and a request that takes one job or several: what all kinds of them have in common.

A job runs on the engine's thread with the model in its hands; it sends progress itself, and `EngineThread` tells the main loop how
it ended. A request belongs to the main loop; what its job writes to it is said at its fields.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable

from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.scheduler import Kind, Work
from pocketvoice.worker.messages import Event, Stats

Send = Callable[[Event], None]


class Job(ABC):
    """Something for the engine to do."""

    kind: Kind

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id  # set once
        self.stop = threading.Event()  # set by the main loop

    @property
    def work(self) -> Work:
        """What it is, for the scheduler."""
        return Work(self.kind, self.request_id)

    @abstractmethod
    def run(self, host: ModelHost) -> None:
        """Does it; returns early when `stop` is set. Raises what goes wrong."""

    def clean_up(self) -> None:  # noqa: B027 - most have nothing to clean up
        """On the main loop, after a job whose request had ended before it: leaves nothing behind."""


class BackgroundRequest(ABC):
    """A request beside speech that has not ended. Main loop only, but for what its job counts."""

    kind: Kind

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id  # set once

    @abstractmethod
    def job(self, send: Send) -> Job:
        """The next one for it."""

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """Whether nothing is left to be done: its last job has ended."""

    def result(self) -> Event | None:
        """What the client is given before the end of a request that is done."""
        return None

    def stats(self) -> Stats:
        """What it came to until now."""
        return Stats()

    def drop(self) -> None:  # noqa: B027 - most have nothing to drop
        """It ends before it is done, and the engine is not at it: leaves nothing behind."""
