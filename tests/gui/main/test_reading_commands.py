"""How a text is read, shown for a selection; and pronunciations of the user's own, heard at once."""

from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QDialog, QMenu

from pocketvoice.gui.main.how_read import HowReadDialog
from pocketvoice.gui.main.pronounce import PronounceDialog, PronunciationsDialog
from pocketvoice.paths import pronunciations_file
from pocketvoice.settings import Settings
from pocketvoice.text.normalise import Match, PronunciationRule, PronunciationRules
from tests.gui.conftest import Run, ready, until
from tests.gui.geometry import cut_off
from tests.gui.main.reading import speaking, spoken
from tests.gui.parts import Parts, make_window
from tests.gui.roles import unnamed, without_role

RULE = PronunciationRule("Nguyen", "win")


D = TypeVar("D", bound=QDialog)


def opened(parts: Parts, kind: type[D]) -> D:
    return parts.window.findChildren(kind)[-1]


def kept() -> tuple[PronunciationRule, ...]:
    return PronunciationRules.load(pronunciations_file()).rules


def select(parts: Parts, start: int, stop: int) -> None:
    cursor = parts.window.reader.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(stop, cursor.MoveMode.KeepAnchor)
    parts.window.reader.setTextCursor(cursor)


def test_the_selection_is_shown_as_it_is_read(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.setPlainText("Page 3. It cost $5 in 1984.")
        select(parts, 8, 27)
        parts.window.command_actions["how_read"].trigger()
        await until(lambda: parts.window.findChildren(HowReadDialog))
        dialog = opened(parts, HowReadDialog)
        assert dialog.text.toPlainText() == "It cost five dollars in nineteen eighty-four."
        rows = [dialog.list.topLevelItem(i) for i in range(dialog.list.topLevelItemCount())]
        assert [(row.text(0), row.text(1), row.text(2)) for row in rows if row] == [
            ("$5", "five dollars", "money"),
            ("1984", "nineteen eighty-four", "year"),
        ]
        assert unnamed(parts.window) == without_role(parts.window) == cut_off(dialog) == []
        dialog.close()

    run(story())


def test_a_right_click_asks_for_the_word_under_it(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        reader = parts.window.reader
        reader.setPlainText("Mr. Nguyen came.")
        cursor = reader.textCursor()
        cursor.setPosition(6)
        place = reader.cursorRect(cursor).center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, reader.mapToGlobal(place))
        reader.contextMenuEvent(event)
        menu = reader.findChildren(QMenu)[-1]
        titles = [action.text().replace("&", "") for action in menu.actions()]
        assert titles[:3] == ["Speak", "How this is read…", "Pronounce as…"]
        menu.close()
        parts.window.command_actions["pronounce"].trigger()
        dialog = opened(parts, PronounceDialog)
        assert dialog.written.text() == "Nguyen"
        assert unnamed(parts.window) == without_role(parts.window) == cut_off(dialog) == []
        dialog.spoken.setText("win")
        dialog.hear.click()
        await until(lambda: [r for r in parts.client.requests if r[0] == "preview" and r[2] == "win"])
        dialog.language.setCurrentIndex(dialog.language.findData(""))
        dialog.save.click()
        assert kept() == (RULE,)

    run(story())


def test_what_is_being_spoken_is_spoken_anew(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts)
        parts.desktop.speech_commands.seek_share(0.5)
        await until(lambda: parts.speech.view.span == (16, 32))
        before = len(spoken(parts))
        select(parts, 16, 22)
        parts.window.command_actions["pronounce"].trigger()
        opened(parts, PronounceDialog).spoken.setText("other")
        opened(parts, PronounceDialog).save.click()
        await until(lambda: len(spoken(parts)) > before)
        assert spoken(parts)[-1][1] == 16

    run(story())


def test_a_wrong_expression_is_told_in_the_dialog(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.command_actions["pronounce"].trigger()
        dialog = opened(parts, PronounceDialog)
        assert not dialog.save.isEnabled()
        dialog.written.setText("(a")
        dialog.match.setCurrentIndex(dialog.match.findData(str(Match.REGEX)))
        dialog.save.click()
        assert dialog.isVisible()
        assert "regular expression" in dialog.problem.text()
        dialog.written.setText("(a)")
        assert not dialog.problem.isVisible()
        dialog.save.click()
        assert [rule.match for rule in kept()] == [Match.REGEX]

    run(story())


def test_the_list_changes_and_travels(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        table = tmp_path / "table.csv"
        table.write_text("written,spoken\nNguyen,win\nGIF,jif\n", encoding="utf-8")
        parts.window.command_actions["pronunciations"].trigger()
        dialog = opened(parts, PronunciationsDialog)
        assert not dialog.hand_out.isEnabled()
        parts.desktop.reading_commands.import_from(table)
        assert [rule.written for rule in kept()] == ["Nguyen", "GIF"]
        assert dialog.list.topLevelItemCount() == 2
        assert unnamed(parts.window) == without_role(parts.window) == cut_off(dialog) == []
        dialog.edit.click()
        editor = opened(parts, PronounceDialog)
        assert (editor.written.text(), editor.spoken.text()) == ("Nguyen", "win")
        editor.spoken.setText("nwin")
        editor.save.click()
        assert [rule.spoken for rule in kept()] == ["nwin", "jif"]
        dialog.remove.click()
        assert [rule.written for rule in kept()] == ["GIF"]
        out = tmp_path / "out.csv"
        parts.desktop.reading_commands.export_to(out)
        assert PronunciationRules.from_csv(out.read_text(encoding="utf-8")).rules == kept()

    run(story())


@pytest.mark.expects_log("InputError")
def test_a_file_that_is_no_table_is_refused(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
        parts.desktop.reading_commands.import_from(tmp_path / "a.csv")
        assert parts.messages.message is not None
        assert "can't be read" in parts.messages.message.text
        (tmp_path / "b.csv").write_text("only one column\n", encoding="utf-8")
        parts.desktop.reading_commands.import_from(tmp_path / "b.csv")
        assert "line 1" in parts.messages.message.text
        assert not pronunciations_file().exists()

    run(story())


def test_emoji_are_read_by_name_from_now_on(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await speaking(parts, "One 👍. Two.")
        action = parts.window.command_actions["emoji"]
        assert not action.isChecked()
        action.trigger()
        await until(lambda: len(spoken(parts)) == 2)
        assert parts.settings.now.names_emoji
        told = [request[2]["names_emoji"] for request in parts.client.requests if request[0] == "speak"]
        assert told == [False, True]
        select(parts, 0, 6)
        parts.window.command_actions["how_read"].trigger()
        await until(lambda: parts.window.findChildren(HowReadDialog))
        assert opened(parts, HowReadDialog).text.toPlainText().split() == ["One", "thumbs", "up"]

    run(story())


def test_the_choice_about_emoji_is_remembered_and_saved_files_follow(run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        parts = make_window(Settings(names_emoji=True))
        await ready(parts)
        assert parts.window.command_actions["emoji"].isChecked()
        parts.exporter.save("One 👍.", tmp_path / "a.wav", voice=None, speed=1.0)
        await until(lambda: parts.client.exports)
        assert parts.client.requests[-1][3]["names_emoji"]
        parts.exporter.cancel()
        await until(lambda: not parts.exporter.busy)

    run(story())
