"""A recording in pieces: pause and go on, enough speech, a microphone that vanishes. The recorder is a small fake."""

import numpy as np
import pytest

from pocketvoice.audio.recorder import MOST_SPEECH_S, RecorderState
from pocketvoice.errors import AudioDeviceError
from pocketvoice.gui.voices.new.recording import RecordPhase
from tests.gui.conftest import Run, settle, until
from tests.gui.voices.new.fake_recorder import RATE
from tests.gui.voices.new.told import Told

LOST = AudioDeviceError("The microphone was lost: connect it again.")


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
