"""What stands in an empty reader: ways to a text, and what was read before with how far."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from pocketvoice.gui.controllers.speech import Phase
from tests.gui.conftest import Run, ready, until
from tests.gui.geometry import cut_off
from tests.gui.parts import Parts
from tests.gui.roles import unnamed

TEXT = "First sentence. Second one here. And a third."


def press(parts: Parts, title: str) -> None:
    buttons = parts.desktop.start_page.findChildren(QPushButton)
    next(button for button in buttons if button.text().startswith(title) and button.isVisible()).click()


def test_it_is_there_while_there_is_nothing_to_read(parts: Parts, run: Run) -> None:
    async def story() -> None:
        page, reader = parts.desktop.start_page, parts.window.reader
        assert page.isVisible()
        assert page.titles() == []
        assert unnamed(parts.window) == []
        assert cut_off(parts.window) == []
        QTest.keyClick(reader, Qt.Key.Key_A)
        assert not page.isVisible()
        QTest.keyClick(reader, Qt.Key.Key_Backspace)
        assert page.isVisible()
        QApplication.clipboard().setText("From elsewhere.")
        press(parts, "Paste")
        assert (reader.text(), page.isVisible()) == ("From elsewhere.", False)

    run(story())


def test_recent_texts_go_on_where_they_were_left(parts: Parts, run: Run, tmp_path: Path) -> None:
    book = tmp_path / "book.md"
    book.write_text("# The Ferry\n\nThe children walked to the harbour & waited.", encoding="utf-8")

    async def story() -> None:
        reader, page = parts.window.reader, parts.desktop.start_page
        parts.desktop.text_commands.open_files([str(book)])
        await until(lambda: parts.window.windowTitle() == "The Ferry")
        reader.set_caret(len(reader.text()) // 2)
        parts.desktop.text_commands.new()
        assert page.titles() == ["The Ferry   ·   49 %"]
        press(parts, "The Ferry")
        assert reader.caret() == len(reader.text()) // 2
        assert parts.window.windowTitle() == "The Ferry"

    run(story())


def test_sample_is_read_and_a_document_asked_for(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        press(parts, "Open a document")
        (dialog,) = parts.window.findChildren(QFileDialog)
        assert "*.epub" in dialog.nameFilters()[0]
        dialog.reject()
        press(parts, "Read a sample")
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        assert parts.window.reader.text().startswith("Good morning.")

    run(story())
