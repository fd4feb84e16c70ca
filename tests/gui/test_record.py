"""A recording in pieces: pause and go on, enough speech, a microphone that vanishes. The recorder is a small fake."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from pocketvoice.audio.recorder import MOST_SPEECH_S, Microphone, RecordedTake, RecorderState, Status
from pocketvoice.errors import AudioDeviceError, PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.new import recording
from pocketvoice.gui.voices.new.record_page import RecordPage
from pocketvoice.gui.voices.new.recording import MicrophoneRecording, RecordPhase
from tests.gui.conftest import Run, delete, settle, until
from tests.gui.roles import unnamed, without_role

RATE = 24_000
LOST = AudioDeviceError("The microphone was lost: connect it again.")


class FakeRecorder:
    """Does what the real one promises; a test says what comes in."""

    made: ClassVar[list["FakeRecorder"]] = []

    def __init__(self, microphone: Microphone | None, on_status: Callable[[Status], None]) -> None:
        self.microphone = microphone
        self.tell = on_status
        self.speech_s = 0.0
        self.state = RecorderState.IDLE
        FakeRecorder.made.append(self)

    def start(self) -> None:
        self.state = RecorderState.OPENING
        self.tell(Status(self.state))

    def hear(self, speech_s: float, hint: str = "") -> None:
        self.state, self.speech_s = RecorderState.RECORDING, speech_s
        self.tell(Status(self.state, speech_s + 1, speech_s, True, -25.0, -9.0, hint=hint))

    def end(self, state: RecorderState, error: AudioDeviceError | None = None) -> None:
        self.state = state
        self.tell(Status(state, self.speech_s + 1, self.speech_s, error=error))

    def stop(self) -> None:
        self.end(RecorderState.DONE)

    def abort(self) -> None:
        self.state = RecorderState.DONE

    def take(self, timeout_s: float = 5.0) -> RecordedTake:
        if not self.speech_s:
            raise AudioDeviceError("Nothing was recorded: check the microphone.")
        samples = np.full(int(self.speech_s * RATE), 0.5, np.float32)
        whole = self.state is RecorderState.DONE
        return RecordedTake(samples, RATE, 48_000, 1, "Fake microphone", self.speech_s, whole)


class Told:
    def __init__(self) -> None:
        self.board = Messages()
        self.tasks = Tasks(self.board.show_error)
        self.recording = MicrophoneRecording(self.tasks)
        self.errors: list[PocketVoiceError] = []
        self.full = 0
        self.recording.failed.connect(self.errors.append)
        self.recording.full.connect(self._on_full)

    def _on_full(self) -> None:
        self.full += 1

    async def listening(self, count: int = 1) -> FakeRecorder:
        await until(lambda: len(FakeRecorder.made) == count)
        await settle()
        return FakeRecorder.made[-1]

    async def until_phase(self, phase: RecordPhase) -> None:
        await until(lambda: self.recording.view.phase is phase)


@pytest.fixture
def told(run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    FakeRecorder.made.clear()
    monkeypatch.setattr(recording, "_recorder_class", lambda: FakeRecorder)
    made = Told()
    yield made
    run(made.tasks.close())
    assert made.board.message is None


def test_pieces_become_one_sound(told: Told, run: Run) -> None:
    async def story() -> None:
        recording = told.recording
        recording.start(None)
        assert recording.view.phase is RecordPhase.OPENING
        first = await told.listening()
        first.hear(8.0, "Speak a little louder.")
        await told.until_phase(RecordPhase.RECORDING)
        assert (recording.view.speech_s, recording.view.hint) == (8.0, "Speak a little louder.")
        recording.pause()
        await told.until_phase(RecordPhase.PAUSED)
        recording.start(None)
        second = await told.listening(2)
        second.hear(5.0)
        await until(lambda: recording.view.speech_s == 13.0)
        over: list[bool] = []
        recording.finish(lambda: over.append(True))
        await until(lambda: over)
        source = await recording.source()
        assert source.duration_s == pytest.approx(13.0)
        assert source.name == "Fake microphone"
        assert np.abs(source.samples[8 * RATE - 2 : 8 * RATE + 2]).max() < 0.02  # no click at the seam
        assert source.samples[4 * RATE] == 0.5  # raw elsewhere

    run(story())


def test_enough_is_enough_over_all_pieces(told: Told, run: Run) -> None:
    async def story() -> None:
        told.recording.start(None)
        (await told.listening()).hear(MOST_SPEECH_S - 5)
        await told.until_phase(RecordPhase.RECORDING)
        told.recording.pause()
        await told.until_phase(RecordPhase.PAUSED)
        told.recording.start(None)
        second = await told.listening(2)
        second.hear(5.5)
        await told.until_phase(RecordPhase.PAUSED)
        assert told.full == 1
        assert told.recording.view.speech_s == MOST_SPEECH_S + 0.5

    run(story())


def test_recorder_that_ends_itself_is_full(told: Told, run: Run) -> None:
    async def story() -> None:
        told.recording.start(None)
        recorder = await told.listening()
        recorder.hear(30.0)
        await told.until_phase(RecordPhase.RECORDING)
        recorder.end(RecorderState.DONE)  # three minutes with little speech
        await until(lambda: told.full == 1)
        assert told.recording.has_sound

    run(story())


def test_lost_microphone_keeps_what_it_heard(told: Told, run: Run) -> None:
    async def story() -> None:
        told.recording.start(None)
        recorder = await told.listening()
        recorder.hear(12.0)
        await told.until_phase(RecordPhase.RECORDING)
        recorder.end(RecorderState.LOST, LOST)
        await told.until_phase(RecordPhase.PAUSED)
        await until(lambda: told.errors == [LOST])
        assert told.recording.view.speech_s == 12.0
        assert "breaks off" in (await told.recording.source()).notes[0]
        assert told.full == 0

    run(story())


def test_microphone_that_can_not_be_opened_is_said(told: Told, run: Run) -> None:
    async def story() -> None:
        told.recording.start(None)
        (await told.listening()).end(RecorderState.FAILED, LOST)
        await told.until_phase(RecordPhase.EMPTY)
        await until(lambda: told.errors == [LOST])
        told.recording.start(None)  # and again
        (await told.listening(2)).hear(3.0)
        await told.until_phase(RecordPhase.RECORDING)

    run(story())


def test_begin_again_forgets(told: Told, run: Run) -> None:
    async def story() -> None:
        told.recording.start(None)
        recorder = await told.listening()
        recorder.hear(12.0)
        await told.until_phase(RecordPhase.RECORDING)
        told.recording.clear()
        recorder.hear(13.0)  # a word that was on its way
        await settle()
        assert told.recording.view.phase is RecordPhase.EMPTY
        assert told.recording.view.speech_s == 0.0
        assert not told.recording.has_sound

    run(story())


def test_ended_before_it_was_open(told: Told, run: Run) -> None:
    async def story() -> None:
        over: list[bool] = []
        told.recording.start(None)
        told.recording.finish(lambda: over.append(True))
        await until(lambda: over)
        assert not told.recording.has_sound

    run(story())


# ---------------------------------------------------------------- the page


@pytest.fixture
def page(told: Told, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordPage]:
    from pocketvoice.gui.voices.new import record_page

    desk = Microphone("Desk microphone", "ALSA", is_default=True)
    headset = Microphone("Headset", "ALSA")
    monkeypatch.setattr(record_page, "_microphones", lambda: [desk, headset])
    made = RecordPage(told.recording, told.tasks)
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
