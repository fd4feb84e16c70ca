"""Wyoming messages within limits: none is larger than allowed, none is waited for without end, none has a wrong shape."""

import asyncio
from typing import TypeVar

from wyoming.event import Event, Eventable, async_read_event

_QUIET_S = 600.0  # a client that says nothing for so long has gone
_E = TypeVar("_E", bound=Eventable)


class MalformedMessage(Exception):
    """What a client sent is no message, or is too large."""


class LimitedReader:
    """A stream reader, as far as the protocol uses one, with limits; raises TimeoutError and MalformedMessage."""

    def __init__(self, reader: asyncio.StreamReader, most_bytes: int) -> None:
        self._reader = reader
        self._most_bytes = most_bytes

    async def readline(self) -> bytes:
        """The next line; empty at the end."""
        async with asyncio.timeout(_QUIET_S):
            return await self._reader.readline()

    async def readexactly(self, count: int) -> bytes:
        """So many bytes; raises IncompleteReadError if fewer come."""
        if count > self._most_bytes:
            raise MalformedMessage(f"{count} bytes")
        async with asyncio.timeout(_QUIET_S):
            return await self._reader.readexactly(count)


async def read_message(reader: LimitedReader) -> Event | None:
    """The next message, None at the end; raises MalformedMessage, OSError, EOFError and TimeoutError."""
    try:
        return await async_read_event(reader)  # type: ignore[arg-type]  # what it needs of a reader
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ) as exc:  # no JSON, no object, or a line without end
        raise MalformedMessage(repr(exc)) from exc


def parsed(kind: type[_E], event: Event) -> _E:
    """The message that an event carries; raises MalformedMessage, also for a text or a voice's name that is no text."""
    try:
        voice = event.data.get("voice") or {}
        _check_text(event.data.get("text"), *(voice.get(key) for key in ("name", "language", "speaker")))
        if "text" in event.data and event.data["text"] is None and event.type != "ping":
            raise ValueError("a text that is none")
        return kind.from_event(event)  # type: ignore[return-value]
    except (KeyError, TypeError, AttributeError, ValueError) as exc:
        raise MalformedMessage(event.type) from exc


def _check_text(*values: object) -> None:
    for value in values:
        if value is not None and not isinstance(value, str):
            raise ValueError("a value that is no text")
        if value is not None:
            value.encode()  # half a surrogate pair is a ValueError
