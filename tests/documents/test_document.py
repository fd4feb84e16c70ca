"""The document itself: text and spans, positions that survive, parts that are read when they are asked for."""

import subprocess
import sys
import threading
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from pocketvoice.documents import BlockKind, Position, document_from_bytes, document_from_html, open_document
from tests.documents.hostile import epub

DATA = Path(__file__).with_name("data")


def book(chapters: int) -> bytes:
    """An EPUB of so many files."""
    pages = {
        f"OEBPS/c{n}.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body><h1 id="h">Chapter {n}</h1>'
        f"<p>This is chapter {n}. It has words.</p></body></html>"
        for n in range(chapters)
    }
    manifest = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(chapters))
    return epub(dict(pages), manifest, spine)


def test_spans_cover_the_text() -> None:
    whole = open_document(DATA / "story.epub").whole
    for number, (start, end) in enumerate(whole.spans):
        assert whole.text[start:end] == whole.blocks[number].text
        assert whole.block_at(start) == whole.block_at(end - 1) == whole.block_at(end) == number


def test_a_position_is_found_again_in_a_new_reading() -> None:
    first = open_document(DATA / "story.epub")
    char = first.text.index("grünes Licht")
    position = first.position_at(char)
    again = document_from_bytes((DATA / "story.epub").read_bytes(), "other name.epub")
    assert again.id == first.id
    assert again.char_of(position) == char


def test_a_position_is_found_though_the_blocks_have_moved() -> None:
    document = open_document(DATA / "story.epub")
    char = document.text.index("grünes Licht")
    right = document.position_at(char)
    moved = Position(0, 3, 7, right.quote)
    assert document.char_of(moved) == char


def test_a_position_from_elsewhere_leads_somewhere() -> None:
    document = open_document(DATA / "story.epub")
    assert 0 <= document.char_of(Position(99, 99, 99, "words that are nowhere")) <= len(document.text)


def test_every_position_of_a_book_comes_back() -> None:
    document = document_from_bytes(book(5), "a.epub")
    for char in range(0, len(document.text), 7):
        assert document.char_of(document.position_at(char)) in (char, char - 1, char - 2)


def test_a_document_and_its_blocks_can_not_be_changed() -> None:
    document = open_document(DATA / "story.md")
    with pytest.raises(FrozenInstanceError):
        document.id = ""  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        document.whole.blocks[0].text = ""  # type: ignore[misc]


def test_only_the_parts_that_are_asked_for_are_read() -> None:
    document = document_from_bytes(book(300), "a.epub")
    assert next(document.blocks(200)).text == "Chapter 200"
    assert set(document._parts) == {0, 200}  # the first was looked at when the book was opened
    assert [block.place.part for block in document.part(7).blocks] == [7, 7]


def test_threads_read_the_same() -> None:
    document = document_from_bytes(book(100), "a.epub")
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda: texts.append("".join(block.text for block in document.blocks())))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(set(texts)) == 1
    assert len(texts) == 4


def test_a_pdf_reads_the_same_from_any_part() -> None:
    document = open_document(DATA / "columns.pdf")
    fresh = open_document(DATA / "columns.pdf")
    joined = [
        block for number in reversed(range(len(fresh.parts))) for block in reversed(fresh.part(number).blocks)
    ]
    assert [block.text for block in reversed(joined)] == [block.text for block in document.blocks()]


def test_what_was_read_stays_when_the_file_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    path.write_bytes(book(3))
    with open_document(path) as document:
        text = document.text
    path.unlink()
    assert document.text == text


def test_rich_text_from_the_clipboard_keeps_its_form() -> None:
    document = document_from_html(
        "<html><body><!--StartFragment--><h2>Title</h2><p>One <b>bold</b> word.</p>"
        "<ul><li>item</li></ul><!--EndFragment--></body></html>"
    )
    assert [(block.kind, block.text) for block in document.blocks()] == [
        (BlockKind.HEADING, "Title"), (BlockKind.PARAGRAPH, "One bold word."), (BlockKind.LIST_ITEM, "item"),
    ]  # fmt: skip


def test_importing_the_room_is_light() -> None:
    script = (
        "import pocketvoice, sys, time; start = time.perf_counter(); import pocketvoice.documents; "
        "print(time.perf_counter() - start, *(name for name in ('lxml', 'pypdfium2', 'markdown_it', 'charset_normalizer') "
        "if name in sys.modules))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(4)
    ]
    assert all(len(run) == 1 for run in runs), "a format's library was loaded"
    assert min(float(run[0]) for run in runs) < 0.015


def test_a_kind_of_file_loads_its_own_library_only() -> None:
    script = (
        "import sys; from pocketvoice.documents import document_from_bytes; document_from_bytes(b'Plain words.', 'a.txt').text; "
        "print(*(name for name in ('lxml', 'pypdfium2', 'markdown_it', 'charset_normalizer') if name in sys.modules))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout.split()
        == []
    )
