"""Positions in a text, as Python and as Qt count them."""

import pytest

from pocketvoice.gui.main.utf16 import Utf16Map


@pytest.mark.parametrize("text", ["", "abc", "a😀b", "😀😀", "é😀中🎉x"])
def test_positions_go_both_ways(text: str) -> None:
    positions = Utf16Map(text)
    for index in range(len(text) + 1):
        units = len(text[:index].encode("utf-16-le")) // 2
        assert positions.to_qt(index) == units
        assert positions.to_text(units) == index
    assert positions.to_qt(999) == len(text.encode("utf-16-le")) // 2
    assert positions.to_text(-5) == 0


def test_inside_an_emoji_is_the_emoji() -> None:
    assert Utf16Map("a😀b").to_text(2) == 1
