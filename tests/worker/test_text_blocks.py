"""Long texts in parts: cut where nothing is lost, and nothing of the text is left out."""

import pytest

from pocketvoice.worker.child.text_blocks import block_at, text_blocks

SENTENCE = "The children walked to the harbour, where Mr. Brown and Prof. Smith were waiting for everybody. "


def test_short_text_is_one() -> None:
    (only,) = text_blocks(SENTENCE)
    assert (only.start, only.stop, only.pause_s) == (0, len(SENTENCE), 0.0)
    assert only.text(SENTENCE) == SENTENCE


def test_no_text_is_none() -> None:
    assert text_blocks("") == []


def test_cuts_behind_sentences() -> None:
    text = SENTENCE * 50
    parts = text_blocks(text)
    assert len(parts) > 3
    assert "".join(text[part.start : part.stop] for part in parts) == text
    assert all(text[part.start :].startswith("The children") for part in parts)
    assert all(len(part.text(text)) < 1000 for part in parts)


def test_blank_lines_keep_their_silence() -> None:
    text = "\n\n".join([SENTENCE * 9] * 3)
    first, *_, last = text_blocks(text)
    assert first.text(text).endswith(" [pause:0.6s]")
    assert first.text(text, start=10).startswith(SENTENCE[10:20])
    assert not last.pause_s


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
