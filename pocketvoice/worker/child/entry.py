"""Where the worker process begins: its surroundings are put in order before anything heavy is imported.

Runs in the child only. What is imported at the top is light, so that the process answers at once and takes requests while torch
is being imported.
"""

import logging
import os
import queue
import signal
import sys
import threading
import traceback
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection

from pocketvoice.worker.heavy_imports import heavy_imports
from pocketvoice.worker.memory import limit_heaps
from pocketvoice.worker.messages import Hello, LogRecord, Request, WorkerOptions
from pocketvoice.worker.pipes import Sender


def run(requests: Connection, events: Connection, options: WorkerOptions) -> None:
    """The process from beginning to end; it does not return."""
    have_stdio()
    limit_heaps()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    sender = Sender(events, "events")
    _send_log(sender, options.log_level)
    status = 1
    try:
        sender.send(Hello("", os.getpid()))
        _work(requests, sender, options)
        status = 0
    except BaseException:  # outermost loop of the process
        logging.getLogger(__name__).critical("the worker failed: %s", traceback.format_exc())
    finally:
        sender.close()
        os._exit(status)  # threads that hang in the sound system must not hold the process


def _work(requests: Connection, sender: Sender, options: WorkerOptions) -> None:
    inbox: list[Request] = []  # what came while the heavy modules were being imported
    gate = threading.Lock()
    deliver = inbox.append

    def receive() -> None:
        """Thread: hands on requests; ends the process with the parent, whatever its other threads are doing."""
        while True:
            try:
                request = requests.recv()
            except (EOFError, OSError):
                os._exit(0)
            with gate:
                deliver(request)

    threading.Thread(target=receive, name="requests", daemon=True).start()
    with heavy_imports():
        from pocketvoice.worker.child.process import Worker

    worker = Worker(sender.send, options)
    with gate:
        for request in inbox:
            worker.take(request)
        deliver = worker.take
    worker.run()


def have_stdio() -> None:
    """A windowed program has none, and libraries print."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the process lives
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


class _ToParent(QueueHandler):
    """Sends log records as messages, which hold plain text only: tracebacks are formatted here."""

    def __init__(self, sender: Sender) -> None:
        super().__init__(queue.SimpleQueue())  # it stays empty: `enqueue` sends at once
        self._sender = sender

    def enqueue(self, record: logging.LogRecord) -> None:
        """Called with a record whose message and traceback are one text."""
        self._sender.send(LogRecord("", record.name, record.levelno, record.getMessage()))


def _send_log(sender: Sender, level: int) -> None:
    ours = logging.getLogger("pocketvoice")
    ours.handlers[:] = [_ToParent(sender)]
    ours.setLevel(level)
    ours.propagate = False
