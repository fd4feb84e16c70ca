"""The window alone: it shows what it is told, says what is done to it, and nothing of the program knows it but `app`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from pocketvoice.gui.controllers.messages import Message
from pocketvoice.gui.controllers.models import ModelPhase, ModelView
from pocketvoice.gui.controllers.speech import Phase, SpeechView
from pocketvoice.gui.main.help import AboutDialog
from pocketvoice.gui.main.window import Window
from pocketvoice.worker.messages import Loading
from tests.gui.conftest import Run, delete, ready
from tests.gui.fake_client import READY
from tests.gui.parts import Parts


@pytest.fixture
def window(qt: QApplication) -> Iterator[Window]:
    made = Window()
    made.show()
    yield made
    delete(made)


def test_shows_the_speech(window: Window) -> None:
    window.reader.setPlainText("One. Two.")
    window.show_speech(SpeechView(Phase.SPEAKING, span=(5, 9), source=5, heard_s=1.0, total_s=2.0))
    assert [mark.cursor.selectedText() for mark in window.reader.extraSelections()] == ["Two."]
    assert window.transport.play.text() == "Pause"
    assert window.command_actions["stop"].isEnabled()
    window.show_speech(SpeechView())
    assert window.transport.play.text() == "Speak"
    assert not window.command_actions["stop"].isEnabled()


def test_shows_the_model(window: Window) -> None:
    window.show_model(ModelView(ModelPhase.LOADING, loading=Loading("", "model.safetensors", 1, 2, 1e6)))
    assert window.download.isVisible()
    window.show_model(ModelView(ModelPhase.READY, "english", ready=READY))
    assert not window.download.isVisible()
    assert window.status.state.text() == "Ready. Ctrl+Enter speaks."
    assert window.status.model.text() == "English"


def test_shows_a_message(window: Window) -> None:
    window.show_message(Message("Something happened."))
    assert window.message_bar.isVisible()
    window.show_message(None)
    assert not window.message_bar.isVisible()


def test_says_that_it_was_painted_once_and_closed(window: Window) -> None:
    said: list[str] = []
    window.first_painted.connect(lambda: said.append("painted"))
    window.closed.connect(lambda: said.append("closed"))
    for _ in range(2):
        window.grab()
    window.close()
    assert said == ["painted", "closed"]


def test_no_part_of_the_program_knows_the_window(repository: Path) -> None:
    package = repository / "pocketvoice"
    knows = [
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "pocketvoice.gui.main.window"
    ]
    assert knows == ["app.py"]


def test_how_fast_the_model_is_stands_in_about(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        assert parts.window.status.model.text() == "English"
        parts.desktop.view_commands.about()
        (dialog,) = parts.window.findChildren(AboutDialog)
        assert dialog.model.text() == "English · int8 · 4.2× real time"
        dialog.close()

    run(story())
