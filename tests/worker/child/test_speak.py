"""A text is planned once, and the engine speaks what was planned: with seeds, seeks and takes that fail. In this process."""

import queue
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from pocketvoice.audio.chunk import Samples
from pocketvoice.playback.null_output import NullOutput
from pocketvoice.playback.speech_player import SpeechPlayer
from pocketvoice.text.segment import Segment
from pocketvoice.worker.child.jobs.speak import SpeakOn
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.speech_planner import SpeechPlanner
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.child.speech_session import SpeechSession
from pocketvoice.worker.messages import Event, LoadModel, Speak
from tests.model_factory import SENTENCE, TWO_SENTENCES, ModelFactory

RATE = 24_000
SEED = 7
SHORT = "Yes. The children walked. No. We left early. The boats were lying in the sun. Quite far. "


class Scene:
    """A session whose ear stays where it is, and an engine that does its jobs when it is told to."""

    def __init__(self, host: ModelHost) -> None:
        self.host = host
        self.splits: list[str] = []  # texts that were split
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.player = SpeechPlayer(lambda _: NullOutput(), RATE, lambda _: None)
        self.session = SpeechSession(self.player, self.events.put, self._split, sample_rate=RATE, store_s=900)

    def _split(self, text: str, max_tokens: int | None) -> Iterator[Segment]:
        self.splits.append(text)
        return self.host.segments(text, max_tokens)

    def speak(self, text: str, start: int = 0) -> QueuedSpeech:
        speech = self.session.speak(Speak(text, start=start, seed=SEED, paused=True, request_id="1"))
        self.session.prepare(speech)
        return speech

    def job(self, speech: QueuedSpeech) -> SpeakOn | None:
        assert speech.store is not None
        segments = self.session.to_make(speech, speech.store)
        return SpeakOn(speech, speech.store, segments) if segments else None

    def make_all(self, speech: QueuedSpeech) -> None:
        """From where the ear is to the end."""
        while (job := self.job(speech)) is not None:
            job.run(self.host)


@pytest.fixture(params=["at_once", "never"])
def host(request: pytest.FixtureRequest, models: ModelFactory, model_files: dict[str, str]) -> ModelHost:
    """With a model that ends each segment at once, and with one whose takes all fail, so that segments are spoken in parts."""
    host = ModelHost(1)
    config = str(models.tiny(request.param).config)
    host.load(LoadModel(config=config, voice=model_files["voice"]), lambda _: None, threading.Event())
    return host


@pytest.fixture
def scene(host: ModelHost) -> Iterator[Scene]:
    scene = Scene(host)
    yield scene
    scene.player.close()


def sound(speech: QueuedSpeech) -> Samples:
    """All that was made, from the start of the text on; it must have no hole."""
    store = speech.store
    assert store is not None
    cursor, parts = store.at(0), []
    while (got := store.read(cursor, RATE)) is not None:
        samples, cursor = got
        assert len(samples), f"nothing was made of {cursor.segment}"
        parts.append(samples)
    return np.concatenate(parts)


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def generated(host: ModelHost, text: str) -> Samples:
    whole = host.model.generate_audio(host.voice(None), text, None, seed=SEED)
    return np.asarray(whole.numpy())


def test_a_plan_that_was_not_kept_is_made_again(scene: Scene) -> None:
    """Of a long text only what was planned last is kept."""
    speech = scene.speak(TWO_SENTENCES)
    speech.planned.clear()
    scene.make_all(speech)
    np.testing.assert_array_equal(sound(speech), generated(scene.host, TWO_SENTENCES))
    assert scene.splits == [TWO_SENTENCES] * 2


def test_only_so_much_is_kept_planned(host: ModelHost) -> None:
    text = "".join(f"This is the sentence number {number} of a text going onwards. " for number in range(60))
    planner = SpeechPlanner(host.segments, sample_rate=RATE, store_s=900, most_planned=3)
    speech = QueuedSpeech(Speak(text))
    store = planner.store(speech)
    for block in speech.blocks:
        planner.place(speech, store, block.start)
        spans = [span for span in speech.planned if span[0] >= block.start]
        assert len(speech.planned) <= 3 + len(spans)
    assert len(store.spans) > len(speech.planned)


@pytest.mark.parametrize("text", [SENTENCE, TWO_SENTENCES, SHORT])
def test_a_speech_is_the_sound_of_generate_and_its_text_is_split_once(scene: Scene, text: str) -> None:
    speech = scene.speak(text)
    scene.make_all(speech)
    np.testing.assert_array_equal(sound(speech), generated(scene.host, text))
    assert scene.splits == [text]


def test_what_was_broken_off_goes_on_with_the_same_segments(scene: Scene) -> None:
    """By a speech that is more urgent, for instance: the segment that was begun is made again."""
    speech = scene.speak(TWO_SENTENCES)
    planned = dict(speech.planned)
    job = scene.job(speech)
    assert job is not None
    store = speech.store
    assert store is not None
    begin = store.begin

    def begin_and_stop(*given: object) -> object:
        if given[0] == list(planned)[1]:
            job.stop.set()
        return begin(*given)  # type: ignore[arg-type]

    store.begin = begin_and_stop  # type: ignore[method-assign, assignment]
    job.run(scene.host)
    store.begin = begin  # type: ignore[method-assign]
    assert store.missing_from(store.at(0).segment) is not None
    scene.make_all(speech)
    assert len(sound(speech)) == pytest.approx(len(generated(scene.host, TWO_SENTENCES)), rel=0.35)
    assert store.is_complete_from(store.at(0))


def test_a_seek_into_a_segment_that_is_not_made_begins_there(scene: Scene) -> None:
    """What stands behind it is planned together: no sentence of a word or two is left alone, and none is left out or said twice."""
    start = SHORT.index("No.")
    speech = scene.speak(SHORT, start=start)
    store = speech.store
    assert store is not None
    assert scene.splits == [SHORT, SHORT[start:]]
    scene.make_all(speech)
    here = store.segment_at(start)
    assert here.span[0] == start
    assert here.length
    assert not any(one.is_short for one in speech.planned.values() if one.span[0] >= start)
    scene.session.seek(0)
    scene.make_all(speech)
    assert scene.splits[2:] == [SHORT[:start]]  # as far as nothing was made
    assert len(sound(speech)) > 0
    spoken = "".join(SHORT[slice(*span)] for span in store.spans)
    assert letters(spoken) == letters(SHORT)
    assert [SHORT[slice(*one)] for one in store.sentences] == [
        one.strip() + "." for one in SHORT.split(".")[:-1]
    ]


def test_a_seek_ends_what_is_made_elsewhere_in_the_segment(scene: Scene) -> None:
    """The engine is at the first of its sentences: it leaves it, and nothing of it lands in the wrong place."""
    speech = scene.speak(SHORT)
    job, store = scene.job(speech), speech.store
    assert job is not None
    assert store is not None
    place = SHORT.index("We left")
    scene.session.seek(place)  # before the engine has begun
    job.run(scene.host)
    assert store.writing() is None
    assert store.missing_from(store.at(place).segment) is store.at(place).segment
    scene.make_all(speech)
    assert store.is_complete_from(store.at(place))
    assert store.at(place).segment.span[0] == place
