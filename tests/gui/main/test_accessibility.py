"""Everybody can use the window: names and roles for screen readers, the Tab key, nothing cut off."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tests.gui.conftest import Run, ready, settle, until
from tests.gui.fake_client import OFFLINE
from tests.gui.geometry import cut_off
from tests.gui.main.reading import TEXT, speaking
from tests.gui.parts import Parts
from tests.gui.roles import unnamed, without_role


@pytest.mark.expects_log("OfflineError")
def test_every_control_has_a_name_and_a_role(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.desktop.view_commands.help()
        parts.desktop.view_commands.about()
        parts.desktop.voice_choice.show_models()
        parts.messages.show_error(OFFLINE)
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
        window.voice_row.models.setFocus()
        reached = []
        for _ in range(40):
            reached.append(QApplication.focusWidget())
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        transport = window.transport
        wanted = [
            window.voice_row.models, window.voice_row.voices, window.voice_row.try_voice, window.reader, transport.position,
            transport.previous, transport.play, transport.stop, transport.next, transport.speed, transport.volume,
        ]  # fmt: skip
        assert [widget for widget in wanted if widget not in reached] == []

    run(story())


@pytest.mark.parametrize("scale", [1.0, 1.35])
@pytest.mark.expects_log("OfflineError")
def test_nothing_is_cut_off_at_800x600(parts: Parts, run: Run, qt: QApplication, scale: float) -> None:
    before = qt.font()

    async def story() -> None:
        await ready(parts)
        await until(lambda: parts.window.voice_row.models.count() > 1)
        larger = QFont(before)
        larger.setPointSizeF(before.pointSizeF() * scale)
        qt.setFont(larger)
        parts.window.reader.setPlainText(TEXT)
        parts.messages.show_error(OFFLINE)
        parts.speech.set_speed(2.75)
        parts.speech.set_volume(2.0)
        parts.desktop.speech_commands.speak()
        parts.messages.show_error(OFFLINE)
        await settle()
        parts.window.resize(800, 600)
        await settle()
        assert (parts.window.width(), parts.window.height()) == (800, 600)
        assert cut_off(parts.window) == []

    try:
        run(story())
    finally:
        qt.setFont(before)
