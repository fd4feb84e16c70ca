"""`pocketvoice serve` and `pocketvoice wyoming` as processes of their own: started, asked, killed in part, stopped."""

import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from pocketvoice.cli import main
from tests.server.conftest import BOOK, MODEL, SENTENCE

KEY = "correct-horse-battery"


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process, and the address it says it speaks at."""
    command = [sys.executable, "-m", "pocketvoice", *arguments, "--language", MODEL, "--precision", "float32"]
    surroundings = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        **environment,
    }
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=surroundings)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if told := re.search(r"Speaking at (\S+)", line):
                break
        assert told, "it did not start"
        rest = threading.Thread(target=process.stderr.read)
        rest.start()
        yield process, told[1]
    finally:
        process.kill()
        process.wait(10)
        rest.join(10)
        process.stderr.close()


def workers_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def test_two_engines_behind_one_queue() -> None:
    with (
        running("serve", "--port", "0", "--workers", "2", POCKETVOICE_API_KEY=KEY) as (process, address),
        httpx.Client(base_url=address, headers={"authorization": f"Bearer {KEY}"}, timeout=60) as client,
    ):
        assert httpx.get(f"{address}/voices").status_code == 401
        ask = {"method": "POST", "url": "/stream", "json": {"text": BOOK}}
        with client.stream(**ask) as one, client.stream(**ask) as other:
            pieces = [one.iter_raw(), other.iter_raw()]  # kept: the connections end with them
            assert all(next(piece) for piece in pieces)
            health = client.get("/health").json()
            told = health["workers"]
            assert {worker["pid"] for worker in told} <= {one.pid for one in workers_of(process)}
            assert health["queue"]["open"] == 2
            assert all(worker["rss_bytes"] > 50 << 20 for worker in told)
        os.kill(told[0]["pid"], signal.SIGKILL)
        for _ in range(4):  # one of them is being started again
            assert client.post("/stream", json={"text": SENTENCE}).status_code == 200
        assert told[0]["pid"] not in [worker["pid"] for worker in client.get("/health").json()["workers"]]
        family = workers_of(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 128 + signal.SIGTERM
        psutil.wait_procs(family, timeout=5)
        assert not any(one.is_running() for one in family)


def test_ctrl_c_ends_it_while_it_speaks() -> None:
    with (
        running("serve", "--port", "0") as (process, address),
        httpx.stream("POST", f"{address}/stream", json={"text": BOOK}) as response,
    ):
        pieces = response.iter_raw()
        next(pieces)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130


def test_wyoming_command() -> None:
    with running("wyoming", "--uri", "tcp://127.0.0.1:0") as (process, address):
        assert re.fullmatch(r"tcp://127\.0\.0\.1:\d+", address)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["serve", "--host", "0.0.0.0"], "API key"),
        (["serve", "--api-key", "short"], "8 characters"),
        (["serve", "--api-key-file", "/nowhere"], "check the path"),
        (["serve", "--cors-origin", "example.org"], "https://example.org"),
        (["serve", "--host", "no.such.host.invalid", "--api-key", KEY], "not known"),
        (["serve", "--workers", "0"], "from 1"),
        (["serve", "--voice", "nobody"], "nobody"),
        (["wyoming", "--uri", "udp://x", "--voice", "nobody"], "nobody"),
    ],
)
def test_mistakes_are_told_before_anything_is_loaded(
    arguments: list[str], remedy: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    ours = logging.getLogger("pocketvoice")
    monkeypatch.setattr(
        ours, "handlers", list(ours.handlers)
    )  # `main` puts its own there, for this test alone
    monkeypatch.setattr(ours, "propagate", ours.propagate)
    told: Callable[[], str] = lambda: capsys.readouterr().err  # noqa: E731
    assert main(arguments) == 2
    assert remedy in told()
