"""Names of sound files."""

import pytest

from pocketvoice.gui.controllers import sound_files


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "speech"),
        ("?!", "speech"),
        ("a/b: c\\d", "a b c d"),
        ("It's the captain's one-eyed cat. " * 3, "It's the captain's one-eyed cat It's the"),
        ("x" * 300, "speech"),
    ],
)
def test_names_of_files(text: str, name: str) -> None:
    assert sound_files.name_for(text) == name
