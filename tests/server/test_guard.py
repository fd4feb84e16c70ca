"""The door: foreign names, foreign pages, wrong keys, floods, slow ones and bombs are refused, and the server goes on serving."""

import io
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from urllib.parse import urlencode

import httpx
import numpy as np
import psutil
import pytest
import soundfile

from pocketvoice.errors import InputError
from pocketvoice.server.options import Limits, ServerOptions, check, most_body_bytes, open_socket
from pocketvoice.worker.parent.client import WorkerClient
from tests.server.conftest import BOOK, SENTENCE, Loop, Served, a_server

KEY = "correct-horse-battery"
TEXT = {"text": SENTENCE}


@pytest.fixture(scope="module")
def locked(loop: Loop, worker: list[WorkerClient]) -> Iterator[Served]:
    """With a key, a page that may use it, and little patience."""
    limits = Limits(requests=2, connections=6, head_s=0.5, body_s=0.7, stall_s=0.8)
    options = {"keys": (KEY, "another-key"), "origins": ("https://app.example",), "limits": limits}
    with a_server(loop, worker, hosts=("voice.example",), **options) as running:
        yield running


def key(value: str = KEY) -> dict[str, str]:
    return {"authorization": f"Bearer {value}"}


def raw(served: Served, data: bytes, timeout_s: float = 5) -> tuple[bytes, float]:
    """What comes back on a bare connection until the server closes it, and after how long."""
    start = time.monotonic()
    with closing(socket.create_connection((served.host, served.port), timeout=timeout_s)) as connection:
        connection.sendall(data)
        back = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                back += piece
    return back, time.monotonic() - start


# -- who


@pytest.mark.parametrize("given", [None, "wrong", f"{KEY}x", "é"])
def test_wrong_key_is_refused(locked: Served, given: str | None) -> None:
    headers = {} if given is None else {"authorization": f"Bearer {given}".encode()}
    for answer in (
        locked.http.post("/v1/audio/speech", json={}, headers=headers),
        locked.http.get("/voices", headers=headers),
    ):
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"
        assert answer.headers["www-authenticate"] == "Bearer"


def test_right_key_is_let_in(locked: Served) -> None:
    for one in (KEY, "another-key"):
        assert locked.http.get("/voices", headers=key(one)).status_code == 200
    assert locked.http.get("/voices", headers={"authorization": f"bearer {KEY}"}).status_code == 200


def test_without_a_key_only_a_sign_of_life(locked: Served) -> None:
    assert set(locked.http.get("/health").json()) == {"status", "version"}
    assert "workers" in locked.http.get("/health", headers=key()).json()
    assert locked.http.get("/").status_code == 200


def test_address_of_the_network_needs_a_key() -> None:
    with pytest.raises(InputError, match="API key"):
        check(ServerOptions(host="0.0.0.0"))
    assert check(ServerOptions(host="0.0.0.0", keys=(KEY,)))
    with pytest.raises(InputError, match="at least 8"):
        check(ServerOptions(keys=("short",)))
    with pytest.raises(InputError, match="origin"):
        check(ServerOptions(origins=("app.example",)))


def test_taken_port_is_told(served: Served) -> None:
    with pytest.raises(InputError, match="another port"):
        open_socket(ServerOptions(port=served.port))


# -- from where


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "192.168.1.2"]
)
def test_foreign_host_is_refused(served: Served, host: str) -> None:
    for method, path in (("GET", "/"), ("GET", "/health"), ("POST", "/tts")):
        answer = served.http.request(
            method, path, headers={"host": host}, data=TEXT if method == "POST" else None
        )
        assert answer.status_code == 421, (method, path)


def test_own_names_are_let_in(served: Served, locked: Served) -> None:
    for host in ("localhost", f"localhost:{served.port}", "127.0.0.1:1", "[::1]:8000", "LOCALHOST"):
        assert served.http.get("/health", headers={"host": host}).status_code == 200
    assert locked.http.get("/health", headers={"host": "voice.example"}).status_code == 200


