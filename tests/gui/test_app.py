"""The whole program: as a process of its own, and with the real worker and a tiny model."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from pocketvoice import settings
from pocketvoice.app import Program
from pocketvoice.gui.controllers import text_store
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelPhase
from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.pyside_refcount_workaround import keep_singletons_alive
from pocketvoice.settings import Settings
from pocketvoice.worker.messages import Event, Hello, OutputKind, Terminal, WorkerOptions, WorkerState
from tests.gui.conftest import Run, delete, until
from tests.gui.parts import SENTENCES
from tests.model_factory import ModelFactory
from tests.waiting import until as until_now

ENTRY = """
import sys
if __name__ == "__main__":
    from pocketvoice import app
    raise SystemExit(app.main(sys.argv[1:]))
"""


def test_window_leaves_torch_alone(repository: Path) -> None:
    code = (
        "import pkgutil, sys, importlib, pocketvoice.gui as gui\n"
        "for module in pkgutil.iter_modules(gui.__path__): importlib.import_module(f'pocketvoice.gui.{module.name}')\n"
        "import pocketvoice.app\n"
        "print([name for name in ('torch', 'sounddevice', 'numpy', 'soundfile') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal there")
def test_none_does_not_run_out() -> None:
    before = sys.getrefcount(None)
    keep_singletons_alive()
    keep_singletons_alive()
    assert sys.getrefcount(None) - before < 1000  # the conftest did it: once is enough
    assert min(map(sys.getrefcount, (None, True, False))) > 1 << 39


# ---------------------------------------------------------------- as a process


class Started:
    """A program of our own, offscreen and without sound."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self.folder = folder
        self._repository = repository
        self._script = folder / "start.py"
        self._script.write_text(ENTRY)
        self.process = self.start()

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        environment = dict(os.environ) | {
            "PYTHONPATH": str(self._repository),
            "POCKETVOICE_OUTPUT": "null",
            "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(self.folder / "hub"),
        }
        return subprocess.Popen(
            [sys.executable, str(self._script), *arguments],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for_log(self, words: str) -> str:
        path = self.folder / "state" / "pocketvoice" / "log" / "pocketvoice.log"

        def found() -> list[str]:
            assert self.process.poll() is None, self.process.communicate()
            return [line for line in path.read_text().splitlines() if words in line] if path.exists() else []

        return until_now(
            found, 30, lambda: f"{words!r} is not in the log: {path.read_text() if path.exists() else 'none'}"
        )[0]

    def children(self) -> list[str]:
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return path.read_text().split() if path.exists() else []


@pytest.fixture
def started(tmp_path: Path, repository: Path) -> Iterator[Started]:
    settings.settings_path().parent.mkdir(parents=True)
    settings.settings_path().write_text("{broken")
    made = Started(tmp_path, repository)
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="SIGTERM, /proc and a place for logs that can be set")
def test_start_second_start_and_end(started: Started, tmp_path: Path) -> None:
    assert "first paint after" in started.wait_for_log("first paint after")
    assert "damaged" in started.wait_for_log("damaged")  # the settings; and the window is there all the same
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, this came from a second start.", encoding="utf-8")
    second = started.start(str(letter))
    assert second.wait(30) == 0
    second.communicate()
    third = started.start(str(tmp_path / "none.txt"))
    assert third.wait(30) == 0
    third.communicate()
    started.wait_for_log("There is no file")  # told where there is a window to tell it in
    started.wait_for_log("model: loading -> ready")  # the built-in one, with no network
    children = started.children()
    started.process.send_signal(signal.SIGTERM)
    assert started.process.wait(15) == 0
    assert [child for child in children if _is_running(child)] == []
    assert json.loads(settings.settings_path().read_text())["geometry"]
    draft = text_store.load().draft
    assert draft is not None
    assert text_store.read(draft) == "Dear reader, this came from a second start."


@pytest.mark.skipif(sys.platform != "linux", reason="SIGKILL, and a place for logs that can be set")
def test_text_survives_kill(started: Started, tmp_path: Path) -> None:
    """A book of more than two hundred thousand letters, killed two seconds after it was opened."""
    started.wait_for_log("first paint after")
    book = tmp_path / "book.txt"
    book.write_text("It was a long night, and nobody slept. " * 6000, encoding="utf-8")
    second = started.start(str(book))
    assert second.wait(30) == 0
    second.communicate()
    until_now(lambda: text_store.load().draft is not None, 20)  # two seconds where nothing else runs
    started.process.kill()
    started.process.wait(15)
    draft = text_store.load().draft
    assert draft is not None
    assert text_store.read(draft).split() == book.read_text(encoding="utf-8").split()


def _is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---------------------------------------------------------------- with the real worker


