"""The submenus that are filled when they are opened."""

from pocketvoice.gui.main.commands import Commands
from tests.gui.conftest import Run, ready
from tests.gui.parts import Parts


def test_recent_texts_come_back(parts: Parts, run: Run) -> None:
    """The newest first, shortened to a line; what stood in the reader is kept among them."""
    commands: Commands = parts.window.commands

    async def story() -> None:
        await ready(parts)
        menu = commands.recent.menu
        menu.aboutToShow.emit()
        (nothing,) = menu.actions()
        assert not nothing.isEnabled()
        for text in ("One & only.", "Two\nlines, " + "and much more " * 10):
            commands.show_text(text)
        commands.show_text("Three.")
        menu.aboutToShow.emit()
        titles = [action.text() for action in menu.actions()]
        assert titles[0].startswith("Two lines, and much more")
        assert titles[0].endswith("…")
        assert titles[1] == "One && only."
        menu.actions()[1].trigger()
        assert parts.window.reader.text() == "One & only."
        assert parts.keeper.now.recent_texts[0] == "Three."

    run(story())


def test_size_of_the_window_is_for_the_next_start(parts: Parts, run: Run) -> None:
    async def story() -> None:
        menu = parts.window.commands.size.menu
        menu.aboutToShow.emit()
        chosen = [action.text() for action in menu.actions() if action.isChecked()]
        assert chosen == ["100 %"]
        menu.actions()[-1].trigger()
        assert parts.keeper.now.scale_percent == 200
        assert parts.board.message is not None
        assert "200 % from the next start on" in parts.board.message.text

    run(story())
