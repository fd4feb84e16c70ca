"""The window of voices: found, selected, and done with the keyboard alone; nothing is lost."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMenu

from pocketvoice.gui.controllers.messages import Remedy
from pocketvoice.gui.voices.list.delegate import play_rect, star_rect
from pocketvoice.gui.voices.list.window import NONE_FOUND, NONE_YET
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from pocketvoice.worker.messages import Finished
from tests.gui.conftest import Run, until
from tests.gui.voices.list.shown import CONTROL, LONG, Shown
from tests.gui.voices.parts import CLIP


def test_voices_are_found(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        assert shown.names() == ["Agnes", "Élodie", LONG]
        QTest.keyClick(shown.page, Qt.Key.Key_F, CONTROL)
        QTest.keyClicks(shown.page.search.words, "ELODIE french")
        assert shown.names() == ["Élodie"]
        assert shown.page.count.text() == "1 of 3 voices"
        shown.page.search.words.setText("nobody")
        assert shown.page.empty.isVisible()
        assert shown.page.empty.text() == NONE_FOUND
        shown.page.search.clear()
        shown.page.search.languages.setCurrentIndex(shown.page.search.languages.findData("en"))
        assert shown.names() == ["Agnes", LONG]

    run(story())


def test_no_voices_yet(shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened(0)
        await until(lambda: shown.model.is_read)
        assert shown.page.empty.text() == NONE_YET
        assert not shown.page.buttons["delete"].isEnabled()
        assert shown.page.new.isEnabled()

    run(story())


def test_everything_by_keyboard(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        used: list[str] = []
        shown.coordinator.chosen.connect(used.append)
        keys = Qt.Key
        shown.press(keys.Key_Home)
        shown.press(keys.Key_F2)
        (editor,) = shown.page.list.findChildren(QLineEdit)
        QTest.keyClicks(editor, "Zoe")
        QTest.keyClick(editor, keys.Key_Return)
        await until(lambda: shown.names() == ["Élodie", LONG, "Zoe"])
        assert [voice.name for voice in shown.page.selected()] == ["Zoe"]  # it stays chosen
        shown.press(keys.Key_B, CONTROL)
        await until(lambda: shown.names()[0] == "Zoe")
        assert shown.page.buttons["favourite"].isChecked()
        shown.press(keys.Key_D, CONTROL)
        await until(lambda: "Zoe 2" in shown.names())
        await until(lambda: [voice.name for voice in shown.page.selected()] == ["Zoe 2"])
        shown.press(keys.Key_Return)
        assert used == [library.get("Zoe 2").id]
        shown.press(keys.Key_Delete)
        await until(lambda: "Zoe 2" not in shown.names())
        await until(lambda: shown.message() == "Zoe 2 was deleted.")
        QTest.keyClick(shown.page, keys.Key_Z, CONTROL)
        await until(lambda: "Zoe 2" in shown.names())
        assert [voice.name for voice in library.voices()] == ["Zoe", "Élodie", LONG, "Zoe 2"]

    run(story())


def test_several_are_deleted_and_come_back(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        shown.press(Qt.Key.Key_A, CONTROL)
        assert not shown.page.buttons["rename"].isEnabled()
        shown.press(Qt.Key.Key_Delete)
        await until(lambda: shown.names() == [])
        await until(lambda: shown.message() == "3 voices were deleted.")
        shown.page.message_bar.remedies[Remedy.UNDO].click()
        await until(lambda: len(shown.names()) == 3)
        await until(lambda: len(shown.page.selected()) == 3)
        assert shown.names() == ["Agnes", "Élodie", LONG]

    run(story())


@pytest.mark.expects_log("a voice named (élodie|Alba)")
def test_name_that_is_taken_is_refused(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        for name in ("élodie", "Alba"):  # a voice of the catalogue, too
            shown.page.list.items.setData(shown.page.list.items.index(0), name)
            await until(lambda name=name: name.casefold() in shown.message().casefold())
        assert shown.names() == ["Agnes", "Élodie", LONG]

    run(story())


def test_voice_is_heard(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        client = shown.parts.client
        shown.press(Qt.Key.Key_Home)
        shown.press(Qt.Key.Key_Space)  # it has no sentence of its own: one is made
        agnes = library.get("Agnes")
        await until(lambda: any(request[:2] == ("preview", agnes.id) for request in client.requests))
        library.set_preview(agnes.id, CLIP)
        shown.model.look()
        await until(lambda: shown.model.voices[0].preview is not None)
        shown.press(Qt.Key.Key_Space)
        await until(lambda: len(client.sounds) == 1)
        assert client.requests[-1][1] == str(library.get("Agnes").preview_path)
        assert shown.page.buttons["play"].text() == "Sto&p"
        client.sounds[0].put(Finished(client.sounds[0].request_id))
        await until(lambda: shown.page.buttons["play"].text() == "&Play")
        where = play_rect(shown.rect(0)).center()
        QTest.mouseClick(shown.page.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
        await until(lambda: len(client.sounds) == 2)
        QTest.keyClick(shown.page, Qt.Key.Key_Escape)  # silence
        await until(lambda: client.sounds[1].done)

    run(story())


def test_star_is_clicked(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        where = star_rect(shown.rect(2)).center()
        QTest.mouseClick(shown.page.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
        await until(lambda: shown.names()[0] == LONG)
        assert library.get(LONG).favourite

    run(story())


def test_what_others_change_is_shown(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        library.add(NewVoice("Berta"), CLIP)  # another process
        await until(lambda: "Berta" in shown.names())

    run(story())


def test_deleted_voice_comes_back_another_day(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    library.remove(library.get("Agnes").id)

    async def story() -> None:
        await shown.opened(2)
        shown.page.deleted.click()
        await until(
            lambda: shown.page.voice_actions.menu is not None and shown.page.voice_actions.menu.actions()
        )
        menu = shown.page.voice_actions.menu
        assert menu is not None
        (action,) = menu.actions()
        assert action.text().startswith("Agnes, English")
        action.trigger()
        menu.close()
        await until(lambda: "Agnes" in shown.names())
        await until(lambda: [voice.name for voice in shown.page.selected()] == ["Agnes"])

    run(story())


def test_details_are_changed(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await shown.opened()
        shown.press(Qt.Key.Key_Home)
        shown.page.voice_actions.show_menu(QPoint(5, 5))
        menu = shown.page.voice_actions.menu
        assert menu is not None
        languages = menu.actions()[-1].menu()
        assert isinstance(languages, QMenu)
        assert [one.text() for one in languages.actions() if one.isChecked()] == ["English"]
        next(one for one in languages.actions() if one.text() == "Dutch").trigger()
        menu.close()
        await until(lambda: library.get("Agnes").language == "nl")
        shown.page.voice_actions.edit_notes()
        (dialog,) = shown.page.findChildren(QInputDialog)
        dialog.setTextValue("Read by the window.")
        dialog.accept()
        await until(lambda: library.get("Agnes").notes == "Read by the window.")
        shown.parts.speech.set_speed(1.2)
        shown.page.voice_actions.keep_sound()
        await until(lambda: library.get("Agnes").speed == 1.2)

    run(story())
