"""Fixtures of the worker: one real worker process with the tiny model, shared by the tests that leave it whole."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pocketvoice.worker.messages import Event, Failed, Finished, OutputKind, StateChanged, WorkerOptions
from pocketvoice.worker.parent.client import RequestHandle, WorkerClient
from tests.model_factory import ModelFactory
from tests.waiting import until_async

T = TypeVar("T")

SENTENCES = (
    "The children walked to the harbour, where the old boats were lying in the sun, quite far from the water. ",
    "Nobody had told them that the ferry would leave so early in the morning, long before the shops opened. ",
    "The captain looked at his watch and at the sky, and then he told the men to pull the anchor up again. ",
    "Later that day the rain began to fall on the roofs and on the empty streets of the little grey town. ",
)
"""Each is a segment of its own, and lasts about 0.8 s with a model that ends at once."""


@pytest.fixture(scope="session")
def model_files(models: ModelFactory, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `load_model` needs: the config of a model that ends each segment at once, and a voice for it."""
    from pocketvoice.engine.voice_state import export_model_state
    from tests.model_factory import random_state

    files = models.tiny("at_once")
    voice = tmp_path_factory.mktemp("voice") / "voice.safetensors"
    export_model_state(random_state(files.raw), voice)
    return {"config": str(files.config), "voice": str(voice)}


class LiveWorker:
    """A client on a loop of its own, which runs while a test's coroutine does."""

    def __init__(self, options: WorkerOptions) -> None:
        self.runner = asyncio.Runner()
        self.client = WorkerClient(options)
        self.events: list[Event] = []
        self.client.listen(self.events.append)
        self.run(self.client.__aenter__())

    def run(self, work: Coroutine[Any, Any, T], timeout_s: float = 120) -> T:
        """Runs a coroutine to its end."""
        return self.runner.run(_limited(work, timeout_s))

    def of(self, kind: type[T], request_id: str | None = None) -> list[T]:
        """The events of a kind, and of a request, that have come."""
        return [
            event
            for event in self.events
            if isinstance(event, kind) and request_id in (None, event.request_id)  # type: ignore[attr-defined]
        ]

    async def until(self, condition: Callable[[], object], timeout_s: float = 40) -> None:
        """Waits for something to become true."""
        await until_async(condition, timeout_s)

    async def until_event(self, kind: type, handle: RequestHandle, count: int = 1) -> None:
        """Waits for the events of a request."""
        await self.until(lambda: handle.done or len(self.of(kind, handle.request_id)) >= count)
        assert len(self.of(kind, handle.request_id)) >= count, self.events[-3:]

    def changes(self) -> list[StateChanged]:
        """The changes of state."""
        return self.of(StateChanged)

    def close(self) -> None:
        """Ends the worker."""
        self.run(self.client.close())
        self.runner.close()


async def _limited(work: Coroutine[Any, Any, T], timeout_s: float) -> T:
    return await asyncio.wait_for(work, timeout_s)


async def finished(handle: RequestHandle) -> Finished:
    """The end, which must be a good one."""
    result = await handle.result()
    assert isinstance(result, Finished), result
    return result


async def failed(handle: RequestHandle) -> Failed:
    """The end, which must be a failure."""
    result = await handle.result()
    assert isinstance(result, Failed), result
    return result


@contextlib.contextmanager
def live_worker(model_files: dict[str, str], **options: Any) -> Iterator[LiveWorker]:
    """A worker with the tiny model loaded."""
    worker = LiveWorker(WorkerOptions(**{"output": OutputKind.NULL, **options}))
    try:
        worker.run(_load(worker, model_files))
        yield worker
    finally:
        worker.close()


async def _load(worker: LiveWorker, model_files: dict[str, str]) -> None:
    await finished(await worker.client.load_model(**model_files))


@pytest.fixture(scope="session")
def shared_worker(model_files: dict[str, str]) -> Iterator[LiveWorker]:
    with live_worker(model_files) as worker:
        yield worker


@pytest.fixture
def worker(shared_worker: LiveWorker) -> Iterator[LiveWorker]:
    """The shared worker, idle; it may be killed, for it comes back."""
    shared_worker.events.clear()
    yield shared_worker

    async def settle() -> None:
        await (await shared_worker.client.stop()).result()
        await (await shared_worker.client.set_speed(1.0)).result()
        await (await shared_worker.client.set_volume(1.0)).result()

    shared_worker.run(settle())


@pytest.fixture
def text() -> str:
    """Four sentences."""
    return "".join(SENTENCES)


@pytest.fixture
def long_text(text: str) -> str:
    """About 16 s."""
    return text * 5


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.wav"
