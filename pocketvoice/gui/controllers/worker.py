"""What the window asks of the worker, as protocols: `WorkerClient` satisfies them, and so does the fake one of the tests.

Main thread only.
"""

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from pocketvoice.worker.messages import Event, Ready, Request, Terminal, WorkerState


class RunningRequest(Protocol):
    """A request that was sent: its events, and a way to stop it."""

    request_id: str

    @abstractmethod
    def __aiter__(self) -> AsyncIterator[Event]:
        """The events of this request, for one consumer; the terminal one is the last."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the terminal event has come."""

    @abstractmethod
    async def result(self) -> Terminal:
        """Waits for the terminal event; a Failed is returned, not raised."""

    @abstractmethod
    async def stop(self) -> Terminal:
        """Ends the request and waits for its terminal event."""


class Worker(Protocol):
    """The process that speaks, as its client on the window's side."""

    state: WorkerState
    """What the worker is doing; every change is a StateChanged event."""
    ready: Ready | None
    """The loaded model; None before. It stays while another one is being loaded, and after that failed."""

    @abstractmethod
    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Calls `listener` with every event of every request; returns a function that ends that."""

    @abstractmethod
    async def send(self, request: Request) -> RunningRequest:
        """Sends a request; returns when it was sent, not when it is done."""

    @abstractmethod
    async def stop(self) -> RunningRequest:
        """Stops every speech, spoken or waiting."""

    @abstractmethod
    async def restart(self) -> None:
        """Starts a new worker after the last one gave up."""