def test_reachable_from_the_network_by_address_not_by_foreign_name(
    loop: Loop, worker: list[WorkerClient]
) -> None:
    with a_server(loop, worker, host="0.0.0.0", keys=(KEY,)) as reachable:
        assert reachable.http.get("/health", headers={"host": "192.168.1.2:8000"}).status_code == 200
        assert reachable.http.get("/health", headers={"host": socket.gethostname()}).status_code == 200
        assert reachable.http.get("/health", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1.evil.example", "http://[::1", "app://localhost"],
)
def test_foreign_page_is_refused(served: Served, origin: str) -> None:
    answer = served.http.post("/tts", data=TEXT, headers={"origin": origin, "host": "localhost"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_origin")
    assert "access-control-allow-origin" not in answer.headers
    embedded = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert served.http.get("/voices", headers=embedded).status_code == 403
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert served.http.get("/", headers=followed).status_code == 200


def test_own_page_is_let_in(served: Served) -> None:
    headers = {"origin": served.url, "sec-fetch-site": "same-origin"}
    assert served.http.get("/voices", headers=headers).status_code == 200


def test_listed_page_may_ask_and_read(locked: Served) -> None:
    page = {"origin": "https://app.example"}
    asks = {
        **page,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    assert locked.http.options("/v1/audio/speech", headers=asks).status_code == 200
    near = {**asks, "access-control-request-private-network": "true"}
    assert locked.http.options("/v1/audio/speech", headers=near).status_code == 200
    for headers in (page, {**page, **key()}):
        answer = locked.http.get("/voices", headers=headers)
        assert answer.headers["access-control-allow-origin"] == "https://app.example"


# -- how much


def test_a_hundred_megabytes_are_refused(served: Served) -> None:
    before = psutil.Process().memory_info().rss
    upload = {"voice_wav": ("me.wav", io.BytesIO(bytes(100 << 20)))}
    assert served.http.post("/tts", data=TEXT, files=upload).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield bytes(1 << 20)

    kind = {"content-type": "application/json"}  # no length is told
    assert served.http.post("/v1/audio/speech", content=endless(), headers=kind).status_code == 413
    assert psutil.Process().memory_info().rss - before < 250 << 20  # our own hundred among them
    head = (
        b"POST /tts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 104857600\r\nExpect: 100-continue\r\n\r\n"
    )
    answer, took = raw(served, head)
    assert answer.startswith(b"HTTP/1.1 413")
    assert took < 1.5


def test_bombs_are_refused_or_only_begun(served: Served) -> None:
    """Four minutes of eight channels (700 MB) in a few kilobytes; and a body that unpacks to anything."""
    bomb = io.BytesIO()
    with soundfile.SoundFile(bomb, "w", 96_000, 8, format="FLAC") as file:
        silence = np.zeros((96_000 * 60, 8), np.int16)
        for _ in range(4):
            file.write(silence)
    assert len(bomb.getvalue()) < 4 << 20
    before = psutil.Process().memory_info().rss
    answer = served.http.post("/tts", data=TEXT, files={"voice_wav": ("me.flac", bomb.getvalue())})
    assert answer.status_code == 400
    assert psutil.Process().memory_info().rss - before < 300 << 20
    packed = {"content-type": "application/json", "content-encoding": "gzip"}
    assert served.http.post("/generate", content=b"\x1f\x8b", headers=packed).status_code == 415
    parts = b"".join(b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n' for _ in range(10_000))
    kind = {"content-type": "multipart/form-data; boundary=x"}
    assert served.http.post("/tts", content=parts + b"--x--\r\n", headers=kind).status_code == 400
    deep = b"[" * 100_000
    kind = {"content-type": "application/json"}
    assert served.http.post("/generate", content=deep, headers=kind).status_code == 400
    assert served.http.post("/tts", data=TEXT).status_code == 200


def test_form_without_an_upload_is_small(served: Served) -> None:
    fields = "text=Hello&" + "a=1&" * 500_000
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert served.http.post("/tts", content=fields, headers=kind).status_code == 413


def test_any_text_that_is_allowed_fits_into_a_request() -> None:
    text = "\N{GRINNING FACE}" * 500_000
    for body in (json.dumps({"text": text}), urlencode({"text": text})):
        assert 1 << 20 < len(body) < most_body_bytes(len(text))


# -- how slowly


def test_slow_head_is_dropped(locked: Served) -> None:
    _, took = raw(locked, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-")
    assert took < 3
    _, took = raw(locked, b"")
    assert took < 3


def test_slow_head_that_keeps_dripping_is_dropped(locked: Served) -> None:
    with closing(socket.create_connection((locked.host, locked.port), timeout=5)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        with pytest.raises(OSError, match=r"reset|Broken|aborted"):
            _drip(connection)


def _drip(connection: socket.socket) -> None:
    for _ in range(40):
        connection.sendall(b"X-More: 1\r\n")
        time.sleep(0.1)


def test_slow_body_is_dropped(locked: Served) -> None:
    head = f"POST /tts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
    kind = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n"
    answer, took = raw(locked, (head + kind).encode() + b"text=")
    assert answer.startswith(b"HTTP/1.1 408")
    assert took < 5


def test_one_who_goes_in_the_middle_of_its_request_is_no_failure(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"POST /generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with (
        caplog.at_level(logging.INFO, "pocketvoice"),
        closing(socket.create_connection((served.host, served.port))) as connection,
    ):
        connection.sendall(head + b"Content-Length: 100\r\n\r\n{")
        time.sleep(0.2)
        connection.close()
        served.until(lambda: "before its request was whole" in caplog.text)
    assert "Traceback" not in caplog.text


def test_idle_connections_make_room(locked: Served) -> None:
    idle = [socket.create_connection((locked.host, locked.port)) for _ in range(12)]
    try:
        assert httpx.get(f"{locked.url}/health", timeout=5).status_code == 200
    finally:
        for connection in idle:
            connection.close()


def test_one_who_takes_nothing_is_dropped(locked: Served) -> None:
    """Its place is free again, though it never left."""
    body = json.dumps(
        {"text": BOOK * 3, "speed": 0.25}
    ).encode()  # slow speech fills the pipes with little work
    head = f"POST /stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((locked.host, locked.port))
    with closing(connection):
        connection.sendall((head + kind).encode() + body)
        ask = lambda: httpx.get(f"{locked.url}/health", headers=key()).json()["queue"]["open"]  # noqa: E731
        locked.until(lambda: ask() == 1)
        locked.until(
            lambda: not httpx.get(f"{locked.url}/health", headers=key()).json()["workers"][0]["speaking"]
        )
        with suppress(OSError):
            connection.sendall(b"GET / HTTP/1.1\r\n")  # who sends on has not taken anything
        locked.until(lambda: ask() == 0, 60)


# -- how many


def test_too_many_are_told_when_to_come_back(locked: Served) -> None:
    def listen(started: threading.Event, leave: threading.Event) -> None:
        with httpx.stream("POST", f"{locked.url}/stream", json={"text": BOOK}, headers=key()) as response:
            for _ in response.iter_raw():
                started.set()
                if leave.is_set():
                    return

    leave = threading.Event()
    started = [threading.Event() for _ in range(2)]
    listeners = [threading.Thread(target=listen, args=(one, leave)) for one in started]
    for thread in listeners:
        thread.start()
    try:
        assert all(one.wait(20) for one in started)
        answer = locked.http.post("/stream", json=TEXT, headers=key())
        assert answer.status_code == 429
        assert answer.json()["error"]["code"] == "rate_limit_exceeded"
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    finally:
        leave.set()
        for thread in listeners:
            thread.join(20)
    locked.until(lambda: locked.http.post("/stream", json=TEXT, headers=key()).status_code == 200)
