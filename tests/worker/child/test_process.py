"""The worker's main loop in this process, where the order of what comes in is ours to choose."""

import queue
import threading
from pathlib import Path
from typing import Any, NoReturn

import pytest

from pocketvoice.worker.child.outputs import Outputs
from pocketvoice.worker.child.process import Worker
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

OPTIONS = WorkerOptions(output=OutputKind.NULL, nice=0)


def ends_of(*requests: Request, **collaborators: Any) -> list[Terminal]:
    """How they end when all of them are there before the first is looked at."""
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    worker = Worker(events.put, OPTIONS, **collaborators)
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
def test_what_nobody_foresaw_ends_the_request(request_: Request) -> None:
    """On a helper's thread."""

    def fails(*_: object) -> NoReturn:
        raise RuntimeError("a library's own words")

    class BrokenOutputs(Outputs):
        def list(self) -> NoReturn:
            fails()

    (end,) = ends_of(request_, outputs=BrokenOutputs(OPTIONS), read_file=fails)
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
