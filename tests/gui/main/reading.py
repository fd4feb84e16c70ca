"""What the tests of the main window do with a text: they have it spoken, press keys, and look at what is marked."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pocketvoice.gui.controllers.speech import Phase
from tests.gui.conftest import ready, until
from tests.gui.parts import Parts

TEXT = "First sentence. Second one here. And a third."
LONG = "\n".join(f"This is the sentence with the number {number}." for number in range(200))
CONTROL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier


def press(parts: Parts, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(parts.window.reader, key, modifiers)


async def speaking(parts: Parts, text: str = TEXT) -> None:
    await ready(parts)
    parts.window.activateWindow()
    parts.window.reader.setPlainText(text)
    parts.window.reader.setFocus()
    parts.desktop.speech_commands.speak()
    await until(lambda: parts.speech.view.phase is Phase.SPEAKING)


def marked(parts: Parts) -> list[str]:
    return [selection.cursor.selectedText() for selection in parts.window.reader.extraSelections()]


def spoken(parts: Parts) -> list[tuple[str, int]]:
    return [
        (request[1], request[2].get("start", 0)) for request in parts.client.requests if request[0] == "speak"
    ]
