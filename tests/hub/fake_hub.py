"""A model hub on 127.0.0.1: real requests, redirects to a storage address on another host name, ranges, gates, and faults on order.

It speaks what the hub's library expects: `HEAD` and `GET /owner/repo/resolve/REVISION/PATH` with `X-Repo-Commit`, `ETag`,
`X-Linked-Etag` and `X-Linked-Size`; large files are redirected to `/storage/SHA256`, small ones are sent at once. Everything
under `/web/` is a plain web server with `ETag` and `If-Range`.
"""

import hashlib
import threading
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

PIECE_BYTES = 16_384


@dataclass
class Repo:
    """A repository with one commit, or some in which the files are the same."""

    commit: str
    files: dict[str, bytes] = field(default_factory=dict)
    gate: str = "open"  # open | terms (a token is not enough) | token (any known token will do)
    small: set[str] = field(default_factory=set)  # files kept in git: sent without a redirect
    older: set[str] = field(default_factory=set)  # commits before


@dataclass
class Faults:
    """What goes wrong from now on."""

    break_after: list[int] = field(default_factory=list)  # bytes after which the next transfers are cut off
    stall_after: int | None = None  # bytes after which a transfer waits for `go_on`
    stall_answers: bool = False  # no answer at all until `go_on`
    corrupt: bool = False  # one byte is not what was published
    ignore_ranges: bool = False
    wrong_ranges: bool = False  # answers a range with another one
    status: dict[str, int] = field(default_factory=dict)  # path prefix -> status to answer with
    no_hub_headers: bool = False  # a login page instead of the hub
    claimed_size: int | None = None  # what X-Linked-Size says
    offers_xet: bool = False  # says that the file lies in xet storage too, as the real hub does


@dataclass(frozen=True)
class Seen:
    """A request the server got."""

    method: str
    path: str
    host: str
    token: str | None
    range: str | None


class FakeHub:
    """The server, its repositories, and what it was asked; a context manager."""

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.web: dict[str, bytes] = {}
        self.web_has_etags = True
        self.tokens: set[str] = set()
        self.faults = Faults()
        self.go_on = threading.Event()
        self.seen: list[Seen] = []
        self._has_seen = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self}))
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self.port = self._server.server_port
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.storage = f"http://localhost:{self.port}/storage"  # another name: tokens must not come here

    def __enter__(self) -> "FakeHub":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Goes away; the port refuses connections from now on."""
        self.go_on.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def stored(self, digest: str) -> bytes | None:
        for repo in self.repos.values():
            for content in repo.files.values():
                if hashlib.sha256(content).hexdigest() == digest:
                    return content
        return None

    def note(self, request: Seen) -> None:
        with self._has_seen:
            self.seen.append(request)
            self._has_seen.notify_all()

    def wait_until_asked(self, method: str, part: str = "") -> None:
        with self._has_seen:
            assert self._has_seen.wait_for(lambda: self.asked(method, part), 10), "nobody asked"

    def asked(self, method: str, part: str = "") -> list[Seen]:
        return [request for request in self.seen if request.method == method and part in request.path]


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub = self.hub
        headers = self.headers
        hub.note(Seen(self.command, self.path, headers["Host"], headers["Authorization"], headers["Range"]))
        if hub.faults.stall_answers:
            hub.go_on.wait(20)
        path = unquote(self.path.partition("?")[0])
        for prefix, status in hub.faults.status.items():
            if path.startswith(prefix):
                return self._refuse(status)
        if path.startswith("/storage/"):
            return self._send_bytes(hub.stored(path.rpartition("/")[2]))
        if path.startswith("/web/"):
            return self._send_web(hub.web.get(path.removeprefix("/web/")))
        return self._resolve(path)

    def _resolve(self, path: str) -> None:
        hub = self.hub
        if hub.faults.no_hub_headers:
            return self._send_bytes(b"<html>Please sign in</html>")
        parts = path.strip("/").split("/", 4)
        if len(parts) != 5 or parts[2] != "resolve":
            return self._refuse(404)
        owner, name, _, revision, file = parts
        known = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        if known and known not in hub.tokens:
            return self._refuse(401, message="Invalid credentials in Authorization header")
        repo = hub.repos.get(f"{owner}/{name}")
        if repo is None:
            return self._refuse(404 if known else 401, "RepoNotFound", "Repository not found")
        if repo.gate != "open" and not known:
            return self._refuse(401, "GatedRepo", f"Access to model {owner}/{name} is restricted.")
        if repo.gate == "terms":
            return self._refuse(403, "GatedRepo", f"Access to model {owner}/{name} is restricted.")
        if revision in repo.older:
            repo = replace(repo, commit=revision)
        if revision not in ("main", repo.commit):
            return self._refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        content = repo.files.get(file)
        if content is None:
            return self._refuse(404, "EntryNotFound", "Entry not found", commit=repo.commit)
        return self._send_small(repo, content) if file in repo.small else self._redirect(repo, content)

    def _redirect(self, repo: Repo, content: bytes) -> None:
        digest = hashlib.sha256(content).hexdigest()
        self.send_response(302)
        self.send_header("X-Repo-Commit", repo.commit)
        self.send_header("ETag", '"of-the-pointer"')
        self.send_header("X-Linked-Etag", f'"{digest}"')
        self.send_header("X-Linked-Size", str(self.hub.faults.claimed_size or len(content)))
        if self.hub.faults.offers_xet:
            self.send_header("X-Xet-Hash", digest)
            self.send_header("Link", f'<{self.hub.endpoint}/xet-token>; rel="xet-auth"')
        self.send_header("Location", f"{self.hub.storage}/{digest}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send_small(self, repo: Repo, content: bytes) -> None:
        digest = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        self._send_bytes(content, {"X-Repo-Commit": repo.commit, "ETag": f'"{digest}"'})

    def _send_web(self, content: bytes | None) -> None:
        if content is None:
            return self._refuse(404)
        etag = f'"{hashlib.md5(content).hexdigest()}"'
        fits = self.headers["If-Range"] in (None, etag)
        return self._send_bytes(content, {"ETag": etag} if self.hub.web_has_etags else {}, may_range=fits)

    def _send_bytes(
        self, content: bytes | None, headers: dict[str, str] | None = None, may_range: bool = True
    ) -> None:
        faults = self.hub.faults
        if content is None:
            return self._refuse(404)
        if faults.corrupt and content:
            content = content[:-1] + bytes([content[-1] ^ 1])
        start, asked = 0, self.headers["Range"]
        if asked and may_range and not faults.ignore_ranges:
            start = int(asked.removeprefix("bytes=").partition("-")[0])
            if start >= len(content):
                return self._refuse(416)
            start = start - 1 if faults.wrong_ranges else start
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        return self._write(content[start:] if self.command == "GET" else b"")

    def _write(self, body: bytes) -> None:
        faults = self.hub.faults
        limit = faults.break_after.pop(0) if faults.break_after else len(body)
        for at in range(0, min(limit, len(body)), PIECE_BYTES):
            if faults.stall_after is not None and at >= faults.stall_after:
                self.wfile.flush()
                self.hub.go_on.wait(20)
            try:
                self.wfile.write(body[at : min(at + PIECE_BYTES, limit)])
            except OSError:
                return  # the other end has gone, as a cancelled download does

    def _refuse(self, status: int, code: str = "", message: str = "", commit: str = "") -> None:
        self.send_response(status)
        for name, value in (("X-Error-Code", code), ("X-Error-Message", message), ("X-Repo-Commit", commit)):
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()
