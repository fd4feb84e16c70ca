"""For everybody: names, roles, the order of the keyboard, and large fonts on every page."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from pocketvoice.gui.voices.new.layout import Page
from pocketvoice.gui.voices.new.model_notes import SMALL_MODEL
from tests.gui.conftest import Run, settle
from tests.gui.geometry import cut_off
from tests.gui.roles import unnamed, without_role
from tests.gui.voices.new.shown import Shown


@pytest.mark.parametrize("scale", [1.0, 1.35])
def test_dialog_is_for_everybody(
    shown: Shown, recording: Path, run: Run, qt: QApplication, scale: float
) -> None:
    before, larger = qt.font(), QFont(qt.font())
    larger.setPointSizeF(before.pointSizeF() * scale)
    qt.setFont(larger)

    async def story() -> None:
        await shown.at_hearing(recording)
        shown.made()
        await shown.spoken(1)
        dialog = shown.dialog
        for page in (dialog.record, dialog.name, dialog.hear):
            page.show_note(SMALL_MODEL)
        dialog.resize(752, 564)  # what fits over a window of 800x600
        for page in reversed(Page):
            dialog.show_page(page)
            dialog._show_buttons()
            await settle()
            assert unnamed(dialog) == []
            assert without_role(dialog) == []
            assert (dialog.width(), dialog.height()) == (752, 564), page
            assert cut_off(dialog) == [], page
            assert dialog.title.text()
            start = QApplication.focusWidget()
            assert start is not None
            reached = {start}
            for _ in range(20):
                QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
                reached.add(QApplication.focusWidget())
            assert dialog.close_button in reached, page
            widget = dialog.pages.currentWidget()
            missing = [
                child
                for child in widget.findChildren(type(dialog.close_button))
                if child.isVisible() and child.isEnabled() and child not in reached
            ]
            assert missing == [], page
        dialog.name.uses.click()
        (uses,) = dialog.findChildren(QDialog)
        assert unnamed(uses) == []
        assert without_role(uses) == []
        uses.close()

    try:
        run(story())
    finally:
        qt.setFont(before)
