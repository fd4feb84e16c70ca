"""The submenus that are filled when they are opened."""

from tests.gui.conftest import Run, ready, until
from tests.gui.parts import Parts


def test_recent_texts_come_back(parts: Parts, run: Run) -> None:
    """The newest first, shortened to a line; what stood in the reader is kept among them."""

    async def story() -> None:
        await ready(parts)
        menu = parts.desktop.recent.menu
        menu.aboutToShow.emit()
        (nothing,) = menu.actions()
        assert not nothing.isEnabled()
        for text in ("One & only.", "Two\nlines, " + "and much more " * 10):
            parts.desktop.text_commands.show_text(text)
        parts.desktop.text_commands.show_text("Three.")
        menu.aboutToShow.emit()
        titles = [action.text() for action in menu.actions()]
        assert titles[0].startswith("Two lines, and much more")
        assert titles[0].endswith("…")
        assert titles[1] == "One && only."
        menu.actions()[1].trigger()
        assert parts.window.reader.text() == "One & only."
        assert parts.texts.recent[0].title == "Three."

    run(story())


def test_size_of_the_window_is_for_the_next_start(parts: Parts, run: Run) -> None:
    async def story() -> None:
        menu = parts.desktop.size.menu
        menu.aboutToShow.emit()
        chosen = [action.text() for action in menu.actions() if action.isChecked()]
        assert chosen == ["100 %"]
        menu.actions()[-1].trigger()
        assert parts.settings.now.scale_percent == 200
        assert parts.messages.message is not None
        assert "200 % from the next start on" in parts.messages.message.text

    run(story())


def test_loudspeakers_are_listed(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        menu = parts.desktop.output.menu
        menu.aboutToShow.emit()
        await until(lambda: len(menu.actions()) == 3)
        menu.actions()[2].trigger()
        await until(lambda: parts.models.view.device is not None)
        assert parts.settings.now.device_name == "HDMI"

    run(story())
