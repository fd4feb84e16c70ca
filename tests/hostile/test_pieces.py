"""Text in thousands of pieces costs as much as text in one, and nothing is held back without end."""

import time

import pytest

from pocketvoice.server.incoming import IncomingText


@pytest.mark.parametrize("piece", ["a", "word ", "Dr. ", "\n", "e.g. 3.", ". "])
def test_pieces_take_linear_time(piece: str) -> None:
    incoming, out = IncomingText(), []
    text = piece * (20_000 // len(piece))
    start = time.process_time()
    for at in range(0, len(text), 5):
        out.append(incoming.push(text[at : at + 5]))
    out.append(incoming.finish())
    assert time.process_time() - start < 2
    assert "".join(out) == text
    assert max(map(len, out)) < 5000
