"""Two threads and a consumer: sound leaves early, the maker runs ahead so far and no further, every end leaves a clean model.

Waits are on events, with a timeout that only a failure reaches.
"""

import gc
import threading
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

from pocketvoice.engine.events import SegmentEvent
from pocketvoice.engine.pipeline import RunAhead
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.errors import GenerationError
from tests.model_factory import AT_ONCE, SENTENCE, TWO_SENTENCES

pytestmark = pytest.mark.expects_log("No end of speech")

LONG = 60.0  # seconds; only a failure waits so long
FRAME_S = 0.08
FRAME = 1920


def engine_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name in ("flow_lm", "mimi")]


@pytest.fixture(autouse=True)
def _no_threads_are_left() -> Iterator[None]:
    yield
    assert engine_threads() == []


class Watched:
    """Calls `before(n)` in front of the n-th step, counted from 1, on FlowLM's thread."""

    def __init__(self, model: TTSModel, before: Callable[[int], None] = lambda n: None) -> None:
        self.count = 0
        self.changed = threading.Condition()
        self._step, self._before = model._speaker.step.step, before
        model._speaker.step.step = self  # type: ignore[method-assign]

    def __call__(self, latent: Tensor | None, noise: Tensor) -> tuple[Tensor, float]:
        self._before(self.count + 1)
        result = self._step(latent, noise)
        with self.changed:
            self.count += 1
            self.changed.notify_all()
        return result

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.count >= count, LONG), f"{self.count} steps"


def test_sound_arrives_while_more_is_made(model: TTSModel, voice) -> None:
    arrived = threading.Event()

    def wait_for_sound(n: int) -> None:
        assert n < 3 or arrived.wait(LONG), "the first chunk did not leave before the third step"

    Watched(model, wait_for_sound)
    stream = model.generate_audio_stream(voice, SENTENCE, no_eos="keep")
    assert len(next(stream)) == FRAME
    arrived.set()
    assert sum(map(len, stream)) > 20 * FRAME


def test_nothing_is_made_before_the_first_is_asked_for(model: TTSModel, voice) -> None:
    steps = Watched(model)
    stream = model.generate_audio_stream(voice, SENTENCE)
    stream.close()
    assert steps.count == 0
    assert model.generate_audio(voice, SENTENCE, no_eos="keep").numel() > 0


