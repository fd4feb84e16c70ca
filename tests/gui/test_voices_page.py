"""The page of voices with a real library on disk: everything by keyboard, nothing lost, five hundred of them."""

import dataclasses
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QAccessible, QDropEvent, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QMenu, QMessageBox

from pocketvoice.gui.controllers.messages import Remedy
from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.voices.list.delegate import play_rect, star_rect
from pocketvoice.gui.voices.list.export import ExportVoiceDialog
from pocketvoice.gui.voices.list.item_model import DAMAGE_ROLE, VOICE_ROLE, about
from pocketvoice.gui.voices.list.window import NONE_FOUND, NONE_YET, VoicesWindow
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice, Voice
from pocketvoice.worker.messages import Finished, PreparingVoice
from tests.gui.conftest import Run, settle, until
from tests.gui.fake_client import READY
from tests.gui.geometry import cut_off
from tests.gui.parts import Parts
from tests.gui.roles import unnamed, without_role

LONG = "Grandfather reads an extraordinarily long story about boats, harbours and sea"
CLIP = (0.1 * np.sin(np.arange(24_000 * 3) / 20)).astype(np.float32)
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def library(own_folders: Path) -> VoiceLibrary:
    """Agnes, Élodie and a very long name."""
    made = VoiceLibrary()
    for name, language, source in (
        ("Agnes", "en", "USB Microphone"), ("Élodie", "fr", "interview.mp4"), (LONG, "en", "voicemail.m4a"),
    ):  # fmt: skip
        made.add(NewVoice(name, language, source=source, consent="Yes."), CLIP)
    return made


@dataclass
class Shown:
    parts: Parts
    desk: VoicesCoordinator
    page: VoicesWindow

    def names(self) -> list[str]:
        rows = range(self.page.filter.rowCount())
        return [self.page.filter.index(row, 0).data() for row in rows]

    def message(self) -> str:
        return self.page.message_bar.label.text() if self.page.message_bar.isVisible() else ""

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.page.activateWindow()
        self.page.list.setFocus()
        QTest.keyClick(self.page.list, key, modifier)

    def rect(self, row: int) -> QRect:
        return self.page.list.visualRect(self.page.filter.index(row, 0))


@pytest.fixture
def shown(parts: Parts) -> Iterator[Shown]:
    desk = parts.desktop.voices
    parts.desktop.voices.show_page()
    assert desk.page is not None
    yield Shown(parts, desk, desk.page)
    desk.library.close()
    desk.page.close()


async def opened(shown: Shown, count: int = 3) -> None:
    await shown.parts.client.__aenter__()
    shown.desk.start()
    await until(lambda: len(shown.names()) == count)


