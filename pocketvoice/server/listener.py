"""Runs the application on a loop that is already running, with uvicorn, and with limits that uvicorn lacks.

A connection must send a whole head in time, must take what it is sent, and gives way when too many are open; uvicorn itself
only knows how long an idle one may be kept.
"""

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Generator
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from pocketvoice.server.options import Limits, ServerOptions, open_socket

log = logging.getLogger(__name__)

_KEEP_ALIVE_S = 10
_CLOSE_S = 2.0


class Listener:
    """A server at an address. `async with` it: inside the block it answers."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        """Opens the port; raises InputError if that can't be done."""
        self._socket: socket.socket = open_socket(options)
        protocol = type("LimitedProtocol", (_Protocol,), {"limits": options.limits})
        config = uvicorn.Config(
            app,
            http=protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None
        self.host = options.host
        """The address as it was asked for."""
        self.port: int = self._socket.getsockname()[1]
        """The port it listens at, also where any free one was asked for."""

    @property
    def address(self) -> str:
        """The URL at which a browser on this computer finds it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    async def __aenter__(self) -> Self:
        self._task = asyncio.get_running_loop().create_task(self._server.serve([self._socket]))
        while not self._server.started:
            if self._task.done():
                self._task.result()
            await asyncio.sleep(0.01)
        log.info("listening at %s", self.address)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends every connection; what is being spoken is broken off."""
        self._server.should_exit = True
        if self._task is not None:
            _, late = await asyncio.wait({self._task}, timeout=_CLOSE_S)
            if late:
                self._server.force_exit = True
                self._task.cancel()
                await asyncio.wait({self._task})
        self._socket.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to the program it runs in."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class _Protocol(H11Protocol):
    """uvicorn's connection, with limits on how long it may do nothing."""

    limits = Limits()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._since = time.monotonic()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit(self.limits.head_s)
        self._drop_idlest()

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_serving:
            if not self.flow.write_paused:  # who takes nothing gains no time by sending more
                self._limit(None)
        elif self._timer is None and not self.transport.is_closing():
            self._limit(self.limits.head_s)  # a head that is not whole yet

    def on_response_complete(self) -> None:
        self._since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._limit(self.limits.stall_s)
        super().pause_writing()

    def resume_writing(self) -> None:
        self._limit(None)
        super().resume_writing()

    @property
    def _is_serving(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _limit(self, seconds: float | None) -> None:
        """Drops the connection in so many seconds, unless another limit is set before; None is no limit."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)

    def _drop_idlest(self) -> None:
        """With too many connections, drops the one that has asked for nothing for the longest time."""
        idle = [one for one in self.connections if isinstance(one, _Protocol) and not one._is_serving]
        if len(self.connections) > self.limits.connections and idle:
            min(idle, key=lambda one: one._since).transport.abort()
