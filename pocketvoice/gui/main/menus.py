"""Submenus that are filled when they are opened: recent texts, sound output, size of the window."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.worker.messages import DeviceEntry, DeviceName

_TITLE_LETTERS = 48
_SCALES = (100, 125, 150, 175, 200)


class RecentTexts:
    """The texts that were spoken or replaced, the newest first."""

    def __init__(
        self, parent: QMenu, before: QAction, keeper: SettingsController, show: Callable[[str], None]
    ) -> None:
        self._keeper = keeper
        self._show = show
        self.menu = QMenu("&Recent texts", parent)
        parent.insertMenu(before, self.menu)
        self.menu.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.menu.clear()
        for text in self._keeper.now.recent_texts:
            self._add(text)
        if self.menu.isEmpty():
            self.menu.addAction("None yet").setEnabled(False)

    def _add(self, text: str) -> None:
        self.menu.addAction(_title(text)).triggered.connect(lambda: self._show(text))


class SoundOutput:
    """The loudspeakers; asked for anew each time."""

    def __init__(self, parent: QMenu, keeper: SettingsController, models: ModelController) -> None:
        self._keeper = keeper
        self._models = models
        self.menu = parent.addMenu("Sound &output")
        self.menu.aboutToShow.connect(self._on_opening)
        models.devices_listed.connect(self._fill)
        self._fill([])

    def _on_opening(self) -> None:
        self._models.list_devices()

    def _fill(self, entries: list[DeviceEntry]) -> None:
        self.menu.clear()
        now = self._models.view.device
        _add_choice(self.menu, "System default", now is None, partial(self._choose, None))
        for entry in entries:
            title = entry.device.name + (f" ({entry.device.host_api})" if entry.device.host_api else "")
            _add_choice(self.menu, title, entry.device == now, partial(self._choose, entry.device))

    def _choose(self, device: DeviceName | None) -> None:
        self._models.set_device(device)
        name, host_api = (device.name, device.host_api) if device else ("", "")
        self._keeper.change(device_name=name, device_host_api=host_api)


class WindowSize:
    """How large everything is; Qt takes that once, at the start."""

    def __init__(self, parent: QMenu, keeper: SettingsController, board: Messages) -> None:
        self._keeper = keeper
        self._board = board
        self.menu = parent.addMenu("&Size of the window")
        self.menu.aboutToShow.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.menu.clear()
        for percent in _SCALES:
            chosen = percent == self._keeper.now.scale_percent
            _add_choice(self.menu, f"{percent} %", chosen, partial(self._choose, percent))

    def _choose(self, percent: int) -> None:
        self._keeper.change(scale_percent=percent)
        self._board.say(f"Everything in the window will be at {percent} % from the next start on.")


def _add_choice(menu: QMenu, title: str, chosen: bool, slot: Callable[[], None]) -> None:
    action = menu.addAction(title.replace("&", "&&"))
    action.setCheckable(True)
    action.setChecked(chosen)
    action.triggered.connect(lambda: slot())


def _title(text: str) -> str:
    line = " ".join(text[:200].split())
    short = line if len(line) <= _TITLE_LETTERS else line[:_TITLE_LETTERS].rstrip() + "…"
    return short.replace("&", "&&")
