"""A real worker with the tiny model on an ideal device: whose turn it is, where it goes on, and how each request ends."""

import asyncio
import time
import wave
from pathlib import Path

import pytest

from pocketvoice.worker.messages import (
    TERMINAL,
    Devices,
    ExportProgress,
    Failed,
    Finished,
    Level,
    Loading,
    PausedChanged,
    Position,
    Priority,
    Queued,
    SeekTo,
    SentenceStarted,
    Started,
    Stopped,
    VoiceCloned,
    WorkerState,
)
from tests.worker.conftest import SENTENCES, LiveWorker, failed, finished

FIRST, SECOND, THIRD, FOURTH = (sum(map(len, SENTENCES[:i])) for i in range(4))


def test_speech_from_start_to_end(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(text, seed=11)  # not what was spoken before
        assert worker.client.state is WorkerState.BUSY
        events = [event async for event in handle]
        assert worker.client.state is WorkerState.IDLE
        assert isinstance(events[0], Started)
        assert [start for start, _ in events[0].sentences] == [FIRST, SECOND, THIRD, FOURTH]
        starts = [event.span[0] for event in events if isinstance(event, SentenceStarted)]
        assert starts == [FIRST, SECOND, THIRD, FOURTH]
        end = events[-1]
        assert isinstance(end, Finished)
        assert 2 < end.stats.sound_s < 6
        assert end.stats.first_sound_s is not None
        assert end.stats.first_sound_s < 0.5
        assert sum(isinstance(event, TERMINAL) for event in events) == 1
        assert any(isinstance(event, Level) and event.rms_dbfs > -60 for event in events)

    worker.run(story())
    positions = worker.of(Position)
    sources = [position.source for position in positions]
    assert sources == sorted(sources)
    assert len(positions) > 20
    assert positions[-1].heard_s == pytest.approx(positions[-1].total_s, abs=0.2)
    assert positions[-1].remaining_s < 0.2
    assert len({position.total_s for position in positions[5:]}) >= 1


def test_position_is_what_is_heard(worker: LiveWorker, text: str) -> None:
    """Real time: a sentence is told of when the one before has been heard, not when it was made."""

    async def story() -> None:
        handle = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, handle, 1)
        begun = time.monotonic()
        await worker.until_event(SentenceStarted, handle, 3)
        assert 1.2 < time.monotonic() - begun < 3
        await handle.stop()

    worker.run(story())


def test_interrupt_replaces_all(worker: LiveWorker, text: str) -> None:
    async def story() -> float:
        first = await worker.client.speak(text)
        waiting = await worker.client.speak(text, priority=Priority.ENQUEUE)
        await worker.until_event(SentenceStarted, first)
        begun = time.monotonic()
        second = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, second)
        took = time.monotonic() - begun
        assert isinstance(await first.result(), Stopped)
        assert isinstance(await waiting.result(), Stopped)
        assert isinstance(await second.stop(), Stopped)
        return took

    assert worker.run(story()) < 0.6  # 50 ms of device, 50 ms of clock; busy machines take more


def test_enqueued_waits(worker: LiveWorker) -> None:
    async def story() -> None:
        first = await worker.client.speak(SENTENCES[0])
        second = await worker.client.speak(SENTENCES[1], priority=Priority.ENQUEUE)
        await finished(first)
        assert not worker.of(Started, second.request_id) or worker.events.index(
            worker.of(Started, second.request_id)[0]
        ) > worker.events.index(worker.of(SentenceStarted, first.request_id)[-1])
        await finished(second)
        assert worker.of(Queued, second.request_id)[0].ahead == 1

    worker.run(story())


def test_now_then_resume(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        long = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, long, 2)
        short = await worker.client.speak(SENTENCES[0], priority=Priority.NOW_THEN_RESUME)
        await finished(short)
        await finished(long)
        started = worker.of(Started)
        assert [(event.request_id, event.resumed) for event in started] == [
            (long.request_id, False),
            (short.request_id, False),
            (long.request_id, True),
        ]
        again = worker.events.index(started[2])
        told = [event for event in worker.events[again:] if isinstance(event, SentenceStarted)]
        assert [event.span[0] for event in told] == [SECOND, THIRD, FOURTH]

    worker.run(story())


