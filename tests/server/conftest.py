"""A real server: real worker processes with the built-in model, real connections on loopback, in a thread of this process."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, contextmanager
from typing import Any, TypeVar

import httpx
import pytest

from pocketvoice.server.listener import Listener
from pocketvoice.server.options import ServerOptions
from pocketvoice.server.service import ServedModel, engines, http_server
from pocketvoice.worker.parent.client import WorkerClient
from tests.waiting import until

T = TypeVar("T")

SENTENCE = "The children walked to the harbour and looked at the boats."
BOOK = " ".join(
    f"This is sentence number {number}, and it is spoken slowly and clearly." for number in range(60)
)
MODEL = "builtin_en"


class Loop:
    """An asyncio loop on a thread of its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="server")
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], timeout_s: float = 60) -> T:
        """Runs a coroutine there and waits for it."""
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self.loop)
        return future.result(timeout_s)

    def close(self) -> None:
        """Ends the thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()


class Served:
    """A server that runs."""

    def __init__(self, loop: Loop, listener: Listener, clients: list[WorkerClient]) -> None:
        self.loop = loop
        self.clients = clients
        self.host, self.port = listener.host, listener.port
        self.url = listener.address
        self.http = httpx.Client(base_url=self.url, timeout=60)

    @property
    def health(self) -> dict[str, Any]:
        """What it says of itself."""
        return dict(self.http.get("/health").json())

    def until_idle(self, timeout_s: float = 5) -> None:
        """Waits until nothing is being spoken."""
        self.until(lambda: not self.health["queue"]["open"], timeout_s)

    def until(self, condition: Callable[[], object], timeout_s: float = 10) -> None:
        """Waits for something to become true."""
        until(condition, timeout_s, lambda: self.health)


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    running = Loop()
    yield running
    running.close()


@pytest.fixture(scope="session")
def worker(loop: Loop) -> Iterator[list[WorkerClient]]:
    """One worker with the built-in model, shared by all servers of the tests."""
    stack = AsyncExitStack()
    clients = loop.run(
        stack.enter_async_context(engines(ServedModel(language=MODEL, precision="float32"), 1))
    )
    yield clients
    loop.run(stack.aclose())


@contextmanager
def a_server(
    loop: Loop, clients: list[WorkerClient], library: Any = None, **options: Any
) -> Iterator[Served]:
    """A server at a free port."""
    stack = AsyncExitStack()
    wanted = ServerOptions(**{"port": 0, **options})
    listener = loop.run(stack.enter_async_context(http_server(clients, wanted, library)))
    served = Served(loop, listener, clients)
    try:
        yield served
    finally:
        served.http.close()
        loop.run(stack.aclose())


@pytest.fixture(scope="session")
def served(loop: Loop, worker: list[WorkerClient]) -> Iterator[Served]:
    """The server as it is by default."""
    with a_server(loop, worker) as running:
        yield running
