"""The window: what is seen, what the keys do, and that everybody can use it."""

import warnings
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QFont, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.main import keys
from pocketvoice.gui.main.commands import LOCKED, NOTHING_TO_READ
from pocketvoice.gui.main.help import HelpDialog
from pocketvoice.gui.widgets import colours, theme
from pocketvoice.gui.widgets.dialogs import DetailsDialog
from tests.gui.conftest import Run, delete, ready, settle, until
from tests.gui.fake_client import OFFLINE
from tests.gui.parts import Parts, make_window
from tests.gui.roles import without_role

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
    parts.window.commands.speak()
    await until(lambda: parts.speech.view.phase is Phase.SPEAKING)


def marked(parts: Parts) -> list[str]:
    return [selection.cursor.selectedText() for selection in parts.window.reader.extraSelections()]


def spoken(parts: Parts) -> list[tuple[str, int]]:
    return [
        (request[1], request[2].get("start", 0)) for request in parts.client.requests if request[0] == "speak"
    ]


# ---------------------------------------------------------------- reading


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
            top = reader._line(parts.client.sentences[number][0]) - bar.value()
            assert 0 <= top < reader.viewport().height() // reader.fontMetrics().lineSpacing()
        where = bar.value()
        wheel = QWheelEvent(
            QPointF(50, 50), reader.mapToGlobal(QPointF(50, 50)), QPoint(0, 0), QPoint(0, -240),
            Qt.MouseButton.NoButton, NONE, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(reader.viewport(), wheel)
        assert bar.value() > where
        assert not reader.follows
        assert not parts.window.commands.actions["follow"].isChecked()
        where = bar.value()
        parts.client.enter(150)
        await settle()
        assert bar.value() == where
        assert reader.back.isVisible()
        reader.back.click()
        assert not reader.back.isVisible()
        assert reader.follows
        assert parts.window.commands.actions["follow"].isChecked()
        assert bar.value() > where

    run(story())


def test_text_is_read_only_while_spoken(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        press(parts, Qt.Key.Key_X)
        assert parts.window.reader.text() == TEXT
        assert parts.board.message is not None
        assert parts.board.message.text == LOCKED
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


# ---------------------------------------------------------------- keys


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
        assert parts.keeper.now.speed == 0.9
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


# ---------------------------------------------------------------- texts


def test_files_are_dropped_and_opened(parts: Parts, run: Run, tmp_path: Path) -> None:
    # Only Qt makes such events; their constructors are marked deprecated for everybody else.
    warnings.simplefilter("ignore", DeprecationWarning)
    good, bad = tmp_path / "good.md", tmp_path / "bad.txt"
    good.write_text("# Fine\nText.", encoding="utf-16")
    bad.write_bytes(b"%PDF-1.4")

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
            assert reader.text() == "# Fine\nText."
        assert parts.board.message is not None
        assert "bad.txt is not a text file" in parts.board.message.text
        assert "Old text." in parts.keeper.now.recent_texts
        reader.undo()
        assert reader.text() == "Old text."

    run(story())


def test_clipboard_is_shown_and_spoken(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        QApplication.clipboard().setText("")
        parts.window.commands.speak_clipboard()
        assert parts.board.message is not None
        assert "no text on the clipboard" in parts.board.message.text
        parts.window.reader.setPlainText(TEXT)
        QApplication.clipboard().setText("From elsewhere. Two.")
        parts.window.commands.speak_clipboard()
        await until(lambda: marked(parts) == ["From elsewhere."])
        assert parts.window.reader.text() == "From elsewhere. Two."
        assert parts.keeper.now.recent_texts == ("From elsewhere. Two.", TEXT)

    run(story())


def test_nothing_to_read_is_said(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.setPlainText("  \n ")
        parts.window.commands.speak()
        assert parts.board.message is not None
        assert parts.board.message.text == NOTHING_TO_READ
        assert not parts.speech.view.active

    run(story())


def test_text_can_be_replaced_while_speaking(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, LONG)
        parts.client.enter(150)
        await settle()
        parts.window.commands.show_text("Short.")
        assert not parts.speech.view.active
        await settle()
        assert (parts.window.reader.text(), marked(parts), parts.window.reader.caret()) == ("Short.", [], 0)

    run(story())


# ---------------------------------------------------------------- messages, model, voice


def test_missing_model_offers_the_list(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.client.fails["load_model"] = OFFLINE
        parts.window.commands.choices.load_first()
        bar = parts.window.message_bar
        await until(lambda: bar.isVisible() and parts.window.voices.models.count() > 1)
        assert bar.label.text() == OFFLINE.message
        bar.details.click()
        (details,) = parts.window.findChildren(DetailsDialog)
        assert OFFLINE.detail in details.text.toPlainText()
        details.close()
        (choose,) = [button for button in bar.remedies.values() if button.text().startswith("Choose")]
        choose.click()
        dialog = parts.window.findChildren(QDialog)[-1]
        dialog.model_chosen.emit("french")  # type: ignore[attr-defined]
        dialog.close()
        await until(lambda: ("load_model", "french", None) in parts.client.requests)
        assert parts.keeper.now.language == "french"
        assert not bar.isVisible()

    run(story())


def test_chosen_voice_speaks_and_is_remembered(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        voices = parts.window.voices.voices
        await until(lambda: voices.findData("marius") >= 0)
        assert voices.currentData() == "alba"
        voices.setCurrentIndex(voices.findData("marius"))
        voices.activated.emit(voices.currentIndex())
        parts.window.reader.setPlainText(TEXT)
        parts.window.commands.speak()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        assert next(r[2] for r in parts.client.requests if r[0] == "speak")["voice"] == "marius"
        assert parts.keeper.now.voice == "marius"
        parts.window.voices.try_voice.click()
        await until(lambda: any(r[:2] == ("preview", "marius") for r in parts.client.requests))

    run(story())


def test_loudspeakers_are_listed(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        menu = parts.window.commands.output.menu
        menu.aboutToShow.emit()
        await until(lambda: len(menu.actions()) == 3)
        menu.actions()[2].trigger()
        await until(lambda: parts.models.view.device is not None)
        assert parts.keeper.now.device_name == "HDMI"

    run(story())


def test_what_was_set_is_there_again(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.setPlainText("A draft.")
        parts.window.commands.larger()
        parts.window.transport.volume.setValue(150)
        parts.window.resize(760, 640)
        parts.window.commands.remember()
        again = make_window(parts.keeper.now)
        again.window.show()
        assert again.window.reader.text() == "A draft."
        assert again.window.reader.font().pointSize() == 15
        assert parts.keeper.now.volume == 1.5
        assert again.window.size() == parts.window.size()
        await again.tasks.close()
        delete(again.window)

    run(story())


# ---------------------------------------------------------------- for everybody

CONTROLS = (
    QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QPlainTextEdit, QProgressBar, QAbstractItemView
)  # fmt: skip


def unnamed(root: QWidget) -> list[str]:
    inner = ("qt_", "ScrollLeftButton", "ScrollRightButton")  # parts of Qt's own widgets
    return [
        f"{type(widget).__name__} {widget.objectName()}"
        for widget in root.findChildren(QWidget)
        if isinstance(widget, CONTROLS)
        and not widget.accessibleName()
        and not widget.objectName().startswith(inner)
        and not _inside_qt(widget)
    ]


def _inside_qt(widget: QWidget) -> bool:
    """Whether it belongs to a list's header, a combo's popup, a menu bar, a scroll area: Qt names those."""
    names = {parent.metaObject().className() for parent in _parents(widget)}
    return (
        bool(names & {"QComboBoxPrivateContainer", "QMenuBar", "QTreeWidget"})
        or ("QScrollBar" in type(widget).__name__ and not isinstance(widget.parent(), QPlainTextEdit))
        or "Header" in type(widget).__name__
        or (widget.objectName() == "" and type(widget).__name__ == "QScrollBar")
    )


def _parents(widget: QWidget) -> list[QWidget]:
    parent = widget.parentWidget()
    return [] if parent is None else [parent, *_parents(parent)]


def test_every_control_has_a_name_and_a_role(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        commands = parts.window.commands
        commands.help()
        commands.about()
        commands.choices.show_models()
        parts.board.show_error(OFFLINE)
        parts.window.message_bar.details.click()
        assert unnamed(parts.window) == []
        assert without_role(parts.window) == []
        for dialog in parts.window.findChildren(QDialog):
            assert dialog.windowTitle()
            dialog.close()

    run(story())


def test_what_says_nothing_is_found(parts: Parts, run: Run) -> None:
    """What the test above relies on: a control that Qt knows nothing of, and one without a name."""

    async def story() -> None:
        QPushButton(parts.window)
        QLineEdit(parts.window)
        own = QWidget(parts.window)
        own.setAccessibleName("Knob")
        own.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        assert unnamed(parts.window) == ["QPushButton ", "QLineEdit "]
        assert without_role(parts.window) == ["QWidget 'Knob' is a Client"]

    run(story())


def test_tab_reaches_everything(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        window = parts.window
        window.voices.models.setFocus()
        reached = []
        for _ in range(40):
            reached.append(QApplication.focusWidget())
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        transport = window.transport
        wanted = [
            window.voices.models, window.voices.voices, window.voices.try_voice, window.reader, transport.position,
            transport.previous, transport.play, transport.stop, transport.next, transport.speed, transport.volume,
        ]  # fmt: skip
        assert [widget for widget in wanted if widget not in reached] == []

    run(story())


@pytest.mark.parametrize("scale", [1.0, 1.35])
def test_nothing_is_cut_off_at_800x600(parts: Parts, run: Run, qt: QApplication, scale: float) -> None:
    before = qt.font()

    async def story() -> None:
        await ready(parts)
        await until(lambda: parts.window.voices.models.count() > 1)
        larger = QFont(before)
        larger.setPointSizeF(before.pointSizeF() * scale)
        qt.setFont(larger)
        parts.window.reader.setPlainText(TEXT)
        parts.board.show_error(OFFLINE)
        parts.speech.set_speed(2.75)
        parts.speech.set_volume(2.0)
        parts.window.commands.speak()
        parts.board.show_error(OFFLINE)
        await settle()
        parts.window.resize(800, 600)
        await settle()
        assert (parts.window.width(), parts.window.height()) == (800, 600)
        assert cut_off(parts.window) == []

    try:
        run(story())
    finally:
        qt.setFont(before)


def cut_off(window: QWidget) -> list[str]:
    """Labels and buttons that are smaller than their words, or reach out of the window."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton | QComboBox):
            continue
        corner = widget.mapTo(window, widget.rect().bottomRight())
        wraps = isinstance(widget, QLabel) and widget.wordWrap()
        needed = widget.minimumSizeHint()
        words = widget.heightForWidth(widget.width()) if wraps else needed.height()
        if (not wraps and widget.width() < needed.width()) or widget.height() < words:
            found.append(f"{widget.accessibleName() or widget} is {widget.size()}, needs {needed}")
        if not window.rect().contains(corner):
            found.append(f"{widget.accessibleName() or widget} reaches out to {corner}")
        if getattr(widget, "is_cut", False):
            found.append(f"{widget.accessibleName()} is cut")
    return found


def contrast(one: QColor, other: QColor) -> float:
    """As WCAG has it: 4.5 is good for text."""

    def luminance(colour: QColor) -> float:
        parts = [
            value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
            for value in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out(qt: QApplication, dark: bool) -> None:
    palette = theme.palette(dark)
    assert colours.is_dark(palette) == dark
    text, window_text = palette.text().color(), palette.windowText().color()
    assert contrast(text, palette.base().color()) > 7
    assert contrast(text, colours.sentence(palette)) > 7
    assert contrast(colours.sentence(palette), palette.base().color()) > 1.2
    assert contrast(window_text, colours.problem(palette)) > 4.5
    assert contrast(window_text, colours.note(palette)) > 4.5
    assert contrast(colours.quiet_text(palette), palette.window().color()) > 4.5
    assert contrast(palette.buttonText().color(), palette.button().color()) > 4.5


def test_colours_change_with_the_system(parts: Parts, run: Run, qt: QApplication) -> None:
    before = qt.palette()

    async def story() -> None:
        await speaking(parts)
        await until(lambda: marked(parts))
        for dark in (True, False):
            qt.setPalette(theme.palette(dark))
            await settle()
            (mark,) = parts.window.reader.extraSelections()
            assert mark.format.background().color() == colours.sentence(theme.palette(dark))
            sign = parts.window.transport.play.icon().pixmap(32, 32).toImage()
            lightness = sign.pixelColor(10, 16).lightness()
            assert (lightness > 128) == dark

    try:
        run(story())
    finally:
        qt.setPalette(before)
