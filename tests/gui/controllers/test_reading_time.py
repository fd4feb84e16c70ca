"""Where paragraphs begin, and how long the reading will take."""

import pytest

from pocketvoice.gui.controllers.outline import Chapter, Outline
from pocketvoice.gui.controllers.reading_time import ReadingTime, paragraph_after, paragraph_before
from pocketvoice.gui.controllers.services import Services
from pocketvoice.gui.controllers.speech import Phase
from tests.gui.conftest import Run, ready, until

TEXT = "One.\n\n  Two. And more.\n \nThree."
ONE, TWO, MORE, THREE = 0, 8, 13, 25


@pytest.mark.parametrize(
    ("place", "before", "after"),
    [
        (ONE, None, TWO),
        (2, ONE, TWO),
        (TWO, ONE, THREE),
        (MORE, TWO, THREE),
        (THREE, TWO, None),
        (5, ONE, TWO),
    ],
)
def test_paragraphs(place: int, before: int | None, after: int | None) -> None:
    assert paragraph_before(TEXT, place) == before
    assert paragraph_after(TEXT, place) == after


def test_of_blanks_alone_there_is_no_paragraph() -> None:
    assert paragraph_before(" \n\n ", 3) is None
    assert paragraph_after("\n \n", 0) is None


def test_time_left_follows_place_chapter_and_speed(services: Services, run: Run) -> None:
    text = "Word of it. " * 300
    outline = Outline(chapters=(Chapter("One", 1, 0), Chapter("Two", 1, 1800)))
    speech = services.speech
    time = ReadingTime(speech, lambda: text, lambda: 900, lambda: outline)

    async def story() -> None:
        await ready(services)
        left = time.left()  # at rest: fifteen letters a second
        assert (left.chapter_s, left.all_s) == (pytest.approx(60), pytest.approx(180))
        assert time.chapter_end() == 1800
        speech.set_speed(2.0)
        assert time.left().all_s == pytest.approx(90)
        speech.speak(text)
        await until(lambda: speech.view.phase is Phase.SPEAKING)
        services.client.enter(225)
        await until(lambda: speech.view.source > 2600)
        left = time.left()
        assert left.chapter_s == pytest.approx(left.all_s)
        assert left.all_s == pytest.approx(speech.view.left_s)
        assert left.all_s == pytest.approx(30, abs=1)

    run(story())
