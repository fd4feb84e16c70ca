"""The transport bar: where it is, where a click leads, how long it was and will be, and how it is muted."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.main.timeline import PARTS
from pocketvoice.gui.widgets import wording
from tests.gui.conftest import Run, ready, until
from tests.gui.main.reading import LONG, TEXT, press, speaking
from tests.gui.parts import Parts


def click(parts: Parts, share: float) -> None:
    timeline = parts.window.transport.position
    place = QPoint(round(share * timeline.width()), timeline.height() // 2)
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_click_on_the_timeline_seeks_there(parts: Parts, run: Run, share: float) -> None:
    async def story() -> None:
        await speaking(parts, LONG)
        click(parts, share)
        await until(lambda: [request for request in parts.client.requests if request[0] == "seek"])
        (seek,) = [request for request in parts.client.requests if request[0] == "seek"]
        assert seek[1] / len(LONG) == pytest.approx(share, abs=0.03)

    run(story())


def test_at_rest_the_timeline_is_the_cursor(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.setPlainText(LONG)
        click(parts, 0.5)
        assert parts.window.reader.caret() / len(LONG) == pytest.approx(0.5, abs=0.03)
        parts.window.reader.set_caret(len(LONG) // 4)
        assert parts.window.transport.position.value() == pytest.approx(PARTS / 4, abs=1)

    run(story())


def test_pointer_shows_time_and_words(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, LONG)
        words = parts.window.transport.position.describe(0.5)
        time, _, rest = words.partition("  ")
        assert ":" in time
        assert " ".join(rest.split()[:2]).rstrip("…") in " ".join(LONG.split())

    run(story())


def test_elapsed_and_left_agree_at_every_speed(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, LONG)
        parts.client.enter(100)
        await until(lambda: parts.speech.view.heard_s > 0)
        whole = parts.speech.view.total_s
        for speed in (0.5, 1.0, 2.0):
            parts.desktop.speech_commands.set_speed(speed)
            view = parts.speech.view
            assert view.elapsed_s + view.left_s == pytest.approx(whole / speed)

    run(story())


def test_place_is_shown_after_stop_until_the_cursor_moves(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, LONG)
        parts.client.enter(100)
        await until(lambda: parts.speech.view.heard_s > 0)
        bar = parts.window.transport
        shown = (bar.heard.text(), bar.remaining.text())
        press(parts, Qt.Key.Key_Escape)
        await until(lambda: parts.speech.view.phase is Phase.QUIET)
        assert (bar.heard.text(), bar.remaining.text()) == shown
        assert bar.position.value() == pytest.approx(PARTS / 2, abs=10)
        parts.window.reader.set_caret(0)
        assert (bar.heard.text(), bar.remaining.text()) == ("0:00", "")

    run(story())


def test_speaker_mutes_and_brings_the_volume_back(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, TEXT)
        parts.desktop.speech_commands.set_volume(1.4)
        parts.window.transport.volume_sign.click()
        assert parts.speech.view.volume == 0
        assert parts.window.transport.volume_sign.isChecked()
        parts.window.transport.volume_sign.click()
        assert parts.speech.view.volume == 1.4

    run(story())


def test_speed_is_one_button_with_presets_and_steps_between(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        button = parts.window.transport.speed
        button.click()
        popover = button.popover
        assert popover.isVisible()
        popover.presets[1.5].click()
        assert (parts.speech.view.speed, parts.settings.now.speed, button.text()) == (1.5, 1.5, "1.5×")
        assert [speed for speed, one in popover.presets.items() if one.isChecked()] == [1.5]
        popover.presets[1.5].click()  # it stays pressed
        assert popover.presets[1.5].isChecked()
        popover.fine.setFocus()
        QTest.keyClick(popover.fine, Qt.Key.Key_Right)
        assert (parts.speech.view.speed, button.accessibleName()) == (1.55, "Speed: 1.55×")
        assert not any(one.isChecked() for one in popover.presets.values())
        QTest.keyClick(popover.fine, Qt.Key.Key_Escape)
        assert not popover.isVisible()

    run(story())


def test_sleep_timer_is_set_shown_and_taken_back(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, LONG)
        button, menu = parts.window.transport.sleep, parts.desktop.sleep_menu
        button.click()
        assert menu.menu.isVisible()
        menu.menu.close()
        assert not menu.off.isEnabled()
        menu.minutes[15].trigger()
        assert button.text() == "15:00"
        assert button.accessibleName() == "Sleep timer: pauses in 15:00"
        menu.chapter.trigger()  # there are none: the end of the text
        assert parts.desktop.sleep_timer.of_chapter
        assert button.text() == wording.clock(parts.speech.view.left_s + 0.999)
        menu.off.trigger()
        assert (button.text(), button.accessibleName()) == ("", "Sleep timer")

    run(story())
