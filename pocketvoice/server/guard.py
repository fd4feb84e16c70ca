"""What stands before every endpoint: who may ask, from which page, and how much may be sent. Plain ASGI.

A web page elsewhere can make the user's browser send requests to this computer, and by DNS rebinding even read the answers.
So the Host header must name this server, an Origin must be the server's own or a listed one, and a request that a browser says
comes from another site is refused, whatever it is. Bodies are counted as they come and have a time limit.
"""

import asyncio
import hmac
import ipaddress
import logging
import socket
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pocketvoice.server.options import ServerOptions
from pocketvoice.server.refusals import Refusal, response_of

log = logging.getLogger(__name__)

OPEN_PATHS = ("/", "/docs", "/health", "/openapi.json")
"""What may be read without a key: the page (it asks for the key), a sign of life without details, the description."""
UPLOAD_PATHS = ("/tts", "/generate", "/stream")
"""Where a recording may come along; in JSON it is base64."""

_UPLOADS_AT_ONCE = 8  # of the largest size
_DRAIN_S = 2.0
_DRAIN_BYTES = 256 << 20


class Guard:
    """Lets requests through to the application, or refuses them."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app = app
        self._options = options
        self._hosts = _own_names(options)
        self._load = _Load(options.limits.upload_bytes * _UPLOADS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands a request on, or answers it with a refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        body = _Body(receive, self._most_bytes(scope, headers), self._options.limits.body_s, self._load)
        answer = _Answer(send)
        try:
            _check_framing(headers)
            self._check_host(headers)
            self._check_origin(scope, headers)
            scope.setdefault("state", {})["is_known"] = self._check_key(scope, headers)
            body.check_head(headers)
            await self._app(scope, body.receive, answer.send)
        except ClientDisconnect:
            log.info("a client has gone before its request was whole")
        except Refusal as refusal:
            if answer.started:
                raise
            await body.drain(expects_to_be_asked="100-continue" in headers.get("expect", "").lower())
            if not body.is_whole:
                refusal.headers["connection"] = "close"
            await response_of(refusal, scope["path"])(scope, receive, answer.send)
        finally:
            body.forget()

    def _most_bytes(self, scope: Scope, headers: Headers) -> int:
        limits = self._options.limits
        if scope["path"] == "/tts":
            may_upload = headers.get("content-type", "").lower().startswith("multipart/")
            return limits.upload_bytes * may_upload + limits.body_bytes
        if scope["path"] in UPLOAD_PATHS:
            return limits.upload_bytes * 4 // 3 + limits.body_bytes
        return limits.body_bytes

    def _check_host(self, headers: Headers) -> None:
        given = headers.getlist("host")
        host = _name_of(given[0]) if len(given) == 1 else ""
        if host in self._hosts or (not self._options.is_local and _is_address(host)):
            return
        raise Refusal(
            421, f"This server is not {host[:80]!r}: call it by its own address, or start it with --allowed-host.",
            code="wrong_host",
        )  # fmt: skip

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, headers):
            raise Refusal(
                403, f"Pages of {origin[:80]} may not use this server: start it with --cors-origin to allow that.",
                code="wrong_origin",
            )  # fmt: skip
        site = headers.get("sec-fetch-site", "none")
        navigates = headers.get("sec-fetch-mode") == "navigate" and scope["path"] in ("/", "/docs")
        if origin is None and site == "cross-site" and not navigates:
            raise Refusal(403, "Pages of other sites may not use this server.", code="wrong_origin")

    def _is_own(self, origin: str, headers: Headers) -> bool:
        if origin in self._options.origins:
            return True
        try:
            page = urlsplit(origin)
        except ValueError:  # half an IPv6 address
            return False
        return page.scheme in ("http", "https") and page.netloc == headers.get("host")

    def _check_key(self, scope: Scope, headers: Headers) -> bool:
        """Whether a key was needed and right; raises Refusal."""
        keys = self._options.keys
        if not keys:
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            known = [hmac.compare_digest(given.strip().encode(), key.encode()) for key in keys]
            if any(known):
                scope["state"]["who"] = f"key {known.index(True)}"
                return True
        elif scope["path"] in OPEN_PATHS and scope["method"] in ("GET", "HEAD"):
            return False
        raise Refusal(
            401,
            "A valid API key is needed: send it as `Authorization: Bearer KEY`.",
            code="invalid_api_key",
            headers={"www-authenticate": "Bearer"},
        )


def _check_framing(headers: Headers) -> None:
    """Refuses a body whose end is told twice: what a proxy takes for its rest could be read here as another request."""
    if "transfer-encoding" in headers and "content-length" in headers:
        raise Refusal(
            400,
            "The request has both a length and a transfer encoding: send one of them.",
            code="ambiguous_length",
            headers={"connection": "close"},
        )


class _Load:
    """Counts the bytes of all requests that are being served."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.bytes = 0


