"""Text in pieces: whole sentences come out as soon as they are sure, and nothing is lost."""

import pytest

from pocketvoice.server.incoming import IncomingText


def handed_on(text: str, size: int) -> list[str]:
    incoming = IncomingText()
    parts = [incoming.push(text[at : at + size]) for at in range(0, len(text), size)]
    return [part for part in [*parts, incoming.finish()] if part]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_nothing_is_lost(size: int) -> None:
    text = "Dr. Smith paid 3.50 to Mr. Jones. Then he left! Yes. No. And so on\n\nThe end, at last."
    assert "".join(handed_on(text, size)) == text


def test_sentence_leaves_when_the_next_word_is_known() -> None:
    incoming = IncomingText()
    assert incoming.push("The boats are in the harbour.") == ""
    assert incoming.push(" The") == ""
    assert incoming.push(" wind") == "The boats are in the harbour."
    assert incoming.finish() == " The wind"


def test_abbreviations_do_not_end_a_sentence() -> None:
    assert len(handed_on("This is Dr. Smith of St. Mary's, e.g. the one in town, speaking.", 3)) == 1


def test_few_words_wait_for_company() -> None:
    first, second = handed_on("Yes. Of course I will come. The boat is late today.", 4)
    assert first == "Yes. Of course I will come."
    assert second == " The boat is late today."


def test_line_ends_a_sentence() -> None:
    incoming = IncomingText()
    assert incoming.push("A heading of words\n") == "A heading of words\n"
