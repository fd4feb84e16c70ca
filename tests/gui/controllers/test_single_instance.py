"""A second start hands its text to the program that runs already."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalServer

from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
from tests.gui.conftest import Run, until

SECOND = """
from PySide6.QtCore import QCoreApplication
from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
qt = QCoreApplication([])
raise SystemExit(not SingleInstance().hand_over(Handover("Grüße 😀" * 100_000, True, ("/a.pvoice",))))
"""
CRASHED = """
import os
from PySide6.QtCore import QCoreApplication
from pocketvoice.gui.controllers.single_instance import SingleInstance
qt = QCoreApplication([])
SingleInstance().listen()
os._exit(0)
"""


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder of this user's alone; the name of a socket in it may have some hundred letters with its path."""
    with tempfile.TemporaryDirectory(prefix="pv") as folder:
        yield Path(folder)


def test_second_start_hands_over_its_text(run: Run, repository: Path) -> None:
    heard: list[Handover] = []
    first = SingleInstance()
    assert not first.hand_over(Handover())  # nobody there
    subprocess.run([sys.executable, "-c", CRASHED], cwd=repository, check=True)
    assert not first.hand_over(Handover())  # after a crash neither
    first.listen()  # though the name was taken by the one that crashed
    first.received.connect(heard.append)

    async def story() -> None:
        second = subprocess.Popen([sys.executable, "-c", SECOND], cwd=repository)
        await until(lambda: second.poll() is not None, 20)
        assert second.returncode == 0
        await until(lambda: heard)

    run(story())
    first.close()
    assert heard == [Handover("Grüße 😀" * 100_000, True, ("/a.pvoice",))]


@pytest.mark.skipif(os.name != "posix", reason="pipes have no folders")
@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_folder_that_others_can_enter_is_not_used(
    run: Run, short_folder: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    """Someone else may have bound the name there, and would receive the text."""
    monkeypatch.setenv("POCKETVOICE_CONFIG_DIR", str(short_folder / "c"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short_folder))
    instance = SingleInstance()
    instance.listen()
    (socket,) = [path for path in short_folder.iterdir() if stat.S_ISSOCK(path.stat().st_mode)]
    assert SingleInstance().hand_over(Handover()) is False  # nobody answers within the loop; it was found
    instance.close()
    waiting = QLocalServer()
    assert waiting.listen(str(socket))
    short_folder.chmod(mode)
    SingleInstance().hand_over(Handover("secret"))
    assert not waiting.hasPendingConnections()
    assert not waiting.waitForNewConnection(100)[0]
    waiting.close()
