"""Lets other programs on this computer use the voices: a server within the program, over the same worker, on or off.

What the server is and how it is opened comes from `app`; the switch is in `main.menus`. Main thread only.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from PySide6.QtCore import QObject, Signal

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.tasks import Tasks

OpenServer = Callable[[int], AbstractAsyncContextManager[Any]]
"""From a port to a server that answers within the block, and has an `address`."""


class Serving(QObject):
    """Opens and closes the server as the settings say; `changed` comes after each."""

    changed = Signal()

    def __init__(
        self, open_server: OpenServer, settings: SettingsController, messages: Messages, tasks: Tasks
    ) -> None:
        super().__init__()
        self._open_server = open_server
        self._settings = settings
        self._messages = messages
        self._tasks = tasks
        self._turn = asyncio.Lock()  # on and off, one after the other
        self._server: AbstractAsyncContextManager[Any] | None = None
        self.address = ""
        """Where it answers; "" while it is off."""

    @property
    def port(self) -> int:
        """The port it has or will have."""
        return self._settings.now.serve_port

    def begin(self) -> None:
        """Opens it if it was on at the last end; without a message, for the start has other things to say."""
        if self._settings.now.serve:
            self._tasks.start(self._follow(quietly=True))

    def switch(self, on: bool) -> None:
        """Turns it on or off, and remembers that."""
        self._settings.change(serve=on)
        self._tasks.start(self._follow())

    def move(self, port: int) -> None:
        """Answers at another port."""
        if port != self.port:
            self._settings.change(serve_port=port)
            self._tasks.start(self._again())

    async def close(self) -> None:
        """Closes it; what is being spoken for others is broken off."""
        async with self._turn:
            await self._end()

    async def _again(self) -> None:
        async with self._turn:
            await self._end()
        await self._follow()

    async def _follow(self, *, quietly: bool = False) -> None:
        """Does what the settings say."""
        async with self._turn:
            if not self._settings.now.serve:
                await self._end()
            elif self._server is None:
                await self._start(quietly)
        self.changed.emit()

    async def _start(self, quietly: bool) -> None:
        try:
            server = self._open_server(self.port)
            listener = await server.__aenter__()
        except PocketVoiceError as error:
            self._settings.change(serve=False)
            self._messages.show_error(error, topic=Topic.SERVER)
            return
        self._server, self.address = server, listener.address
        if not quietly:
            self._messages.say(
                f"Other programs on this computer find the voices at {self.address}.", topic=Topic.SERVER
            )

    async def _end(self) -> None:
        self._messages.over(Topic.SERVER)
        server, self._server = self._server, None
        try:
            if server is not None:
                await server.__aexit__(None, None, None)
        finally:
            self.address = ""  # not before: until then it answers
