"""Which chapters and passages a document becomes."""

from pathlib import Path

import pytest

from pocketvoice.book.problems import estimate, problems
from pocketvoice.book.script import Role, Script, script_of
from pocketvoice.documents import NoTextError, document_from_html, open_document


def script(html: str, skip: tuple[str, ...] = ()) -> Script:
    return script_of(document_from_html(html, "page.html"), skip)


def titles(made: Script) -> list[str]:
    return [chapter.title for chapter in made.chapters]


LONG = "<p>" + "The children walked to the harbour. " * 300 + "</p>"


def test_epub_has_its_chapters_roles_and_cover(epub: Path) -> None:
    with open_document(epub) as document:
        made = script_of(document)
    assert (made.title, made.author, made.language) == ("The Harbour", "Ann Writer", "en")
    assert titles(made) == ["The boats", "The captain", "The sea"]
    assert [passage.role for passage in made.chapters[1].passages] == [Role.HEADING, Role.TEXT, Role.QUOTE]
    assert made.cover is not None


def test_a_title_alone_is_no_chapter() -> None:
    made = script("<h1>Book</h1><h2>One</h2><p>First.</p><h2>Two</h2><p>Second.</p>")
    assert titles(made) == ["One", "Two"]
    assert [passage.text for passage in made.chapters[0].passages] == ["Book", "One", "First."]


def test_sections_of_long_chapters_are_none() -> None:
    """Parts hold chapters hold sections: chapters are what is long enough to be one."""
    part = "".join(f"<h2>C{n}</h2>{LONG}<h3>S</h3><p>Short.</p><h3>T</h3><p>Short.</p>" for n in range(3))
    made = script("".join(f"<h1>P{n}</h1>{part}" for n in range(3)))
    assert titles(made) == [f"C{n}" for n in range(3)] * 3


def test_what_is_skipped_is_not_spoken() -> None:
    page = "<h1>A</h1><p>Text.</p><table><tr><td>One</td><td>Two</td></tr><tr><td>3</td><td>4</td></tr></table><pre>x = 1</pre>"
    assert script(page).tables == 1
    made = script(page, ("tables", "code"))
    assert made.tables == 0
    assert [passage.text for passage in made.chapters[0].passages] == ["A", "Text."]


def test_nothing_to_speak_is_told() -> None:
    with pytest.raises(NoTextError, match="no text that can be spoken"):
        script("<p>+ + +</p>")


def test_problems_are_told_before_anything_is_spoken() -> None:
    made = script("<h1>A</h1>" + LONG * 14 + "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
                  "<h1>B</h1><p>Всё это написано по-русски, от начала и до конца.</p>")  # fmt: skip
    told = " ".join(problems(made, "en"))
    for words in ("“B” is mostly in Cyrillic", "“A” is very long (about 2.9 hours)", "1 table is read out"):
        assert words in told
    assert estimate(made).seconds == pytest.approx(sum(estimate(made).chapters))
    assert 2.5 * 3600 < estimate(made).seconds < 3.2 * 3600
    assert "No chapters" in " ".join(problems(script("<p>Text.</p>"), "en"))
