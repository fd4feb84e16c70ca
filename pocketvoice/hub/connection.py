"""HTTP connections that can be cut off from outside: the standard library's, with every socket in reach of a watcher thread.

A read that waits for a stalled network can't look at a cancel event. `cuttable` gives an opener whose sockets are shut down
as soon as the event is set, so the read returns at once, with an error, on its own thread. Proxies come from the environment.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pocketvoice.errors import InputError

_WATCH_EVERY_S = 0.05  # a cancel takes no longer than that to cut a connection


@contextmanager
def cuttable(
    cancel: threading.Event | None, *, public_only: bool = False
) -> Iterator[urllib.request.OpenerDirector]:
    """An opener whose connections are cut as soon as `cancel` is set; the watcher ends with the block.

    With `public_only` it raises InputError for every address, redirects' too, that is not one of the public internet.
    """
    sockets: list[socket.socket] = []  # appended by the caller's thread, read by the watcher
    finished = threading.Event()

    def watch(cancel: threading.Event) -> None:
        while not finished.wait(_WATCH_EVERY_S):
            if cancel.is_set():
                _cut(list(sockets))

    if cancel is None:
        yield _opener(sockets, public_only)
        return
    watcher = threading.Thread(target=watch, args=(cancel,), name="download-watch", daemon=True)
    watcher.start()
    try:
        yield _opener(sockets, public_only)
    finally:
        finished.set()
        watcher.join()


def _cut(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        with suppress(OSError):  # closed already
            # The plain socket's shutdown: the one of ssl takes the state away from under the reading thread.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, not of this machine or its network."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        elif any(ip in network for network in _TRANSLATED):
            return False
    return ip.is_global and not ip.is_multicast


_TRANSLATED = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
"""IPv6 addresses that mean IPv4 ones, perhaps of this network."""


def _connect_publicly(
    place: tuple[str, int], timeout: Any = None, source_address: Any = None
) -> socket.socket:
    """As `socket.create_connection`, to the very address that was checked: another look at the name may tell another one."""
    found = socket.getaddrinfo(*place, type=socket.SOCK_STREAM)
    for *_, address in found:
        if not is_public(str(address[0])):
            raise InputError(f"{place[0]} is no address of the public internet: give another one.")
    failure: OSError | None = None
    for *_, address in found:
        try:
            return socket.create_connection((str(address[0]), place[1]), timeout, source_address)
        except OSError as exc:
            failure = exc
    raise failure or OSError(f"{place[0]} has no address")


def _opener(sockets: list[socket.socket], public_only: bool) -> urllib.request.OpenerDirector:
    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            if public_only:
                self._create_connection = _connect_publicly
            super().connect()
            sockets.append(self.sock)

    class Secure(http.client.HTTPSConnection):
        def connect(self) -> None:
            if public_only:
                self._create_connection = _connect_publicly
            super().connect()
            sockets.append(self.sock)

    class PlainHandler(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Plain, req)

    class SecureHandler(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Secure, req, context=_tls())

    # Not `build_opener`, which also follows redirects to ftp.
    opener = urllib.request.OpenerDirector()
    proxies = urllib.request.ProxyHandler(
        {} if public_only else None
    )  # behind a proxy nothing could be checked
    for handler in (
        proxies, PlainHandler(), SecureHandler(), _Redirects(), urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(), urllib.request.UnknownHandler(),
    ):  # fmt: skip
        opener.add_handler(handler)
    return opener


class _Redirects(urllib.request.HTTPRedirectHandler):
    """The access token goes along to the same host (a renamed repository), never to a storage server."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        token = req.unredirected_hdrs.get("Authorization")
        if new is not None and token is not None and (new.type, new.host) == (req.type, req.host):
            new.add_unredirected_header("Authorization", token)
        return new


def _tls() -> ssl.SSLContext:
    """The system's certificates, and those the hub's library brings: a packaged program may find no others."""
    context = ssl.create_default_context()
    with suppress(ImportError, OSError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context
