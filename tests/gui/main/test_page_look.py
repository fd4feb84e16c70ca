"""Letters, lines and colours of the page: chosen in the popover, applied at once, kept."""

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QFontInfo, QTextBlock
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from pocketvoice.gui.controllers.outline import Chapter, Heading, Outline, Piece
from pocketvoice.gui.main.page_look import Look
from pocketvoice.gui.widgets import colours, theme
from tests.gui.conftest import Run, delete, settle, until
from tests.gui.main.reading import CONTROL, LONG, marked, press, speaking
from tests.gui.parts import Parts, make_window

SHIFT = Qt.KeyboardModifier.ShiftModifier


def place(parts: Parts, block: QTextBlock) -> QRectF:
    return parts.window.reader.document().documentLayout().blockBoundingRect(block)


def choose(parts: Parts, field: str, value: object) -> None:
    parts.desktop.view_commands.look_popover.choices[field, value].click()


def test_look_is_applied_at_once_and_kept(parts: Parts, run: Run) -> None:
    async def story() -> None:
        reader, popover = parts.window.reader, parts.desktop.view_commands.look_popover
        reader.setPlainText("Words of a text. " * 40)
        parts.window.resize(1500, 600)
        await settle()
        before = place(parts, reader.document().begin()).height()
        choose(parts, "line_percent", 175)
        assert place(parts, reader.document().begin()).height() == pytest.approx(before * 175 / 140, rel=0.1)
        was_wide = reader.viewport().width()
        choose(parts, "line_letters", 54)
        assert reader.viewport().width() < was_wide
        margins = reader.viewportMargins()
        assert margins.left() == pytest.approx(margins.right(), abs=30)  # centred, beside the scroll bar
        sans = QFontInfo(reader.font()).family()
        choose(parts, "page_font", "serif")
        assert QFontInfo(reader.font()).family() != sans
        popover.larger.click()
        assert popover.points.text() == "15 pt"
        choose(parts, "page_colours", "sepia")
        assert reader.palette().base() == theme.page("sepia").base()
        now = parts.settings.now
        chosen = ("serif", 15, 175, 54, "sepia")
        assert (
            now.page_font,
            now.font_points,
            now.line_percent,
            now.line_letters,
            now.page_colours,
        ) == chosen
        again = make_window(now)
        assert again.window.reader.palette().base() == reader.palette().base()
        assert again.window.reader.font() == reader.font()
        buttons = again.desktop.view_commands.look_popover.choices
        assert [value for (_, value), button in buttons.items() if button.isChecked()] == [
            "serif", 175, 54, "sepia",
        ]  # fmt: skip
        await again.tasks.close()
        delete(again.window)

    run(story())


def test_page_as_the_system_follows_it_and_a_sepia_one_does_not(
    parts: Parts, run: Run, qt: QApplication
) -> None:
    before = qt.palette()

    async def story() -> None:
        reader = parts.window.reader
        for page, expected in (("sepia", theme.page("sepia")), ("system", theme.palette(dark=True))):
            choose(parts, "page_colours", page)
            qt.setPalette(theme.palette(dark=True))
            await settle()
            assert reader.palette().base() == expected.base()

    try:
        run(story())
    finally:
        qt.setPalette(before)


def test_spoken_sentence_stays_in_view_at_every_look(parts: Parts, run: Run) -> None:
    async def story() -> None:
        reader = parts.window.reader
        await speaking(parts, LONG)
        parts.client.enter(120)
        await until(lambda: "120" in marked(parts)[0])
        for look in (Look("serif", 30, 220, 40), Look("sans", 9, 100, 100), Look(points=20)):
            reader.set_look(look)
            await settle()
            cursor = reader.textCursor()
            cursor.setPosition(parts.client.sentences[120][0])
            assert reader.viewport().rect().contains(reader.cursorRect(cursor))

    run(story())


def test_mark_fills_the_space_between_its_lines(parts: Parts, run: Run) -> None:
    async def story() -> None:
        reader = parts.window.reader
        reader.set_look(Look(line_percent=200))
        await speaking(parts, "Before. " + "many words and more " * 20 + "end. After it.")
        parts.client.enter(1)
        await until(lambda: marked(parts)[0].startswith("many"))
        await settle()
        cursor = reader.textCursor()
        cursor.setPosition(100)
        rect = reader.cursorRect(cursor)
        picture = reader.viewport().grab().toImage()
        mark = colours.sentence(reader.palette())
        for y in (rect.bottom() + 3, rect.top() - 3):
            assert picture.pixelColor(rect.left(), y) == mark
        cursor.setPosition(2)
        assert picture.pixelColor(reader.cursorRect(cursor).center() - QPoint(0, 9)) != mark
        parts.client.enter(2)  # and it goes with the sentence
        await until(lambda: marked(parts) == ["After it."])
        assert reader.viewport().grab().toImage().pixelColor(rect.left(), rect.bottom() + 3) != mark

    run(story())


def test_look_is_reached_by_keys(parts: Parts, run: Run) -> None:
    async def story() -> None:
        parts.window.activateWindow()
        parts.window.reader.setFocus()
        press(parts, Qt.Key.Key_T, CONTROL | SHIFT)
        popover = parts.desktop.view_commands.look_popover
        await until(popover.isVisible)
        reached = set()
        for _ in range(8):
            for _ in range(4):
                focus = popover.focusWidget()
                assert isinstance(focus, QPushButton)
                reached.add(focus.accessibleName())
                QTest.keyClick(focus, Qt.Key.Key_Right)
            QTest.keyClick(popover.focusWidget(), Qt.Key.Key_Tab)
        assert {button.accessibleName() for button in popover.choices.values()} <= reached
        QTest.keyClick(popover.focusWidget(), Qt.Key.Key_Escape)
        assert not popover.isVisible()

    run(story())


def test_headings_have_weight_and_space_and_the_text_below_has_not(parts: Parts, run: Run) -> None:
    async def story() -> None:
        reader = parts.window.reader
        outline = Outline("", "A book", (Heading(6, 11, 1),), (Chapter("Title", 1, 6),))
        reader.set_text("Text.\nTitle", outline)
        reader.append(Piece("\nMore.\nAnd more."))
        document = reader.document()
        text, title, more, _ = (document.findBlockByNumber(number) for number in range(4))
        assert title.begin().fragment().charFormat().fontWeight() > 600
        height = place(parts, text).height()
        line = title.layout().lineAt(0)
        assert place(parts, title).height() > height
        assert line.y() > 0.8 * line.height()
        assert place(parts, more).height() == pytest.approx(height, abs=1)
        assert more.blockFormat().headingLevel() == 0
        for headings in ((Heading(0, 5, 1),), (Heading(6, 11, 1),)):
            reader.set_text("First\nLast.", Outline("", "A book", headings, (Chapter("Title", 1, 0),)))
            reader.set_text("Another\ntext.")
            blocks = (document.begin(), document.lastBlock())
            assert [block.blockFormat().headingLevel() for block in blocks] == [0, 0]
            assert [block.begin().fragment().charFormat().fontWeight() > 600 for block in blocks] == [
                False
            ] * 2

    run(story())
