"""A message goes when what it tells is over."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from pocketvoice.gui.controllers import messages as message_controller
from pocketvoice.gui.controllers.messages import Messages, Remedy, Topic
from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.main.reader import LOCKED, NOTHING_TO_READ
from tests.gui.conftest import Run, ready, until
from tests.gui.main.reading import press, speaking
from tests.gui.parts import Parts


def told(messages: Messages) -> str:
    return "" if messages.message is None else messages.message.text


def test_note_goes_by_itself_and_a_problem_stays(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_controller, "_FADES_MS", 10)

    async def story() -> None:
        messages = Messages()
        messages.say("There is something to do.", (Remedy.CHOOSE_MODEL,))
        await asyncio.sleep(0.05)
        assert told(messages) == "There is something to do."
        messages.say("Saved.")
        await until(lambda: not told(messages))

    run(story())


def test_only_what_is_over_goes(qt: QApplication) -> None:
    messages = Messages()
    messages.say("A file.", topic=Topic.FILE)
    messages.over(Topic.SERVER)
    assert told(messages) == "A file."
    messages.over(Topic.FILE)
    assert told(messages) == ""
    messages.say("A note.")
    messages.over(Topic.FILE)
    assert told(messages) == "A note."


@pytest.mark.expects_log("There is no file")
def test_file_that_could_not_be_opened_then_one_that_could(parts: Parts, run: Run, tmp_path: Path) -> None:
    good = tmp_path / "good.txt"
    good.write_text("Text.")

    async def story() -> None:
        parts.desktop.text_commands.open_files([str(tmp_path / "none.txt")])
        await until(lambda: "There is no file" in told(parts.messages))
        parts.desktop.text_commands.open_files([str(good)])
        assert told(parts.messages) == ""
        await until(lambda: parts.window.reader.text() == "Text.")

    run(story())


def test_press_esc_goes_after_esc(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        press(parts, Qt.Key.Key_A)
        assert told(parts.messages) == LOCKED
        press(parts, Qt.Key.Key_Escape)
        await until(lambda: parts.speech.view.phase is Phase.QUIET)
        assert told(parts.messages) == ""

    run(story())


def test_nothing_to_read_goes_when_there_is_a_text(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.desktop.speech_commands.speak()
        assert told(parts.messages) == NOTHING_TO_READ
        parts.window.reader.setPlainText("A text.")
        assert told(parts.messages) == ""

    run(story())