def test_preview_interrupts_and_resumes(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        long = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, long)
        await finished(await worker.client.preview(text="This is how it sounds, only a short sentence."))
        assert not long.done
        await worker.until_event(Started, long, 2)
        await long.stop()

    worker.run(story())


def test_seeks(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(text)
        told = []

        async def next_sentence() -> int:
            count = len(worker.of(SentenceStarted, handle.request_id))
            await worker.until_event(SentenceStarted, handle, count + 1)
            return worker.of(SentenceStarted, handle.request_id)[count].span[0]

        told.append(await next_sentence())
        for to in (FOURTH + 5, SeekTo.PREVIOUS, SeekTo.PREVIOUS, SeekTo.NEXT, 0, SeekTo.PREVIOUS):
            await finished(await worker.client.seek(to))
            told.append(await next_sentence())
        assert told == [FIRST, FOURTH, THIRD, SECOND, THIRD, FIRST, FIRST]
        await worker.client.seek(10_000)
        assert await next_sentence() == FOURTH
        await worker.client.seek(SeekTo.NEXT)
        await finished(handle)

    worker.run(story())


def test_start_and_stop_within_the_text(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(text, start=SECOND + 10, stop=FOURTH)
        await finished(handle)
        assert [event.span[0] for event in worker.of(SentenceStarted)] == [SECOND, THIRD]

    worker.run(story())


def test_pause_holds_and_resume_goes_on(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(text)
        await worker.until_event(Position, handle, 5)
        await finished(await worker.client.pause())
        assert worker.client.paused
        await asyncio.sleep(0.3)
        count = len(worker.of(Position))
        held = worker.of(Position)[-1].heard_s
        await asyncio.sleep(0.3)
        assert len(worker.of(Position)) == count
        await worker.client.resume()
        await worker.until(lambda: len(worker.of(Position)) > count)
        assert -0.015 < worker.of(Position)[count].heard_s - held < 0.15  # the fade of the pause comes again
        await handle.stop()
        assert [event.paused for event in worker.of(PausedChanged)] == [True, False]

    worker.run(story())


def test_speech_begins_paused(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        handle = await worker.client.speak(text, paused=True)
        await worker.until_event(Started, handle)
        await asyncio.sleep(0.3)
        assert [event.source for event in worker.of(Position)] == [FIRST]
        assert not worker.of(Level)
        await finished(await worker.client.seek(THIRD))  # the place moves, and stays silent
        await worker.until(lambda: worker.of(Position)[-1].source == THIRD)
        await worker.client.resume()
        await worker.until(lambda: worker.of(Position)[-1].source > THIRD)
        await handle.stop()

    worker.run(story())


def test_speed_shortens(worker: LiveWorker, text: str) -> None:
    async def story() -> None:
        await finished(await worker.client.set_speed(3))
        handle = await worker.client.speak(text, seed=12)
        await worker.until_event(SentenceStarted, handle)
        begun = time.monotonic()
        end = await finished(handle)
        assert time.monotonic() - begun < 0.6 * end.stats.sound_s

    worker.run(story())


def test_failures_are_data(worker: LiveWorker, tmp_path: Path) -> None:
    async def story() -> None:
        client = worker.client
        assert (await failed(await client.speak("  "))).error.kind == "EmptyTextError"
        error = (await failed(await client.speak("Hello there.", voice="nobody"))).error
        assert error.kind == "UnknownNameError"
        assert "nobody" in error.message
        assert (await failed(await client.set_speed(9))).error.kind == "InputError"
        assert (await failed(await client.set_volume(-1))).error.kind == "InputError"
        assert "Nothing is being spoken" in (await failed(await client.seek(3))).error.message
        missing = str(tmp_path / "no" / "where.wav")
        assert (await failed(await client.export("Hello there.", missing))).error.kind == "OutputError"
        clip = str(tmp_path / "clip.wav")
        assert (
            await failed(await client.clone_voice(clip, "x.safetensors"))
        ).error.kind == "MissingFileError"
        assert client.state is WorkerState.IDLE

    worker.run(story())


def test_export_writes_a_file(worker: LiveWorker, text: str, out: Path) -> None:
    async def story() -> None:
        handle = await worker.client.export(text, str(out))
        end = await finished(handle)
        progress = worker.of(ExportProgress, handle.request_id)
        assert [event.fraction for event in progress] == sorted(event.fraction for event in progress)
        assert len(progress) == 4
        with wave.open(str(out)) as file:
            assert file.getnframes() / file.getframerate() == pytest.approx(end.stats.sound_s + 0.2, abs=0.01)

    worker.run(story())


def test_export_beside_speech(worker: LiveWorker, text: str, out: Path) -> None:
    """The model speaks first and exports when it has time; both are complete."""

    async def story() -> None:
        export = await worker.client.export(text * 3, str(out), speed=2)
        speech = await worker.client.speak(text, priority=Priority.ENQUEUE)
        end = await finished(speech)
        assert end.stats.underruns <= 1
        stats = (await finished(export)).stats
        with wave.open(str(out)) as file:
            assert file.getnframes() / file.getframerate() == pytest.approx(stats.sound_s + 0.2, abs=0.01)
        assert 3 < stats.sound_s < 8  # twelve sentences of 0.8 s, twice as fast

    worker.run(story())


def test_stopped_export_leaves_nothing(worker: LiveWorker, text: str, out: Path) -> None:
    async def story() -> None:
        export = await worker.client.export(text * 50, str(out))
        await worker.until_event(ExportProgress, export)
        assert isinstance(await export.stop(), Stopped)
        await worker.until(lambda: not list(out.parent.iterdir()))

    worker.run(story())


def test_clone_makes_a_voice(worker: LiveWorker, tmp_path: Path) -> None:
    import numpy as np

    from pocketvoice.audio.wav import WavWriter

    clip, voice = tmp_path / "clip.wav", tmp_path / "voice.safetensors"
    with WavWriter(clip, 24000) as wav:
        wav.write(np.random.default_rng(1).normal(0, 0.1, 24000 * 4).astype(np.float32))

    async def story() -> None:
        handle = await worker.client.clone_voice(str(clip), str(voice))
        await finished(handle)
        assert worker.of(VoiceCloned)[0].path == str(voice)
        await finished(
            await worker.client.speak("This is said with the voice that was just made.", voice=str(voice))
        )

    worker.run(story())


def test_speech_waits_for_the_model(worker: LiveWorker, model_files: dict[str, str], text: str) -> None:
    async def story() -> None:
        old = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, old)
        load = await worker.client.load_model(**model_files)
        assert worker.client.state is WorkerState.LOADING
        speech = await worker.client.speak(
            SENTENCES[0], paused=True
        )  # what is heard would end with the old model
        await finished(load)
        assert isinstance(await old.result(), Stopped)
        await worker.client.resume()
        await finished(speech)
        assert worker.of(Queued, speech.request_id)[0].loading
        assert worker.client.ready is not None
        assert worker.client.ready.real_time_factor is not None
        assert not worker.of(Loading)

    worker.run(story())


def test_failed_load_leaves_the_model_that_works(worker: LiveWorker, text: str, tmp_path: Path) -> None:
    async def story() -> None:
        speech = await worker.client.speak(text)
        await worker.until_event(SentenceStarted, speech)
        load = await worker.client.load_model(config=str(tmp_path / "none.yaml"))
        assert (await failed(load)).error.kind == "MissingFileError"
        await finished(speech)  # it never stopped
        await finished(await worker.client.speak(SENTENCES[0]))
        assert worker.client.ready is not None

    worker.run(story())


def test_damaged_model_leaves_the_one_that_works(
    worker: LiveWorker, model_files: dict[str, str], tmp_path: Path
) -> None:
    """Its files can be had, and then it can't be read: what has waited for it is spoken all the same."""
    weights = tmp_path / "weights.safetensors"
    weights.write_bytes(b"these are no weights")
    lines = [
        f"weights_path: {weights}" if line.startswith("weights_path:") else line
        for line in Path(model_files["config"]).read_text().splitlines()
    ]
    broken = tmp_path / "broken.yaml"
    broken.write_text("\n".join(lines))

    async def story() -> None:
        load = await worker.client.load_model(config=str(broken))
        speech = await worker.client.speak(
            SENTENCES[0], paused=True
        )  # what is heard would end with the old model
        assert (await failed(load)).error.kind == "WeightsError"
        await worker.client.resume()
        await finished(speech)

    worker.run(story())


def test_devices_are_listed(worker: LiveWorker) -> None:
    async def story() -> None:
        handle = await worker.client.list_devices()
        await finished(handle)
        assert worker.of(Devices)[0].devices[0].is_default

    worker.run(story())


def test_stop_ends_all_speech(worker: LiveWorker, long_text: str) -> None:
    async def story() -> None:
        handles = [await worker.client.speak(long_text, priority=Priority.ENQUEUE) for _ in range(3)]
        await worker.until_event(SentenceStarted, handles[0])
        await finished(await worker.client.stop())
        assert all(handle.done for handle in handles)
        end = await handles[0].result()
        assert isinstance(end, Stopped)
        assert end.source == FIRST
        assert worker.client.state is WorkerState.IDLE

    worker.run(story())


def test_two_hundred_random_commands(worker: LiveWorker, long_text: str, tmp_path: Path) -> None:
    """Every request ends once, and afterwards the worker speaks as before."""
    import random

    chance = random.Random(20261129)
    handles = []

    async def command() -> None:
        client = worker.client
        what = chance.randrange(12)
        if what < 3:
            handles.append(await client.speak(long_text, priority=chance.choice(list(Priority))))
        elif what == 3 and handles:
            handles.append(await client.stop())
        elif what == 4 and handles:
            await chance.choice(handles).stop()
        elif what == 5:
            handles.append(await client.pause())
        elif what == 6:
            handles.append(await client.resume())
        elif what == 7:
            handles.append(await client.seek(chance.choice([*SeekTo, chance.randrange(len(long_text))])))
        elif what == 8:
            handles.append(await client.set_speed(chance.uniform(0.5, 3)))
        elif what == 9:
            handles.append(await client.set_volume(chance.uniform(0, 2)))
        elif what == 10:
            handles.append(await client.export(long_text, str(tmp_path / f"{len(handles)}.wav")))
        else:
            handles.append(await client.preview())

    async def story() -> None:
        for _ in range(200):
            await command()
            await asyncio.sleep(chance.choice([0, 0, 0.01, 0.05]))
        for handle in handles:
            await handle.stop()
        assert not worker.client._entries
        await finished(await worker.client.speak(SENTENCES[0]))

    worker.run(story(), 100)
    ends = [event.request_id for event in worker.events if isinstance(event, TERMINAL)]
    assert len(ends) == len(set(ends))
    assert {handle.request_id for handle in handles} <= set(ends)
    bad = [event for event in worker.of(Failed) if event.error.kind != "InputError"]
    assert not bad
    assert not list(tmp_path.glob(".*.part"))


def test_book_begins_at_once(worker: LiveWorker, text: str) -> None:
    """Half a megabyte: only the part that is spoken first is split before it is heard."""
    book = "\n\n".join([text * 4] * 300)

    async def story() -> None:
        handle = await worker.client.speak(book)
        await worker.until_event(SentenceStarted, handle)
        middle = len(book) // 2
        await worker.client.seek(middle)
        await worker.until(lambda: abs(worker.of(SentenceStarted)[-1].span[0] - middle) < 300)
        here = worker.of(SentenceStarted)[-1].span[0]
        await worker.client.seek(SeekTo.PREVIOUS)
        await worker.until(lambda: worker.of(SentenceStarted)[-1].span[0] < here)
        assert here - worker.of(SentenceStarted)[-1].span[0] < 300
        end = await handle.stop()
        assert isinstance(end, Stopped)
        assert end.stats.first_sound_s is not None
        assert end.stats.first_sound_s < 0.5

    worker.run(story())


def test_parts_follow_each_other(worker: LiveWorker, text: str) -> None:
    """Two parts with a blank line between: every sentence once, in order."""
    whole = text * 2 + "\n\n" + text

    async def story() -> None:
        await finished(await worker.client.set_speed(3))
        handle = await worker.client.speak(whole)
        end = await finished(handle)
        starts = [event.span[0] for event in worker.of(SentenceStarted)]
        assert len(starts) == 12
        assert starts == sorted(set(starts))
        assert end.stats.underruns <= 1

    worker.run(story())
