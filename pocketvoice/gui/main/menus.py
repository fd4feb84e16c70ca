"""Submenus that show a state when they are opened: recent texts, sound output, other programs, size of the window."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.outline import Outline
from pocketvoice.gui.controllers.serving import Serving
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.text_store import KeptText
from pocketvoice.gui.controllers.texts import Texts
from pocketvoice.worker.messages import DeviceEntry, DeviceName

_TITLE_LETTERS = 48
_SCALES = (100, 125, 150, 175, 200)


class RecentTexts:
    """Lists the texts that were spoken or replaced, the newest first."""

    def __init__(
        self, parent: QMenu, before: QAction, texts: Texts, show: Callable[[str, int, Outline], None]
    ) -> None:
        """`show` puts a text into the reader, and the cursor where it was left off."""
        self._texts = texts
        self._show = show
        self.menu = QMenu("&Recent texts", parent)
        parent.insertMenu(before, self.menu)
        self.menu.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.menu.clear()
        for text in self._texts.recent:
            self._add(text)
        if self.menu.isEmpty():
            self.menu.addAction("None yet").setEnabled(False)

    def _add(self, text: KeptText) -> None:
        self.menu.addAction(_title(text.title)).triggered.connect(lambda: self.open(text))

    def open(self, text: KeptText) -> None:
        """Puts a text into the reader, where it was left off."""
        found, place = self._texts.read(text)
        if found:
            self._show(found, place, self._texts.outline(text, len(found)))


class SoundOutput:
    """Lists the loudspeakers; they are asked for anew each time."""

    def __init__(self, parent: QMenu, settings: SettingsController, models: ModelController) -> None:
        self._settings = settings
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
        self._settings.change(device_name=name, device_host_api=host_api)


class WindowSize:
    """Lists how large everything in the windows can be; Qt takes that only at the start."""

    def __init__(self, parent: QMenu, settings: SettingsController, messages: Messages) -> None:
        self._settings = settings
        self._messages = messages
        self.menu = parent.addMenu("&Size of the window")
        self.menu.aboutToShow.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.menu.clear()
        for percent in _SCALES:
            chosen = percent == self._settings.now.scale_percent
            _add_choice(self.menu, f"{percent} %", chosen, partial(self._choose, percent))

    def _choose(self, percent: int) -> None:
        self._settings.change(scale_percent=percent)
        self._messages.say(f"Everything in the window will be at {percent} % from the next start on.")


class ServingMenu:
    """Switches the server for other programs, copies its address, opens its page, asks for its port."""

    def __init__(self, parent: QMenu, dialog_parent: QWidget, serving: Serving) -> None:
        self._dialog_parent = dialog_parent
        self._serving = serving
        self.menu = parent.addMenu("For &other programs")
        self.switch = self.menu.addAction("&Speak for other programs on this computer")
        self.switch.setCheckable(True)
        self.switch.toggled.connect(self._on_toggled)
        self.copy = self.menu.addAction("&Copy the address")
        self.copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(serving.address))
        self.page = self.menu.addAction("&Open its page")
        self.page.triggered.connect(lambda: QDesktopServices.openUrl(QUrl(serving.address)))
        self.menu.addSeparator()
        self.port = self.menu.addAction("")
        self.port.triggered.connect(self._ask_port)
        self.menu.aboutToShow.connect(self._show)
        serving.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        is_on = bool(self._serving.address)
        self.switch.blockSignals(True)
        self.switch.setChecked(is_on)
        self.switch.blockSignals(False)
        self.copy.setEnabled(is_on)
        self.page.setEnabled(is_on)
        self.copy.setText(f"&Copy the address ({self._serving.address})" if is_on else "&Copy the address")
        self.port.setText(f"&Port ({self._serving.port})…")

    def _on_toggled(self, on: bool) -> None:
        self._serving.switch(on)

    def _ask_port(self) -> None:
        dialog = QInputDialog(self._dialog_parent)
        dialog.setWindowTitle("Port")
        dialog.setLabelText("The port at which other programs find the voices:")
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(1024, 65_535)
        dialog.setIntValue(self._serving.port)
        dialog.intValueSelected.connect(self._serving.move)
        dialog.open()


def _add_choice(menu: QMenu, title: str, chosen: bool, slot: Callable[[], None]) -> None:
    action = menu.addAction(title.replace("&", "&&"))
    action.setCheckable(True)
    action.setChecked(chosen)
    action.triggered.connect(lambda: slot())


def _title(text: str) -> str:
    line = " ".join(text[:200].split())
    short = line if len(line) <= _TITLE_LETTERS else line[:_TITLE_LETTERS].rstrip() + "…"
    return short.replace("&", "&&")
