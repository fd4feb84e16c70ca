"""For everybody: names and roles for screen readers, the order of the keyboard, large fonts, and five hundred voices."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from pocketvoice.gui.voices.list.item_model import VOICE_ROLE, about
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import Voice
from tests.gui.conftest import Run, settle
from tests.gui.geometry import cut_off
from tests.gui.roles import unnamed, without_role
from tests.gui.voices.list.shown import LONG, Shown


@pytest.mark.expects_log("A sentence of a bearable length")
def test_page_is_for_everybody(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        page = shown.page
        shown.press(Qt.Key.Key_Home)
        shown.model.messages.warn("A sentence of a bearable length that says what went wrong.")
        await settle()
        assert unnamed(page) == []
        assert without_role(page) == []
        page.search.words.setFocus()
        reached = []
        for _ in range(24):
            reached.append(QApplication.focusWidget())
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        wanted = [
            page.search.words,
            page.search.languages,
            page.import_button,
            page.new,
            page.list,
            *page.buttons.values(),
            page.deleted,
        ]
        assert [widget for widget in wanted if widget not in reached] == []
        order = [
            reached.index(widget) for widget in (page.search.words, page.new, page.list, page.buttons["use"])
        ]
        assert order == sorted(order)
        voice: Voice = page.list.filter.index(2, 0).data(VOICE_ROLE)
        spoken = page.list.filter.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert spoken == f"{LONG}, {about(voice)}".replace(" · ", ", ")
        assert LONG in page.list.filter.index(2, 0).data(Qt.ItemDataRole.ToolTipRole)
        interface = QAccessible.queryAccessibleInterface(page.list)
        assert interface.role() == QAccessible.Role.List
        assert interface.child(2).text(QAccessible.Text.Name) == spoken

    run(story())


@pytest.mark.expects_log("A sentence of a bearable length")
@pytest.mark.parametrize("scale", [1.0, 1.35])
def test_nothing_is_cut_off(
    library: VoiceLibrary, shown: Shown, run: Run, qt: QApplication, scale: float
) -> None:
    before, larger = qt.font(), QFont(qt.font())
    larger.setPointSizeF(before.pointSizeF() * scale)
    qt.setFont(larger)

    async def story() -> None:
        await shown.opened()
        shown.model.messages.warn("A sentence of a bearable length that says what went wrong.")
        shown.page.resize(752, 564)  # what fits over a window of 800x600
        await settle()
        assert (shown.page.width(), shown.page.height()) == (752, 564)
        assert cut_off(shown.page) == []

    try:
        run(story())
    finally:
        qt.setFont(before)


def test_five_hundred_voices_are_rows_and_not_widgets(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    record = json.loads((library.get("Agnes").folder / "voice.json").read_text())
    for number in range(500):
        folder = library.folder / f"v{number:016x}"
        folder.mkdir()
        text = json.dumps(
            record | {"id": folder.name, "name": f"Voice {number:03}", "clip": None, "clip_s": None}
        )
        (folder / "voice.json").write_text(text)

    async def story() -> None:
        await shown.opened(503)
        before = len(shown.page.list.findChildren(object))
        painted: list[int] = []
        paint = shown.page.list.delegate.paint
        shown.page.list.delegate.paint = lambda *args: (painted.append(args[2].row()), paint(*args))  # type: ignore[method-assign]
        shown.page.list.scrollToBottom()
        shown.page.grab()
        assert 5 < len(painted) < 60
        shown.page.search.words.setText("voice 31")
        assert shown.names() == [f"Voice {number:03}" for number in range(500) if "31" in f"{number:03}"]
        assert len(shown.page.list.findChildren(object)) == before
        chooser = shown.parts.window.voice_row.voices
        assert chooser.count() < 80

    run(story())
