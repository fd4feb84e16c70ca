"""One life of the worker process, seen from the parent: started, talked to, ended. Nothing here waits on the caller's thread.

A thread of its own starts the process, reads its events until the pipe ends, and collects its exit status. The two callbacks are
called on that thread. Knows nothing of what the messages mean.
"""

import importlib
import logging
import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection

from pocketvoice.worker.messages import Event, Request, WorkerOptions
from pocketvoice.worker.pipes import Sender

log = logging.getLogger(__name__)

_EXIT_S = 1.0
"""How long a process whose pipe ended may take to end itself."""
_ENTRY = "pocketvoice.worker.child.entry"
"""The child's first module: a name, for the parent never imports the child. Bundles must be told of it, no import shows it."""


def _run_child(requests: Connection, events: Connection, options: WorkerOptions) -> None:
    """The new process's main function. It finds this one by importing this module, which loads nothing heavy."""
    importlib.import_module(_ENTRY).run(requests, events, options)


class Link:
    """A worker process, from its start to its exit status."""

    def __init__(
        self, options: WorkerOptions, on_event: Callable[[Event], None], on_end: Callable[[int | None], None]
    ) -> None:
        """`on_end` gets the exit status, as the last call of all; None if the process could not be started."""
        context = multiprocessing.get_context("spawn")
        theirs, requests = context.Pipe(duplex=False)
        self._events, events = context.Pipe(duplex=False)  # reader thread
        self._on_event = on_event  # set once
        self._on_end = on_end  # set once
        self._process = context.Process(
            target=_run_child, args=(theirs, events, options), name="pocketvoice-worker", daemon=True
        )
        self._theirs = (theirs, events)  # reader thread: the child's ends, closed here once it has them
        self._sender = Sender(requests, "worker-requests")
        self._lock = threading.Lock()
        self._is_started = False  # guarded by _lock
        self._is_killed = False  # guarded by _lock
        self.pid: int | None = None
        """Of the process, once it was started."""
        self.ended = threading.Event()
        """Set when the process is gone."""
        threading.Thread(target=self._live, name="worker-events", daemon=True).start()

    def send(self, request: Request) -> None:
        """Sends a request; one to a dead worker is lost."""
        self._sender.send(request)

    def kill(self) -> None:
        """Ends the process at once, if need be before it has begun. Never waits."""
        with self._lock:
            self._is_killed = True
            if self._is_started and not self.ended.is_set():
                self._process.kill()

    def _live(self) -> None:
        status: int | None = None
        try:
            if self._start():
                try:
                    self._read(self._events)
                finally:
                    status = self._wait()
        except (
            Exception
        ):  # outermost loop of a thread: it could not be started, or a message was cut short by its death
            log.warning("the link to the worker process broke", exc_info=True)
        finally:
            with self._lock:
                self.ended.set()
            self._sender.close(0)
            self._events.close()
            self._on_end(status)

    def _start(self) -> bool:
        with self._lock:
            if self._is_killed:
                return False
            self._process.start()
            self.pid, self._is_started = self._process.pid, True
        for connection in self._theirs:
            connection.close()  # so that the pipe ends with the child
        return True

    def _read(self, events: Connection) -> None:
        while True:
            try:
                event = events.recv()
            except (EOFError, OSError):
                return
            self._on_event(event)

    def _wait(self) -> int | None:
        self._process.join(_EXIT_S)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        status = self._process.exitcode
        with self._lock:
            self.ended.set()
            self._process.close()
        return status