@pytest.fixture(scope="module")
def model(models: ModelFactory, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The config of a tiny model, and a voice for it."""
    from pocketvoice.engine.voice_state import export_model_state
    from tests.model_factory import random_state

    files = models.tiny("at_once")
    voice = tmp_path_factory.mktemp("voice") / "voice.safetensors"
    export_model_state(random_state(files.raw), voice)
    return str(files.config), str(voice)


class Story:
    """A program in this process, and what a user does with it."""

    def __init__(self, voice: str) -> None:
        self.messages = Messages()
        options = WorkerOptions(output=OutputKind.NULL)
        remembered = Settings(voice=voice)
        self.program = Program(self.messages, remembered, SingleInstance(), time.monotonic(), options)
        self.window = self.program.window
        self.desktop = self.program.desktop
        self.speech = self.program.services.speech
        self.pids: list[int] = []
        self.ends: Counter[str] = Counter()
        self.program.client.listen(self._on_event)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Hello):
            self.pids.append(event.pid)
        if isinstance(event, Terminal):
            self.ends[event.request_id] += 1

    def marked(self) -> str:
        return "".join(mark.cursor.selectedText() for mark in self.window.reader.extraSelections())

    async def read(self, tmp_path: Path) -> None:
        """Types before the model is ready, listens, skips, stops, goes on, saves."""
        reader = self.window.reader
        reader.setPlainText("".join(SENTENCES))
        self.window.transport.play.click()
        assert self.speech.view.phase is Phase.WAITING
        await until(lambda: self.program.services.models.view.phase is ModelPhase.READY, 40)
        await until(lambda: self.marked() == SENTENCES[0].strip())
        QTest.keyClick(reader, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
        await until(lambda: self.marked() == SENTENCES[1].strip())
        QTest.keyClick(reader, Qt.Key.Key_Space)
        await until(lambda: self.speech.view.paused)
        QTest.keyClick(reader, Qt.Key.Key_Escape)
        await until(lambda: self.speech.view.phase is Phase.QUIET)
        assert reader.caret() == len(SENTENCES[0])
        self.window.transport.play.click()
        await until(lambda: self.marked() == SENTENCES[1].strip())
        await until(lambda: self.marked() == SENTENCES[2].strip())
        await until(lambda: self.speech.view.phase is Phase.QUIET)
        self.desktop.export_commands.save_as(SENTENCES[0], tmp_path / "speech.flac")
        await until(lambda: (tmp_path / "speech.flac").exists())
        assert soundfile.info(tmp_path / "speech.flac").duration > 0.5
        assert self.messages.message is None or "saved" in self.messages.message.text

    async def act_at_random(self, actions: int) -> None:
        """Whatever is pressed: each request ends once, and the loop is never held up."""
        commands, speech, dice = self.desktop.speech_commands, self.speech, random.Random(7)
        self.window.reader.setPlainText("".join(SENTENCES) * 4)
        buttons = [
            commands.speak, commands.speak_all, speech.stop, speech.toggle_pause, speech.next, speech.previous,
            commands.faster, commands.slower, self.desktop.voice_choice.try_voice, self.window.transport.play.click,
            lambda: speech.seek(dice.randrange(1200)),
        ]  # fmt: skip
        for _ in range(actions):
            dice.choice(buttons)()
            await asyncio.sleep(dice.choice([0, 0.01, 0.05, 0.2]))
        commands.normal_speed()
        speech.stop()
        await until(lambda: self.speech.view.phase is Phase.QUIET)
        await until(lambda: self.program.client.state is WorkerState.IDLE)
        assert set(self.ends.values()) == {1}
        assert self.messages.message is None or "saved" in self.messages.message.text
        self.window.reader.setPlainText("".join(SENTENCES))

    async def lose_the_worker(self) -> None:
        """It is killed in the middle of a sentence: that is said, and the text goes on."""
        self.desktop.speech_commands.speak_all()
        await until(lambda: self.marked() == SENTENCES[1].strip())
        os.kill(self.pids[-1], signal.SIGKILL)
        await until(
            lambda: self.messages.message is not None and "started again" in self.messages.message.text
        )
        await until(
            lambda: self.speech.view.phase is Phase.SPEAKING and self.marked() == SENTENCES[2].strip(), 40
        )
        assert self.program.services.models.view.phase is ModelPhase.READY
        await until(lambda: self.speech.view.phase is Phase.QUIET)


@pytest.mark.expects_log("broke down")
def test_text_is_read_aloud(run: Run, model: tuple[str, str], tmp_path: Path) -> None:
    config, voice = model

    async def story() -> None:
        told = Story(voice)
        whole = asyncio.ensure_future(told.program.run(Handover(), config))
        await until(lambda: told.window.isVisible())
        await told.read(tmp_path)
        await told.act_at_random(40)
        await told.lose_the_worker()
        told.desktop.speech_commands.speak_all()  # and closed while it speaks
        await until(lambda: told.speech.view.phase is Phase.SPEAKING)
        began = time.monotonic()
        told.window.close()
        await whole
        assert time.monotonic() - began < 3
        delete(told.window)
        draft = text_store.load().draft
        assert draft is not None
        assert text_store.read(draft) == "".join(SENTENCES)

    run(story(), 90)


def test_windows_of_tests_are_gone(qt: QApplication) -> None:
    assert [window for window in qt.topLevelWidgets() if window.isVisible()] == []
