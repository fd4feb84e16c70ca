"""What a server says to odd requests: a status and a sentence, no path of the machine, nothing large sent back, and no wait."""

import asyncio
import io
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile

from tests.server.conftest import BOOK, MODEL, SENTENCE, Loop, Served

_PATHS = re.compile(
    r"(?<![\w:/.])/(?:root|home|tmp|work|usr|var|private|Users)\b|[A-Z]:\\|site-packages|Traceback"
)


def wav(value: float, seconds: float = 2.0) -> bytes:
    """A recording of one value, as 32-bit floats."""
    file = io.BytesIO()
    soundfile.write(file, np.full(int(24_000 * seconds), value, np.float32), 24_000, "FLOAT", format="WAV")
    return file.getvalue()


ODD: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *(("GET", path, {}) for path in ("/nothing", "/v1/models/x", "/v1/models/..%2f..%2fetc", "/tts", "/%00")),
    ("POST", "/health", {}),
    *(
        ("POST", path, {"content": content, "headers": {"content-type": "application/json"}})
        for path in ("/v1/audio/speech", "/generate", "/stream")
        for content in (b"", b"{", b"[]", b"5", b"\xff", b'{"text": 5, "input": 5}', b"[" * 100_000, b'{"a":' * 900,
                        json.dumps({"x" * 900_000: 1}).encode(), json.dumps({"text": SENTENCE, "voice": "x" * 900_000}).encode(),
                        b'{"text": "\\ud800"}')
    ),
    *(
        ("POST", "/v1/audio/speech", {"json": {"input": SENTENCE, "model": "tts-1", "voice": "alloy", **odd}})
        for odd in ({"voice": "/etc/passwd"}, {"voice": "../../etc/passwd"}, {"model": "/etc"}, {"voice": "\x1b[2J\n"},
                    {"voice": "http://127.0.0.1/a"}, {"speed": 1e300}, {"input": "x" * 900_000}, {"input": "..."})
    ),
    *(
        ("POST", "/tts", {"data": {"text": SENTENCE}, "files": {"voice_wav": ("a.wav", data)}})
        for data in (b"", b"RIFF", b"\0" * 5000, wav(3e38), wav(float("nan")), wav(0.0), b"\x40\0\0\0\0\0\0\0{" + b" " * 70,
                     (8).to_bytes(8, "little") + b'{"a":{}}')
    ),
    ("POST", "/tts", {"data": {"text": SENTENCE, "voice_url": "/etc/passwd"}}),
    ("POST", "/tts", {"data": {"text": SENTENCE, "voice_url": "file:///etc/passwd"}}),
    ("POST", "/tts", {"data": {"a": "b"}}),
)  # fmt: skip


@pytest.fixture(scope="module")
def answers(served: Served) -> list[tuple[str, httpx.Response]]:
    """What every odd request gets."""
    return [(f"{method} {path}", served.http.request(method, path, **more)) for method, path, more in ODD]


@pytest.mark.expects_log("(?s).*")
def test_errors_name_no_path_and_send_nothing_large_back(answers: list[tuple[str, httpx.Response]]) -> None:
    for request, answer in answers:
        assert 400 <= answer.status_code < 500, f"{request}: {answer.status_code} {answer.text[:300]}"
        assert len(answer.content) < 3000, request
        told = answer.text.replace("/etc/passwd", "").replace("/etc", "")
        assert not _PATHS.search(told), f"{request}: {told}"
        assert "\\u001b" not in told
        assert answer.json()["error"]["message"].endswith((".", "!", "?")), answer.text


def raw(served: Served, data: bytes, *, half_close: bool = False) -> bytes:
    """What comes back on a bare connection until the server closes it, or has said enough."""
    with closing(socket.create_connection((served.host, served.port), timeout=20)) as connection:
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        back = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                back += piece
        return back


def head(served: Served, *lines: bytes, path: bytes = b"/tts") -> bytes:
    host = f"Host: {served.host}:{served.port}".encode()
    return b"\r\n".join((b"POST " + path + b" HTTP/1.1", host, *lines, b"", b""))


