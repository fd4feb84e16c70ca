"""Where the sentences of a text stand, however they are put together or cut into segments."""

from itertools import pairwise

from pocketvoice.text.rules import TextRules
from pocketvoice.text.splitter import sentences_of, split
from pocketvoice.text.tokenizer import Tokenizer
from tests.text.test_splitter import LONG_SENTENCE

RULES = TextRules()


def sentences(text: str, tokenizer: Tokenizer) -> list[str]:
    return [text[slice(*span)] for span in sentences_of(split(text, tokenizer, RULES))]


def test_short_ones_in_one_segment(tokenizer: Tokenizer) -> None:
    text = "It was cold. Nobody came! “Really?” he asked. We left."
    assert len(split(text, tokenizer, RULES)) == 1
    assert sentences(text, tokenizer) == ["It was cold.", "Nobody came!", "“Really?” he asked.", "We left."]


def test_quotation_marks_belong_to_theirs(tokenizer: Tokenizer) -> None:
    text = 'He said: "We are late." "That is true," she said. (Nobody laughed.) «No.»'
    assert sentences(text, tokenizer) == [
        'He said: "We are late."',
        '"That is true," she said.',
        "(Nobody laughed.)",
        "«No.»",
    ]


def test_long_one_in_many_segments_is_whole(tokenizer: Tokenizer) -> None:
    text = f"Yes. {LONG_SENTENCE} No."
    assert len(split(text, tokenizer, RULES)) > 2
    assert sentences(text, tokenizer) == ["Yes.", LONG_SENTENCE, "No."]


def test_lines_and_pauses_end_them(tokenizer: Tokenizer) -> None:
    text = "A title\n\nThe first line, [pause:1s] which goes on.\n[pause:2s]\nThe second line"
    found = sentences(text, tokenizer)
    assert found[0] == "A title"
    assert found[-1] == "The second line"
    assert all("pause" not in one for one in found)


def test_abbreviations_end_none(tokenizer: Tokenizer) -> None:
    text = "Dr. Smith met Mr. Miller at 5 p.m. in St. Ives. They had e.g. tea."
    assert sentences(text, tokenizer) == [
        "Dr. Smith met Mr. Miller at 5 p.m. in St. Ives.",
        "They had e.g. tea.",
    ]


def test_spans_are_in_order_and_in_their_segments(tokenizer: Tokenizer, prose: str) -> None:
    segments = split(prose, tokenizer, RULES)
    spans = [span for segment in segments for span in segment.sentences]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    for segment in segments:
        assert segment.sentences[0][0] == segment.span[0]
        assert segment.sentences[-1][1] == segment.span[1]
