"""One story in every format: written by pandoc and LibreOffice from `data/story.md`, it is the same document to a reader."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pocketvoice.documents import Block, BlockKind, Document, MarkKind, document_from_bytes, open_document

DATA = Path(__file__).with_name("data")
STORIES = [
    "story.md", "story.docx", "writer.docx", "story.odt", "writer.odt", "story.rtf", "writer.rtf", "story.fb2",
    "story.epub", "story2.epub", "story.html", "story.pdf",
]  # fmt: skip
# What a format can't tell, or what the program that wrote the file did not say.
NO_QUOTES = {"story.rtf", "story.pdf"}
NO_CODE = {"story.rtf", "writer.rtf", "story.fb2"}
NO_LISTS = {"story.fb2"}
NO_DETAILS = {"story.rtf"}
FORMATS = {"md": "markdown"}


@pytest.fixture(params=STORIES)
def story(request: pytest.FixtureRequest) -> Iterator[Document]:
    with open_document(DATA / request.param) as document:
        yield document


def kind(document: Document, kind: BlockKind) -> list[Block]:
    return [block for block in document.blocks() if block.kind is kind]


def test_format_title_author_and_language_are_told(story: Document) -> None:
    ending = story.name.rsplit(".", 1)[1]
    assert story.format == FORMATS.get(ending, ending)
    if story.name not in NO_DETAILS:
        assert (story.title, story.author) == ("The Keeper of the Light", "Ann Lee")
        assert story.language.startswith("en")


def test_headings_have_their_levels(story: Document) -> None:
    found = [(block.text, block.level) for block in kind(story, BlockKind.HEADING)]
    levels = dict(found)
    assert [text for text, _ in found if text != "The Keeper of the Light"] == [
        "The Island",
        "What He Kept",
        "The Storm",
    ]
    assert levels["The Island"] == levels["The Storm"] == levels["What He Kept"] - 1


def test_paragraphs_are_whole(story: Document) -> None:
    texts = [block.text for block in kind(story, BlockKind.PARAGRAPH)]
    assert any(
        text.endswith("efficient, affluent, effortless and unfinished sentences go on until they stop, here.")
        for text in texts
    )
    assert texts[-1] == "The end was as quiet as the beginning."
    assert any(
        "Über dem Meer lag ein grünes Licht; à l’aube il n’y avait plus rien." in text.replace("'", "’")
        for text in texts
    )


def test_lists_keep_their_labels(story: Document) -> None:
    if story.name in NO_LISTS:
        pytest.skip("pandoc writes lists as paragraphs in this format")
    items = [(block.text, block.label) for block in kind(story, BlockKind.LIST_ITEM)]
    assert [text for text, _ in items] == [
        "a barrel of oil", "two wicks", "a short one", "a long one", "nothing else", "Light the lamp.", "Wait for the morning.",
    ]  # fmt: skip
    assert [label for _, label in items[-2:]] == ["1.", "2."]
    assert items[0][1] == "•"


def test_quotes_are_quotes(story: Document) -> None:
    quotes = ["The sea is never the same, and never another.", "So he said."]
    found = [
        block.text
        for block in kind(story, BlockKind.QUOTE if story.name not in NO_QUOTES else BlockKind.PARAGRAPH)
    ]
    assert [text for text in found if text in quotes] == quotes


def test_tables_keep_their_cells(story: Document) -> None:
    (table,) = kind(story, BlockKind.TABLE)
    assert table.rows == (("Ship", "Masts", "Lost"), ("Alma", "3", "no"), ("Borea", "2", "yes"))


def test_code_keeps_its_lines(story: Document) -> None:
    if story.name in NO_CODE:
        pytest.skip("the program that wrote the file does not mark code")
    assert [block.text for block in kind(story, BlockKind.CODE)] == ["lamp.on()\n    wait(10)\nlamp.off()"]


def test_footnotes_stand_aside_and_their_signs_lead_to_them(story: Document) -> None:
    calls = [mark for block in story.blocks() for mark in block.marks if mark.kind is MarkKind.NOTE]
    assert len(calls) == 2
    texts = []
    for call in calls:
        note = story.footnote(call.target)
        assert note is not None
        assert note.kind is BlockKind.FOOTNOTE
        texts.append(note.text)
    assert texts[0] == "The almanac of that year was lost in a flood."
    assert texts[1].startswith("Others say it came from the west.")
    assert not any("almanac of that year" in block.text for block in kind(story, BlockKind.PARAGRAPH))


def test_the_sign_of_a_footnote_is_not_in_the_text(story: Document) -> None:
    called = [block for block in story.blocks() if any(mark.kind is MarkKind.NOTE for mark in block.marks)]
    assert called[0].text.endswith("read the almanac.")


def test_chapters_follow_the_headings(story: Document) -> None:
    titles = {chapter.title: chapter for chapter in story.chapters}
    island, kept, storm = titles["The Island"], titles["What He Kept"], titles["The Storm"]
    assert story.text[island.start :].startswith("The Island")
    assert island.start < kept.start < kept.end == island.end == storm.start
    assert "The end was as quiet as the beginning." in story.text[storm.start : storm.end]


@pytest.mark.parametrize("name", STORIES)
def test_content_counts_and_not_the_name(name: str) -> None:
    data = (DATA / name).read_bytes()
    if name in ("story.md",):
        return  # Markdown shows itself by its name alone
    renamed, first = document_from_bytes(data, "unnamed.bin"), open_document(DATA / name)
    assert (renamed.format, renamed.text, renamed.id) == (first.format, first.text, first.id)


def test_emphasis_and_links_are_marked() -> None:
    for name in ("story.md", "story.docx", "story.odt", "story.epub", "story.html"):
        (block,) = [one for one in open_document(DATA / name).blocks() if "difficult" in one.text]
        said = {(mark.kind, block.text[mark.start : mark.end]) for mark in block.marks}
        assert {
            (MarkKind.EMPHASIS, "difficult"),
            (MarkKind.STRONG, "burning"),
            (MarkKind.LINK, "almanac"),
        } <= said
        assert [mark.target for mark in block.marks if mark.kind is MarkKind.LINK] == [
            "https://example.org/almanac"
        ]
