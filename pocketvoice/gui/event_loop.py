"""The one loop that is both Qt's and asyncio's: run to its end, ended by signals; what nobody caught is shown. Main thread only."""

import asyncio
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

_THREADS = 3

_logger = logging.getLogger(__name__)


def make_loop(qt: QApplication) -> QEventLoop:
    """The loop, set as that of asyncio, with a few threads for files that are read or written beside the window."""
    loop = QEventLoop(qt)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(_THREADS))
    return loop


def run_to_end(loop: QEventLoop, work: Coroutine[Any, Any, None]) -> bool:
    """Runs `work` to its end, also when Qt ends its loop by itself (the session ends, Quit in the dock).

    False if Qt can't run any more: the display is gone. The worker notices that we are, too.
    """
    task = loop.create_task(work)
    for _ in range(3):
        try:
            loop.run_until_complete(task)
        except RuntimeError:
            if task.done():
                raise
        if task.done():
            return True
    _logger.error("the display is gone")
    task.cancel()
    return False


@contextmanager
def shown_errors(loop: QEventLoop, show_error: Callable[[BaseException], None]) -> Iterator[None]:
    """Calls `show_error` on the loop's thread with what nobody caught, in slots, tasks and threads."""
    hooks = sys.excepthook, threading.excepthook

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        show_error(error)

    def on_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            loop.call_soon_threadsafe(show_error, args.exc_value)

    def on_loop(loop: Any, context: dict[str, Any]) -> None:
        error = context.get("exception")
        show_error(error if isinstance(error, BaseException) else RuntimeError(context.get("message")))

    sys.excepthook, threading.excepthook = on_exception, on_thread
    loop.set_exception_handler(on_loop)
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook = hooks


@contextmanager
def ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and SIGTERM call `end`. Python runs its handlers only when something wakes Qt's loop: hence the socket."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = socket.socketpair()
    for side in (reader, writer):
        side.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)

    def on_signal() -> None:
        with suppress(BlockingIOError):
            reader.recv(64)

    notifier.activated.connect(on_signal)
    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.signal(number, lambda *_: end()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        notifier.setEnabled(False)
        reader.close()
        writer.close()
