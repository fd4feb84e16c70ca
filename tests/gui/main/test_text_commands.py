"""Other texts come into the reader: dropped, from the clipboard, instead of one that is spoken."""

import warnings
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
)

from pocketvoice.gui.main.reader import NOTHING_TO_READ
from tests.gui.conftest import Run, ready, settle, until
from tests.gui.main.reading import LONG, NONE, TEXT, marked, speaking
from tests.gui.parts import Parts


@pytest.mark.expects_log("is a picture")
def test_files_are_dropped_and_opened(parts: Parts, run: Run, tmp_path: Path) -> None:
    # Only Qt makes such events; their constructors are marked deprecated for everybody else.
    warnings.simplefilter("ignore", DeprecationWarning)
    good, bad = tmp_path / "good.md", tmp_path / "bad.txt"
    good.write_text("# Fine\nText.", encoding="utf-16")
    bad.write_bytes(b"\x89PNG\r\n")

    async def story() -> None:
        reader = parts.window.reader
        reader.setPlainText("Old text.")
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(good)), QUrl.fromLocalFile(str(bad))])
        for target in (reader, parts.window):
            reader.set_text("Old text.")
            enter = QDragEnterEvent(
                QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NONE
            )
            target.dragEnterEvent(enter)
            assert enter.isAccepted()
            target.dropEvent(
                QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NONE)
            )
            await until(lambda: reader.text() == "Fine\n\nText.")
            await until(lambda: parts.messages.message is not None)
        assert parts.messages.message is not None
        assert "bad.txt is a picture" in parts.messages.message.text
        assert "Old text." in [text.title for text in parts.texts.recent]
        reader.undo()
        assert reader.text() == "Old text."

    run(story())


def test_clipboard_is_shown_and_spoken(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        QApplication.clipboard().setText("")
        parts.desktop.speech_commands.speak_clipboard()
        assert parts.messages.message is not None
        assert "no text on the clipboard" in parts.messages.message.text
        parts.window.reader.setPlainText(TEXT)
        QApplication.clipboard().setText("From elsewhere. Two.")
        parts.desktop.speech_commands.speak_clipboard()
        await until(lambda: marked(parts) == ["From elsewhere."])
        assert parts.window.reader.text() == "From elsewhere. Two."
        assert [parts.texts.read(text)[0] for text in parts.texts.recent] == ["From elsewhere. Two.", TEXT]

    run(story())


def test_nothing_to_read_is_said(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.setPlainText("  \n ")
        parts.desktop.speech_commands.speak()
        assert parts.messages.message is not None
        assert parts.messages.message.text == NOTHING_TO_READ
        assert not parts.speech.view.active

    run(story())


def test_text_can_be_replaced_while_speaking(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, LONG)
        parts.client.enter(150)
        await settle()
        parts.desktop.text_commands.show_text("Short.")
        assert not parts.speech.view.active
        await settle()
        assert (parts.window.reader.text(), marked(parts), parts.window.reader.caret()) == ("Short.", [], 0)

    run(story())
