"""What the window had at the last end is there again."""

from tests.gui.conftest import Run, delete, ready
from tests.gui.parts import Parts, make_window


def test_what_was_set_is_there_again(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.setPlainText("A draft.")
        parts.desktop.view_commands.larger()
        parts.window.transport.volume.setValue(150)
        parts.window.resize(760, 640)
        parts.desktop.window_state.remember()
        again = make_window(parts.settings.now)
        again.window.show()
        assert again.window.reader.text() == "A draft."
        assert again.window.reader.font().pointSize() == 15
        assert parts.settings.now.volume == 1.5
        assert again.window.size() == parts.window.size()
        await again.tasks.close()
        delete(again.window)

    run(story())
