"""The page of the recording: the level in words, the microphones, and texts to read in seven languages."""

from collections.abc import Iterator
from typing import Any

import pytest

from pocketvoice.audio.recorder import Microphone
from pocketvoice.gui.voices.new.record_page import RecordPage
from tests.gui.conftest import Run, delete, settle, until
from tests.gui.roles import unnamed, without_role
from tests.gui.voices.new.told import Told


@pytest.fixture
def page(told: Told) -> Iterator[RecordPage]:
    found = [Microphone("Desk microphone", "ALSA", is_default=True), Microphone("Headset", "ALSA")]
    made = RecordPage(told.recording, told.tasks, find_microphones=lambda: found)
    made.show_language("de")
    made.resize(700, 480)
    made.show()
    yield made
    delete(made)


def test_page_shows_how_it_goes(told: Told, page: RecordPage, run: Run) -> None:
    async def story() -> None:
        assert "ü" in page.text.toPlainText()
        assert page.record.text() == "Record"
        page.wanted_microphone = "Headset (ALSA)"
        page.list_microphones()
        await until(lambda: page.microphones.count() == 4)
        assert page.microphone_title == "Headset (ALSA)"
        page.microphones.setCurrentIndex(3)  # looks again
        page.microphones.activated.emit(3)
        assert page.microphone() is None
        await settle()
        page.microphones.setCurrentIndex(2)
        page.record.click()
        recorder = await told.listening()
        assert recorder.microphone is not None
        assert recorder.microphone.name == "Headset"
        assert not page.microphones.isEnabled()
        recorder.hear(13.0, "Speak a little louder.")
        await until(lambda: page.level_words.text() == "Speak a little louder.")
        assert page.speech_words.text() == "13 s of speech; 20 to 30 are good."
        assert page.gauge.value() == 130
        assert page.record.text() == "Pause"
        recorder.hear(24.0)
        await until(lambda: "enough" in page.speech_words.text())
        page.record.click()
        await until(lambda: page.record.text() == "Go on")
        page.again.click()
        assert page.record.text() == "Record"
        assert unnamed(page) == []
        assert without_role(page) == []

    run(story())


def test_texts_in_seven_languages(page: RecordPage) -> None:
    assert page.languages.count() == 7
    seen: set[Any] = set()
    for index in range(7):
        page.languages.setCurrentIndex(index)
        page.languages.activated.emit(index)
        for _ in range(2):
            seen.add(page.text.toPlainText())
            page.other_text.click()
    assert len(seen) >= 14
    assert min(len(text) for text in seen) > 250
