"""The sleep timer fades the sound and pauses, after minutes or at the end of the chapter."""

from dataclasses import dataclass

import pytest

from pocketvoice.gui.controllers.outline import Chapter, Outline
from pocketvoice.gui.controllers.reading_time import ReadingTime
from pocketvoice.gui.controllers.services import Services
from pocketvoice.gui.controllers.sleep_timer import FADE_S, SleepTimer
from pocketvoice.gui.controllers.speech import Phase
from tests.gui.conftest import Run, ready, settle, until

TEXT = "A few words here. " * 300
CHAPTERS = Outline(chapters=tuple(Chapter(str(start), 1, start) for start in (0, 1800, 3600)))


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


def timer_of(services: Services, clock: Clock) -> SleepTimer:
    reading = ReadingTime(services.speech, lambda: TEXT, lambda: 0, lambda: CHAPTERS)
    return SleepTimer(services.speech, reading, clock)


async def begin(services: Services) -> None:
    await ready(services)
    services.speech.speak(TEXT)
    await until(lambda: services.speech.view.phase is Phase.SPEAKING)
    services.speech.set_volume(0.8)
    await until(lambda: volumes(services) == [0.8])


async def enter(services: Services, number: int) -> None:
    services.client.enter(number)
    await until(lambda: services.speech.view.source == services.client.sentences[number][0])


def volumes(services: Services) -> list[float]:
    return [request[1] for request in services.client.requests if request[0] == "set_volume"]


def test_minutes_end_with_a_fade_and_a_pause(services: Services, run: Run) -> None:
    async def story() -> None:
        clock = Clock()
        timer = timer_of(services, clock)
        await begin(services)
        timer.set_minutes(5)
        clock.now_s = 250
        timer.tick()
        await settle()
        assert (timer.left_s, volumes(services)) == (50, [0.8])
        clock.now_s = 300 - FADE_S / 4
        timer.tick()
        await until(lambda: volumes(services)[-1] == pytest.approx(0.2))
        assert services.speech.view.volume == 0.8  # what is shown and remembered
        services.speech.set_volume(0.4)
        await until(lambda: volumes(services)[-1] == pytest.approx(0.1))
        clock.now_s = 300
        timer.tick()
        assert services.speech.view.paused
        assert (timer.is_set, timer.left_s) == (False, None)
        await until(lambda: volumes(services)[-1] == 0.4)  # for the next time
        await settle()
        kinds = [request[0] for request in services.client.requests]
        assert kinds.index("pause") < len(kinds) - 1 - kinds[::-1].index("set_volume")

    run(story())


def test_cancelled_brings_the_volume_back_and_goes_on(services: Services, run: Run) -> None:
    async def story() -> None:
        clock = Clock()
        timer = timer_of(services, clock)
        await begin(services)
        timer.set_minutes(1)
        clock.now_s = 59
        timer.tick()
        await until(lambda: volumes(services)[-1] == pytest.approx(0.08))
        timer.cancel()
        await until(lambda: volumes(services)[-1] == 0.8)
        clock.now_s = 100
        timer.tick()
        assert not services.speech.view.paused

    run(story())


def test_end_of_the_chapter_pauses_where_the_next_one_begins(services: Services, run: Run) -> None:
    async def story() -> None:
        timer = timer_of(services, Clock())
        await begin(services)
        timer.set_chapter()
        assert timer.left_s == pytest.approx(120, abs=1)
        for number in range(10, 100, 10):
            await enter(services, number)
            timer.tick()
        await enter(services, 99)
        timer.tick()
        await until(lambda: 0.2 < volumes(services)[-1] < 0.4)
        assert not services.speech.view.paused
        await enter(services, 100)
        assert services.speech.view.paused  # at once: no tick was needed
        assert not timer.is_set
        await until(lambda: volumes(services)[-1] == 0.8)

    run(story())


def test_who_goes_to_another_chapter_hears_that_one_to_its_end(services: Services, run: Run) -> None:
    async def story() -> None:
        timer = timer_of(services, Clock())
        await begin(services)
        timer.set_chapter()
        await enter(services, 150)
        timer.tick()
        assert timer.is_set
        assert not services.speech.view.paused
        assert timer.left_s == pytest.approx(60, abs=1)

    run(story())


def test_end_of_the_last_chapter_is_the_end_of_the_speech(services: Services, run: Run) -> None:
    async def story() -> None:
        timer = timer_of(services, Clock())
        await begin(services)
        await enter(services, 299)
        timer.set_chapter()
        services.client.finish()
        await until(lambda: not timer.is_set)

    run(story())


def test_at_rest_it_runs_out_quietly(services: Services, run: Run) -> None:
    async def story() -> None:
        clock = Clock()
        timer = timer_of(services, clock)
        await ready(services)
        timer.set_minutes(1)
        clock.now_s = 61
        timer.tick()
        assert not timer.is_set
        assert not services.speech.view.paused
        await settle()
        assert "pause" not in [request[0] for request in services.client.requests]

    run(story())
