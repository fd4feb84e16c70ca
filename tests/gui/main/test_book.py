"""File / Make an audiobook: the dialog, a real book made of what the reader shows, and what is told of it."""

from pathlib import Path

import pytest

from pocketvoice.book.work import work_folder
from pocketvoice.documents import open_document
from pocketvoice.gui.controllers import book as controller
from pocketvoice.gui.controllers.book import BookRequest, page_of
from pocketvoice.gui.controllers.outline import Heading, Outline
from pocketvoice.gui.main.book_dialog import BookDialog
from tests.book.conftest import write_epub
from tests.gui.conftest import Run, ready, settle, until
from tests.gui.parts import Parts
from tests.gui.roles import unnamed, without_role

TEXT = "The Harbour\n\nThe boats\n\nThe children walked to the harbour.\n\nThe sea\n\nThe sea was quiet."


def shown(parts: Parts) -> BookDialog:
    parts.desktop.book_commands.show()
    dialog = parts.desktop.book_commands.dialog
    assert dialog is not None
    return dialog


@pytest.fixture
def builtin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake worker says that another model is loaded; the books of these tests are spoken by the one that is there."""
    arguments = BookRequest.arguments

    def with_builtin(self: BookRequest) -> list[str]:
        kept = [one for one in arguments(self) if not one.startswith(("--language", "--voice"))]
        return [*kept, "--language=builtin_en", "--precision=float32"]

    monkeypatch.setattr(BookRequest, "arguments", with_builtin)
    monkeypatch.setattr(controller, "_LOWER", 0)  # tests share the machine


def test_dialog_proposes_and_asks(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        parts.desktop.book_commands.show()
        assert parts.messages.message is not None  # nothing to read
        assert parts.desktop.book_commands.dialog is None
        parts.settings.change(folder=str(tmp_path))
        parts.window.reader.set_text(TEXT, Outline("", "The Harbour", (Heading(0, 11, 1),)))
        dialog = shown(parts)
        assert unnamed(dialog) == []
        assert without_role(dialog) == []
        assert (dialog.document.text(), dialog.name.text(), dialog.folder.text()) == (
            "The Harbour",
            "The Harbour",
            str(tmp_path),
        )
        assert dialog.choice().target == tmp_path / "The Harbour.m4b"
        dialog.format.setCurrentText("MP3")
        assert dialog.choice().target == tmp_path / "The Harbour.mp3"
        dialog.per_chapter.setChecked(True)
        assert dialog.choice().target == tmp_path / "The Harbour"
        assert dialog.make.isEnabled()
        dialog.folder.setText(str(tmp_path / "gone"))
        assert not dialog.make.isEnabled()
        dialog.close()

    run(story())


def test_text_becomes_a_page_with_its_headings(tmp_path: Path) -> None:
    headings = (Heading(0, 11, 1), Heading(13, 22, 2), Heading(61, 68, 2))
    page = tmp_path / "page.html"
    page.write_text(page_of(TEXT, Outline("", "A < B", headings)), encoding="utf-8")
    with open_document(page) as document:
        assert document.title == "A < B"
        assert [chapter.title for chapter in document.chapters] == ["The Harbour", "The boats", "The sea"]
        assert document.text == TEXT


def test_opened_document_becomes_a_book_while_the_window_goes_on(
    parts: Parts, run: Run, tmp_path: Path, builtin: None
) -> None:
    """It is stopped in the middle, made again, and then it is there, with the title and chapters of the file."""
    import av

    book = write_epub(tmp_path / "harbour.epub")
    told: list[str] = []

    async def story() -> None:
        await ready(parts)
        parts.desktop.text_commands.open_files([str(book)])
        await until(lambda: parts.window.reader.outline().document)
        dialog = shown(parts)
        dialog.name.setText("Mine")
        parts.desktop.services.book.progressed.connect(lambda sentence, _fraction: told.append(sentence))
        dialog.make.click()
        target = tmp_path / "Mine.m4b"
        await until(lambda: list(work_folder(target).glob("[0-9a-f]*.flac")), 60)
        assert not dialog.make.isVisible()
        dialog.stop.click()
        await until(lambda: dialog.make.isVisible(), 30)
        assert parts.messages.message is not None
        assert "it goes on where it was" in parts.messages.message.text
        assert not target.exists()
        dialog.make.click()
        await until(target.exists, 60)
        await until(lambda: not parts.desktop.services.book.busy, 30)
        await settle()
        assert "was saved as" in parts.messages.message.text
        with av.open(str(target)) as file:
            assert file.metadata["title"] == "The Harbour"
            assert len(file.chapters()) == 3
        dialog.close()

    run(story(), 150)
    assert told[0] == "Beginning Mine.m4b…"


@pytest.mark.expects_log("contradicts|no text", "GenerationError")
def test_error_is_the_sentence_of_the_command(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        maker = parts.desktop.services.book
        source = tmp_path / "text.txt"
        source.write_text("A text.", encoding="utf-8")
        maker.make(BookRequest(source, tmp_path / "a.wav", None, None, None))
        await until(lambda: not maker.busy, 60)
        await settle()
        assert parts.messages.message is not None
        assert parts.messages.message.text.startswith("An audiobook can't be written as .wav")

    run(story(), 70)
