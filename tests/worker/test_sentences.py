"""The built-in voice in a real worker: sentences that the model speaks in one go are told, sought and resumed one by one."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.worker.messages import OutputKind, Position, SeekTo, SentenceStarted, Started
from tests.worker.conftest import Desk, a_desk, finished

RATE = 24_000
SENTENCES = (
    "Nobody had told them about the ferry. ",
    "It was cold, and the shops were closed. ",
    "We left early. ",
)
TEXT = "".join(SENTENCES)
FIRST, SECOND, THIRD = (sum(map(len, SENTENCES[:i])) for i in range(3))


@pytest.fixture(scope="module")
def speaking_desk() -> Iterator[Desk]:
    with a_desk({"language": "builtin_en"}) as desk:
        yield desk


@pytest.fixture
def desk(speaking_desk: Desk) -> Iterator[Desk]:
    speaking_desk.events.clear()
    yield speaking_desk
    speaking_desk.run(_stop(speaking_desk))


async def _stop(desk: Desk) -> None:
    await (await desk.client.stop()).result()


def pauses_s(sound: np.ndarray, count: int) -> list[float]:
    """Where the longest silences end, in seconds: found without any knowledge of the text."""
    loud = np.flatnonzero(np.abs(sound) > 0.02)
    gaps = np.diff(loud)
    longest = np.sort(np.argsort(gaps)[-count:])
    return [float(loud[at + 1]) / RATE for at in longest]


async def heard_at(desk: Desk, start: int) -> float:
    """The time in the speech at which a sentence was first told to be heard."""
    await desk.until(lambda: any(one.span[0] == start for one in desk.of(Position)))
    return next(one.heard_s for one in desk.of(Position) if one.span[0] == start)


def test_sentences_of_a_segment_follow_the_ear(desk: Desk, out: Path) -> None:
    async def story() -> list[float]:
        await finished(await desk.client.export(TEXT, str(out), seed=4))
        handle = await desk.client.speak(TEXT, seed=4)
        await finished(handle)
        return [await heard_at(desk, start) for start in (SECOND, THIRD)]

    told = desk.run(story())
    begins = pauses_s(soundfile.read(out, dtype="float32")[0], 2)
    print(f"\nsentences begin at {begins}, told at {told}")
    assert [one.span[0] for one in desk.of(SentenceStarted)] == [FIRST, SECOND, THIRD]
    assert [TEXT[slice(*one.span)] for one in desk.of(SentenceStarted)] == [one.strip() for one in SENTENCES]
    # The sentence counts from 60 ms before its first sound; it is told at the next twentieth of a second.
    assert all(-0.15 < at - begin < 0.15 + 0.1 for at, begin in zip(told, begins, strict=True))


def test_seeks_within_a_segment(desk: Desk, out: Path) -> None:
    """Made already: what is heard next is the beginning of the sentence, to 150 ms."""

    async def story() -> list[float]:
        await finished(await desk.client.export(TEXT, str(out), seed=4))
        handle = await desk.client.speak(TEXT, seed=4)
        await desk.until(
            lambda: any(one.heard_s + one.made_s > one.total_s - 0.01 for one in desk.of(Position))
        )
        found = []
        for to in (SeekTo.NEXT, THIRD + 3, SeekTo.PREVIOUS):
            desk.events.clear()
            await finished(await desk.client.seek(to))
            await desk.until_event(Position, handle)
            found.append(desk.of(Position)[0].heard_s)
            await desk.until_event(SentenceStarted, handle)
        assert desk.of(SentenceStarted)[0].span[0] == SECOND
        return found

    second, third, second_again = desk.run(story())
    begins = pauses_s(soundfile.read(out, dtype="float32")[0], 2)
    print(f"\nsentences begin at {begins}, sought {second}, {third}, {second_again}")
    for at, begin in ((second, begins[0]), (third, begins[1]), (second_again, begins[0])):
        assert -0.15 < at - begin < 0.15 + 0.1


def test_missing_sentence_is_made_first(desk: Desk) -> None:
    """It lies within a segment far behind: its own sound comes at once, not that of the segment's beginning."""
    many = TEXT * 5
    third = many.index(SENTENCES[2], len(TEXT) * 4)

    async def story() -> None:
        handle = await desk.client.speak(many, start=third + 2)
        await desk.until_event(SentenceStarted, handle)
        assert desk.of(SentenceStarted)[0].span == (third, third + len(SENTENCES[2]) - 1)
        (started,) = desk.of(Started)
        assert len(started.sentences) == 15
        await finished(await desk.client.seek(SECOND + 1))
        await desk.until_event(SentenceStarted, handle, 2)
        assert desk.of(SentenceStarted)[1].span[0] == SECOND
        await finished(await desk.client.seek(SeekTo.PREVIOUS))
        await desk.until_event(SentenceStarted, handle, 3)
        assert desk.of(SentenceStarted)[2].span[0] == FIRST
        await finished(await desk.client.set_speed(3))
        await finished(handle)
        await finished(await desk.client.set_speed(1))

    desk.run(story())
    told = [one.index for one in desk.of(SentenceStarted)][2:]
    assert told == list(range(15))  # every sentence once, in order, to the end


