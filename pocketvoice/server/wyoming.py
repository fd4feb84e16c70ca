"""The Wyoming protocol, so that Home Assistant can use the voices: listens, and limits how many connections there are.

The protocol knows no keys: whoever can reach the address may ask. Messages are bounded (`wyoming_messages`); what a client asks
for is answered in `wyoming_connection`.
"""

import asyncio
import logging
from urllib.parse import urlsplit

from pocketvoice.errors import InputError
from pocketvoice.server.options import Limits
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.server.wyoming_connection import WyomingConnection
from pocketvoice.server.wyoming_messages import LimitedReader, MalformedMessage

log = logging.getLogger(__name__)

_MOST_CONNECTIONS = 64


class WyomingServer:
    """Answers at an address from `listen` to `close`."""

    def __init__(self, pool: EnginePool, voices: VoiceResolver, limits: Limits) -> None:
        self._pool = pool
        self._voices = voices
        self._limits = limits
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], WyomingConnection] = {}  # the oldest first

    async def listen(self, uri: str) -> str:
        """Begins; `uri` is tcp://host:port or unix:///path. Returns the address it has; raises InputError."""
        address = urlsplit(uri)
        try:
            port = address.port
        except ValueError:
            port = None
        try:
            if address.scheme == "unix" and address.path:
                self._server = await asyncio.start_unix_server(self._on_connection, address.path)
                return uri
            if address.scheme == "tcp" and address.hostname and port is not None:
                self._server = await asyncio.start_server(self._on_connection, address.hostname, port)
                return f"tcp://{address.hostname}:{self._server.sockets[0].getsockname()[1]}"
        except OSError as exc:
            raise InputError(
                f"Can't listen at {uri}: {exc.strerror or exc}. Choose another port with --uri."
            ) from exc
        raise InputError(f"{uri!r} is no address: give it as tcp://127.0.0.1:10200 or unix:///path.")

    async def close(self) -> None:
        """Stops listening and ends every connection."""
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= _MOST_CONNECTIONS and not self._drop_idle():
            writer.close()
            return
        task = asyncio.current_task()
        assert task is not None
        limited = LimitedReader(reader, self._limits.body_bytes)
        connection = WyomingConnection(
            limited, writer, self._pool, self._voices, self._limits.text_characters
        )
        self._connections[task] = connection
        try:
            await connection.run()
        except (OSError, EOFError, TimeoutError, MalformedMessage) as exc:
            log.info("a Wyoming client has gone: %r", exc)
        except asyncio.CancelledError:
            pass  # the server is closing, or another connection needs the place
        except Exception:  # the outermost call of this connection's task
            log.exception("a Wyoming client could not be served")
        finally:
            await connection.disconnect()
            writer.close()
            self._connections.pop(task, None)

    def _drop_idle(self) -> bool:
        """Drops the oldest connection that asks for nothing; whether there was one."""
        idle = next(
            (task for task, connection in self._connections.items() if not connection.is_speaking), None
        )
        if idle is None:
            return False
        del self._connections[idle]
        idle.cancel()
        return True
