"""The icon in the system's tray, where there is one: speak the clipboard, pause, stop, quit."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from pocketvoice.gui.main.actions import Actions
from pocketvoice.gui.widgets.icons import application_icon


class Tray(QObject):
    """Has the window's own actions in its menu, so they are enabled and named alike."""

    def __init__(self, window: QWidget, actions: Actions) -> None:
        super().__init__(window)
        self._window = window
        self.menu = QMenu(window)
        for name in ("speak_clipboard", "pause", "stop"):
            self.menu.addAction(actions[name])
        self.menu.addSeparator()
        self.menu.addAction("Show the window").triggered.connect(self._show_window)
        self.menu.addAction(actions["quit"])
        self.icon = QSystemTrayIcon(application_icon(), window)
        self.icon.setToolTip("Pocket Voice")
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._on_activated)
        self.icon.show()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self._show_window()

    def _show_window(self) -> None:
        bring_forward(self._window)


def make_tray(window: QWidget, actions: Actions) -> Tray | None:
    """The icon, where the system has a place for it."""
    return Tray(window, actions) if QSystemTrayIcon.isSystemTrayAvailable() else None


def bring_forward(window: QWidget) -> None:
    """Shows the window above the others."""
    window.setWindowState(window.windowState() & ~window.windowState().WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
