"""The keys do what the table says, and no key means two things."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
)

from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.main import keys
from pocketvoice.gui.main.help import HelpDialog
from tests.gui.conftest import Run, ready, until
from tests.gui.main.reading import ALT, CONTROL, TEXT, marked, press, speaking, spoken
from tests.gui.parts import Parts


def test_keys_do_what_the_help_says(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        press(parts, Qt.Key.Key_Space)
        await until(lambda: parts.speech.view.paused)
        press(parts, Qt.Key.Key_Space)
        await until(lambda: not parts.speech.view.paused)
        press(parts, Qt.Key.Key_Right, ALT)
        await until(lambda: marked(parts) == ["Second one here."])
        press(parts, Qt.Key.Key_Left, ALT)
        await until(lambda: marked(parts) == ["First sentence."])
        press(parts, Qt.Key.Key_Up, CONTROL)
        assert parts.speech.view.speed == 1.1
        press(parts, Qt.Key.Key_Down, CONTROL)
        press(parts, Qt.Key.Key_Down, CONTROL)
        assert parts.speech.view.speed == 0.9
        assert parts.settings.now.speed == 0.9
        press(parts, Qt.Key.Key_Escape)
        await until(lambda: not parts.speech.view.active)

    run(story())


def test_ctrl_enter_speaks_selection_or_from_the_cursor(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.activateWindow()
        reader = parts.window.reader
        reader.setPlainText(TEXT)
        for caret, start in ((20, 20), (len(TEXT), 0)):  # at the end: from the start
            reader.set_caret(caret)
            press(parts, Qt.Key.Key_Return, CONTROL)
            await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
            assert spoken(parts)[-1] == (TEXT, start)
            parts.speech.stop()
            await until(lambda: not parts.speech.view.active)
        reader.set_caret(16)
        cursor = reader.textCursor()
        cursor.setPosition(32, cursor.MoveMode.KeepAnchor)
        reader.setTextCursor(cursor)
        press(parts, Qt.Key.Key_Enter, CONTROL)
        await until(lambda: marked(parts) == ["Second one here."])
        assert spoken(parts)[-1] == ("Second one here.", 0)

    run(story())


def test_help_lists_every_key(parts: Parts, run: Run) -> None:
    async def story() -> None:
        parts.window.activateWindow()
        press(parts, Qt.Key.Key_F1)
        (dialog,) = parts.window.findChildren(HelpDialog)
        rows = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
        listed = {row.text(1) for row in rows if row is not None}
        assert {entry.sentence for entry in keys.COMMANDS if entry.keys} <= listed
        dialog.close()

    run(story())


def test_no_key_means_two_things(parts: Parts, run: Run) -> None:
    used = [sequence for entry in keys.COMMANDS for sequence in entry.keys]
    assert len(used) == len(set(used))

    async def story() -> None:
        """Nor does a letter with Alt."""
        titles = [action.text() for action in parts.window.menuBar().actions()]
        titles += [label.text() for label in parts.window.findChildren(QLabel) if label.buddy() is not None]
        letters = [title[title.index("&") + 1].lower() for title in titles]
        assert len(letters) == len(set(letters)) >= 6

    run(story())
