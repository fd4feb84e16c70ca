"""Long texts in parts: cut where nothing is lost, and nothing of the text is left out."""

import pytest

from pocketvoice.errors import EmptyTextError
from pocketvoice.text.segment import Segment
from pocketvoice.worker.child.text_blocks import TextBlock, block_at, text_blocks

SENTENCE = "The children walked to the harbour, where Mr. Brown and Prof. Smith were waiting for everybody. "


def split(text: str) -> list[Segment]:
    """One segment: a word of three letters, and a sentence."""
    whole = (0, len(text))
    return [Segment(text, (1,), whole, 3, words=((0, 3),), sentences=(whole,))]


def test_short_text_is_one() -> None:
    (only,) = text_blocks(SENTENCE)
    assert (only.start, only.stop, only.pause_s) == (0, len(SENTENCE), 0.0)
    (segment,) = only.plan(SENTENCE, split)
    assert (segment.text, segment.span, segment.pause_after_s) == (SENTENCE, (0, len(SENTENCE)), 0.0)


def test_no_text_is_none() -> None:
    assert text_blocks("") == []


def test_cuts_behind_sentences() -> None:
    text = SENTENCE * 50
    parts = text_blocks(text)
    assert len(parts) > 3
    assert "".join(text[part.start : part.stop] for part in parts) == text
    assert all(text[part.start :].startswith("The children") for part in parts)
    assert all(part.stop - part.start < 1000 for part in parts)


def test_blank_lines_keep_their_silence() -> None:
    text = "\n\n".join([SENTENCE * 9] * 3)
    first, *_, last = text_blocks(text)
    assert first.plan(text, split)[-1].pause_after_s == 0.6
    assert not last.pause_s
    assert not last.plan(text, split)[-1].pause_after_s


def test_a_part_of_a_block_has_its_own_silence() -> None:
    text = f"{SENTENCE}\nA line of its own.\n\n{SENTENCE * 2}"
    (block,) = text_blocks(text)
    for stop, pause_s in ((text.index("\n") + 1, 0.25), (text.index("\n\n") + 2, 0.6), (None, 0.0)):
        assert block.plan(text, split, 0, stop)[-1].pause_after_s == pause_s


def test_segments_have_their_places_in_the_whole_text() -> None:
    text = "\n\n".join([SENTENCE * 9] * 3)
    second = text_blocks(text)[1]
    (segment,) = second.plan(text, split, second.start + 10)
    assert segment.text == text[slice(*segment.span)]
    assert segment.span == (second.start + 10, second.stop)
    assert [text[slice(*one)] for one in (*segment.words, *segment.sentences)] == [
        segment.text[:3],
        segment.text,
    ]


def test_a_block_may_hold_nothing_to_speak() -> None:
    def fails(text: str) -> list[Segment]:
        raise EmptyTextError("The text holds nothing that can be spoken.")

    assert TextBlock(0, 3, 0.6).plan("***", fails) == []


def test_stop_ends_it() -> None:
    text = SENTENCE * 50
    assert text_blocks(text, 1000)[-1].stop == 1000
    assert text_blocks(text, 10**9)[-1].stop == len(text)


@pytest.mark.parametrize("source", [0, 850, 10**9])
def test_index_is_found(source: int) -> None:
    parts = text_blocks(SENTENCE * 50)
    part = block_at(parts, source)
    assert part.start <= source < part.stop or part is parts[-1]


def test_uncut_where_in_doubt() -> None:
    assert len(text_blocks("no capitals and no stops at all " * 200)) == 1
