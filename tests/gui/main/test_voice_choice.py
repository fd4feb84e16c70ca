"""Models and voices are chosen in the window, spoken with, and remembered."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import (
    QDialog,
)

from pocketvoice.gui.controllers.models import ModelPhase
from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.widgets.dialogs import DetailsDialog
from tests.gui.conftest import Run, ready, until
from tests.gui.fake_client import OFFLINE, READY
from tests.gui.main.reading import TEXT
from tests.gui.parts import Parts


@pytest.mark.expects_log("OfflineError")
def test_missing_model_offers_the_list(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.client.fails["load_model"] = OFFLINE
        parts.desktop.voice_choice.load_first()
        bar = parts.window.message_bar
        await until(lambda: bar.isVisible() and parts.window.voice_row.models.count() > 1)
        assert bar.label.text().startswith(OFFLINE.message)
        bar.details.click()
        (details,) = parts.window.findChildren(DetailsDialog)
        assert OFFLINE.detail in details.text.toPlainText()
        details.close()
        (choose,) = [button for button in bar.remedies.values() if button.text().startswith("Choose")]
        choose.click()
        dialog = parts.window.findChildren(QDialog)[-1]
        dialog.model_chosen.emit("french")  # type: ignore[attr-defined]
        dialog.close()
        await until(lambda: ("load_model", "french", None) in parts.client.requests)
        assert not bar.isVisible()
        parts.client.be_ready(replace(READY, language="french"))
        assert parts.settings.now.language == "french"

    run(story())


def test_chosen_voice_speaks_and_is_remembered(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        voices = parts.window.voice_row.voices
        await until(lambda: voices.findData("marius") >= 0)
        assert voices.currentData() == "alba"
        voices.setCurrentIndex(voices.findData("marius"))
        voices.activated.emit(voices.currentIndex())
        parts.window.reader.setPlainText(TEXT)
        parts.desktop.speech_commands.speak()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        assert next(r[2] for r in parts.client.requests if r[0] == "speak")["voice"] == "marius"
        assert parts.settings.now.voice == "marius"
        parts.window.voice_row.try_voice.click()
        await until(lambda: any(r[:2] == ("preview", "marius") for r in parts.client.requests))

    run(story())


@pytest.mark.expects_log("OfflineError")
def test_model_that_works_stays_until_another_is_ready(parts: Parts, run: Run) -> None:
    """*More languages* while offline: the model that speaks goes on speaking, and is the one of the next start."""

    async def story() -> None:
        await ready(parts)
        parts.client.fails["load_model"] = OFFLINE
        parts.desktop.voice_choice.choose_model("french")
        await until(lambda: parts.messages.message is not None)
        assert parts.messages.message is not None
        assert "Until then English speaks." in parts.messages.message.text
        assert parts.models.view.phase is ModelPhase.READY
        assert parts.models.view.ready == READY
        assert parts.settings.now.language == ""
        parts.window.reader.setPlainText(TEXT)
        parts.desktop.speech_commands.speak()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)

    run(story())


@pytest.mark.expects_log("OfflineError")
def test_remembered_model_that_is_gone_has_a_stand_in(parts: Parts, run: Run) -> None:
    """The next start, offline and without that model: the built-in one speaks, and the chosen one stays chosen."""

    async def story() -> None:
        await parts.client.__aenter__()
        parts.settings.change(language="french")
        parts.client.fails["load_model"] = OFFLINE
        parts.desktop.voice_choice.load_first()
        await until(lambda: parts.client.load is not None)
        assert [request[1] for request in parts.client.requests if request[0] == "load_model"] == [
            "french", "builtin_en",
        ]  # fmt: skip
        parts.client.be_ready(replace(READY, language="builtin_en"))
        assert parts.models.view.phase is ModelPhase.READY
        assert parts.settings.now.language == "french"
        assert parts.messages.message is not None  # it says why

    run(story())
