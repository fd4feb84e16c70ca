"""A second start hands its text to the program that runs already."""

import subprocess
import sys
from pathlib import Path

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
