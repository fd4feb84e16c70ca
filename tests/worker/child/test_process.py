"""The worker's main loop in this process, where the order of what comes in is ours to choose."""

import queue
import threading
from pathlib import Path

import pytest

from pocketvoice.worker.child import process
from pocketvoice.worker.messages import (
    TERMINAL,
    Event,
    Failed,
    ListDevices,
    LoadModel,
    OutputKind,
    PlayFile,
    Request,
    Shutdown,
    Speak,
    Terminal,
    WorkerOptions,
)


def ends_of(*requests: Request) -> list[Terminal]:
    """How they end when all of them are there before the first is looked at."""
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    worker = process.Worker(events.put, WorkerOptions(output=OutputKind.NULL, nice=0))
    for request in requests:
        worker.take(request)
    loop = threading.Thread(target=worker.run)
    loop.start()
    ends: list[Terminal] = []
    try:
        while len(ends) < len(requests):
            event = events.get(timeout=10)
            if isinstance(event, TERMINAL):
                ends.append(event)
    finally:
        worker.take(Shutdown(request_id="end"))
        loop.join(10)
    return ends


@pytest.mark.parametrize("request_", [ListDevices(request_id="1"), PlayFile("tune.wav", request_id="1")])
def test_what_nobody_foresaw_ends_the_request(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a helper's thread."""

    def fails(*_: object) -> None:
        raise RuntimeError("a library's own words")

    monkeypatch.setattr(process.Outputs, "list", fails)
    monkeypatch.setattr(process, "read_sound", fails)
    (end,) = ends_of(request_)
    assert isinstance(end, Failed)
    assert end.request_id == "1"
    assert "a library's own words" in end.error.detail
    assert "library" not in end.error.message


def test_speech_that_waits_is_told_why_there_is_no_model(tmp_path: Path) -> None:
    ends = ends_of(
        LoadModel(config=str(tmp_path / "none.yaml"), request_id="1"), Speak("Hello there.", request_id="2")
    )
    assert [end.request_id for end in ends] == ["1", "2"]
    assert all(isinstance(end, Failed) and end.error.kind == "MissingFileError" for end in ends)
