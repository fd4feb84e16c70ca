"""Documents in the window: opened off its thread, with headings, chapters and a title; left and found again."""

import asyncio
import time
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QTextBlock, QTextFormat

from pocketvoice.gui.controllers import text_store
from pocketvoice.gui.controllers.outline import Piece
from pocketvoice.gui.controllers.speech import Phase
from tests.gui.conftest import Run, delete, ready, until
from tests.gui.main.reading import spoken
from tests.gui.parts import Parts, make_window

DATA = Path(__file__).parents[2] / "documents/data"
BOOK = """# The Harbour

## Morning

The children walked to the harbour. The boats were lying in the sun.

## Noon

A fisherman looked up from his nets. It was hot.

- One apple.
- Two apples.

## Evening

Nobody wanted to leave.
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.md"
    path.write_text(BOOK, encoding="utf-8")
    return path


async def opened(parts: Parts, *paths: Path) -> None:
    parts.desktop.text_commands.open_files([str(path) for path in paths])
    await until(lambda: not parts.desktop.services.opener.is_open)


def block_of(parts: Parts, words: str) -> QTextBlock:
    block = parts.window.reader.document().begin()
    while block.isValid() and words not in block.text():
        block = block.next()
    return block


def chapters(parts: Parts) -> list[str]:
    rows = parts.window.outline.list
    return [rows.item(number).text().strip() for number in range(rows.count())]


def caret_at(parts: Parts) -> str:
    reader = parts.window.reader
    return reader.text()[reader.caret() :].split("\n")[0]


def test_headings_chapters_and_title(parts: Parts, run: Run, book: Path) -> None:
    async def story() -> None:
        await opened(parts, book)
        assert parts.window.windowTitle() == "The Harbour"
        assert chapters(parts) == ["The Harbour", "Morning", "Noon", "Evening"]
        assert parts.window.outline.isVisible()
        assert "One apple.\n" in parts.window.reader.text()
        form = block_of(parts, "Morning").begin().fragment().charFormat()  # type: ignore[attr-defined]
        assert form.fontWeight() == QFont.Weight.Bold
        assert form.intProperty(QTextFormat.Property.FontSizeAdjustment) == 1
        plain = block_of(parts, "The children").begin().fragment().charFormat()  # type: ignore[attr-defined]
        assert plain.fontWeight() != QFont.Weight.Bold
        parts.window.command_actions["outline"].trigger()
        assert not parts.window.outline.isVisible()
        assert not parts.settings.now.outline
        parts.desktop.text_commands.show_text("Something typed.")
        assert parts.window.windowTitle() == "Pocket Voice"
        assert not parts.window.command_actions["chapter_forward"].isEnabled()

    run(story())


def test_from_chapter_to_chapter(parts: Parts, run: Run, book: Path) -> None:
    """At rest the cursor goes; while something is spoken the speech does, and the list follows."""

    async def story() -> None:
        await ready(parts)
        await opened(parts, book)
        actions, rows = parts.window.command_actions, parts.window.outline.list
        actions["chapter_forward"].trigger()
        actions["chapter_forward"].trigger()
        assert (caret_at(parts), rows.currentRow()) == ("Noon", 2)
        actions["chapter_back"].trigger()
        assert (caret_at(parts), rows.currentRow()) == ("Morning", 1)
        parts.desktop.speech_commands.speak()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        rows.itemClicked.emit(rows.item(3))
        await until(lambda: ("seek", parts.window.reader.text().index("Evening")) in parts.client.requests)

    run(story())


def test_chapters_move_with_the_text_and_go_with_it(parts: Parts, run: Run, book: Path) -> None:
    async def story() -> None:
        await opened(parts, book)
        reader = parts.window.reader
        reader.set_caret(reader.text().index("The children"))
        reader.textCursor().insertText("Early on. ")
        outline = reader.outline()
        assert [reader.text()[one.start :].split("\n")[0] for one in outline.chapters] == [
            "The Harbour", "Morning", "Noon", "Evening",
        ]  # fmt: skip
        assert [reader.text()[one.start : one.end] for one in outline.headings] == chapters(parts)
        assert outline.document == ""  # it is not the document any more
        reader.undo()
        reader.undo()
        assert reader.text() == ""
        await until(lambda: parts.window.windowTitle() == "Pocket Voice")

    run(story())


def test_document_is_found_again_where_it_was_left(
    parts: Parts, run: Run, book: Path, tmp_path: Path
) -> None:
    """By its content: from another path, among the recent ones, and at the next start."""

    async def story() -> None:
        await opened(parts, book)
        reader = parts.window.reader
        place = reader.text().index("A fisherman")
        reader.set_caret(place)
        parts.desktop.text_commands.show_text("Another text.")
        assert parts.texts.recent[0].title == "The Harbour"
        assert parts.texts.recent[0].place == place
        moved = tmp_path / "elsewhere.md"
        book.rename(moved)
        await opened(parts, moved)
        assert (reader.caret(), parts.window.windowTitle()) == (place, "The Harbour")
        assert chapters(parts)[2] == "Noon"
        parts.desktop.window_state.remember()
        assert text_store.load().draft is not None

    run(story())
    again = make_window()
    again.window.show()
    assert again.window.reader.caret() == parts.window.reader.caret()
    assert again.window.windowTitle() == "The Harbour"
    assert block_of(again, "Morning").begin().fragment().charFormat().fontWeight() == QFont.Weight.Bold  # type: ignore[attr-defined]
    assert chapters(again) == ["The Harbour", "Morning", "Noon", "Evening"]
    run(again.tasks.close())
    delete(again.window)


@pytest.mark.parametrize("ending", ["epub", "pdf", "docx", "odt", "html", "fb2", "rtf"])
def test_every_kind_opens(parts: Parts, run: Run, ending: str) -> None:
    async def story() -> None:
        await opened(parts, DATA / f"story.{ending}")
        assert parts.messages.message is None
        assert len(parts.window.reader.text()) > 800
        assert len(chapters(parts)) > 1

    run(story())


@pytest.mark.expects_log("is protected|is damaged")
def test_what_can_not_be_read_is_told_in_a_sentence(parts: Parts, run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.epub"
    broken.write_bytes((DATA / "story.epub").read_bytes()[:2000])

    async def story() -> None:
        parts.window.reader.setPlainText("It stays.")
        for path, words in (
            (DATA / "locked.pdf", "locked.pdf is protected"),
            (broken, "broken.epub is damaged"),
        ):
            await opened(parts, path)
            assert parts.messages.message is not None
            assert parts.messages.message.text.startswith(words)
            assert parts.window.reader.text() == "It stays."

    run(story())


def test_document_that_is_left_while_it_is_read(parts: Parts, run: Run, long_book: Path) -> None:
    """Another text is there: nothing of the document comes any more. Cancelled, what came of it stays."""

    async def story() -> None:
        reader, opener = parts.window.reader, parts.desktop.services.opener
        parts.desktop.text_commands.open_files([str(long_book)])
        await until(lambda: reader.text())
        parts.desktop.text_commands.show_text("Something else.")
        assert not opener.is_open
        await asyncio.sleep(0.2)
        assert (reader.text(), parts.window.windowTitle()) == ("Something else.", "Pocket Voice")
        opener.grew.connect(lambda _piece: parts.window.opening.cancelled.emit())
        parts.desktop.text_commands.open_files([str(long_book)])
        await until(lambda: not opener.is_open)
        assert 0 < len(reader.text()) < 2_400_000
        assert parts.window.windowTitle() == "Long"
        assert reader.outline().document == ""  # opened again it is read to its end

    run(story())


@pytest.fixture
def long_book(tmp_path: Path) -> Path:
    """A thousand pages, with dashes, so that it is not ASCII."""
    path = tmp_path / "long.html"
    sentence = "The children walked to the harbour, where the old boats – dozens – were lying in the sun. "
    chapter = f"<p>{sentence * 5}</p>" * 110
    body = "".join(f"<h1>Chapter {number}</h1>{chapter}" for number in range(50))
    path.write_text(f"<title>Long</title>{body}", encoding="utf-8")
    return path


def test_long_book_opens_while_the_window_answers(parts: Parts, run: Run, long_book: Path) -> None:
    """All of it within two seconds; no step of the window's thread takes long (50 ms on a machine that does nothing else)."""
    steps: list[float] = []
    reader, opener = parts.window.reader, parts.desktop.services.opener

    async def story() -> None:
        began = last = time.thread_time()
        parts.desktop.text_commands.open_files([str(long_book)])
        started = time.monotonic()
        while opener.is_open or not reader.text():
            await asyncio.sleep(0)
            now = time.thread_time()
            steps.append(now - last)
            last = now
        assert time.monotonic() - started < 10  # two seconds, where nothing else runs
        assert len(reader.text()) > 2_400_000
        assert len(chapters(parts)) == 50
        assert last - began < 2

    run(story())
    assert max(steps) < 0.1


def test_speech_that_began_early_goes_on_with_what_came_later(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.set_text("")
        parts.window.reader.append(Piece("First sentence."))
        parts.desktop.speech_commands.speak_all()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.window.reader.append(Piece("\n\nSecond sentence."))
        parts.client.finish()
        await until(lambda: len(spoken(parts)) == 2)
        assert spoken(parts)[1] == ("First sentence.\n\nSecond sentence.", 15)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.client.finish()
        await until(lambda: parts.speech.view.phase is Phase.QUIET)
        assert len(spoken(parts)) == 2

    run(story())
