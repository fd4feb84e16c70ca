"""Fixtures of the window: one QApplication without a screen, one loop a test, a window with a fake worker."""

import asyncio
import gc
import os
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget
from qasync import QEventLoop

from pocketvoice.gui.controllers.services import Services
from pocketvoice.gui.pyside_refcount_workaround import keep_singletons_alive
from tests.gui.fake_client import FakeClient
from tests.gui.parts import Parts, make_services, make_window
from tests.waiting import until_async

keep_singletons_alive()

Run = Callable[..., None]
TIMEOUT_S = 20.0


@pytest.fixture(scope="session")
def qt() -> QApplication:
    """The application; it outlives all tests."""
    application = QApplication.instance() or QApplication(["pocketvoice"])
    assert isinstance(application, QApplication)
    application.setQuitOnLastWindowClosed(False)
    return application


@pytest.fixture
def run(qt: QApplication) -> Iterator[Run]:
    """Runs a coroutine on Qt's loop, with a limit."""
    loop = QEventLoop(qt)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(2))

    def run_one(work: Coroutine[Any, Any, None], timeout_s: float = TIMEOUT_S) -> None:
        # `run_until_complete` would go on with other tasks for a moment after the loop has stopped, and these would fail.
        task = loop.create_task(asyncio.wait_for(work, timeout_s))
        task.add_done_callback(lambda _task: loop.stop())
        loop.run_forever()
        task.result()

    with loop:
        yield run_one
    asyncio.set_event_loop(None)


@pytest.fixture(autouse=True)
def garbage_on_the_main_thread() -> Iterator[None]:
    """Windows of earlier tests are garbage, and Qt's objects must not be destroyed by whichever thread happens to collect it."""
    gc.disable()
    gc.freeze()  # what is there by now need not be looked through after each test
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, logs and data of a test are its own."""
    folder = tmp_path / "config"
    monkeypatch.setenv("POCKETVOICE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("POCKETVOICE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return folder


@pytest.fixture
def parts(run: Run) -> Iterator[Parts]:
    """A window, shown, with a fake worker that has not begun to load."""
    made = make_window()
    made.window.resize(800, 600)
    made.window.show()
    yield made
    run(made.tasks.close())
    made.window.close()
    delete(made.window)


@pytest.fixture
def services(run: Run) -> Iterator[Services]:
    """The controllers without any window, over a fake worker (`services.client`) that has not begun to load."""
    made = make_services(FakeClient())
    yield made
    run(made.tasks.close())


def delete(window: QWidget) -> None:
    """Destroys a window now and not when its Python name is forgotten: the application lives on."""
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)


async def until(condition: Callable[[], object], timeout_s: float = 10.0) -> None:
    """Waits for something to become true."""
    await until_async(condition, timeout_s)


async def settle() -> None:
    """Lets everything that can happen now happen. (Never with processEvents: a task can't be run inside another.)"""
    for _ in range(8):
        await asyncio.sleep(0.002)


async def ready(parts: Parts | Services) -> None:
    """A worker with its model loaded."""
    await parts.client.__aenter__()
    parts.models.load("english")
    await until(lambda: parts.client.load is not None)
    parts.client.be_ready()
    await settle()
