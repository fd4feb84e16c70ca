"""From a sound to a saved voice, with a real library, real files and sounds; what fails on the way is one sentence."""

import warnings
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pocketvoice.gui.voices.new import draft_store
from pocketvoice.gui.voices.new.layout import Page
from pocketvoice.voices import consent
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from pocketvoice.worker.messages import ErrorInfo, Failed
from tests.gui.conftest import Run, until
from tests.gui.fake_client import READY
from tests.gui.voices.new.shown import RATE, Shown, speech
from tests.gui.voices.parts import drop


def test_file_becomes_a_voice(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        client, dialog_of = shown.parts.client, shown
        await shown.at_hearing(recording)
        dialog = dialog_of.dialog
        assert dialog.progress.label.text() == "Making the voice…"
        source, state = next(r for r in client.requests if r[0] == "clone_voice")[1:]
        clip, rate = soundfile.read(source)
        assert 20 <= len(clip) / rate <= 30.5
        assert READY.model_id in Path(state).name or Path(state).suffix == ".safetensors"
        shown.made()
        await shown.spoken(1)
        await until(lambda: dialog.preview.key == "take 0")
        assert dialog.hear.plays[0].text() == "Stop"
        for count in (2, 3):
            await until(dialog.hear.another.isEnabled)
            dialog.hear.another.click()
            await shown.spoken(count)
        seeds = [r[3]["seed"] for r in client.requests if r[0] == "export"]
        assert (seeds, dialog.hear.another.isEnabled()) == ([1, 2, 3], False)
        dialog.hear.radios[1].click()
        dialog.next_button.click()
        await until(lambda: shown.coordinator.dialog is None)
        (voice,) = VoiceLibrary().voices()
        assert (voice.name, voice.language, voice.seed, voice.source) == ("Berta", "en", 2, "holiday.flac")
        assert voice.consent == consent.sentence()
        assert voice.clip_s == pytest.approx(len(clip) / rate, abs=0.01)
        assert soundfile.info(voice.preview_path).duration == pytest.approx(3.0)
        await until(lambda: shown.parts.settings.now.voice == voice.id)
        assert shown.parts.window.voice_row.voices.currentText() == "Berta"
        assert not draft_store.sound_path().exists()

    run(story())


def test_consent_belongs_to_its_sound(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_hearing(recording)
        first = shown.dialog.session.view.source
        shown.dialog.read_file(str(recording))  # another one, for all we know
        await until(lambda: shown.dialog.session.view.source is not first)
        await shown.next(Page.NAME)
        assert shown.dialog.name.name.text() == "Berta"
        assert not shown.dialog.name.consent.isChecked()
        assert not shown.dialog.next_button.isEnabled()

    run(story())


def test_another_sentence_begins_anew(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_hearing(recording)
        shown.made()
        await shown.spoken(1)
        dialog = shown.dialog
        dialog.hear.sentence.setPlainText("Something else entirely.")
        assert dialog.hear.another.text() == "&Speak it"
        dialog.hear.another.click()
        await until(lambda: len(shown.parts.client.exports) == 2)
        request = [r for r in shown.parts.client.requests if r[0] == "export"][-1]
        assert (request[1], request[3]["seed"]) == ("Something else entirely.", 1)
        assert dialog.session.view.takes == ()

    run(story())


def test_part_is_moved_by_keyboard_and_played(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_part(recording)
        dialog = shown.dialog
        before = dialog.session.view.part_s
        assert 15 < before[1] - before[0] <= 30
        dialog.activateWindow()
        QTest.keyClick(dialog.part.waveform, Qt.Key.Key_Home)
        QTest.keyClick(dialog.part.waveform, Qt.Key.Key_PageUp)
        assert dialog.session.view.part_s[0] == pytest.approx(1.0, abs=0.011)
        assert not dialog.next_button.isEnabled()  # it is being judged
        await until(lambda: dialog.session.view.report is not None)
        clip_s = dialog.session.view.clip_s
        assert clip_s[0] == pytest.approx(1.0, abs=0.45)
        dialog.part.play.click()
        await until(lambda: len(shown.parts.client.sounds) == 1)
        request = next(r for r in shown.parts.client.requests if r[0] == "play_file")
        assert (request[2]["start_s"], request[2]["stop_s"]) == clip_s
        heard, _ = soundfile.read(request[1])
        assert len(heard) / RATE == pytest.approx(40.0, abs=0.01)
        dialog.part.play.click()
        await until(lambda: shown.parts.client.sounds[0].done)

    run(story())


def test_verdict_is_one_sentence(shown: Shown, tmp_path: Path, run: Run) -> None:
    soundfile.write(tmp_path / "quiet.wav", speech(22.0, level=0.006), RATE, subtype="FLOAT")
    soundfile.write(tmp_path / "short.wav", speech(1.5), RATE)

    async def story() -> None:
        await shown.at_part(tmp_path / "quiet.wav")
        dialog = shown.dialog
        report = dialog.session.view.report
        assert report is not None
        assert dialog.part.verdict.label.text() == report.tip
        assert "quiet" in report.tip
        assert dialog.next_button.isEnabled()  # advice only
        dialog.read_file(str(tmp_path / "short.wav"))
        await until(lambda: dialog.session.view.report not in (None, report))
        assert not dialog.next_button.isEnabled()

    run(story())


@pytest.mark.expects_log("words.wav holds no sound")
def test_what_is_no_sound_is_said(shown: Shown, tmp_path: Path, run: Run) -> None:
    (tmp_path / "words.wav").write_text("no sound at all")

    async def story() -> None:
        await shown.opened(str(tmp_path / "words.wav"))
        await until(lambda: "words.wav" in shown.message())
        await until(lambda: shown.dialog.page is Page.RECORD)

    run(story())


def test_dropped_sound_is_taken(shown: Shown, recording: Path, run: Run) -> None:
    # Only Qt makes such events; their constructors are marked deprecated for everybody else.
    warnings.simplefilter("ignore", DeprecationWarning)

    async def story() -> None:
        await shown.opened()
        drop(shown.dialog, recording)
        await until(lambda: shown.dialog.session.view.report is not None)

    run(story())


def test_sound_dropped_on_the_window_opens_the_dialog(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        shown.dialog.reject()
        await until(lambda: shown.coordinator.dialog is None)
        shown.parts.desktop.text_commands.open_files([str(recording)])
        await until(lambda: shown.coordinator.dialog is not None)
        await until(lambda: shown.dialog.session.view.report is not None)

    run(story())


@pytest.mark.expects_log("It could not be made")
def test_failure_is_one_sentence_and_can_be_tried_again(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        handle = await shown.at_hearing(recording)
        handle.put(Failed(handle.request_id, ErrorInfo("GenerationError", "It could not be made.")))
        await until(lambda: shown.message() == "It could not be made.")
        assert not shown.dialog.next_button.isEnabled()
        shown.dialog.hear.another.click()  # tries again
        await until(lambda: len(shown.parts.client.clones) == 2)
        shown.made()
        await shown.spoken(1)
        await until(shown.dialog.next_button.isEnabled)

    run(story())


def test_making_is_cancelled(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        handle = await shown.at_hearing(recording)
        shown.dialog.progress.cancel.click()
        await until(lambda: handle.done)
        assert not shown.dialog.progress.isVisible()
        assert shown.message() == ""

    run(story())


@pytest.mark.expects_log("a voice named berta")
def test_taken_name_is_told_before_anything_is_made(shown: Shown, recording: Path, run: Run) -> None:
    VoiceLibrary().add(NewVoice("Berta"), speech(3.0))

    async def story() -> None:
        await shown.at_part(recording)
        await shown.next(Page.NAME)
        shown.dialog.name.name.setText("berta")
        shown.dialog.name.consent.click()
        shown.dialog.next_button.click()
        await until(lambda: "another name" in shown.message())
        assert (shown.dialog.page, shown.parts.client.clones) == (Page.NAME, [])

    run(story())
