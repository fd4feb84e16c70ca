"""One end of a pipe to the other process that never makes its owner wait: a thread of its own sends what is given to it.

Used on both sides of the border. A pipe and not a `multiprocessing.Queue`: when a process is killed, the other one sees the end
of the file instead of waiting for a lock that the dead one holds.
"""

import logging
import queue
import threading
from multiprocessing.connection import Connection
from typing import Any

from pocketvoice.worker.messages import Level, Position

log = logging.getLogger(__name__)

_CROWDED = 500
"""With so many messages waiting, those that the next one of their kind makes worthless are dropped."""


class Sender:
    """Sends messages in order. `send` may be called from any thread and returns at once."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection  # sender thread
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def send(self, message: Any) -> None:
        """Queues a message to be sent; a position is dropped where the other side is far behind."""
        if self._queue.qsize() > _CROWDED and isinstance(message, Level | Position):
            return
        self._queue.put(message)

    def close(self, timeout_s: float = 1.0) -> None:
        """Sends what is waiting, if the other side takes it in time."""
        self._queue.put(None)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while (message := self._queue.get()) is not None:
            try:
                self._connection.send(message)
            except (OSError, ValueError):  # the other side is gone; whoever reads from it sees that too
                break
        self._connection.close()