@pytest.mark.parametrize(
    "length",
    [
        "²".encode(),
        "²".encode("latin-1"),
        "٣".encode(),
        b"-1",
        b"+5",
        b"0x5",
        b"1e3",
        b"5, 6",
        b"5_0",
        b"9" * 5000,
    ],
    ids=repr,
)
def test_odd_lengths_are_refused(served: Served, length: bytes) -> None:
    back = raw(served, head(served, b"Content-Length: " + length, b"Connection: close"))
    assert back.startswith(b"HTTP/1.1 4"), back[:200]


def test_length_and_encoding_together_are_refused(served: Served) -> None:
    """One of the two is a lie: what comes after could be read as another request."""
    lines = (
        b"Content-Length: 5",
        b"Transfer-Encoding: chunked",
        b"Content-Type: application/x-www-form-urlencoded",
    )
    smuggled = b"0\r\n\r\n" + head(served, b"Content-Length: 0", path=b"/smuggled")
    back = raw(served, head(served, *lines) + smuggled)
    assert back.startswith(b"HTTP/1.1 400"), back[:200]
    assert back.count(b"HTTP/1.1") == 1


def test_half_closed_clients_have_gone(served: Served) -> None:
    """Who closes one side counts as gone, as with other servers, and leaves nothing behind."""
    body = json.dumps({"text": BOOK}).encode()
    lines = (b"Content-Type: application/json", b"Content-Length: %d" % len(body), b"Connection: close")
    back = raw(served, head(served, *lines, path=b"/stream") + body, half_close=True)
    assert not back.endswith(b"0\r\n\r\n"), "it was not spoken to the end"
    served.until_idle()


@contextmanager
def watched(loop: Loop) -> Iterator[list[float]]:
    """The longest times, in seconds of this thread's processor, that the loop did not come round."""
    late: list[float] = []
    stop = threading.Event()

    async def watch() -> None:
        while not stop.is_set():
            before, used = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.002)
            late.append(min(time.perf_counter() - before - 0.002, time.thread_time() - used))

    done = asyncio.run_coroutine_threadsafe(watch(), loop.loop)
    yield late
    stop.set()
    done.result(5)


@pytest.mark.expects_log("(?s).*")
def test_nothing_holds_the_loop(served: Served, loop: Loop) -> None:
    """Every endpoint, with sizes at the limit: no more than 50 ms of the loop at once."""
    text = "word " * 3999 + "done."
    escaped = b'{"text": "' + b"\\u0041\\u0020" * 9990 + b'"}'
    big = b"x" * 900_000
    multipart = {"content-type": "multipart/form-data; charset=idna; boundary=x"}
    field = (
        b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n'
        + b"xn--aaa" * 130_000
        + b"\r\n--x--\r\n"
    )
    asked: tuple[tuple[str, dict[str, Any]], ...] = (
        ("/tts", {"headers": multipart, "content": field}),
        ("/tts", {"data": {"text": "a" * 900_000}}),
        ("/tts", {"data": {"text": SENTENCE}, "files": {"voice_wav": ("a", wav(0.0, 300.0))}}),
        ("/generate", {"headers": {"content-type": "application/json"}, "content": big}),
        ("/generate", {"headers": {"content-type": "application/json"}, "content": b"[" * 900_000}),
        ("/generate", {"json": {"text": SENTENCE, "voice": "data:audio/wav;base64," + "A" * (30 << 20)}}),
        ("/v1/audio/speech", {"json": {"input": "[pause:1s]" * 80_000, "model": "tts-1", "voice": "alloy"}}),
    )
    with watched(loop) as late:
        for path, more in asked:
            assert 400 <= served.http.post(path, **more).status_code < 500, path
        for path in ("/", "/health", "/voices", "/openapi.json", "/v1/models"):
            assert served.http.get(path).status_code == 200, path
        for path, body in (
            ("/stream", {"text": text}),
            ("/v1/audio/speech", {"input": text, "model": MODEL, "voice": "slt"}),
        ):
            with served.http.stream("POST", path, json=body) as answer:
                assert answer.status_code == 200  # and the client goes
        kind = {"content-type": "application/json"}
        with served.http.stream("POST", "/stream", content=escaped, headers=kind) as answer:
            assert answer.status_code == 200
    served.until_idle(20)
    assert max(late) < 0.05, f"{max(late) * 1000:.0f} ms"
