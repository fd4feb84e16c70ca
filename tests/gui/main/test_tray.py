"""The icon in the system's tray."""

from PySide6.QtWidgets import QSystemTrayIcon

from pocketvoice.gui.main.tray import Tray
from tests.gui.conftest import Run
from tests.gui.parts import Parts


def test_tray_has_the_window_s_actions(parts: Parts, run: Run) -> None:
    assert not QSystemTrayIcon.isSystemTrayAvailable()  # offscreen: `make_tray` makes none

    async def story() -> None:
        tray = Tray(parts.window, parts.window.command_actions)
        titles = [action.text().replace("&", "") for action in tray.menu.actions() if action.text()]
        assert titles == ["Speak the clipboard", "Pause", "Stop", "Show the window", "Quit"]
        parts.window.hide()
        tray.menu.actions()[4].trigger()
        assert parts.window.isVisible()
        tray.icon.hide()

    run(story())
