"""The switch that lets other programs on this computer use the voices: a server within the program, over the same worker.

What the server is and how it is opened comes from `app`; here it is switched, remembered, and told of. Main thread only.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QInputDialog, QMainWindow, QMenu

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.tasks import Tasks

OpenServer = Callable[[int], AbstractAsyncContextManager[Any]]
"""From a port to a server that answers within the block, and has an `address`."""

_TITLE = "For &other programs"


class Serving(QObject):
    """The server, on or off."""

    changed = Signal()

    def __init__(
        self, open_server: OpenServer, keeper: SettingsController, board: Messages, tasks: Tasks
    ) -> None:
        super().__init__()
        self._open_server = open_server
        self._keeper = keeper
        self._board = board
        self._tasks = tasks
        self._turn = asyncio.Lock()  # on and off, one after the other
        self._server: AbstractAsyncContextManager[Any] | None = None
        self.address = ""
        """Where it answers; "" while it is off."""

    @property
    def port(self) -> int:
        """The port it has or will have."""
        return self._keeper.now.serve_port

    def begin(self) -> None:
        """At the start: as it was left; the message board has other things to say then."""
        if self._keeper.now.serve:
            self._tasks.start(self._follow(quietly=True))

    def switch(self, on: bool) -> None:
        """Turns it on or off, and remembers that."""
        self._keeper.change(serve=on)
        self._tasks.start(self._follow())

    def move(self, port: int) -> None:
        """Answers at another port."""
        if port != self.port:
            self._keeper.change(serve_port=port)
            self._tasks.start(self._again())

    async def close(self) -> None:
        """At the end; what is being spoken for others is broken off."""
        async with self._turn:
            await self._end()

    async def _again(self) -> None:
        async with self._turn:
            await self._end()
        await self._follow()

    async def _follow(self, *, quietly: bool = False) -> None:
        """Does what the settings say."""
        async with self._turn:
            if not self._keeper.now.serve:
                await self._end()
            elif self._server is None:
                await self._start(quietly)
        self.changed.emit()

    async def _start(self, quietly: bool) -> None:
        try:
            server = self._open_server(self.port)
            listener = await server.__aenter__()
        except PocketVoiceError as error:
            self._keeper.change(serve=False)
            self._board.show_error(error)
            return
        self._server, self.address = server, listener.address
        if not quietly:
            self._board.say(f"Other programs on this computer find the voices at {self.address}.")

    async def _end(self) -> None:
        server, self._server = self._server, None
        try:
            if server is not None:
                await server.__aexit__(None, None, None)
        finally:
            self.address = ""  # not before: until then it answers


class ServingMenu:
    """Its submenu in the speech menu of a window."""

    def __init__(self, window: QMainWindow, serving: Serving) -> None:
        self._window = window
        self._serving = serving
        self.menu = QMenu(_TITLE, window)
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
        _menu_titled(window, "Speech").addMenu(self.menu)
        self._show()

    def _show(self) -> None:
        """As it is now."""
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
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle("Port")
        dialog.setLabelText("The port at which other programs find the voices:")
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(1024, 65_535)
        dialog.setIntValue(self._serving.port)
        dialog.intValueSelected.connect(self._serving.move)
        dialog.open()


def _menu_titled(window: QMainWindow, title: str) -> QMenu:
    """A menu of the menu bar; a new one if there is none of that name."""
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu) and menu.title().replace("&", "") == title:
            return menu
    return window.menuBar().addMenu(title)