def test_voices_are_found(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        assert shown.names() == ["Agnes", "Élodie", LONG]
        QTest.keyClick(shown.page, Qt.Key.Key_F, CONTROL)
        QTest.keyClicks(shown.page.search, "ELODIE french")
        assert shown.names() == ["Élodie"]
        assert shown.page.count.text() == "1 of 3 voices"
        shown.page.search.setText("nobody")
        assert shown.page.empty.isVisible()
        assert shown.page.empty.text() == NONE_FOUND
        shown.page.search.clear()
        shown.page.languages.setCurrentIndex(shown.page.languages.findData("en"))
        assert shown.names() == ["Agnes", LONG]

    run(story())


def test_no_voices_yet(shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown, 0)
        await until(lambda: shown.desk.library.is_read)
        assert shown.page.empty.text() == NONE_YET
        assert not shown.page.buttons["delete"].isEnabled()
        assert shown.page.new.isEnabled()

    run(story())


def test_everything_by_keyboard(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        used: list[str] = []
        shown.desk.chosen.connect(used.append)
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
        await opened(shown)
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


def test_name_that_is_taken_is_refused(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        for name in ("élodie", "Alba"):  # a voice of the catalogue, too
            shown.page.model.setData(shown.page.model.index(0), name)
            await until(lambda name=name: name.casefold() in shown.message().casefold())
        assert shown.names() == ["Agnes", "Élodie", LONG]

    run(story())


def test_voice_is_heard(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        client = shown.parts.client
        shown.press(Qt.Key.Key_Home)
        shown.press(Qt.Key.Key_Space)  # it has no sentence of its own: one is made
        agnes = library.get("Agnes")
        await until(lambda: any(request[:2] == ("preview", agnes.id) for request in client.requests))
        library.set_preview(agnes.id, CLIP)
        shown.desk.library.look()
        await until(lambda: shown.desk.library.voices[0].preview is not None)
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
        await opened(shown)
        where = star_rect(shown.rect(2)).center()
        QTest.mouseClick(shown.page.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
        await until(lambda: shown.names()[0] == LONG)
        assert library.get(LONG).favourite

    run(story())


def test_what_others_change_is_shown(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        library.add(NewVoice("Berta"), CLIP)  # another process
        await until(lambda: "Berta" in shown.names())

    run(story())


def test_damaged_voice_is_told_of_once(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    (library.get("Agnes").folder / "voice.json").write_text("{broken")

    async def story() -> None:
        await opened(shown, 2)
        await until(shown.message)
        shown.desk.library.board.dismiss()
        library.add(NewVoice("Berta"), CLIP)
        await until(lambda: "Berta" in shown.names())
        assert shown.message() == ""

    run(story())


def test_damaged_clip_is_reported(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    """It can't be made again: a message, and on the row for eye and screen reader."""
    clip = library.get("Agnes").clip_path
    data = clip.read_bytes()
    clip.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))

    async def story() -> None:
        await opened(shown)
        await until(lambda: shown.page.model.index(0).data(DAMAGE_ROLE))
        sentence = "The clip of the voice Agnes is damaged. It can't speak: record it again."
        assert shown.message() == sentence
        row = shown.page.model.index(0)
        assert row.data(DAMAGE_ROLE) == sentence
        assert sentence in row.data(Qt.ItemDataRole.ToolTipRole)
        assert "damaged" in row.data(Qt.ItemDataRole.AccessibleTextRole)
        await until(lambda: len(shown.page.check.damage) == 1)
        assert [voice.name for voice in library.voices()] == ["Agnes", "Élodie", LONG]

    run(story())


def test_damaged_sentence_is_spoken_anew(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    agnes = library.set_preview(library.get("Agnes").id, CLIP)
    agnes.preview_path.write_bytes(b"fLaC")

    async def story() -> None:
        await opened(shown)
        shown.press(Qt.Key.Key_Home)
        shown.press(Qt.Key.Key_Space)
        await until(lambda: any(one[:2] == ("preview", agnes.id) for one in shown.parts.client.requests))

    run(story())


def test_chosen_voice_speaks_and_is_remembered(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        window, agnes = shown.parts.window, library.get("Agnes")
        shown.parts.desktop.voice_choice.load_first()
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready(dataclasses.replace(READY, cloning=True))
        shown.page.list.doubleClicked.emit(shown.page.filter.index(0, 0))
        assert shown.parts.settings.now.voice == agnes.id
        assert window.voice_row.voices.currentText() == "Agnes"
        window.reader.setPlainText("Hello there.")
        shown.parts.desktop.speech_commands.speak()
        await until(lambda: shown.parts.client.speech is not None)
        assert next(r[2] for r in shown.parts.client.requests if r[0] == "speak")["voice"] == agnes.id
        library.remove(agnes.id)
        await until(lambda: window.voice_row.voices.findData(agnes.id) < 0)
        assert shown.parts.desktop.voice_choice.voice() is None  # the model's own again

    run(story())


def test_long_name_leaves_the_window_small(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        window, voice = shown.parts.window, library.get(LONG)
        shown.parts.desktop.voice_choice.choose_voice(voice.id)
        combo = window.voice_row.voices
        assert combo.currentText().endswith("…")
        assert combo.currentData(Qt.ItemDataRole.ToolTipRole) == LONG
        window.resize(800, 600)
        await settle()
        assert (window.width(), window.height()) == (800, 600)
        assert cut_off(window) == []

    run(story())


def without_clip(library: VoiceLibrary, name: str, model_id: str) -> Voice:
    """As one that was brought in from a file of the reference."""
    voice = library.add(NewVoice(name), CLIP)
    record = json.loads((voice.folder / "voice.json").read_text())
    mark = {"sha256": "0" * 64, "size_bytes": 1}
    state = {"model_id": model_id, "file": "state.safetensors", "mark": mark}
    record |= {"clip": None, "clip_s": None, "states": [state]}
    (voice.folder / "voice.json").write_text(json.dumps(record))
    return voice


def test_voice_that_can_not_speak_here_says_why(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    """Without a recording, and made for other weights or for unknown ones; with one, and weights that can't listen."""

    other, unknown = without_clip(library, "Other", "french-89abcdef"), without_clip(library, "Unknown", "")

    async def story() -> None:
        await opened(shown, 5)
        shown.parts.models.load("english")
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready()
        shown.page.use_wanted.emit(other.id)
        assert "made for another model" in shown.message()
        shown.page.use_wanted.emit(library.get("Agnes").id)
        assert "can't copy voices" in shown.message()
        shown.page.use_wanted.emit(unknown.id)
        (question,) = shown.page.findChildren(QMessageBox)
        assert "Unknown does not say" in question.text()
        question.button(QMessageBox.StandardButton.Yes).click()
        await until(lambda: shown.parts.settings.now.voice == unknown.id)
        (state,) = library.get("Unknown").states
        assert state.model_id == READY.model_id

    run(story())


def test_chooser_of_the_window_asks_too(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    """It keeps the voice it has until the answer is there."""
    other = without_clip(library, "Other", "french-89abcdef")
    unknown = without_clip(library, "Unknown", "")

    async def story() -> None:
        await opened(shown, 5)
        shown.page.close()
        window = shown.parts.window
        chooser = window.voice_row.voices
        shown.parts.desktop.voice_choice.load_first()
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready()
        await until(lambda: chooser.findData(unknown.id) >= 0)
        before = chooser.currentData()
        for voice in (other, unknown):
            chooser.setCurrentIndex(chooser.findData(voice.id))
            chooser.activated.emit(chooser.currentIndex())
            assert chooser.currentData() == before
        assert "made for another model" in window.message_bar.label.text()
        (question,) = window.findChildren(QMessageBox)
        assert question.isVisible()
        question.button(QMessageBox.StandardButton.Yes).click()
        await until(lambda: chooser.currentData() == unknown.id)
        assert shown.parts.settings.now.voice == unknown.id

    run(story())


def test_voice_being_made_ready_is_shown(shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown, 0)
        client, row = shown.parts.client, shown.parts.window.preparing
        shown.parts.models.load("english")
        await until(lambda: client.load is not None)
        load = client.load
        assert load is not None
        client.tell(PreparingVoice(load.request_id, "Agnes", 0.0))
        row.cancel.click()
        await until(lambda: load.done and not row.isVisible())
        shown.parts.models.load("english")
        await until(lambda: client.load not in (None, load))
        client.be_ready()
        speech = await client.speak("Hello.")
        client.tell(PreparingVoice(speech.request_id, "Agnes", 0.0))
        assert row.isVisible()
        assert row.label.text() == "Making Agnes ready for this model…"
        client.tell(PreparingVoice(speech.request_id, "Agnes", 1.0))
        assert not row.isVisible()
        client.tell(PreparingVoice(speech.request_id, "Agnes", 0.0))
        row.cancel.click()
        await until(lambda: speech.done and not row.isVisible())

    run(story())


def test_speed_of_a_voice_comes_with_it(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    library.update(library.get("Agnes").id, speed=1.3, volume=0.8)

    async def story() -> None:
        await opened(shown)
        shown.parts.desktop.voice_choice.choose_voice(library.get("Agnes").id)
        assert (shown.parts.speech.view.speed, shown.parts.speech.view.volume) == (1.3, 0.8)

    run(story())


def test_deleted_voice_comes_back_another_day(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    library.remove(library.get("Agnes").id)

    async def story() -> None:
        await opened(shown, 2)
        shown.page.deleted.click()
        await until(lambda: shown.page.acts.menu is not None and shown.page.acts.menu.actions())
        menu = shown.page.acts.menu
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
        await opened(shown)
        shown.press(Qt.Key.Key_Home)
        shown.page.acts.show_menu(QPoint(5, 5))
        menu = shown.page.acts.menu
        assert menu is not None
        languages = menu.actions()[-1].menu()
        assert isinstance(languages, QMenu)
        assert [one.text() for one in languages.actions() if one.isChecked()] == ["English"]
        next(one for one in languages.actions() if one.text() == "Dutch").trigger()
        menu.close()
        await until(lambda: library.get("Agnes").language == "nl")
        shown.page.acts.edit_notes()
        (dialog,) = shown.page.findChildren(QInputDialog)
        dialog.setTextValue("Read by the window.")
        dialog.accept()
        await until(lambda: library.get("Agnes").notes == "Read by the window.")
        shown.parts.speech.set_speed(1.2)
        shown.page.acts.keep_sound()
        await until(lambda: library.get("Agnes").speed == 1.2)

    run(story())


def dropped(page: VoicesWindow, path: Path) -> None:
    """A file that falls onto the page."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    keys = Qt.KeyboardModifier.NoModifier
    page.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, keys))


def test_voice_goes_to_another_computer(
    library: VoiceLibrary, shown: Shown, run: Run, tmp_path: Path
) -> None:
    # Only Qt makes such events; their constructors are marked deprecated for everybody else.
    warnings.simplefilter("ignore", DeprecationWarning)

    async def story() -> None:
        await opened(shown)
        shown.press(Qt.Key.Key_Home)
        shown.press(Qt.Key.Key_E, CONTROL)
        (dialog,) = shown.page.findChildren(ExportVoiceDialog)
        assert unnamed(dialog) == []
        assert without_role(dialog) == []
        assert dialog.with_clip.isChecked()
        path = tmp_path / "agnes.pvoice"
        dialog.chosen.emit(library.get("Agnes").id, str(path), True)
        dialog.close()
        await until(lambda: shown.message() == f"The voice was saved as {path}.")
        library.remove(library.get("Agnes").id)
        await until(lambda: "Agnes" not in shown.names())
        shown.parts.desktop.text_commands.open_files([str(path)])  # as a drop does
        await until(lambda: "Agnes" in shown.names())
        await until(lambda: "Agnes" in shown.message())
        assert not shown.page.progress.isVisible()
        empty = tmp_path / "empty"
        empty.mkdir()
        dropped(shown.page, empty)
        await until(lambda: "no voices in empty" in shown.message())
        sounds: list[str] = []
        shown.page.sound_dropped.disconnect()
        shown.page.sound_dropped.connect(sounds.append)
        dropped(shown.page, tmp_path / "sound.wav")
        assert sounds == [str(tmp_path / "sound.wav")]
        bad = tmp_path / "bad.pvoice"
        bad.write_text("no voice")
        shown.page.acts.take_in([str(bad)])
        await until(lambda: "bad.pvoice" in shown.message())

    run(story())


def test_folder_that_can_not_be_read_is_a_sentence(
    library: VoiceLibrary, shown: Shown, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    iterdir = Path.iterdir

    def refused(path: Path) -> Iterator[Path]:
        """Root, who may run this, can read everything."""
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return iterdir(path)

    async def story() -> None:
        await opened(shown)
        monkeypatch.setattr(Path, "iterdir", refused)
        shown.page.acts.take_in([str(locked)])
        await until(lambda: "locked can't be read: Permission denied" in shown.message())

    run(story())


# ---------------------------------------------------------------- for everybody


def test_page_is_for_everybody(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    async def story() -> None:
        await opened(shown)
        page = shown.page
        shown.press(Qt.Key.Key_Home)
        shown.desk.library.board.warn("A sentence of a bearable length that says what went wrong.")
        await settle()
        assert unnamed(page) == []
        assert without_role(page) == []
        page.search.setFocus()
        reached = []
        for _ in range(24):
            reached.append(QApplication.focusWidget())
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        wanted = [
            page.search,
            page.languages,
            page.bring_in,
            page.new,
            page.list,
            *page.buttons.values(),
            page.deleted,
        ]
        assert [widget for widget in wanted if widget not in reached] == []
        order = [reached.index(widget) for widget in (page.search, page.new, page.list, page.buttons["use"])]
        assert order == sorted(order)
        voice: Voice = page.filter.index(2, 0).data(VOICE_ROLE)
        spoken = page.filter.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert spoken == f"{LONG}, {about(voice)}".replace(" · ", ", ")
        assert LONG in page.filter.index(2, 0).data(Qt.ItemDataRole.ToolTipRole)
        interface = QAccessible.queryAccessibleInterface(page.list)
        assert interface.role() == QAccessible.Role.List
        assert interface.child(2).text(QAccessible.Text.Name) == spoken

    run(story())


@pytest.mark.parametrize("scale", [1.0, 1.35])
def test_nothing_is_cut_off(
    library: VoiceLibrary, shown: Shown, run: Run, qt: QApplication, scale: float
) -> None:
    before, larger = qt.font(), QFont(qt.font())
    larger.setPointSizeF(before.pointSizeF() * scale)
    qt.setFont(larger)

    async def story() -> None:
        await opened(shown)
        shown.desk.library.board.warn("A sentence of a bearable length that says what went wrong.")
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
        await opened(shown, 503)
        before = len(shown.page.list.findChildren(object))
        painted: list[int] = []
        paint = shown.page.delegate.paint
        shown.page.delegate.paint = lambda *args: (painted.append(args[2].row()), paint(*args))  # type: ignore[method-assign]
        shown.page.list.scrollToBottom()
        shown.page.grab()
        assert 5 < len(painted) < 60
        shown.page.search.setText("voice 31")
        assert shown.names() == [f"Voice {number:03}" for number in range(500) if "31" in f"{number:03}"]
        assert len(shown.page.list.findChildren(object)) == before
        chooser = shown.parts.window.voice_row.voices
        assert chooser.count() < 80

    run(story())
