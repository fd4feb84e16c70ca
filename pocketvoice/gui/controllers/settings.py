"""Holds the settings while the program runs, and writes them a while after the last change: on a thread, for a disk may be slow."""

import asyncio
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pocketvoice import settings
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.settings import Settings

_CALM_MS = 1500


class SettingsController(QObject):
    """The settings in force (`now`), and what was last written of them."""

    changed = Signal()

    def __init__(
        self, start: Settings, messages: Messages, tasks: Tasks, only_now: Mapping[str, Any] | None = None
    ) -> None:
        """`only_now` are values of this start alone (from the command line): not saved unless the user changes them."""
        super().__init__()
        self._only_now = dict(only_now or {})
        self._start = start
        self.now = start.changed(**self._only_now)
        self._saved = start
        self._messages = messages
        self._tasks = tasks
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(_CALM_MS)
        self._calm.timeout.connect(lambda: self._tasks.start(self._save()))

    def change(self, **values: Any) -> None:
        """Sets these fields of `Settings`; they are saved soon."""
        self._take(self.now.changed(**values))

    def save_now(self) -> None:
        """Writes what has changed at once, for the end of the program. What goes wrong is in the log."""
        self._calm.stop()
        lasting = self._lasting()
        if lasting != self._saved:
            settings.save_quietly(lasting)
            self._saved = lasting

    def _take(self, new: Settings) -> None:
        if new != self.now:
            self.now = new
            self._calm.start()
            self.changed.emit()

    def _lasting(self) -> Settings:
        same = [name for name, value in self._only_now.items() if getattr(self.now, name) == value]
        return self.now.changed(**{name: getattr(self._start, name) for name in same})

    async def _save(self) -> None:
        lasting = self._lasting()
        if lasting == self._saved:
            return
        self._saved = lasting
        sentence = await asyncio.get_running_loop().run_in_executor(None, settings.save_quietly, lasting)
        if sentence:
            self._messages.warn(sentence)
