"""Text stands out from what it is on, light and dark."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QApplication,
)

from pocketvoice.gui.widgets import colours, theme
from tests.gui.conftest import Run, settle, until
from tests.gui.main.reading import marked, speaking
from tests.gui.parts import Parts


def contrast(one: QColor, other: QColor) -> float:
    """As WCAG has it: 4.5 is good for text."""

    def luminance(colour: QColor) -> float:
        parts = [
            value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
            for value in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", ["light", "sepia", "dark"])
def test_text_stands_out(qt: QApplication, page: str) -> None:
    """All pages, also the two that are the palettes of the window. Headings have the colour of the text."""
    palette = theme.page(page)
    assert colours.is_dark(palette) == (page == "dark")
    text, window_text = palette.text().color(), palette.windowText().color()
    assert contrast(text, palette.base().color()) > 7
    assert contrast(text, colours.sentence(palette)) > 7
    assert contrast(colours.sentence(palette), palette.base().color()) > 1.2
    assert contrast(palette.buttonText().color(), colours.chosen(palette)) > 4.5
    for role in (palette.ColorRole.Link, palette.ColorRole.LinkVisited):
        for behind in (palette.base().color(), colours.sentence(palette)):
            assert contrast(palette.color(role), behind) > 4.5
    assert contrast(palette.placeholderText().color(), palette.base().color()) > 4.5
    assert contrast(palette.highlightedText().color(), palette.highlight().color()) > 4.5
    assert contrast(palette.toolTipText().color(), palette.toolTipBase().color()) > 4.5
    assert contrast(colours.quiet_text(palette), palette.base().color()) > 4.5
    assert contrast(window_text, colours.problem(palette)) > 4.5
    assert contrast(window_text, colours.note(palette)) > 4.5
    assert contrast(colours.quiet_text(palette), palette.window().color()) > 4.5
    assert contrast(palette.buttonText().color(), palette.button().color()) > 4.5


def test_page_without_colours_of_its_own_is_the_windows(qt: QApplication) -> None:
    assert theme.page("system").resolveMask() == 0
    for page, dark in (("light", False), ("dark", True)):
        assert theme.page(page) == theme.palette(dark)


def test_colours_change_with_the_system(parts: Parts, run: Run, qt: QApplication) -> None:
    before = qt.palette()

    async def story() -> None:
        await speaking(parts)
        await until(lambda: marked(parts))
        parts.messages.say("Something to know.")
        choice = parts.window.transport.speed.popover.presets[1.0]
        for dark in (True, False):
            qt.setPalette(theme.palette(dark))
            await settle()
            (mark,) = parts.window.reader.extraSelections()
            assert mark.format.background().color() == colours.sentence(theme.palette(dark))
            sign = parts.window.transport.play.icon().pixmap(32, 32).toImage()
            lightness = sign.pixelColor(10, 16).lightness()
            assert (lightness > 128) == dark
            for widget in (parts.window.outline.list.viewport(), parts.window.message_bar, choice):
                shown = widget.palette().color(widget.backgroundRole())
                assert (shown.lightness() < 128) == dark
            assert choice.palette().button().color() == colours.chosen(qt.palette())

    try:
        run(story())
    finally:
        qt.setPalette(before)
