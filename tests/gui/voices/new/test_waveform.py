"""The waveform: the part follows mouse and keys, stays inside the sound, and is told to those who can't see it."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from pocketvoice.gui.voices.new.waveform import Waveform
from pocketvoice.gui.widgets import theme
from tests.gui.conftest import delete

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def waveform(qt: QApplication) -> Iterator[Waveform]:
    """A minute, of which 25 s from the tenth second on are the part."""
    made = Waveform()
    made.resize(603, 200)  # 600 px for the sound: a tenth of a second a pixel
    made.show_sound([index % 10 / 10 for index in range(1200)], 60.0)
    made.show_part(10.0, 25.0)
    made.show()
    yield made
    delete(made)


def drag(waveform: Waveform, from_s: float, to_s: float) -> None:
    at = [QPoint(round(waveform._x(at_s)), 60) for at_s in (from_s, to_s)]
    QTest.mousePress(waveform, LEFT, NONE, at[0])
    QTest.mouseMove(waveform, at[1])
    QTest.mouseRelease(waveform, LEFT, NONE, at[1])


def test_part_is_dragged(waveform: Waveform) -> None:
    told: list[float] = []
    waveform.part_moved.connect(told.append)
    drag(waveform, 20.0, 28.0)
    assert waveform.start_s == pytest.approx(18.0, abs=0.15)
    assert waveform.stop_s - waveform.start_s == pytest.approx(25.0)
    assert told[-1] == waveform.start_s
    drag(waveform, 30.0, 60.0)  # no farther than the end
    assert waveform.stop_s == pytest.approx(60.0, abs=0.01)


def test_click_beside_brings_the_part(waveform: Waveform) -> None:
    drag(waveform, 45.0, 45.0)
    assert waveform.start_s == pytest.approx(45.0 - 12.5, abs=0.2)


@pytest.mark.parametrize(
    ("from_s", "to_s", "start_s", "stop_s"),
    [
        (10.0, 14.0, 14.0, 35.0), (35.0, 20.0, 10.0, 20.0),
        (10.0, 0.0, 5.0, 35.0), (35.0, 60.0, 10.0, 40.0),  # no more than is used
        (10.0, 50.0, 32.0, 35.0), (35.0, 0.0, 10.0, 13.0),  # no less than makes a voice
    ],
)  # fmt: skip
def test_edges_trim_the_part(
    waveform: Waveform, from_s: float, to_s: float, start_s: float, stop_s: float
) -> None:
    told: list[tuple[float, float]] = []
    waveform.part_trimmed.connect(lambda start, stop: told.append((start, stop)))
    drag(waveform, from_s, to_s)
    assert (waveform.start_s, waveform.stop_s) == pytest.approx((start_s, stop_s), abs=0.15)
    assert told[-1] == pytest.approx((start_s, stop_s), abs=0.15)


def test_shift_and_arrows_trim_the_end(waveform: Waveform) -> None:
    QTest.keyClick(waveform, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert (waveform.start_s, waveform.stop_s) == pytest.approx((10.0, 34.9))


def test_keys_move_the_part(waveform: Waveform) -> None:
    keys = Qt.Key
    for key, start_s in (
        (keys.Key_Right, 10.1), (keys.Key_PageUp, 11.1), (keys.Key_Left, 11.0), (keys.Key_End, 35.0),
        (keys.Key_Home, 0.0), (keys.Key_Left, 0.0),
    ):  # fmt: skip
        QTest.keyClick(waveform, key)
        assert waveform.start_s == pytest.approx(start_s, abs=0.011), key


def test_screen_reader_knows_it_as_a_slider(waveform: Waveform) -> None:
    interface = QAccessible.queryAccessibleInterface(waveform)
    assert interface.role() == QAccessible.Role.Slider
    assert "becomes the voice" in interface.text(QAccessible.Text.Name)
    assert interface.text(QAccessible.Text.Description) == "From 10.0 to 35.0 of 60.0 s"


def test_short_sound_is_the_part_whole(waveform: Waveform) -> None:
    waveform.show_sound([0.5] * 8, 12.0)
    waveform.show_part(0.0, 12.0)
    told: list[float] = []
    waveform.part_moved.connect(told.append)
    drag(waveform, 3.0, 9.0)
    assert (waveform.start_s, waveform.stop_s, told) == (0.0, 12.0, [])


@pytest.mark.parametrize("dark", [False, True])
def test_part_is_seen(waveform: Waveform, dark: bool) -> None:
    waveform.setPalette(theme.palette(dark))
    picture = waveform.grab().toImage()
    colours = [picture.pixelColor(round(waveform._x(at_s)), 8) for at_s in (5.0, 20.0, 50.0)]
    assert colours[0] == colours[2] != colours[1]
