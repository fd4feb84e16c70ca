"""The parent's side of the worker, for any asyncio loop (qasync's and uvicorn's included). SIGNATURES ONLY: being filled in."""

from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Self

from pocketvoice.worker.messages import (
    DeviceName,
    Event,
    Priority,
    Ready,
    SeekTo,
    Terminal,
    WorkerOptions,
    WorkerState,
)

Listener = Callable[[Event], None]


class RequestHandle:
    """One request: its events, and a way to stop it. `async for event in handle` ends after the terminal event."""

    request_id: str

    def __aiter__(self) -> AsyncIterator[Event]:
        """Its events from the first on, the terminal one last."""
        raise NotImplementedError

    async def result(self) -> Terminal:
        """Waits for the end and tells how it ended; never raises for a Failed."""
        raise NotImplementedError

    @property
    def done(self) -> bool:
        """Whether the terminal event has come."""
        raise NotImplementedError

    async def stop(self) -> Terminal:
        """Ends the request and waits for its end: a worker that does not obey within two seconds is replaced."""
        raise NotImplementedError


class WorkerClient:
    """Starts the worker, sends requests, hands out events. Everything on the loop's thread; nothing here blocks it."""

    def __init__(self, options: WorkerOptions | None = None) -> None:
        self.state: WorkerState = WorkerState.STOPPED
        self.ready: Ready | None = None  # what is loaded

    async def __aenter__(self) -> Self:
        """Starts the process and returns at once (state STARTING); requests may be sent."""
        raise NotImplementedError

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """`close`."""

    async def close(self, timeout_s: float = 2.0) -> None:
        """Ends the worker, by force if it takes longer; every open request ends as Stopped. Never raises."""

    async def restart(self) -> None:
        """Starts anew after it gave up (CRASHED), or replaces a worker that behaves oddly."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` on the loop with every event of every request (StateChanged included); returns how to end that."""
        raise NotImplementedError

    # Each returns when the request was sent, not when it is done: `await (await client.x(...)).result()` for that.
    async def load_model(
        self,
        language: str | None = None,
        *,
        config: str | None = None,
        precision: str | None = None,
        voice: str | None = None,
        sampler_decode_steps: int = 1,
        temp: float | None = None,
        eos_threshold: float | None = None,
    ) -> RequestHandle:
        raise NotImplementedError

    async def speak(
        self,
        text: str,
        *,
        voice: str | None = None,
        priority: Priority = Priority.INTERRUPT,
        start: int = 0,
        stop: int | None = None,
        paused: bool = False,
        seed: int | None = None,
        max_tokens: int = 50,
    ) -> RequestHandle:
        raise NotImplementedError

    async def preview(self, voice: str | None = None, text: str = "") -> RequestHandle:
        raise NotImplementedError

    async def export(
        self,
        text: str,
        path: str,
        *,
        voice: str | None = None,
        speed: float = 1.0,
        seed: int | None = None,
        max_tokens: int = 50,
    ) -> RequestHandle:
        raise NotImplementedError

    async def clone_voice(self, source: str, path: str, *, truncate: bool = False) -> RequestHandle:
        raise NotImplementedError

    async def stop(self) -> RequestHandle:
        """Stops every speech, spoken or waiting."""
        raise NotImplementedError

    async def pause(self) -> RequestHandle:
        raise NotImplementedError

    async def resume(self) -> RequestHandle:
        raise NotImplementedError

    async def seek(self, to: int | SeekTo) -> RequestHandle:
        raise NotImplementedError

    async def set_speed(self, speed: float) -> RequestHandle:
        raise NotImplementedError

    async def set_volume(self, volume: float) -> RequestHandle:
        raise NotImplementedError

    async def set_device(self, device: DeviceName | None) -> RequestHandle:
        raise NotImplementedError

    async def list_devices(self) -> RequestHandle:
        raise NotImplementedError
