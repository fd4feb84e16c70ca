"""A voice that is chosen speaks from then on, or the window says why it can't with this model."""

import dataclasses
import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice, Voice
from pocketvoice.worker.messages import PreparingVoice
from tests.gui.conftest import Run, settle, until
from tests.gui.fake_client import READY
from tests.gui.geometry import cut_off
from tests.gui.voices.list.shown import LONG, Shown
from tests.gui.voices.parts import CLIP


def test_chosen_voice_speaks_and_is_remembered(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        window, agnes = shown.parts.window, library.get("Agnes")
        shown.parts.desktop.voice_choice.load_first()
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready(dataclasses.replace(READY, cloning=True))
        shown.page.list.doubleClicked.emit(shown.page.list.filter.index(0, 0))
        assert shown.parts.settings.now.voice == agnes.id
        assert window.voice_row.voices.currentText() == "Agnes"
        window.reader.setPlainText("Hello there.")
        shown.parts.desktop.speech_commands.speak()
        await until(lambda: shown.parts.client.speech is not None)
        assert next(r[2] for r in shown.parts.client.requests if r[0] == "speak")["voice"] == agnes.id
        library.remove(agnes.id)
        await until(lambda: window.voice_row.voices.findData(agnes.id) < 0)
        assert shown.parts.desktop.voice_choice.voice() is None  # the model's own again

    run(story())


def test_long_name_leaves_the_window_small(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        window, voice = shown.parts.window, library.get(LONG)
        shown.parts.desktop.voice_choice.choose_voice(voice.id)
        combo = window.voice_row.voices
        assert combo.currentText().endswith("…")
        assert combo.currentData(Qt.ItemDataRole.ToolTipRole) == LONG
        window.resize(800, 600)
        await settle()
        assert (window.width(), window.height()) == (800, 600)
        assert cut_off(window) == []

    run(story())


def without_clip(library: VoiceLibrary, name: str, model_id: str) -> Voice:
    """As one that was brought in from a file of the reference."""
    voice = library.add(NewVoice(name), CLIP)
    record = json.loads((voice.folder / "voice.json").read_text())
    mark = {"sha256": "0" * 64, "size_bytes": 1}
    state = {"model_id": model_id, "file": "state.safetensors", "mark": mark}
    record |= {"clip": None, "clip_s": None, "states": [state]}
    (voice.folder / "voice.json").write_text(json.dumps(record))
    return voice


@pytest.mark.expects_log("made for another model", "can't copy voices")
def test_voice_that_can_not_speak_here_says_why(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    """Without a recording, and made for other weights or for unknown ones; with one, and weights that can't listen."""

    other, unknown = without_clip(library, "Other", "french-89abcdef"), without_clip(library, "Unknown", "")

    async def story() -> None:
        await shown.opened(5)
        shown.parts.models.load("english")
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready()
        shown.page.use_wanted.emit(other.id)
        assert "made for another model" in shown.message()
        shown.page.use_wanted.emit(library.get("Agnes").id)
        assert "can't copy voices" in shown.message()
        shown.page.use_wanted.emit(unknown.id)
        (question,) = shown.page.findChildren(QMessageBox)
        assert "Unknown does not say" in question.text()
        question.button(QMessageBox.StandardButton.Yes).click()
        await until(lambda: shown.parts.settings.now.voice == unknown.id)
        (state,) = library.get("Unknown").states
        assert state.model_id == READY.model_id

    run(story())


@pytest.mark.expects_log("made for another model")
def test_chooser_of_the_window_asks_too(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    """It keeps the voice it has until the answer is there."""
    other = without_clip(library, "Other", "french-89abcdef")
    unknown = without_clip(library, "Unknown", "")

    async def story() -> None:
        await shown.opened(5)
        shown.page.close()
        window = shown.parts.window
        chooser = window.voice_row.voices
        shown.parts.desktop.voice_choice.load_first()
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready()
        await until(lambda: chooser.findData(unknown.id) >= 0)
        before = chooser.currentData()
        for voice in (other, unknown):
            chooser.setCurrentIndex(chooser.findData(voice.id))
            chooser.activated.emit(chooser.currentIndex())
            assert chooser.currentData() == before
        assert "made for another model" in window.message_bar.label.text()
        (question,) = window.findChildren(QMessageBox)
        assert question.isVisible()
        question.button(QMessageBox.StandardButton.Yes).click()
        await until(lambda: chooser.currentData() == unknown.id)
        assert shown.parts.settings.now.voice == unknown.id

    run(story())


@pytest.mark.expects_log("No model is loaded")
def test_voice_being_made_ready_is_shown(shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened(0)
        client, row = shown.parts.client, shown.parts.window.preparing
        shown.parts.models.load("english")
        await until(lambda: client.load is not None)
        load = client.load
        assert load is not None
        client.tell(PreparingVoice(load.request_id, "Agnes", 0.0))
        row.cancel.click()
        await until(lambda: load.done and not row.isVisible())
        shown.parts.models.load("english")
        await until(lambda: client.load not in (None, load))
        client.be_ready()
        speech = await client.speak("Hello.")
        client.tell(PreparingVoice(speech.request_id, "Agnes", 0.0))
        assert row.isVisible()
        assert row.label.text() == "Making Agnes ready for this model…"
        client.tell(PreparingVoice(speech.request_id, "Agnes", 1.0))
        assert not row.isVisible()
        client.tell(PreparingVoice(speech.request_id, "Agnes", 0.0))
        row.cancel.click()
        await until(lambda: speech.done and not row.isVisible())

    run(story())


def test_speed_of_a_voice_comes_with_it(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    library.update(library.get("Agnes").id, speed=1.3, volume=0.8)

    async def story() -> None:
        await shown.opened()
        shown.parts.desktop.voice_choice.choose_voice(library.get("Agnes").id)
        assert (shown.parts.speech.view.speed, shown.parts.speech.view.volume) == (1.3, 0.8)

    run(story())
