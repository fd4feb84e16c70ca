"""Sound for the client's own use: the samples of `generate`, in turns, no further ahead than the client can take."""

import asyncio
import os
import signal

import numpy as np
import pytest

from pocketvoice import paths
from pocketvoice.audio.chunk import Samples
from pocketvoice.text.normalise import PronunciationRule, PronunciationRules
from pocketvoice.worker.messages import (
    Failed,
    Finished,
    OutputKind,
    SamplingOptions,
    Stopped,
    Synthesize,
    Synthesized,
    WorkerOptions,
    WorkerState,
)
from pocketvoice.worker.parent.client import RequestHandle
from tests.worker.conftest import LiveWorker, failed, finished

SEED = 7


async def heard(
    worker: LiveWorker, handle: RequestHandle, *, take: bool = True
) -> tuple[Samples, list[Synthesized]]:
    """All of a synthesis, taken as it comes."""
    pieces: list[Synthesized] = []
    async for event in handle:
        if isinstance(event, Synthesized):
            assert event.position == sum(len(one.chunk.samples) for one in pieces), "a hole or a repetition"
            pieces.append(event)
            if take:
                worker.client.took(handle, event.position + len(event.chunk.samples))
    return np.concatenate([one.chunk.samples for one in pieces]), pieces


async def synthesized(worker: LiveWorker, text: str, **options: object) -> Samples:
    handle = await worker.client.send(Synthesize(text, **options))  # type: ignore[arg-type]
    samples, _ = await heard(worker, handle)
    await finished(handle)
    return samples


@pytest.fixture(scope="module")
def generated(model_files: dict[str, str]) -> Samples:
    """What `generate` makes of the four sentences."""
    from pocketvoice.engine.tts_model import TTSModel
    from tests.worker.conftest import SENTENCES

    model = TTSModel.load_model(config=model_files["config"])
    voice = model.get_state_for_audio_prompt(model_files["voice"])
    sound = model.generate_audio(voice, "".join(SENTENCES), seed=SEED, no_eos="keep")
    return np.asarray(sound.numpy())


def test_samples_are_those_of_generate(worker: LiveWorker, text: str, generated: Samples) -> None:
    made = worker.run(synthesized(worker, text, seed=SEED))
    np.testing.assert_allclose(made, generated, atol=1e-5)


def test_first_piece_is_one_frame(worker: LiveWorker, text: str) -> None:
    async def first() -> int:
        handle = await worker.client.send(Synthesize(text))
        _, pieces = await heard(worker, handle)
        return len(pieces[0].chunk.samples)

    assert worker.run(first()) == 1920


def test_turns_do_not_change_the_sound(worker: LiveWorker, text: str, generated: Samples) -> None:
    """Four at once, with different seeds in between, take turns by the segment."""

    async def all_of_them() -> list[Samples]:
        return await asyncio.gather(*(synthesized(worker, text, seed=seed) for seed in (SEED, 1, SEED, 2)))

    one, other, same, another = worker.run(all_of_them())
    np.testing.assert_allclose(one, generated, atol=1e-4)
    np.testing.assert_allclose(same, generated, atol=1e-4)
    assert not np.allclose(other[: len(another)], another[: len(other)], atol=1e-3)


def test_newcomer_is_heard_before_a_book_ends(worker: LiveWorker, long_text: str) -> None:
    async def scene() -> None:
        book = await worker.client.send(Synthesize(long_text * 3, window_s=1000))
        await worker.until_event(Synthesized, book)
        short = await worker.client.send(
            Synthesize("Nobody had told them that the ferry would leave so early.")
        )
        assert isinstance(await short.result(), Finished)
        assert not book.done
        await book.stop()

    worker.run(scene())


def test_newcomers_do_not_starve_a_text_that_was_begun(worker: LiveWorker, text: str) -> None:
    async def scene() -> int:
        long = asyncio.ensure_future(synthesized(worker, text * 2))
        short = 0

        async def keep_asking() -> None:
            nonlocal short
            while not long.done():
                await synthesized(worker, "Nobody had told them that the ferry would leave so early.")
                short += 1

        await asyncio.gather(long, *(keep_asking() for _ in range(4)))
        return short

    assert worker.run(scene()) > 8  # it ended, and four who never cease were served meanwhile


def test_speech_goes_first_and_the_sound_stays_whole(
    worker: LiveWorker, text: str, generated: Samples
) -> None:
    async def scene() -> Samples:
        handle = await worker.client.send(Synthesize(text, seed=SEED))
        collecting = asyncio.ensure_future(heard(worker, handle))
        await worker.until_event(Synthesized, handle)
        speech = await worker.client.speak("The captain looked at his watch and at the sky.")
        samples, _ = await collecting
        await finished(handle)
        await speech.stop()
        return samples

    np.testing.assert_allclose(worker.run(scene()), generated, atol=1e-4)


def test_nothing_is_made_beyond_the_window(worker: LiveWorker, long_text: str) -> None:
    async def scene() -> None:
        handle = await worker.client.send(Synthesize(long_text, window_s=1.0))
        made = lambda: sum(len(one.chunk.samples) for one in worker.of(Synthesized, handle.request_id))  # noqa: E731
        await worker.until(lambda: made() >= 24_000)
        await asyncio.sleep(0.3)
        held = made()
        assert held < 24_000 * 3  # a second, and the segment that was begun
        quick = await worker.client.send(
            Synthesize("Nobody had told them that the ferry would leave so early.")
        )
        assert isinstance(await quick.result(), Finished)  # who does not take does not hold up others
        assert made() == held
        worker.client.took(handle, held)
        await worker.until(lambda: made() > held)
        await handle.stop()

    worker.run(scene())


