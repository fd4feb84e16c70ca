"""The built-in voice in a real worker: sentences that the model speaks in one go are told, sought and resumed one by one."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.worker.messages import OutputKind, Position, SeekTo, SentenceStarted, Started
from tests.worker.conftest import LiveWorker, finished, live_worker

RATE = 24_000
SENTENCES = (
    "Nobody had told them about the ferry. ",
    "It was cold, and the shops were closed. ",
    "We left early. ",
)
TEXT = "".join(SENTENCES)
FIRST, SECOND, THIRD = (sum(map(len, SENTENCES[:i])) for i in range(3))


@pytest.fixture(scope="module")
def speaking_worker() -> Iterator[LiveWorker]:
    with live_worker({"language": "builtin_en"}) as worker:
        yield worker


@pytest.fixture
def worker(speaking_worker: LiveWorker) -> Iterator[LiveWorker]:
    speaking_worker.events.clear()
    yield speaking_worker
    speaking_worker.run(_stop(speaking_worker))


async def _stop(worker: LiveWorker) -> None:
    await (await worker.client.stop()).result()


def pauses_s(sound: np.ndarray, count: int) -> list[float]:
    """Where the longest silences end, in seconds: found without any knowledge of the text."""
    loud = np.flatnonzero(np.abs(sound) > 0.02)
    gaps = np.diff(loud)
    longest = np.sort(np.argsort(gaps)[-count:])
    return [float(loud[at + 1]) / RATE for at in longest]


async def heard_at(worker: LiveWorker, start: int) -> float:
    """The time in the speech at which a sentence was first told to be heard."""
    await worker.until(lambda: any(one.span[0] == start for one in worker.of(Position)))
    return next(one.heard_s for one in worker.of(Position) if one.span[0] == start)


def test_sentences_of_a_segment_follow_the_ear(worker: LiveWorker, out: Path) -> None:
    async def story() -> list[float]:
        await finished(await worker.client.export(TEXT, str(out), seed=4))
        handle = await worker.client.speak(TEXT, seed=4)
        await finished(handle)
        return [await heard_at(worker, start) for start in (SECOND, THIRD)]

    told = worker.run(story())
    begins = pauses_s(soundfile.read(out, dtype="float32")[0], 2)
    print(f"\nsentences begin at {begins}, told at {told}")
    assert [one.span[0] for one in worker.of(SentenceStarted)] == [FIRST, SECOND, THIRD]
    assert [TEXT[slice(*one.span)] for one in worker.of(SentenceStarted)] == [
        one.strip() for one in SENTENCES
    ]
    # The sentence counts from 60 ms before its first sound; it is told at the next twentieth of a second.
    assert all(-0.15 < at - begin < 0.15 + 0.1 for at, begin in zip(told, begins, strict=True))


def test_seeks_within_a_segment(worker: LiveWorker, out: Path) -> None:
    """Made already: what is heard next is the beginning of the sentence, to 150 ms."""

    async def story() -> list[float]:
        await finished(await worker.client.export(TEXT, str(out), seed=4))
        handle = await worker.client.speak(TEXT, seed=4)
        await worker.until(
            lambda: any(one.heard_s + one.made_s > one.total_s - 0.01 for one in worker.of(Position))
        )
        found = []
        for to in (SeekTo.NEXT, THIRD + 3, SeekTo.PREVIOUS):
            worker.events.clear()
            await finished(await worker.client.seek(to))
            await worker.until_event(Position, handle)
            found.append(worker.of(Position)[0].heard_s)
            await worker.until_event(SentenceStarted, handle)
        assert worker.of(SentenceStarted)[0].span[0] == SECOND
        return found

    second, third, second_again = worker.run(story())
    begins = pauses_s(soundfile.read(out, dtype="float32")[0], 2)
    print(f"\nsentences begin at {begins}, sought {second}, {third}, {second_again}")
    for at, begin in ((second, begins[0]), (third, begins[1]), (second_again, begins[0])):
        assert -0.15 < at - begin < 0.15 + 0.1


def test_missing_sentence_is_made_first(worker: LiveWorker) -> None:
    """It lies within a segment far behind: its own sound comes at once, not that of the segment's beginning."""
    many = TEXT * 5
    third = many.index(SENTENCES[2], len(TEXT) * 4)

    async def story() -> None:
        handle = await worker.client.speak(many, start=third + 2)
        await worker.until_event(SentenceStarted, handle)
        assert worker.of(SentenceStarted)[0].span == (third, third + len(SENTENCES[2]) - 1)
        (started,) = worker.of(Started)
        assert len(started.sentences) == 15
        await finished(await worker.client.seek(SECOND + 1))
        await worker.until_event(SentenceStarted, handle, 2)
        assert worker.of(SentenceStarted)[1].span[0] == SECOND
        await finished(await worker.client.seek(SeekTo.PREVIOUS))
        await worker.until_event(SentenceStarted, handle, 3)
        assert worker.of(SentenceStarted)[2].span[0] == FIRST
        await finished(await worker.client.set_speed(3))
        await finished(handle)
        await finished(await worker.client.set_speed(1))

    worker.run(story())
    told = [one.index for one in worker.of(SentenceStarted)][2:]
    assert told == list(range(15))  # every sentence once, in order, to the end


