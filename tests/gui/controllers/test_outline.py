"""The text of a document with its headings and chapters: put together, changed, kept."""

import json

import pytest

from pocketvoice.documents import document_from_bytes
from pocketvoice.gui.controllers.outline import Assembly, Chapter, Heading, Outline, moved, of_json, to_json
from pocketvoice.gui.controllers.text_store import KeptTexts, kept, load, read_outline, save

BOOK = b"# One\n\nFirst.\n\n1. a\n2. b\n\n# Two\n\nSecond.\n"
TEXT = "One\n\nFirst.\n\n1. a\n2. b\n\nTwo\n\nSecond."
OUTLINE = Outline(
    "id", "One", (Heading(0, 3, 1), Heading(24, 27, 1)), (Chapter("One", 1, 0), Chapter("Two", 1, 24))
)


def test_blocks_become_one_text_piece_by_piece() -> None:
    assembly = Assembly()
    document = document_from_bytes(BOOK, "book.md")
    assembly.begin()
    pieces = [assembly.piece([block]) for block in document.blocks()]
    assert "".join(piece.text for piece in pieces) == TEXT
    assert [heading for piece in pieces for heading in piece.headings] == list(OUTLINE.headings)
    assert assembly.chapters(document) == OUTLINE.chapters
    assembly.begin()
    other = document_from_bytes(b"# Three\n\nThird.", "other.md")
    assert assembly.piece(other.blocks()).text == "\n\nThree\n\nThird."
    assert assembly.chapters(other) == (Chapter("Three", 1, len(TEXT) + 2),)


def test_chapter_of_a_place() -> None:
    assert [OUTLINE.chapter_at(index) for index in (0, 23, 24, 30)] == [0, 0, 1, 1]
    assert Outline().chapter_at(5) == -1


def test_text_that_was_changed_keeps_what_is_left() -> None:
    longer = moved(OUTLINE, "So: " + TEXT, [4, 28], [4, 28])
    assert [one.start for one in longer.chapters] == [4, 28]
    assert longer.headings[1] == Heading(28, 31, 1)
    assert (longer.document, longer.title) == ("", "One")
    assert moved(OUTLINE, "Something else", [0, 0], [0, 0]) == Outline()


@pytest.mark.expects_log("the outline of a text")
def test_outline_is_kept_beside_the_text() -> None:
    text = kept(TEXT, 5, OUTLINE)
    assert (text.title, text.document) == ("One", "id")
    save(KeptTexts(text, ()), {text.name: TEXT}, {text.name: OUTLINE})
    assert load().draft == text
    assert read_outline(text, len(TEXT)) == OUTLINE
    assert read_outline(text, 10) == Outline()  # it belongs to a longer text
    save(KeptTexts(None, ()), {})
    assert read_outline(text, len(TEXT)) == Outline()


@pytest.mark.parametrize("damage", ["[]", '{"document": ""}', '{"headings": [[1, 2]], "chapters": []}'])
def test_damaged_outline_is_refused(damage: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        of_json(json.loads(damage), 100)
    assert of_json(to_json(OUTLINE), len(TEXT)) == OUTLINE


def test_endless_lines_are_folded() -> None:
    """At sentences, else at spaces, else anywhere."""
    whole = "One sentence. " * 5_000 + "word " * 20_000 + "x" * 80_000
    lines = Assembly().piece(document_from_bytes(whole.encode(), "long.txt").blocks()).text.split("\n")
    assert max(map(len, lines)) <= 50_000
    assert "".join(lines).replace(" ", "") == whole.replace(" ", "")
    assert lines[0].endswith("One sentence.")