def test_stop_ends_it_within_a_step(worker: LiveWorker, long_text: str) -> None:
    async def scene() -> int:
        handle = await worker.client.send(Synthesize(long_text * 3, window_s=1000))
        await worker.until_event(Synthesized, handle)
        assert isinstance(await handle.stop(), Stopped)
        other = await worker.client.send(Synthesize("The children walked to the harbour."))
        await finished(other)
        return len(worker.of(Synthesized, handle.request_id))

    assert worker.run(scene()) < 60


@pytest.mark.parametrize("speed", [0.25, 0.5, 2.0, 4.0])
def test_speed_keeps_the_length(worker: LiveWorker, text: str, generated: Samples, speed: float) -> None:
    made = worker.run(synthesized(worker, text, seed=SEED, speed=speed))
    assert len(made) == pytest.approx(len(generated) / speed, rel=0.03)


def test_sampling_is_the_request_s_own(worker: LiveWorker, text: str, generated: Samples) -> None:
    cold = worker.run(synthesized(worker, text, seed=SEED, sampling=SamplingOptions(temp=0.0)))
    assert len(cold) != len(generated) or not np.allclose(cold, generated, atol=1e-4)
    np.testing.assert_allclose(worker.run(synthesized(worker, text, seed=SEED)), generated, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "options", "kind"),
    [
        ("...", {}, "EmptyTextError"),
        ("Hello there.", {"voice": "nobody-there"}, "UnknownNameError"),
        ("Hello there.", {"speed": 5.0}, "InputError"),
        ("Hello there.", {"sampling": SamplingOptions(temp=-1.0)}, "InputError"),
    ],
)
def test_mistakes_fail_with_a_sentence(
    worker: LiveWorker, text: str, options: dict[str, object], kind: str
) -> None:
    async def scene() -> Failed:
        return await failed(await worker.client.send(Synthesize(text, **options)))  # type: ignore[arg-type]

    assert worker.run(scene()).error.kind == kind
    assert len(worker.run(synthesized(worker, "The children walked to the harbour."))) > 0


@pytest.mark.expects_log("the worker ended with status")
def test_a_crash_is_not_heard(worker: LiveWorker, long_text: str) -> None:
    """The worker is killed in the middle: the sound goes on where it was, also if no seed was asked for."""

    async def scene() -> tuple[Samples, Samples]:
        handle = await worker.client.send(Synthesize(long_text))
        collecting = asyncio.ensure_future(heard(worker, handle))
        await worker.until_event(Synthesized, handle, count=4)
        assert worker.client.pid is not None
        os.kill(worker.client.pid, signal.SIGKILL)
        samples, pieces = await collecting
        await finished(handle)
        return await synthesized(worker, long_text, seed=pieces[0].seed), samples

    whole, samples = worker.run(scene())
    np.testing.assert_allclose(samples, whole, atol=1e-4)
    assert any(change.new is WorkerState.CRASHED for change in worker.changes())


def test_another_model_ends_what_was_begun(
    worker: LiveWorker, long_text: str, model_files: dict[str, str]
) -> None:
    async def scene() -> None:
        handle = await worker.client.send(Synthesize(long_text * 3))
        await worker.until_event(Synthesized, handle)
        load = await worker.client.load_model(**model_files)
        await finished(load)
        assert (await failed(handle)).error.kind == "InputError"

    worker.run(scene())
    assert worker.client.ready is not None


def test_it_waits_for_the_model(model_files: dict[str, str]) -> None:
    worker = LiveWorker(WorkerOptions(output=OutputKind.NULL))

    async def scene() -> None:
        handle = await worker.client.send(Synthesize("The children walked to the harbour."))
        await worker.client.load_model(**model_files)
        await finished(handle)
        assert worker.of(Synthesized, handle.request_id)

    try:
        worker.run(scene())
    finally:
        worker.close()


NUMBERS, IN_WORDS = "It was $5.", "It was five dollars."


def test_numbers_are_spoken_in_words_unless_told_otherwise(worker: LiveWorker) -> None:
    said = worker.run(synthesized(worker, NUMBERS, seed=SEED, text_language="en"))
    np.testing.assert_array_equal(said, worker.run(synthesized(worker, IN_WORDS, seed=SEED)))
    raw = worker.run(synthesized(worker, NUMBERS, seed=SEED, normalise=False))
    german = worker.run(synthesized(worker, NUMBERS, seed=SEED, text_language="de"))
    assert len({one.tobytes() for one in (said, raw, german)}) == 3


def test_emoji_are_named_if_that_is_wanted(worker: LiveWorker) -> None:
    said = worker.run(synthesized(worker, "So 👍 it.", seed=SEED, text_language="en", names_emoji=True))
    np.testing.assert_array_equal(said, worker.run(synthesized(worker, "So thumbs up it.", seed=SEED)))


def test_a_pronunciation_is_heard_at_once(worker: LiveWorker) -> None:
    """Written while the worker runs, as the window does; the model's language need not be known."""
    before = worker.run(synthesized(worker, "Nguyen came.", seed=SEED))
    path = paths.pronunciations_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    rules = (PronunciationRule("Nguyen", "win"), PronunciationRule("came", "went", voice="somebody else"))
    PronunciationRules(rules).save(path)
    try:
        after = worker.run(synthesized(worker, "Nguyen came.", seed=SEED))
    finally:
        path.unlink()
    np.testing.assert_array_equal(after, worker.run(synthesized(worker, "Win came.", seed=SEED)))
    np.testing.assert_array_equal(before, worker.run(synthesized(worker, "Nguyen came.", seed=SEED)))
    assert len(before) != len(after) or (before != after).any()