@pytest.mark.parametrize("ahead_s", [0.4, 0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("largest", [1, 4])
def test_maker_runs_ahead_so_far_and_no_further(model: TTSModel, voice, ahead_s: float, largest: int) -> None:
    model.max_decoder_frames_per_call = largest
    too_far = threading.Event()
    asked_s = 0.0

    def check(n: int) -> None:
        if n * FRAME_S > asked_s + ahead_s + 1e-6:
            too_far.set()

    steps = Watched(model, check)
    stream = model.generate_audio_stream(voice, TWO_SENTENCES, no_eos="keep", ahead_s=ahead_s)
    for _ in range(8):
        asked_s += largest * FRAME_S  # the first batches are smaller: this is never too strict
        taken = len(next(stream))
        asked_s += taken / FRAME * FRAME_S - largest * FRAME_S
    steps.wait_for(int((asked_s + 0.6 * ahead_s) / FRAME_S))
    assert not too_far.wait(0.5), "an unlimited maker would be far ahead after half a second"
    stream.close()


def test_maker_is_at_least_four_frames_ahead(model: TTSModel, voice) -> None:
    steps = Watched(model)
    stream = model.generate_audio_stream(voice, SENTENCE, no_eos="keep", ahead_s=0.0)
    next(stream)
    steps.wait_for(1 + 4)
    stream.close()


def test_how_far_ahead_makes_no_difference_to_the_sound(model: TTSModel, voice) -> None:
    def speak(ahead_s: float) -> Tensor:
        return torch.cat(
            list(model.generate_audio_stream(voice, SENTENCE, seed=1, no_eos="keep", ahead_s=ahead_s))
        )

    assert torch.equal(speak(30.0), speak(1.0))
    # below that batches are smaller, and rounding depends on them
    assert torch.allclose(speak(30.0), speak(0.4), atol=1e-4)


def test_next_segments_do_not_wait_for_the_consumer(load, voice) -> None:
    model = load(eos_threshold=AT_ONCE)
    texts: list[int] = []
    third = threading.Event()
    append_text = model._speaker.step.append_text

    def counting(tokens) -> None:
        texts.append(len(tokens))
        if len(texts) == 3:
            third.set()
        append_text(tokens)

    model._speaker.step.append_text = counting  # type: ignore[method-assign]
    stream = model.generate_audio_stream(voice, f"{SENTENCE} {SENTENCE} {SENTENCE}", max_tokens=25)
    next(stream)
    assert third.wait(LONG)
    assert sum(map(len, stream)) > 0


def test_stop_ends_within_one_step(model: TTSModel, voice) -> None:
    expected = model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    stop = threading.Event()
    steps = Watched(model, lambda n: stop.set() if n == 15 else None)
    chunks = list(model.generate_audio_stream(voice, TWO_SENTENCES, stop=stop))
    assert steps.count == 15
    assert engine_threads() == []
    assert sum(map(len, chunks)) <= 15 * FRAME
    model._speaker.step.step = steps._step  # type: ignore[method-assign]
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep"), expected)


def test_stop_frees_a_maker_that_waits_for_its_consumer(model: TTSModel, voice) -> None:
    stop = threading.Event()
    steps = Watched(model)
    stream = model.generate_audio_stream(voice, TWO_SENTENCES, stop=stop, ahead_s=1.0)
    next(stream)
    steps.wait_for(9)
    stop.set()
    assert len(list(stream)) <= 1
    assert engine_threads() == []


def test_stop_set_beforehand_says_next_to_nothing(model: TTSModel, voice) -> None:
    stop = threading.Event()
    stop.set()
    steps = Watched(model)
    assert len(list(model.generate_audio_stream(voice, TWO_SENTENCES, stop=stop))) <= 1
    assert steps.count <= 1


def test_stop_is_seen_while_takes_are_compared(load, voice) -> None:
    model = load()
    stop = threading.Event()
    steps = Watched(model, lambda n: stop.set() if n == 9 else None)
    assert list(model.generate_audio_stream(voice, "Yes.", stop=stop)) == []
    assert steps.count == 9


def test_closing_joins_both_threads(model: TTSModel, voice) -> None:
    expected = model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    stream = model.generate_audio_stream(voice, TWO_SENTENCES)
    next(stream)
    assert len(engine_threads()) == 2
    stream.close()
    assert engine_threads() == []
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep"), expected)


def test_closing_a_stream_that_waits_joins_both_threads(model: TTSModel, voice) -> None:
    steps = Watched(model)
    stream = model.generate_audio_stream(voice, TWO_SENTENCES, ahead_s=1.0)
    next(stream)
    steps.wait_for(9)
    stream.close()
    assert engine_threads() == []


def test_dropping_the_stream_is_closing_it(model: TTSModel, voice) -> None:
    next(model.generate_audio_stream(voice, TWO_SENTENCES))
    gc.collect()
    assert engine_threads() == []
    assert model.generate_audio(voice, SENTENCE, no_eos="keep").numel() > 0


@pytest.mark.parametrize("when", [1, 5, 40])
def test_failure_of_the_language_model_reaches_the_consumer(model: TTSModel, voice, when: int) -> None:
    expected = model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep")

    def fail(n: int) -> None:
        if n == when:
            raise RuntimeError("broken weights")

    steps = Watched(model, fail)
    with pytest.raises(GenerationError, match="failed while speaking"):
        model.generate_audio(voice, TWO_SENTENCES)
    assert engine_threads() == []
    model._speaker.step.step = steps._step  # type: ignore[method-assign]
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep"), expected)


def test_failure_of_the_decoder_reaches_the_consumer(model: TTSModel, voice) -> None:
    expected = model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    decode, calls = model._speaker.decoder.decode, []

    def failing(latents: Tensor) -> Tensor:
        calls.append(latents.shape)
        if len(calls) == 3:
            raise RuntimeError("broken codec")
        return decode(latents)

    model._speaker.decoder.decode = failing  # type: ignore[method-assign]
    with pytest.raises(GenerationError, match="failed while speaking"):
        model.generate_audio(voice, TWO_SENTENCES)
    assert engine_threads() == []
    model._speaker.decoder.decode = decode  # type: ignore[method-assign]
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep"), expected)


def test_failure_is_raised_while_the_consumer_is_slow(model: TTSModel, voice) -> None:
    failed = threading.Event()

    def fail(n: int) -> None:
        if n == 12:
            failed.set()
            raise RuntimeError("broken weights")

    Watched(model, fail)
    stream = model.generate_audio_stream(voice, TWO_SENTENCES)
    next(stream)
    assert failed.wait(LONG)
    with pytest.raises(GenerationError, match="failed while speaking"):
        list(stream)


def test_a_callback_that_fails_ends_the_stream(model: TTSModel, voice) -> None:
    def on_segment(event: SegmentEvent) -> None:
        raise LookupError("no such window")

    stream = model.generate_audio_stream(voice, TWO_SENTENCES, on_segment=on_segment, ahead_s=1.0)
    with pytest.raises(LookupError) as caught:
        next(stream)
    assert caught.value.__traceback__ is not None, "it keeps the stream's frames alive"
    assert engine_threads() == []
    assert model.generate_audio(voice, SENTENCE, no_eos="keep").numel() > 0


def test_two_models_speak_at_once(load, voice) -> None:
    one, two = load(), load()
    expected = one.generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    streams = [model.generate_audio_stream(voice, SENTENCE, seed=1, no_eos="keep") for model in (one, two)]
    pairs = list(zip(*streams, strict=True))
    for stream in streams:
        stream.close()
    assert torch.equal(torch.cat([pair[0] for pair in pairs]), expected)
    assert torch.equal(torch.cat([pair[1] for pair in pairs]), expected)


def test_a_stopped_extension_leaves_a_usable_state(model: TTSModel, voice) -> None:
    stream = model.generate_audio_stream(voice, SENTENCE, copy_state=False)
    next(stream)
    stream.close()
    offset = int(next(iter(voice.values()))["offset"])
    assert offset > 20
    assert model.generate_audio(voice, SENTENCE, no_eos="keep").isfinite().all()


def test_room_is_given_back_as_sound_is_taken() -> None:
    ahead = RunAhead(1.0, cancelled=lambda: False)
    ahead.wait_for_room(0.6)
    second = threading.Thread(target=ahead.wait_for_room, args=(0.6,))
    second.start()
    ahead.taken(0.6)
    second.join(LONG)
    assert not second.is_alive()


def test_a_piece_larger_than_the_room_fits_into_nothing() -> None:
    ahead = RunAhead(0.1, cancelled=lambda: False)
    ahead.wait_for_room(5.0)


def test_cancelling_frees_who_waits_for_room() -> None:
    cancelled = threading.Event()
    ahead = RunAhead(1.0, cancelled.is_set)
    ahead.wait_for_room(0.9)
    waiting = threading.Thread(target=ahead.wait_for_room, args=(0.9,))
    waiting.start()
    cancelled.set()
    waiting.join(LONG)
    assert not waiting.is_alive()
