"""Plain texts, pages of the web, subtitles, mails and columns of a PDF: what a person reads, and nothing else."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from pocketvoice.documents import (
    Block,
    BlockKind,
    Document,
    MarkKind,
    NoTextError,
    ProtectedDocumentError,
    document_from_bytes,
    document_from_text,
    open_document,
)

DATA = Path(__file__).with_name("data")


def pairs(document: Document) -> list[tuple[BlockKind, str]]:
    return [(block.kind, block.text) for block in document.blocks()]


def page(body: str, head: str = "") -> Document:
    return document_from_bytes(
        f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>".encode(), "a.html"
    )


WRAPPED = """\
CHAPTER I.

It was a bright cold day in April, and the clocks were striking, all of
them at once, so that nobody could hear a word of what the other-
worldly visitor said.

"Go on," he said.

    A poem has lines,
    and they are short.

CHAPTER II.

The end.
"""


def test_lines_broken_at_a_width_are_joined() -> None:
    blocks = pairs(document_from_text(WRAPPED))
    assert blocks[0] == (BlockKind.HEADING, "CHAPTER I.")
    assert blocks[1][1].startswith(
        "It was a bright cold day in April, and the clocks were striking, all of them at once,"
    )
    assert "\n" not in blocks[1][1]


def test_verse_keeps_its_lines() -> None:
    assert (BlockKind.PARAGRAPH, "A poem has lines,\nand they are short.") in pairs(
        document_from_text(WRAPPED)
    )


def test_lines_that_are_paragraphs_stay_apart() -> None:
    text = "First paragraph, a whole one on a line of its own.\nSecond paragraph, likewise.\nThird one."
    assert [said for _, said in pairs(document_from_text(text))] == text.split("\n")


@pytest.mark.parametrize(
    "heading", ["Chapter 12", "KAPITEL IV", "Глава 3", "第三章 归来", "Prologue", "2.1 The method"]
)
def test_chapters_are_headings(heading: str) -> None:
    blocks = pairs(document_from_text(f"{heading}\n\nSome text that follows it.\n\nAnd more of it."))
    assert blocks[0] == (BlockKind.HEADING, heading)


@pytest.mark.parametrize(
    "text", ["Part of it was lost.", "Book me a table, please.", "I.", "He said: 12 people."]
)
def test_sentences_are_no_headings(text: str) -> None:
    kinds = {
        said: kind
        for kind, said in pairs(document_from_text(f"Words before it.\n\n{text} And more words follow here."))
    }
    assert BlockKind.HEADING not in kinds.values()


def test_the_lines_of_the_source_are_known() -> None:
    (first, second) = document_from_text("One.\n\n\nTwo.").blocks()
    assert (first.place.line, second.place.line) == (1, 4)


SITE = """
<header><a href=/>Home</a> <a href=/news>News</a></header>
<nav><ul><li><a href=/a>Sport</a><li><a href=/b>Money</a></ul></nav>
<div class="cookie-banner">We use cookies.</div>
<main><article><h1>Storm over the North Sea</h1><p>{text}</p><p>{text}</p>
<div class="share-buttons"><a href=#>Tweet</a></div>
<p>It ended. <span style="display:none">unseen</span></p></article>
<aside class="related"><h2>Related</h2><p>Ten more storms.</p></aside></main>
<div id="comments"><p>First!</p></div>
<footer>Copyright</footer><script>alert(1)</script>
"""
SENTENCE = (
    "The wind rose in the evening, and by midnight the harbour was closed, said the keeper of the light. "
)


def test_only_the_main_content_of_a_page_is_read() -> None:
    document = page(SITE.format(text=SENTENCE * 3), "<title>Storm over the North Sea | The Daily</title>")
    assert document.title == "Storm over the North Sea"
    assert document.language == "en"
    paragraph = (BlockKind.PARAGRAPH, (SENTENCE * 3).strip())
    assert pairs(document) == [
        (BlockKind.HEADING, "Storm over the North Sea"), paragraph, paragraph, (BlockKind.PARAGRAPH, "It ended."),
    ]  # fmt: skip


def test_an_old_page_without_any_of_that_is_read_whole() -> None:
    text = f"<h1>Manual</h1><p>{SENTENCE}<p>See <a href=x.html>the next page</a>.<hr><h2>Use</h2><p>Press it."
    assert [said for _, said in pairs(page(text))] == [
        "Manual",
        SENTENCE.strip(),
        "See the next page.",
        "Use",
        "Press it.",
    ]


def test_tables_that_lay_out_a_page_are_read_as_text() -> None:
    body = f"<table><tr><td><h1>Title</h1><p>{SENTENCE}</p></td><td><p>{SENTENCE}</p></td></tr></table>"
    assert [kind for kind, _ in pairs(page(body))] == [
        BlockKind.HEADING,
        BlockKind.PARAGRAPH,
        BlockKind.PARAGRAPH,
    ]


def test_links_keep_their_addresses_and_are_not_followed() -> None:
    (block,) = page(
        '<p>See <a href="http://127.0.0.1:9/x">this</a> <img src="http://127.0.0.1:9/y.png"> here.'
    ).blocks()
    assert block.text == "See this here."
    assert [mark.target for mark in block.marks if mark.kind is MarkKind.LINK] == ["http://127.0.0.1:9/x"]


def test_a_page_saved_with_everything_is_read() -> None:
    data = (
        b"From: <Saved by a browser>\nSnapshot-Content-Location: https://example.org/\nSubject: A page\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/related; type="text/html"; boundary="b"\n\n--b\nContent-Type: text/html; charset=utf-8\n'
        b"Content-Transfer-Encoding: quoted-printable\n\n<html><body><h1>A page</h1><p>Gr=C3=BC=C3=9Fe.</p></body></html>\n--b--\n"
    )
    assert [said for _, said in pairs(document_from_bytes(data, "a.mht"))] == ["A page", "Grüße."]


SRT = """1
00:00:01,000 --> 00:00:03,000
<i>It was a dark</i>

