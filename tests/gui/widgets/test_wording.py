"""Numbers and sentences for people."""

import pytest

from pocketvoice.gui.widgets import wording


@pytest.mark.parametrize(("seconds", "words"), [(0, "0:00"), (65.9, "1:05"), (3723, "1:02:03"), (-3, "0:00")])
def test_clock(seconds: float, words: str) -> None:
    assert wording.clock(seconds) == words
