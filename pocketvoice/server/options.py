"""What a server may be asked for and by whom: plain data, checked as a whole. Knows no network library."""

import ipaddress
import os
import socket
from dataclasses import dataclass, field

from pocketvoice.errors import InputError

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Limits:
    """What one request, and all together, may cost."""

    text_characters: int = 20_000
    """Most characters that a text may have."""
    sound_s: float = 3600.0
    """Most seconds of sound that a request may make."""
    body_bytes: int = 1 << 20
    """Most bytes that a request without an upload may have."""
    upload_bytes: int = 32 << 20
    """Most bytes that a recording or voice file may have."""
    requests: int = 32
    """Texts being spoken or waiting; the next one is answered with 429."""
    connections: int = 256
    """Open connections; beyond that the oldest idle one is dropped."""
    head_s: float = 10.0
    """A request's head must be here within so long."""
    body_s: float = 60.0
    """A request's body must be here within so long."""
    stall_s: float = 120.0
    """A client that takes nothing for so long is dropped."""


def most_body_bytes(text_characters: int) -> int:
    """What a request without an upload may take, so that any text of this length fits: 12 bytes a character, escaped."""
    return max(Limits.body_bytes, 12 * text_characters + 4096)


@dataclass(frozen=True)
class ServerOptions:
    """How a server is set up."""

    host: str = LOOPBACK
    """Address at which the server listens."""
    port: int = 8000
    """Port at which it listens; 0 is any free one."""
    keys: tuple[str, ...] = ()
    """API keys, one of which a request must bring; none: everyone on this computer may ask."""
    hosts: tuple[str, ...] = ()
    """Names under which the server is reached, besides its address and localhost."""
    origins: tuple[str, ...] = ()
    """Web pages of other origins that may use it (`https://example.org`)."""
    voice_addresses: bool = False
    """Whether a voice may be given as a web or hub address, which the server then fetches."""
    private_voice_addresses: bool = False
    """Whether these may also lie on this machine or in its network, which others could look into so."""
    limits: Limits = field(default_factory=Limits)

    @property
    def is_local(self) -> bool:
        """Whether only this computer can reach it."""
        return is_loopback(self.host)


def check(options: ServerOptions) -> ServerOptions:
    """The options; raises InputError for an address that others can reach without a key, and for malformed values."""
    if any(not key.strip() or not key.isascii() or len(key) < 8 for key in options.keys):
        raise InputError("An API key must be at least 8 characters of plain ASCII: choose another one.")
    if not options.is_local and not options.keys:
        raise InputError(
            f"The address {options.host} can be reached by other computers: give an API key "
            "(POCKETVOICE_API_KEY or --api-key-file), or listen at 127.0.0.1."
        )
    for origin in options.origins:
        scheme, _, rest = origin.partition("://")
        if scheme not in ("http", "https") or not rest or "/" in rest or "*" in rest:
            raise InputError(f"{origin!r} is no origin: give it as https://example.org, without a path.")
    return options


def is_loopback(host: str) -> bool:
    """Whether an address or name means this computer alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def open_socket(options: ServerOptions) -> socket.socket:
    """A listening socket; raises InputError with the remedy if the address is taken or not ours."""
    try:
        found = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as exc:
        raise InputError(f"The address {options.host} is not known: {exc.strerror or exc}.") from exc
    try:
        if os.name == "posix":  # elsewhere it would share a port that is taken
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
        listener.setblocking(False)
    except OSError as exc:
        listener.close()
        raise InputError(
            f"Can't listen at {options.host}:{options.port}: {exc.strerror or exc}. Choose another port.",
            detail=repr(exc),
        ) from exc
    return listener