2
00:00:03,100 --> 00:00:05,000
{\\an8}and stormy night.

3
00:01:00,500 --> 00:01:02,000
- Who is there?
"""


def test_subtitles_become_sentences_with_their_times() -> None:
    document = document_from_bytes(SRT.encode(), "film.srt")
    blocks = list(document.blocks())
    assert [(block.text, block.place.time_s) for block in blocks] == [
        ("It was a dark and stormy night.", 1.0), ("- Who is there?", 60.5),
    ]  # fmt: skip


def test_web_subtitles_name_their_speakers() -> None:
    head = "WEBVTT\n\nNOTE made by hand\n\n"
    text = (
        head
        + "00:01.000 --> 00:02.000\n<v Ann>Hello &amp; good day.\n\n00:02.500 --> 00:04.000\n<v Bob>Hello.\n"
    )
    blocks = list(document_from_bytes(text.encode(), "talk.vtt").blocks())
    assert [(block.label, block.text) for block in blocks] == [
        ("Ann", "Hello & good day."),
        ("Bob", "Hello."),
    ]


def mail(**extra: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Lee <ann@example.org>"
    message["Subject"] = "Grüße vom Meer"
    message["To"] = "bob@example.org"
    message.set_content("Dear Bob,\n\nthe sea is quiet.\n\n> Is it?\n\nAnn\n")
    return message


def test_a_mail_is_its_subject_and_its_text() -> None:
    message = mail()
    message.add_attachment(b"\0\1", maintype="application", subtype="octet-stream", filename="a.bin")
    document = document_from_bytes(message.as_bytes(), "a.eml")
    assert (document.title, document.author) == ("Grüße vom Meer", "Ann Lee")
    assert pairs(document) == [
        (BlockKind.HEADING, "Grüße vom Meer"), (BlockKind.PARAGRAPH, "Dear Bob,"),
        (BlockKind.PARAGRAPH, "the sea is quiet."), (BlockKind.QUOTE, "Is it?"), (BlockKind.PARAGRAPH, "Ann"),
    ]  # fmt: skip


def test_the_rich_text_of_a_mail_is_read_rather_than_the_plain_one() -> None:
    message = mail()
    message.add_alternative("<p>Dear <b>Bob</b>,</p><ul><li>one</li></ul>", subtype="html")
    blocks = list(document_from_bytes(message.as_bytes(), "a.eml").blocks())
    assert [block.text for block in blocks[1:]] == ["Dear Bob,", "one"]


def text_of(block: Block) -> str:
    return block.text


def test_columns_are_read_one_after_the_other() -> None:
    blocks = list(open_document(DATA / "columns.pdf").blocks())
    texts = list(map(text_of, blocks))
    assert texts[:3] == ["A Study of Difficult Offices", "Ann Lee", "1 Whales"]
    starts = [texts.index(next(text for text in texts if text.startswith(start))) for start in (
        "Call me Ishmael", "There now is your insular city", "Circumambulate the city", "But look! here come more crowds",
        "Once more. Say you", "But here is an artist", "Now, when I say", "No, when I go to sea", "What of it", "2 Sailors",
        "Again, I always go", "Finally, I always", "As most young candidates",
    )]  # fmt: skip
    assert starts == sorted(starts)


def test_heads_and_page_numbers_of_a_pdf_are_not_read() -> None:
    texts = [block.text for block in open_document(DATA / "columns.pdf").blocks()]
    assert not any("Journal of Lights" in text.title() for text in texts)
    assert not any(text.isdigit() for text in texts)


def test_hyphens_at_line_ends_are_undone_and_paragraphs_run_over_pages() -> None:
    document = open_document(DATA / "columns.pdf")
    (first,) = [block for block in document.blocks() if block.text.startswith("Call me Ishmael")]
    assert (
        "having little or no money in my purse, and nothing particular to interest me on shore" in first.text
    )
    (over,) = [block for block in document.blocks() if block.text.startswith("But here is an artist")]
    assert [mark.label for mark in over.marks if mark.kind is MarkKind.PAGE] == ["2"]
    assert "overlapping spurs of mountains bathed in their hill-side blue" in over.text
    assert over.text.endswith("of the ungraspable phantom of life; and this is the key to it all.")


def test_a_pdf_with_a_password_is_told() -> None:
    with pytest.raises(ProtectedDocumentError, match="password"):
        open_document(DATA / "locked.pdf")


SCAN = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 25>>stream\n200 0 0 200 0 0 cm /I Do\nendstream endobj\n"
    b"5 0 obj<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>stream\n"
    b"\x80\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
)


def test_a_scan_is_told() -> None:
    with pytest.raises(NoTextError, match="scan"):
        document_from_bytes(SCAN, "scan.pdf")
