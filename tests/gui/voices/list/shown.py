"""The window of voices over a real library on disk, as a test sees and uses it."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest

from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.voices.list.window import VoicesWindow
from tests.gui.conftest import until
from tests.gui.parts import Parts

LONG = "Grandfather reads an extraordinarily long story about boats, harbours and sea"
CONTROL = Qt.KeyboardModifier.ControlModifier


@dataclass
class Shown:
    parts: Parts
    coordinator: VoicesCoordinator
    page: VoicesWindow

    @property
    def model(self) -> LibraryModel:
        return self.coordinator.library

    def names(self) -> list[str]:
        view = self.page.list
        return [view.filter.index(row, 0).data() for row in range(view.filter.rowCount())]

    def message(self) -> str:
        return self.page.message_bar.label.text() if self.page.message_bar.isVisible() else ""

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.page.activateWindow()
        self.page.list.setFocus()
        QTest.keyClick(self.page.list, key, modifier)

    def rect(self, row: int) -> QRect:
        return self.page.list.visualRect(self.page.list.filter.index(row, 0))

    async def opened(self, count: int = 3) -> None:
        """The voices were read."""
        await self.parts.client.__aenter__()
        self.coordinator.start()
        await until(lambda: len(self.names()) == count)