class _Body:
    """The request's body, counted and timed as it comes."""

    def __init__(self, receive: Receive, most: int, limit_s: float, load: _Load) -> None:
        self._receive = receive
        self._most = most
        self._limit_s = limit_s
        self._deadline: float | None = None
        self._bytes = 0
        self._load = load
        self.is_whole = False
        """Whether all of it was received."""

    def check_head(self, headers: Headers) -> None:
        """Checks what the head says of the body; raises Refusal."""
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._most:
            raise self._too_large()
        if headers.get("content-encoding", "identity").lower() not in ("identity", ""):
            raise Refusal(
                415, "Compressed requests are not taken: send the body as it is.", code="compressed"
            )
        has_body = "transfer-encoding" in headers or (length.isdecimal() and int(length) > 0)
        self.is_whole = not has_body

    async def receive(self) -> Message:
        """The next piece; raises Refusal if it is too much or too slow."""
        if self.is_whole:
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._deadline = self._deadline or loop.time() + self._limit_s
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError as exc:
            raise Refusal(408, "The request did not arrive in time.", code="too_slow") from exc
        self._count(message)
        if self._bytes > self._most:
            raise self._too_large()
        if self._load.bytes > self._load.most:
            raise Refusal(
                503, "Too much is being uploaded at the moment: try again.", code="busy", headers={"retry-after": "5"}
            )  # fmt: skip
        return message

    def forget(self) -> None:
        """Counts its bytes no more: the request has been served."""
        self._load.bytes -= self._bytes
        self._bytes = 0

    async def drain(self, *, expects_to_be_asked: bool) -> None:
        """Takes the rest for a moment and drops it: a client that is still sending would not see the answer."""
        if self.is_whole or (expects_to_be_asked and not self._bytes):
            return
        try:
            async with asyncio.timeout(_DRAIN_S):
                while not self.is_whole and self._bytes < _DRAIN_BYTES:
                    self._count(await self._receive())
        except TimeoutError:
            return

    def _count(self, message: Message) -> None:
        size = len(message.get("body", b""))
        self._bytes += size
        self._load.bytes += size
        self.is_whole = message["type"] != "http.request" or not message.get("more_body", False)

    def _too_large(self) -> Refusal:
        return Refusal(
            413, f"The request is too large: at most {self._most >> 20} MB are taken.", code="too_large"
        )


class _Answer:
    """Sends an answer, and remembers whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def send(self, message: Message) -> None:
        """Sends a message of the answer."""
        self.started = True
        await self._send(message)


def who_asks(scope: Any) -> str:
    """Whose turn a request takes in the queue: its key's, or its address's."""
    client = scope.get("client") or ("local", 0)
    return str(scope.get("state", {}).get("who") or client[0])


def _name_of(host: str) -> str:
    """The name in a Host header, without the port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lstrip("[").lower()
    return host.partition(":")[0].lower().rstrip(".")


def _own_names(options: ServerOptions) -> set[str]:
    names = {"localhost", "127.0.0.1", "::1", *(name.lower() for name in options.hosts)}
    names.add(options.host.strip("[]").lower())
    if not options.is_local:
        name = socket.gethostname().lower()
        names |= {name, f"{name}.local"}
    return names


def _is_address(host: str) -> bool:
    """Whether it is an IP address: those can't be rebound to another one, only names can."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
