"""15 seconds and paragraphs, and the time that is left."""

from PySide6.QtCore import Qt

from tests.gui.conftest import Run, ready, settle, until
from tests.gui.main.reading import ALT, LONG, marked, press, speaking
from tests.gui.parts import Parts

SHIFT = Qt.KeyboardModifier.ShiftModifier
PARAGRAPHS = "First one. And more of it.\n\nSecond one.\n\nThird one."


def index(parts: Parts) -> int:
    return parts.client.index


def test_15_seconds_at_the_present_speed(parts: Parts, run: Run) -> None:
    """A sentence lasts about 2.8 s."""

    async def story() -> None:
        await speaking(parts, LONG)
        parts.client.enter(100)
        await until(lambda: "100" in marked(parts)[0])
        press(parts, Qt.Key.Key_Right, ALT | SHIFT)
        await until(lambda: index(parts) == 105)
        await settle()
        parts.window.transport.steps["skip_back"].click()
        await until(lambda: index(parts) == 99)
        await settle()
        parts.desktop.speech_commands.set_speed(2.0)
        press(parts, Qt.Key.Key_Right, ALT | SHIFT)
        press(parts, Qt.Key.Key_Right, ALT | SHIFT)  # before the first one was done
        await until(lambda: index(parts) in range(118, 123))
        await settle()
        parts.client.enter(1)
        await settle()
        press(parts, Qt.Key.Key_Left, ALT | SHIFT)
        await until(lambda: index(parts) == 0)

    run(story())


def test_forward_leaves_a_sentence_that_is_longer_than_15_seconds(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, "word " * 200 + "end. Next one.")
        press(parts, Qt.Key.Key_Right, ALT | SHIFT)
        await until(lambda: marked(parts) == ["Next one."])

    run(story())


def test_paragraphs_by_keys_while_speaking_and_at_rest(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, PARAGRAPHS)
        press(parts, Qt.Key.Key_Down, ALT)
        await until(lambda: marked(parts) == ["Second one."])
        press(parts, Qt.Key.Key_Up, ALT)
        await until(lambda: marked(parts) == ["First one."])
        parts.client.enter(1)
        await until(lambda: marked(parts) == ["And more of it."])
        press(parts, Qt.Key.Key_Up, ALT)
        await until(lambda: marked(parts) == ["First one."])
        press(parts, Qt.Key.Key_Escape)
        await until(lambda: not parts.speech.view.active)
        reader = parts.window.reader
        for place in ("Second", "Third", "Third"):
            press(parts, Qt.Key.Key_Down, ALT)
            assert reader.caret() == PARAGRAPHS.index(place)
        press(parts, Qt.Key.Key_Up, ALT)
        assert reader.caret() == PARAGRAPHS.index("Second")

    run(story())


def test_paragraphs_have_buttons_where_there_is_room(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        for width, shown in ((1600, True), (800, False)):
            parts.window.resize(width, 600)
            await settle()
            assert parts.window.transport.steps["paragraph_back"].isVisible() is shown

    run(story())


def test_time_left_stands_below_the_text(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        left = parts.window.status.left
        assert not left.isVisible()
        parts.window.reader.setPlainText(LONG * 3)
        assert left.text() == "28 min left"
        assert left.isVisible()
        parts.desktop.speech_commands.set_speed(2.0)
        assert left.text() == "14 min left"
        parts.window.reader.set_caret(len(LONG) * 3)
        assert left.text() == "less than a minute left"

    run(story())
