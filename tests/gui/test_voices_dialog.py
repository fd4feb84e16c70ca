"""The dialog that makes a voice, with a real library, real files and sounds, and the fake worker: from a file to a saved voice, and
every way to leave it in between.
"""

import dataclasses
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from pocketvoice.gui.controllers.models import ModelPhase
from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.voices.new import draft_store as unfinished
from pocketvoice.gui.voices.new import recording as recording_module
from pocketvoice.gui.voices.new.dialog import GOES_ON, KEPT, SMALL_MODEL, NewVoiceDialog
from pocketvoice.gui.voices.new.layout import Step
from pocketvoice.gui.voices.new.recording import RecordPhase
from pocketvoice.voices import consent
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from pocketvoice.worker.messages import ErrorInfo, Failed, Finished, Loading, VoiceCloned
from tests.gui.conftest import Run, settle, until
from tests.gui.fake_client import READY, FakeHandle
from tests.gui.geometry import cut_off
from tests.gui.parts import Parts
from tests.gui.roles import unnamed, without_role
from tests.gui.test_record import FakeRecorder

CAN = dataclasses.replace(READY, cloning=True, cloning_reason="The full weights are loaded.")
CAN_NOT = dataclasses.replace(
    READY, cloning=False, cloning_reason="The public weights are loaded, because of terms."
)
RATE = 24_000


