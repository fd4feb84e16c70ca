"""A voice's address leads to the public internet, not to this machine or its network; at every hop."""

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pocketvoice.errors import Cancelled, InputError
from pocketvoice.hub.connection import cuttable, is_public
from pocketvoice.hub.download import fetch
from pocketvoice.server import fetched_voices

PRIVATE = (
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
    "::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "::ffff:192.168.1.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    "ff02::1",
)  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_told(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:1.1.1.1"])
def test_public_addresses_are_told(address: str) -> None:
    assert is_public(address)


class _Leads(BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        self.send_response(302)
        self.send_header("Location", "ftp://127.0.0.1/a.wav")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Leads) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def _online(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")


@pytest.mark.usefixtures("_online")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f000001", "2130706433"])
def test_this_machine_is_not_asked(port: int, host: str) -> None:
    before = _Leads.asked
    with pytest.raises(InputError, match="no address of the public internet"):
        fetch(f"http://{host}:{port}/a.wav", public_only=True)
    assert _Leads.asked == before


def test_redirects_to_ftp_are_not_followed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with cuttable(None) as opener, pytest.raises(OSError, match="unknown url type: ftp"):
        opener.open(f"http://127.0.0.1:{port}/", timeout=5)


@pytest.mark.usefixtures("_online")
def test_hub_addresses_have_the_same_rules(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No token, no private address behind a hub, no place of their own."""
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    before = _Leads.asked
    with pytest.raises(InputError, match="no address of the public internet"):
        fetched_voices.fetch_voice("hf://a/b/c.wav", 1000, threading.Event(), public_only=True)
    assert _Leads.asked == before


def test_kept_voices_have_a_size_and_an_age(tmp_path: Path) -> None:
    now = time.time()
    for name, age_s in (("a", 100.0), ("b", 50.0), ("c", 20.0), ("d.part", 10.0), ("e.part", 100.0)):
        path = tmp_path / name
        path.write_bytes(bytes(1000))
        os.utime(path, (now - age_s, now - age_s))
    fetched_voices.tidy(tmp_path, most_age_s=80)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "c", "d.part"]
    fetched_voices.tidy(tmp_path, most_bytes=2500, keep=tmp_path / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "d.part"]


_STATE = (2).to_bytes(8, "little") + b"{}"


class _Gives(_Leads):
    def do_GET(self) -> None:
        self.send_response(200)
        body = _STATE if self.path == "/voice" else bytes(600)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.mark.usefixtures("_online")
def test_too_large_a_voice_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Gives) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        path = fetched_voices.fetch_voice(url + "voice", 1000, threading.Event(), public_only=False)
        assert path.parent == fetched_voices.folder()
        with pytest.raises(InputError, match="holds no sound"):
            fetched_voices.fetch_voice(url + "page", 1000, threading.Event(), public_only=False)
        with pytest.raises(Cancelled):
            fetched_voices.fetch_voice(url + "b.wav", 500, threading.Event(), public_only=False)
        server.shutdown()
        thread.join()
    assert not [left for left in path.parent.iterdir() if left != path and left.suffix != ".lock"]
