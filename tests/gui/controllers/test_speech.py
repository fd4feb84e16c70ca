"""The speech: what the window would show for what the worker says."""

import pytest
from PySide6.QtCore import QObject

from pocketvoice.gui.controllers.speech import Phase, SpeechView
from pocketvoice.gui.widgets import wording
from pocketvoice.worker.messages import (
    Buffering,
    ErrorInfo,
    Position,
    SeekTo,
    WorkerState,
)
from tests.gui.conftest import Run, ready, settle, until
from tests.gui.fake_client import READY
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


@pytest.mark.expects_log("GenerationError")
def test_failed_speech_is_told_and_its_place_kept(parts: Parts, run: Run) -> None:
    async def story() -> None:
        listener = Listener(parts)
        await ready(parts)
        parts.speech.speak(TEXT, start=20)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.client.fail_speech(ErrorInfo("GenerationError", "The model got stuck: speak again.", "why"))
        await until(lambda: listener.ends == [16])
        assert parts.messages.message is not None
        assert parts.messages.message.text == "The model got stuck: speak again."
        assert "why" in parts.messages.message.detail
        assert parts.messages.message.remedies == ()

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


@pytest.mark.expects_log("broke down")
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


def test_position_is_no_news_for_an_old_speech(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        old = parts.client.speech
        assert old is not None
        parts.client.frozen = True  # it does not stop when it is told to
        parts.speech.abandon()
        old.put(Position(old.request_id, (0, 15), 3, 1, 2, 1, 0))
        await settle()
        assert parts.speech.view.source != 3 or parts.speech.view == SpeechView()

    run(story())