def speech(length_s: float, level: float = 0.06) -> np.ndarray:
    """Something that rises and falls like speech: vowels of 0.25 s, pauses between words, longer ones between sentences."""
    at_s = np.arange(int(length_s * RATE)) / RATE
    dice = np.random.default_rng(3)
    pitch = 120 + 25 * np.sin(2 * np.pi * 0.4 * at_s)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    voice = sum(np.sin(number * phase) / number for number in range(1, 25))
    syllables = np.clip(np.sin(2 * np.pi * 3.5 * at_s), 0, None) ** 0.5
    sentences = (at_s % 4.0) < 3.4
    return np.asarray(level * voice * syllables * sentences + dice.normal(0, 2e-4, len(at_s)), np.float32)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty seconds."""
    path = tmp_path_factory.mktemp("sound") / "holiday.flac"
    soundfile.write(path, speech(40.0), RATE)
    return path


@dataclass
class Shown:
    parts: Parts
    desk: VoicesCoordinator

    @property
    def dialog(self) -> NewVoiceDialog:
        assert self.desk.dialog is not None
        return self.desk.dialog

    def message(self) -> str:
        return self.dialog.board.message.text if self.dialog.board.message is not None else ""

    async def opened(self, path: str = "", ready: object = CAN) -> None:
        await self.parts.client.__aenter__()
        self.parts.models.load("english")
        await until(lambda: self.parts.client.load is not None)
        self.parts.client.be_ready(ready)  # type: ignore[arg-type]
        self.desk.start()
        await until(lambda: self.desk.library.is_read)
        self.desk.new_voice(path)
        await until(lambda: self.desk.dialog is not None)

    async def at_part(self, path: Path) -> None:
        await self.opened(str(path))
        await until(lambda: self.dialog.making.view.report is not None)
        assert self.dialog.step is Step.PART

    async def at_hearing(self, path: Path, name: str = "Berta") -> FakeHandle:
        """Named and agreed to; the worker is making the voice."""
        await self.at_part(path)
        await self.next(Step.NAME)
        self.dialog.name.name.setText(name)
        assert not self.dialog.go_on.isEnabled()  # without consent
        self.dialog.name.consent.click()
        await self.next(Step.HEAR)
        await until(lambda: self.parts.client.clones)
        return self.parts.client.clones[-1][0]

    async def next(self, step: Step) -> None:
        await until(self.dialog.go_on.isEnabled)
        self.dialog.go_on.click()
        await until(lambda: self.dialog.step is step)

    def made(self) -> None:
        """The worker has made the voice."""
        handle, path = self.parts.client.clones[-1]
        Path(path).write_bytes(b"")
        handle.put(VoiceCloned(handle.request_id, path, ()))
        handle.put(Finished(handle.request_id))

    async def spoken(self, count: int) -> None:
        """The worker has spoken a take; it is played at once."""
        client = self.parts.client
        await until(lambda: len(client.exports) == count)
        request = next(r for r in reversed(client.requests) if r[0] == "export")
        soundfile.write(request[2], speech(1.0 + count), RATE)
        client.exports[-1].put(Finished(client.exports[-1].request_id))
        await until(lambda: len(self.dialog.making.view.takes) == count)


@pytest.fixture
def shown(parts: Parts, run: Run, own_folders: Path) -> Iterator[Shown]:
    made = Shown(parts, parts.desktop.voices)
    yield made
    run(made.desk.close())
    for dialog in parts.window.findChildren(QDialog):
        dialog.close()


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
        await until(lambda: dialog.audition.key == "take 0")
        assert dialog.hear.plays[0].text() == "Stop"
        for count in (2, 3):
            await until(dialog.hear.another.isEnabled)
            dialog.hear.another.click()
            await shown.spoken(count)
        seeds = [r[3]["seed"] for r in client.requests if r[0] == "export"]
        assert (seeds, dialog.hear.another.isEnabled()) == ([1, 2, 3], False)
        dialog.hear.radios[1].click()
        dialog.go_on.click()
        await until(lambda: shown.desk.dialog is None)
        (voice,) = VoiceLibrary().voices()
        assert (voice.name, voice.language, voice.seed, voice.source) == ("Berta", "en", 2, "holiday.flac")
        assert voice.consent == consent.sentence()
        assert voice.clip_s == pytest.approx(len(clip) / rate, abs=0.01)
        assert soundfile.info(voice.preview_path).duration == pytest.approx(3.0)
        await until(lambda: shown.parts.settings.now.voice == voice.id)
        assert shown.parts.window.voice_row.voices.currentText() == "Berta"
        assert not unfinished.sound_path().exists()

    run(story())


def test_consent_belongs_to_its_sound(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_hearing(recording)
        first = shown.dialog.making.view.source
        shown.dialog.read_file(str(recording))  # another one, for all we know
        await until(lambda: shown.dialog.making.view.source is not first)
        await shown.next(Step.NAME)
        assert shown.dialog.name.name.text() == "Berta"
        assert not shown.dialog.name.consent.isChecked()
        assert not shown.dialog.go_on.isEnabled()

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
        assert dialog.making.view.takes == ()

    run(story())


def test_part_is_moved_by_keyboard_and_played(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_part(recording)
        dialog = shown.dialog
        before = dialog.making.view.part_s
        assert 15 < before[1] - before[0] <= 30
        dialog.activateWindow()
        QTest.keyClick(dialog.part.waveform, Qt.Key.Key_Home)
        QTest.keyClick(dialog.part.waveform, Qt.Key.Key_PageUp)
        assert dialog.making.view.part_s[0] == pytest.approx(1.0, abs=0.011)
        assert not dialog.go_on.isEnabled()  # it is being judged
        await until(lambda: dialog.making.view.report is not None)
        clip_s = dialog.making.view.clip_s
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
        report = dialog.making.view.report
        assert report is not None
        assert dialog.part.verdict.label.text() == report.tip
        assert "quiet" in report.tip
        assert dialog.go_on.isEnabled()  # advice only
        dialog.read_file(str(tmp_path / "short.wav"))
        await until(lambda: dialog.making.view.report not in (None, report))
        assert not dialog.go_on.isEnabled()

    run(story())


def test_what_is_no_sound_is_said(shown: Shown, tmp_path: Path, run: Run) -> None:
    (tmp_path / "words.wav").write_text("no sound at all")

    async def story() -> None:
        await shown.opened(str(tmp_path / "words.wav"))
        await until(lambda: "words.wav" in shown.message())
        await until(lambda: shown.dialog.step is Step.RECORD)

    run(story())


def test_dropped_sound_is_taken(shown: Shown, recording: Path, run: Run) -> None:
    # Only Qt makes such events; their constructors are marked deprecated for everybody else.
    warnings.simplefilter("ignore", DeprecationWarning)

    async def story() -> None:
        await shown.opened()
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(recording))])
        shown.dialog.dropEvent(
            QDropEvent(
                QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
                Qt.KeyboardModifier.NoModifier,
            )
        )  # fmt: skip
        await until(lambda: shown.dialog.making.view.report is not None)

    run(story())


def test_sound_dropped_on_the_window_opens_the_dialog(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        shown.dialog.reject()
        await until(lambda: shown.desk.dialog is None)
        shown.parts.desktop.text_commands.open_files([str(recording)])
        await until(lambda: shown.desk.dialog is not None)
        await until(lambda: shown.dialog.making.view.report is not None)

    run(story())


# ---------------------------------------------------------------- leaving, failing, cancelling


@pytest.mark.parametrize("step", [Step.PART, Step.NAME, Step.HEAR])
def test_left_in_the_middle_it_goes_on_there(shown: Shown, recording: Path, run: Run, step: Step) -> None:
    async def story() -> None:
        await (shown.at_part(recording) if step is Step.PART else shown.at_hearing(recording))
        if step is Step.NAME:
            shown.dialog.back.click()
        dialog = shown.dialog
        chosen = dialog.making.chosen
        dialog.reject()
        await until(lambda: shown.desk.dialog is None)
        board = shown.parts.messages
        await until(lambda: board.message is not None and board.message.text == KEPT)
        if shown.parts.client.clones:
            await until(lambda: shown.parts.client.clones[0][0].done)  # the worker was told
        await until(lambda: not list((VoiceLibrary().folder / ".staging").glob("draft*/clip.flac")))
        shown.desk.new_voice()
        await until(lambda: shown.desk.dialog is not None)
        await until(lambda: shown.dialog.making.view.report is not None)
        assert (shown.message(), shown.dialog.step) == (GOES_ON, Step.PART)
        assert shown.dialog.making.chosen == chosen
        assert shown.dialog.part.waveform.start_s == pytest.approx(chosen.start_s, abs=0.011)

    run(story())


def test_each_piece_of_a_recording_is_kept_at_once(
    shown: Shown, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeRecorder.made.clear()
    monkeypatch.setattr(recording_module, "_recorder_class", lambda: FakeRecorder)

    async def story() -> None:
        await shown.opened()
        page, recording = shown.dialog.record, shown.dialog.recording
        for count in (1, 2):
            page.record.click()
            await until(lambda count=count: len(FakeRecorder.made) == count)
            FakeRecorder.made[-1].hear(4.0)
            await until(lambda: recording.view.phase is RecordPhase.RECORDING)
            page.record.click()
            await until(lambda: recording.view.phase is RecordPhase.PAUSED)

            def is_kept(count: int = count) -> bool:
                found = unfinished.load()
                return found is not None and found[0].duration_s > 4.0 * count - 0.1

            await until(is_kept)
        page.again.click()
        await until(lambda: unfinished.load() is None)
        page.record.click()
        await until(lambda: len(FakeRecorder.made) == 3)
        FakeRecorder.made[-1].hear(5.0)
        await until(lambda: recording.view.phase is RecordPhase.RECORDING)
        shown.dialog.reject()  # in the middle of a word
        await until(lambda: unfinished.load() is not None)
        await until(lambda: shown.parts.messages.message is not None)
        assert shown.parts.messages.message is not None
        assert shown.parts.messages.message.text == KEPT

    run(story())


def test_program_that_ends_keeps_it(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_part(recording)
        shown.dialog.making.choose(name="Berta")
        await shown.desk.close()
        found = unfinished.load()
        assert found is not None
        assert found[0].duration_s == pytest.approx(40.0)
        assert (found[1].name, found[1].source_name) == ("Berta", "holiday.flac")

    run(story())


def test_failure_is_one_sentence_and_can_be_tried_again(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        handle = await shown.at_hearing(recording)
        handle.put(Failed(handle.request_id, ErrorInfo("GenerationError", "It could not be made.")))
        await until(lambda: shown.message() == "It could not be made.")
        assert not shown.dialog.go_on.isEnabled()
        shown.dialog.hear.another.click()  # tries again
        await until(lambda: len(shown.parts.client.clones) == 2)
        shown.made()
        await shown.spoken(1)
        await until(shown.dialog.go_on.isEnabled)

    run(story())


def test_making_is_cancelled(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        handle = await shown.at_hearing(recording)
        shown.dialog.progress.cancel.click()
        await until(lambda: handle.done)
        assert not shown.dialog.progress.isVisible()
        assert shown.message() == ""

    run(story())


def test_taken_name_is_told_before_anything_is_made(shown: Shown, recording: Path, run: Run) -> None:
    VoiceLibrary().add(NewVoice("Berta"), speech(3.0))

    async def story() -> None:
        await shown.at_part(recording)
        await shown.next(Step.NAME)
        shown.dialog.name.name.setText("berta")
        shown.dialog.name.consent.click()
        shown.dialog.go_on.click()
        await until(lambda: "another name" in shown.message())
        assert (shown.dialog.step, shown.parts.client.clones) == (Step.NAME, [])

    run(story())


# ---------------------------------------------------------------- models


def test_weights_that_can_not_clone_are_told_first(
    shown: Shown, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_TOKEN", raising=False)

    async def story() -> None:
        await shown.opened(ready=CAN_NOT)
        dialog = shown.dialog
        assert dialog.step is Step.TERMS
        assert dialog.terms.reason.text() == CAN_NOT.cloning_reason
        assert "kyutai/pocket-tts" in dialog.terms.open_terms.toolTip()
        dialog.terms.token.setText("nonsense")
        dialog.terms.download.click()
        await until(lambda: "no access token" in shown.message())
        dialog.terms.token.setText("hf_abc123")
        dialog.terms.download.click()
        client = shown.parts.client
        await until(lambda: client.load is not None)
        token = tmp_path / "hub" / "token"
        assert token.read_text() == "hf_abc123"
        assert token.stat().st_mode & 0o077 == 0
        assert client.load is not None
        client.load.put(Loading(client.load.request_id, "model.safetensors", 40_000_000, 219_000_000, 1e6))
        assert dialog.terms.progress.isVisible()
        client.be_ready(CAN)
        assert dialog.step is Step.RECORD

    run(story())


def test_small_model_is_honest(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.opened(str(recording), ready=dataclasses.replace(CAN, language="builtin_en"))
        assert shown.dialog.record.note.text() == SMALL_MODEL  # before anything is recorded
        assert shown.dialog.hear.note.text() == SMALL_MODEL
        assert shown.parts.models.view.phase is ModelPhase.READY

    run(story())


def test_other_model_makes_it_anew(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_hearing(recording)
        shown.made()
        await shown.spoken(1)
        shown.parts.models.load("french")
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready(dataclasses.replace(CAN, model_id="french-89abcdef"))
        await until(lambda: len(shown.parts.client.clones) == 2)
        assert shown.dialog.making.view.takes == ()

    run(story())


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize("scale", [1.0, 1.35])
def test_dialog_is_for_everybody(
    shown: Shown, recording: Path, run: Run, qt: QApplication, scale: float
) -> None:
    before, larger = qt.font(), QFont(qt.font())
    larger.setPointSizeF(before.pointSizeF() * scale)
    qt.setFont(larger)

    async def story() -> None:
        await shown.at_hearing(recording)
        shown.made()
        await shown.spoken(1)
        dialog = shown.dialog
        for page in (dialog.record, dialog.name, dialog.hear):
            page.show_note(SMALL_MODEL)
        dialog.resize(752, 564)  # what fits over a window of 800x600
        for step in reversed(Step):
            dialog.show_step(step)
            dialog._show_buttons()
            await settle()
            assert unnamed(dialog) == []
            assert without_role(dialog) == []
            assert (dialog.width(), dialog.height()) == (752, 564), step
            assert cut_off(dialog) == [], step
            assert dialog.title.text()
            start = QApplication.focusWidget()
            assert start is not None
            reached = {start}
            for _ in range(20):
                QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
                reached.add(QApplication.focusWidget())
            assert dialog.leave in reached, step
            page = dialog.steps.currentWidget()
            missing = [
                child
                for child in page.findChildren(type(dialog.leave))
                if child.isVisible() and child.isEnabled() and child not in reached
            ]
            assert missing == [], step
        dialog.name.uses.click()
        (uses,) = dialog.findChildren(QDialog)
        assert unnamed(uses) == []
        assert without_role(uses) == []
        uses.close()

    try:
        run(story())
    finally:
        qt.setFont(before)
