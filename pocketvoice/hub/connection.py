"""HTTP connections that can be cut off from outside: the standard library's, with every socket in reach of a watcher thread.

A read that waits for a stalled network can't look at a cancel event. `cuttable` gives an opener whose sockets are shut down
as soon as the event is set, so the read returns at once, with an error, on its own thread. Proxies come from the environment.
"""

import http.client
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_WATCH_EVERY_S = 0.05  # a cancel takes no longer than that to cut a connection


@contextmanager
def cuttable(cancel: threading.Event | None) -> Iterator[urllib.request.OpenerDirector]:
    """An opener whose connections are cut as soon as `cancel` is set; the watcher ends with the block."""
    sockets: list[socket.socket] = []  # appended by the caller's thread, read by the watcher
    finished = threading.Event()

    def watch(cancel: threading.Event) -> None:
        while not finished.wait(_WATCH_EVERY_S):
            if cancel.is_set():
                _cut(list(sockets))

    if cancel is None:
        yield _opener(sockets)
        return
    watcher = threading.Thread(target=watch, args=(cancel,), name="download-watch", daemon=True)
    watcher.start()
    try:
        yield _opener(sockets)
    finally:
        finished.set()
        watcher.join()


def _cut(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        with suppress(OSError):  # closed already
            # The plain socket's shutdown: the one of ssl takes the state away from under the reading thread.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _opener(sockets: list[socket.socket]) -> urllib.request.OpenerDirector:
    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Secure(http.client.HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class PlainHandler(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Plain, req)

    class SecureHandler(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Secure, req, context=_tls())

    return urllib.request.build_opener(PlainHandler, SecureHandler, _Redirects)


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
