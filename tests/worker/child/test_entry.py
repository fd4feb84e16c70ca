"""The surroundings of the worker process."""

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pocketvoice.worker.messages import SentenceStarted, WorkerOptions, WorkerState
from tests.worker.conftest import LiveWorker, _load, finished

SCRIPT = """
import sys
out = sys.stderr
sys.stdout = sys.stderr = None
from pocketvoice.worker.child.entry import have_stdio
have_stdio()
print("nobody sees this")
print("nor this", file=sys.stderr)
assert sys.stdout is not None and sys.stderr is not None
"""


def test_windowed_build_may_print() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], capture_output=True, check=True, timeout=60
    )
    assert done.stdout == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_is_the_parents(worker: LiveWorker, text: str) -> None:
    """A terminal sends it to all processes of the program."""

    async def story() -> None:
        handle = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, handle)
        assert worker.client.pid is not None
        os.kill(worker.client.pid, signal.SIGINT)
        await finished(handle)

    worker.run(story())
    assert all(event.new is not WorkerState.CRASHED for event in worker.changes())


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux alone")
def test_engine_makes_way_for_others(worker: LiveWorker) -> None:
    """Its thread has a lower priority than ours; the sound's thread has not."""
    tasks = Path(f"/proc/{worker.client.pid}/task").iterdir()
    nices = {int((task / "stat").read_text().rpartition(")")[2].split()[16]) for task in tasks}
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert nices == {ours, ours + WorkerOptions().nice}


def test_log_comes_to_the_parent(
    worker: LiveWorker, model_files: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "pocketvoice"):
        worker.run(_load(worker, model_files))
    assert any(record.name == "pocketvoice.engine.precision" for record in caplog.records)
