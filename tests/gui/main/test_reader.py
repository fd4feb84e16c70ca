"""The reader while a text is spoken: what is marked, what is in view, what can be edited."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
)

from pocketvoice.gui.main.reader import LOCKED
from tests.gui.conftest import Run, settle, until
from tests.gui.main.reading import CONTROL, LONG, NONE, TEXT, marked, press, speaking, spoken
from tests.gui.parts import Parts


def test_heard_sentence_is_marked(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, "Hi 😀 there. Second 🎉 one. Third.")
        await until(lambda: marked(parts) == ["Hi 😀 there."])
        parts.client.enter(1)
        await until(lambda: marked(parts) == ["Second 🎉 one."])
        parts.client.finish()
        await until(lambda: marked(parts) == [])

    run(story())


def test_sentence_is_kept_in_view_until_scrolled_by_hand(parts: Parts, run: Run) -> None:
    async def story() -> None:
        reader = parts.window.reader
        await speaking(parts, LONG)
        bar = reader.verticalScrollBar()
        for number in (60, 199, 5):
            parts.client.enter(number)
            await settle()
            cursor = reader.textCursor()
            cursor.setPosition(parts.client.sentences[number][0])
            assert reader.viewport().rect().contains(reader.cursorRect(cursor))
        where = bar.value()
        wheel = QWheelEvent(
            QPointF(50, 50), reader.mapToGlobal(QPointF(50, 50)), QPoint(0, 0), QPoint(0, -240),
            Qt.MouseButton.NoButton, NONE, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(reader.viewport(), wheel)
        assert bar.value() > where
        assert not reader.follows
        assert not parts.window.command_actions["follow"].isChecked()
        where = bar.value()
        parts.client.enter(150)
        await settle()
        assert bar.value() == where
        assert reader.back.isVisible()
        reader.back.click()
        assert not reader.back.isVisible()
        assert reader.follows
        assert parts.window.command_actions["follow"].isChecked()
        assert bar.value() > where

    run(story())


def test_text_is_read_only_while_spoken(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        press(parts, Qt.Key.Key_X)
        assert parts.window.reader.text() == TEXT
        assert parts.messages.message is not None
        assert parts.messages.message.text == LOCKED
        press(parts, Qt.Key.Key_Escape)
        await until(lambda: not parts.speech.view.active)
        press(parts, Qt.Key.Key_Space)
        press(parts, Qt.Key.Key_X)
        assert parts.window.reader.text() == " x" + TEXT

    run(story())


def test_stopped_speech_goes_on_where_it_was(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        parts.client.enter(1)
        await settle()
        press(parts, Qt.Key.Key_Escape)
        await until(lambda: parts.window.reader.caret() == 16)
        parts.window.transport.play.click()
        await until(lambda: marked(parts) == ["Second one here."])
        assert spoken(parts) == [(TEXT, 0), (TEXT, 16)]

    run(story())


def test_click_seeks_while_speaking(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        reader = parts.window.reader
        cursor = reader.textCursor()
        cursor.setPosition(36)
        point = reader.cursorRect(cursor).center()
        QTest.mouseDClick(reader.viewport(), Qt.MouseButton.LeftButton, NONE, point)
        await until(lambda: marked(parts) == ["And a third."])
        cursor.setPosition(3)
        QTest.mouseClick(
            reader.viewport(), Qt.MouseButton.LeftButton, CONTROL, reader.cursorRect(cursor).center()
        )
        await until(lambda: marked(parts) == ["First sentence."])

    run(story())


def test_paragraphs_from_right_to_left_are_set_so(parts: Parts, run: Run) -> None:
    """Also in a text that begins with others, and after the window has another width."""

    async def story() -> None:
        reader = parts.window.reader
        reader.setPlainText("Left to right.\nذهب الولد إلى الغابة.\n" + "ילד " * 200)
        for width in (800, 600):
            parts.window.resize(width, 500)
            await settle()
            right = reader.viewport().width() - reader.document().documentMargin()
            for number in (0, 1, 2):
                block = reader.document().findBlockByNumber(number)
                reader.blockBoundingRect(block)
                last = block.layout().lineAt(block.layout().lineCount() - 1).naturalTextRect()
                assert (abs(last.right() - right) < 3) is (number > 0)

    run(story())
