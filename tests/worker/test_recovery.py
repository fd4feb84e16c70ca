"""The worker dies, freezes or is orphaned: nothing is lost, nothing hangs, nothing is left over."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from pocketvoice.worker.messages import (
    TERMINAL,
    ExportProgress,
    Failed,
    Finished,
    OutputKind,
    Position,
    Priority,
    SentenceStarted,
    Started,
    StateChanged,
    Stopped,
    Synthesize,
    Synthesized,
    WorkerOptions,
    WorkerState,
)
from pocketvoice.worker.parent.client import WorkerClient
from tests.waiting import until, until_async
from tests.worker.conftest import SENTENCES, LiveWorker, failed, finished

pytestmark = [
    pytest.mark.expects_log("the worker ended with status"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
]

SECOND = len(SENTENCES[0])


@pytest.fixture(autouse=True)
def fresh_minute(shared_worker: LiveWorker) -> None:
    """Each test may crash the worker three times."""
    shared_worker.client._crashes.clear()


def pid_of(worker: LiveWorker) -> int:
    link = worker.client._link
    assert link is not None
    assert link.pid is not None
    return link.pid


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def longest_stall(seconds: float) -> float:
    """The longest time that a ticker of 10 ms had to wait for the loop."""
    longest, last = 0.0, time.monotonic()
    until = last + seconds
    while last < until:
        await asyncio.sleep(0.01)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    return longest


def test_killed_worker_goes_on(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(text)
        waiting = await worker.client.speak(SENTENCES[3], priority=Priority.ENQUEUE)
        await finished(await worker.client.set_speed(1.25))
        await worker.until_event(SentenceStarted, handle, 2)
        os.kill(pid_of(worker), signal.SIGKILL)
        stall = await longest_stall(2.0)
        await finished(handle)
        await finished(waiting)
        assert stall < 0.5  # a machine that is importing torch beside; alone it is 15 ms

    worker.run(story())
    crashes = [event for event in worker.changes() if event.new is WorkerState.CRASHED]
    assert len(crashes) == 1
    assert crashes[0].sentence == "The speech engine broke down and was started again."
    handle_id = worker.of(Started)[0].request_id
    again = next(
        index
        for index, event in enumerate(worker.events)
        if isinstance(event, Started) and index > worker.events.index(crashes[0])
    )
    told = [
        event.span[0]
        for event in worker.events[again:]
        if isinstance(event, SentenceStarted) and event.request_id == handle_id
    ]
    assert told[0] == SECOND
    assert len(told) == 3
    ends = [event.request_id for event in worker.events if isinstance(event, TERMINAL)]
    assert len(ends) == len(set(ends))
    assert worker.client._settings  # the speed was told to the new one


def test_killed_while_paused_stays_paused(worker: LiveWorker, text: str, out: Path) -> None:
    """And a file that was being written beside begins again."""

    async def story() -> None:
        handle = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, handle, 2)
        await finished(await worker.client.pause())
        export = await worker.client.export(text * 8, str(out))
        await worker.until_event(ExportProgress, export, 2)
        os.kill(pid_of(worker), signal.SIGKILL)
        await worker.until_event(Started, handle, 2)
        await asyncio.sleep(0.5)
        at = worker.of(Position)[-1]
        assert at.span[0] == SECOND
        await worker.client.resume()
        await worker.until(lambda: worker.of(Position)[-1].heard_s > at.heard_s)
        assert isinstance(await handle.stop(), Stopped)
        await finished(export)
        assert out.exists()

    worker.run(story())


def test_frozen_worker_is_replaced_by_stop(worker: LiveWorker, long_text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(long_text)
        await worker.until_event(SentenceStarted, handle)
        frozen = pid_of(worker)
        os.kill(frozen, signal.SIGSTOP)
        begun = time.monotonic()
        stop, stall = await asyncio.gather(handle.stop(), longest_stall(1.5))
        assert isinstance(stop, Stopped)
        assert time.monotonic() - begun < 3
        assert stall < 0.3
        await worker.until(lambda: not is_alive(frozen))
        await worker.until(lambda: worker.client.state is WorkerState.IDLE)
        assert [event.sentence for event in worker.changes() if event.new is WorkerState.CRASHED] == [
            "The speech engine did not answer and was started again."
        ]

    worker.run(story())


def test_what_is_being_stopped_when_the_worker_dies_is_not_begun_again(
    worker: LiveWorker, long_text: str
) -> None:
    """Else the new worker, which was never told to stop, would be replaced for not obeying, with all that it does."""

    async def story() -> None:
        handle = await worker.client.send(Synthesize(long_text))
        await worker.until_event(Synthesized, handle)
        dying = pid_of(worker)
        os.kill(dying, signal.SIGSTOP)
        stop = asyncio.ensure_future(handle.stop())
        await asyncio.sleep(0)  # it has been sent
        os.kill(dying, signal.SIGKILL)
        other = await worker.client.send(Synthesize(SENTENCES[0]))
        assert isinstance(await stop, Stopped)
        await finished(other)
        assert [change.new for change in worker.changes()].count(WorkerState.CRASHED) == 1
        assert not worker.of(Started, handle.request_id)[1:]

    worker.run(story())


def test_frozen_worker_is_noticed(worker: LiveWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketvoice.worker.parent.client._SILENT_TICKS", 2)

    async def story() -> None:
        handle = await worker.client.speak(SENTENCES[0])
        await worker.until_event(SentenceStarted, handle)
        os.kill(pid_of(worker), signal.SIGSTOP)
        await worker.until(
            lambda: any(change.new is WorkerState.CRASHED for change in worker.changes()), timeout_s=10
        )
        await finished(handle)

    worker.run(story())


def test_three_crashes_end_it(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(text)
        for _ in range(3):
            await worker.until(
                lambda: worker.client._link is not None and worker.client._link.pid is not None
            )
            pid = pid_of(worker)
            os.kill(pid, signal.SIGKILL)
            await worker.until(
                lambda pid=pid: worker.client._link is None or worker.client._link.pid not in (pid, None)
            )
        end = await failed(handle)
        assert end.error.kind == "WorkerCrashed"
        assert end.source == 0
        assert worker.client.state is WorkerState.CRASHED
        assert "restart" in worker.changes()[-1].sentence
        assert (await failed(await worker.client.speak(text))).error.kind == "WorkerCrashed"
        await worker.client.restart()
        await finished(await worker.client.speak(SENTENCES[0]))  # the model came back as well

    worker.run(story())


def test_close_of_a_frozen_worker(model_files: dict[str, str]) -> None:
    """Before it has loaded anything: quitting at once is allowed as well."""

    async def story() -> None:
        client = WorkerClient(WorkerOptions(output=OutputKind.NULL))
        async with client:
            load = await client.load_model(**model_files)
            await until_async(lambda: client.state is not WorkerState.STARTING)
            assert client._link is not None
            assert client._link.pid is not None
            os.kill(client._link.pid, signal.SIGSTOP)
            begun = time.monotonic()
        assert time.monotonic() - begun < 3
        assert not is_alive(client._link.pid if client._link else -1)
        assert isinstance(await load.result(), Stopped)
        assert client.state is WorkerState.STOPPED

    asyncio.run(story())


def test_close_at_once() -> None:
    async def story() -> None:
        begun = time.monotonic()
        async with WorkerClient(WorkerOptions(output=OutputKind.NULL)) as client:
            handle = await client.speak("Never heard.")
        assert isinstance(await handle.result(), Stopped)
        assert not client._entries
        assert time.monotonic() - begun < 3

    before = {thread.name for thread in threading.enumerate()}
    asyncio.run(story())
    until(lambda: not {thread.name for thread in threading.enumerate()} - before, 2, threading.enumerate)


ORPHAN = """
    import asyncio, sys, time
    from pocketvoice.worker.parent.client import WorkerClient
    from pocketvoice.worker.messages import *

    async def main():
        async with WorkerClient(WorkerOptions(output=OutputKind.NULL)) as client:
            load = await client.load_model(config=sys.argv[1], voice=sys.argv[2])
            if sys.argv[3] == "speaking":
                await load.result()
                handle = await client.speak(sys.argv[4])
                async for event in handle:
                    if isinstance(event, SentenceStarted):
                        break
            else:
                while client.state is WorkerState.STARTING:
                    await asyncio.sleep(0.01)
            print(client._link.pid, flush=True)
            await asyncio.sleep(60)

    if __name__ == "__main__":
        asyncio.run(main())
"""


@pytest.mark.parametrize("when", ["loading", "speaking"])
def test_worker_ends_with_its_parent(
    model_files: dict[str, str], long_text: str, tmp_path: Path, when: str
) -> None:
    script = tmp_path / "parent.py"
    script.write_text(textwrap.dedent(ORPHAN))
    arguments = [model_files["config"], model_files["voice"], when, long_text]
    with subprocess.Popen(
        [sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
        until(lambda: not is_alive(pid), 2)


def test_client_imports_nothing_heavy() -> None:
    script = (
        "import sys, pocketvoice.worker.parent.client, pocketvoice.worker.messages\n"
        "assert not {'torch', 'sounddevice', 'PySide6', 'av'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_kinds_of_ends() -> None:
    assert {Finished, Stopped, Failed} == set(TERMINAL)
    assert StateChanged not in TERMINAL
