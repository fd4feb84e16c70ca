"""Marks that are seen and not read, and those that only look like them."""

import pytest

from pocketvoice.text.normalise import normalise


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("**bold** and *italic* and __both__", "bold and italic and both"),
        ("a * b", "a * b"),
        ("snake_case stays", "snake_case stays"),
        ("see [the docs](https://x.org/a_(b)?c) now", "see the docs now"),
        ("![a cat](cat.png)", "a cat"),
        ("## Heading ##", "Heading"),
        ("> quoted", "quoted"),
        ("- item", "item"),
        ("| a | b |", "a, b"),
        ("one<br>two", "one, two"),
        ("one.<p>two</p>", "one. two, "),
        ("x &lt; y &amp; z", "x is less than y and z"),
        ("<script>var x = 1;</script>text", " text"),
        ("so it is.[12] Next", "so it is. Next"),
        ("a word(23) here", "a word here"),
        ("f(2) = 4", "f(two) equals four"),
        ("\\emph{very} good", "very good"),
        ("It costs $5 and $6.", "It costs five dollars and six dollars."),
        ("$\\alpha \\leq \\beta$", "alpha is less than or equal to beta"),
        (":-) ok", " ok"),
    ],
)
def test_marks_are_not_read(source: str, spoken: str) -> None:
    assert normalise(source, "en").text == spoken


def test_a_windows_path_is_no_latex() -> None:
    assert "backslash" in normalise("C:\\temp\\new.txt", "en").text