def test_long_text_is_the_same_sound_each_time() -> None:
    """Of more than one part: the speech is the file of the same seed, to the sample."""
    text = TEXT * 9 + "\n\n" + TEXT * 9 + TEXT

    async def story(worker: LiveWorker, path: str) -> None:
        await finished(await worker.client.export(text, path, seed=8))
        await finished(await worker.client.speak(text, seed=8))

    with tempfile.TemporaryDirectory() as folder:
        heard_path = f"{folder}/heard.npy"
        with live_worker(
            {"language": "builtin_en"}, output=OutputKind.NULL_VIRTUAL, heard_path=heard_path
        ) as worker:
            worker.run(story(worker, f"{folder}/same.wav"), 120)
        heard = np.load(heard_path)
        written = soundfile.read(f"{folder}/same.wav", dtype="float32")[0]
    heard, written = (
        sound[slice(*np.flatnonzero(np.abs(sound) > 1e-4)[[0, -1]])] for sound in (heard, written)
    )
    assert len(heard) == len(written), f"{len(heard)} samples were heard, {len(written)} written"
    assert len(written) > 60 * RATE
    assert np.abs(heard - written).max() < 1e-3  # 16 bits in the file


def test_replay_begins_from_what_was_made(worker: LiveWorker) -> None:
    """The same text again, from another place: nothing is made anew, unless the text or the voice is another."""

    async def story() -> list[float]:
        made = []
        text = TEXT * 2
        for words, start in ((text, 0), (text, len(TEXT) + THIRD), (text + "More.", 0)):
            handle = await worker.client.speak(words, start=start)
            await worker.until(
                lambda: any(one.heard_s + one.made_s > one.total_s - 0.01 for one in worker.of(Position))
            )
            await finished(await worker.client.seek(len(TEXT) + THIRD))
            made.append((await finished(handle)).stats.sound_s)
            worker.events.clear()
        return made

    first, again, other = worker.run(story())
    assert first > 5
    assert again == 0
    assert other > 5


@pytest.mark.parametrize("paused", [False, True])
def test_resumes_at_the_sentence(worker: LiveWorker, paused: bool) -> None:
    """Something more urgent was said in between."""

    async def story() -> None:
        handle = await worker.client.speak(TEXT)
        await worker.until_event(SentenceStarted, handle, 2)
        if paused:
            await worker.client.pause()
        preview = await worker.client.preview(text="Just a word.")
        if paused:
            await asyncio.sleep(0.2)
            await worker.client.resume()
        await finished(preview)
        await worker.until_event(SentenceStarted, handle, 3)
        assert worker.of(SentenceStarted, handle.request_id)[2].span[0] == SECOND
        await worker.client.resume()
        await finished(handle)

    worker.run(story())
