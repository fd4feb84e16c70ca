"""The controllers: what the window would show for what the worker says."""

import asyncio

import pytest
from PySide6.QtCore import QObject

from pocketvoice.gui.controllers.messages import Importance, Remedy
from pocketvoice.gui.controllers.models import ModelPhase
from pocketvoice.gui.controllers.speech import Phase, SpeechView
from pocketvoice.gui.widgets import wording
from pocketvoice.worker.messages import (
    Buffering,
    DeviceChanged,
    DeviceName,
    ErrorInfo,
    Loading,
    Position,
    SeekTo,
    WorkerState,
)
from tests.gui.conftest import Run, ready, settle, until
from tests.gui.fake_client import OFFLINE, READY
from tests.gui.parts import Parts

TEXT = "First sentence. Second one here. And a third."
SPANS = [(0, 15), (16, 32), (33, 45)]


class Listener(QObject):
    """Collects where speeches ended."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.ends: list[int] = []
        parts.speech.ended.connect(self.ends.append)


def status(parts: Parts) -> str:
    return wording.status(parts.speech.view, parts.models.view)


def test_speaking_shows_sentence_and_time(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        assert parts.speech.view.phase is Phase.WAITING
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        await until(lambda: parts.speech.view.span == SPANS[0])
        parts.client.enter(1)
        parts.client.hear(20)
        await until(lambda: parts.speech.view.source == 20)
        view = parts.speech.view
        assert view.span == SPANS[1]
        assert wording.spoken_times(view) == "0:01 heard, 0:01 left"
        parts.client.finish()
        await until(lambda: not parts.speech.view.active)
        assert parts.speech.view.span is None
        assert parts.speech.view.real_time_factor == 5.0

    run(story())


def test_speech_waits_for_the_model_and_says_so(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.models.load(None)
        parts.speech.speak(TEXT)
        await settle()
        assert status(parts) == "Waiting for the voice model: speech begins as soon as it is loaded."
        parts.client.download(45_000_000)
        assert "45 of 219 MB, 2.3 MB/s" in status(parts)
        parts.client.be_ready()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        assert status(parts).startswith("Speaking")

    run(story())


def test_part_of_the_text_is_shown_in_its_place(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT[16:], offset=16)
        await until(lambda: parts.speech.view.span == SPANS[1])
        parts.speech.seek(40)
        await until(lambda: parts.speech.view.span == SPANS[2])
        assert ("seek", 24) in parts.client.requests
        parts.speech.seek(3)  # before the spoken part: its start
        await until(lambda: ("seek", 0) in parts.client.requests)

    run(story())


def test_stop_says_where(parts: Parts, run: Run) -> None:
    async def story() -> None:
        listener = Listener(parts)
        await ready(parts)
        parts.speech.speak(TEXT, start=20)
        await until(lambda: parts.speech.view.span == SPANS[1])
        parts.speech.stop()
        assert parts.speech.view.phase is Phase.STOPPING
        await until(lambda: listener.ends == [16])
        assert parts.speech.view.phase is Phase.QUIET

    run(story())


def test_stop_before_it_was_sent(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        parts.speech.stop()
        await until(lambda: not parts.speech.view.active)
        assert parts.client.speech is None

    run(story())


def test_abandoned_before_it_was_sent(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        parts.speech.abandon()
        assert not parts.speech.view.active
        await until(lambda: any(request[0] == "stop" for request in parts.client.requests))
        assert parts.client.speech is None
        assert not parts.speech.view.active

    run(story())


def test_new_speech_replaces_the_old_one(parts: Parts, run: Run) -> None:
    async def story() -> None:
        listener = Listener(parts)
        await ready(parts)
        parts.speech.speak("Old text. More of it.")
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.speech.speak(TEXT, start=35)
        await until(lambda: parts.speech.view.span == SPANS[2])
        await settle()
        assert parts.speech.view.phase is Phase.SPEAKING
        assert listener.ends == []  # the old one's end is nobody's business

    run(story())


def test_pause_and_go_on(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.speech.toggle_pause()
        assert parts.speech.view.paused
        assert status(parts) == "Paused. Space goes on, Esc stops."
        parts.speech.toggle_pause()
        await settle()
        assert not parts.speech.view.paused
        assert [request[0] for request in parts.client.requests][-2:] == ["pause", "resume"]

    run(story())


def test_speech_after_a_pause_is_heard(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.speech.toggle_pause()
        await settle()
        parts.speech.stop()
        await until(lambda: not parts.speech.view.active)
        assert not parts.speech.view.paused
        parts.speech.speak(TEXT)
        await until(lambda: parts.client.requests[-1][0] == "resume")
        assert not parts.speech.view.paused

    run(story())


def test_sentence_keys_seek(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.next()  # nothing is spoken
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.span == SPANS[0])
        parts.speech.next()
        await until(lambda: parts.speech.view.span == SPANS[1])
        parts.speech.previous()
        await until(lambda: parts.speech.view.span == SPANS[0])
        seeks = [request[1] for request in parts.client.requests if request[0] == "seek"]
        assert seeks == [SeekTo.NEXT, SeekTo.PREVIOUS]

    run(story())


def test_speed_steps_and_limits(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        for _ in range(30):
            parts.speech.set_speed(parts.speech.stepped_speed(+1))
        assert parts.speech.view.speed == 3.0
        parts.speech.set_speed(0.1)
        assert parts.speech.view.speed == 0.5
        parts.speech.set_volume(9)
        assert parts.speech.view.volume == 2.0
        await settle()
        sent = [request[1] for request in parts.client.requests if request[0] == "set_speed"]
        assert sent[-1] == 0.5
        assert len(sent) <= 3  # those in between are skipped

    run(story())


def test_failed_speech_is_told_and_its_place_kept(parts: Parts, run: Run) -> None:
    async def story() -> None:
        listener = Listener(parts)
        await ready(parts)
        parts.speech.speak(TEXT, start=20)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.client.fail_speech(ErrorInfo("GenerationError", "The model got stuck: speak again.", "why"))
        await until(lambda: listener.ends == [16])
        assert parts.board.message is not None
        assert parts.board.message.text == "The model got stuck: speak again."
        assert "why" in parts.board.message.detail
        assert parts.board.message.remedies == ()

    run(story())


def test_slow_model_is_told_while_it_lasts(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        assert parts.client.speech is not None
        parts.client.speech.put(Buffering(parts.client.speech.request_id, 3.0, "This computer is slow: 3 s."))
        await until(lambda: status(parts) == "This computer is slow: 3 s.")
        parts.client.speech.put(Buffering(parts.client.speech.request_id, 0.0, ""))
        await until(lambda: status(parts).startswith("Speaking"))

    run(story())


def test_model_that_cannot_be_had(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.client.fails["load_model"] = OFFLINE
        parts.models.load("english")
        await until(lambda: parts.models.view.phase is ModelPhase.MISSING)
        message = parts.board.message
        assert message is not None
        assert message.text == OFFLINE.message
        assert message.importance is Importance.PROBLEM
        assert message.remedies == (Remedy.TRY_AGAIN, Remedy.CHOOSE_MODEL)
        parts.models.recover()
        await until(lambda: parts.client.load is not None)
        parts.client.be_ready()
        assert parts.models.view.phase is ModelPhase.READY
        assert parts.board.message is None

    run(story())


def test_download_can_be_cancelled(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.models.load("english")
        await until(lambda: parts.client.load is not None)
        parts.client.download(1_000_000)
        parts.models.cancel()
        await until(lambda: parts.models.view.phase is ModelPhase.MISSING)
        assert parts.models.view.loading is None

    run(story())


def test_voice_download_leaves_the_model_ready(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.client.speech is not None)
        speech = parts.client.speech
        assert speech is not None
        speech.put(Loading(speech.request_id, "alba.safetensors", 1_000_000, 3_000_000, 1e6))
        assert parts.models.view.loading is not None
        assert parts.models.view.phase is ModelPhase.READY
        parts.client.finish()
        assert parts.models.view.loading is None

    run(story())


def test_crash_is_told_once(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.client.ready = None
        parts.client.change(WorkerState.CRASHED, "The speech engine broke down and was started again.")
        parts.client.change(WorkerState.STARTING)
        message = parts.board.message
        assert message is not None
        assert message.remedies == ()
        parts.client.change(WorkerState.LOADING)
        parts.client.tell(READY)
        assert parts.models.view.phase is ModelPhase.READY

    run(story())


def test_speech_waits_while_the_worker_is_replaced(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.span == SPANS[0])
        parts.client.ready = None
        parts.client.change(WorkerState.CRASHED, "The speech engine broke down and was started again.")
        parts.client.change(WorkerState.STARTING)
        assert parts.speech.view.phase is Phase.WAITING
        assert "as soon as it is loaded" in status(parts)
        assert parts.speech.view.span == SPANS[0]  # still marked
        parts.client.change(WorkerState.LOADING)
        parts.client.tell(READY)
        parts.client.begin()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)

    run(story())


def test_worker_that_gave_up_can_be_started(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.client.ready = None
        parts.client.change(WorkerState.CRASHED, "It broke down three times: restart it.")
        parts.client.fail_speech(ErrorInfo("WorkerCrashed", "It broke down three times: restart it."))
        await until(lambda: not parts.speech.view.active)
        assert parts.board.message is not None
        assert parts.board.message.remedies == (Remedy.RESTART,)
        parts.models.recover()
        await until(lambda: ("restart",) in parts.client.requests)

    run(story())


def test_lost_loudspeaker_is_told(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.client.tell(DeviceChanged("", None, "The headphones are gone: the default device plays."))
        assert parts.board.message is not None
        assert parts.board.message.importance is Importance.NOTE
        parts.models.set_device(DeviceName("HDMI", "ALSA"))
        await until(lambda: parts.models.view.device == DeviceName("HDMI", "ALSA"))

    run(story())


def test_unexpected_errors_of_tasks_are_shown(parts: Parts, run: Run) -> None:
    async def broken() -> None:
        raise KeyError("oops")

    async def story() -> None:
        parts.tasks.start(broken())
        await until(lambda: parts.board.message is not None)
        assert parts.board.message is not None
        assert "Something went wrong inside the program" in parts.board.message.text
        assert "oops" in parts.board.message.detail

    run(story())


def test_tasks_end_with_the_window(parts: Parts, run: Run) -> None:
    async def story() -> None:
        parts.tasks.start(asyncio.sleep(1000))
        await parts.tasks.close()
        parts.tasks.start(asyncio.sleep(1000))  # is not begun

    run(story())


@pytest.mark.parametrize(("seconds", "words"), [(0, "0:00"), (65.9, "1:05"), (3723, "1:02:03"), (-3, "0:00")])
def test_clock(seconds: float, words: str) -> None:
    assert wording.clock(seconds) == words


def test_position_is_no_news_for_an_old_speech(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.speech.abandon()
        parts.speech._on_speech_event(1, Position("", (0, 15), 3, 1, 2, 1, 0))
        assert parts.speech.view.source != 3 or parts.speech.view == SpeechView()

    run(story())
