"""Models and voices are chosen in the window, spoken with, and remembered."""

import pytest
from PySide6.QtWidgets import (
    QDialog,
)

from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.widgets.dialogs import DetailsDialog
from tests.gui.conftest import Run, ready, until
from tests.gui.fake_client import OFFLINE
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
        assert bar.label.text() == OFFLINE.message
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
        assert parts.settings.now.language == "french"
        assert not bar.isVisible()

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
