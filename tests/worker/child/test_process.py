"""The worker's main loop in this process, where the order of what comes in is ours to choose."""

import queue
import threading
from pathlib import Path
from typing import Any, NoReturn

import pytest

from pocketvoice.errors import Cancelled
from pocketvoice.worker.child.outputs import Outputs
from pocketvoice.worker.child.process import Worker
from pocketvoice.worker.messages import (
    TERMINAL,
    Event,
    Failed,
    Finished,
    ListDevices,
    LoadModel,
    OutputKind,
    PlayFile,
    Request,
    Shutdown,
    Speak,
    Stop,
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
@pytest.mark.expects_log("the worker failed at")
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


def test_model_stays_while_another_is_fetched(model_files: dict[str, str]) -> None:
    """A download that takes for ever, and then is cancelled: what was asked for meanwhile is heard."""
    begun = threading.Event()

    def never(language: str | None, _config: object, _progress: object, cancel: threading.Event) -> None:
        if language == "english":
            begun.set()
            cancel.wait(20)
            raise Cancelled("Stopped.")

    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    worker = Worker(events.put, OPTIONS, fetch=never)
    loop = threading.Thread(target=worker.run)
    loop.start()

    def end_of(request: Request) -> Terminal:
        worker.take(request)
        while True:
            event = events.get(timeout=30)
            if isinstance(event, TERMINAL) and event.request_id == request.request_id:
                return event

    try:
        first = LoadModel(config=model_files["config"], voice=model_files["voice"], request_id="1")
        assert isinstance(end_of(first), Finished)
        worker.take(LoadModel("english", request_id="2"))
        assert begun.wait(10)
        assert isinstance(end_of(Speak("The children walked to the harbour.", request_id="3")), Finished)
        assert isinstance(end_of(Stop("2", request_id="4")), Finished)
        assert isinstance(end_of(Speak("The captain looked at his watch.", request_id="5")), Finished)
    finally:
        worker.take(Shutdown(request_id="end"))
        loop.join(10)