def test_long_text_is_the_same_sound_each_time() -> None:
    """Of more than one part: the speech is the file of the same seed, to the sample."""
    text = TEXT * 9 + "\n\n" + TEXT * 9 + TEXT

    async def story(desk: Desk, path: str) -> None:
        await finished(await desk.client.export(text, path, seed=8))
        await finished(await desk.client.speak(text, seed=8))

    with tempfile.TemporaryDirectory() as folder:
        heard_path = f"{folder}/heard.npy"
        with a_desk(
            {"language": "builtin_en"}, output=OutputKind.NULL_VIRTUAL, heard_path=heard_path
        ) as desk:
            desk.run(story(desk, f"{folder}/same.wav"), 120)
        heard = np.load(heard_path)
        written = soundfile.read(f"{folder}/same.wav", dtype="float32")[0]
    heard, written = (
        sound[slice(*np.flatnonzero(np.abs(sound) > 1e-4)[[0, -1]])] for sound in (heard, written)
    )
    assert len(heard) == len(written) > 60 * RATE
    assert np.abs(heard - written).max() < 1e-3  # 16 bits in the file


def test_replay_begins_from_what_was_made(desk: Desk) -> None:
    """The same text again, from another place: nothing is made anew, unless the text or the voice is another."""

    async def story() -> list[float]:
        made = []
        text = TEXT * 2
        for words, start in ((text, 0), (text, len(TEXT) + THIRD), (text + "More.", 0)):
            handle = await desk.client.speak(words, start=start)
            await desk.until(
                lambda: any(one.heard_s + one.made_s > one.total_s - 0.01 for one in desk.of(Position))
            )
            await finished(await desk.client.seek(len(TEXT) + THIRD))
            made.append((await finished(handle)).stats.sound_s)
            desk.events.clear()
        return made

    first, again, other = desk.run(story())
    assert first > 5
    assert again == 0
    assert other > 5


@pytest.mark.parametrize("paused", [False, True])
def test_resumes_at_the_sentence(desk: Desk, paused: bool) -> None:
    """Something more urgent was said in between."""

    async def story() -> None:
        handle = await desk.client.speak(TEXT)
        await desk.until_event(SentenceStarted, handle, 2)
        if paused:
            await desk.client.pause()
        preview = await desk.client.preview(text="Just a word.")
        if paused:
            await asyncio.sleep(0.2)
            await desk.client.resume()
        await finished(preview)
        await desk.until_event(SentenceStarted, handle, 3)
        assert desk.of(SentenceStarted, handle.request_id)[2].span[0] == SECOND
        await desk.client.resume()
        await finished(handle)

    desk.run(story())
