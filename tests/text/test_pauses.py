"""Lines, paragraphs and pause marks as passages and silences."""

import pytest

from pocketvoice.text.pauses import Passage, Silence, passages, pause_seconds

LONG = "The quick brown fox jumped over the lazy dog while the sun"


def _outline(source: str) -> list[str | float]:
    """Passages as text, implied silences as 1.0 (line) and 2.0 (paragraph), pause marks as negative seconds."""
    items: list[str | float] = []
    for item in passages(source, 1.0, 2.0):
        if isinstance(item, Passage):
            items.append(" ".join(source[item.start : item.stop].split()))
        else:
            items.append(-item.seconds if item.explicit else item.seconds)
    return items


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("500ms", 0.5),
        ("1.5s", 1.5),
        (" 1.5 S ", 1.5),
        ("2s", 2.0),
        ("0,25 s", 0.25),
        (".5s", 0.5),
        ("99999s", 60.0),
        ("9" * 50 + "s", 60.0),
        ("0s", 0.0),
    ],
)
def test_pause_length_read(value: str, seconds: float) -> None:
    assert pause_seconds(value) == seconds


@pytest.mark.parametrize(
    "value", [None, "", "abc", "500", "2", "0", "1.5", "-1s", "1e3", "1 2", "s", "1h", "٣"]
)
def test_malformed_pause_refused(value: str | None) -> None:
    assert pause_seconds(value) is None


@pytest.mark.parametrize(
    ("source", "outline"),
    [
        ("One.\nTwo.", ["One.", 1.0, "Two."]),
        ("One.\r\nTwo.\r\n\r\nThree.", ["One.", 1.0, "Two.", 2.0, "Three."]),
        ("\n\nOne\n  \n\nTwo\n", ["One", 2.0, "Two"]),
        ("Title\n=====\n\nText", ["Title", 2.0, "Text"]),
        ("Fruits:\nApple\nBanana", ["Fruits:", 1.0, "Apple", 1.0, "Banana"]),
        ("apple\nbanana", ["apple", 1.0, "banana"]),
        ("# Title\ntext goes on", ["# Title", 1.0, "text goes on"]),
        (
            "- one is first\n- two is second\n  and goes on",
            ["- one is first", 1.0, "- two is second and goes on"],
        ),
        ("1. first of all\n2. second of all", ["1. first of all", 1.0, "2. second of all"]),
        ("This is a line\nthat continues here.", ["This is a line that continues here."]),
        ("one thing,\nAnother thing", ["one thing, Another thing"]),
        ("Dear Mr.\nSmith", ["Dear Mr. Smith"]),
        ("and then the\nGreat Fire", ["and then the Great Fire"]),
    ],
)
def test_lines_end_or_go_on(source: str, outline: list[str | float]) -> None:
    assert _outline(source) == outline


def test_wrapped_prose_joined() -> None:
    source = (
        f"{LONG}\nwas setting behind the hills. The wind was very strong\n"
        "John was there and so were the others, as always.\nEnd"
    )
    first, *rest = _outline(source)
    assert isinstance(first, str)
    assert "sun was" in first
    assert "strong John" in first
    assert rest == [1.0, "End"]


@pytest.mark.parametrize(
    ("source", "outline"),
    [
        ("[pause:1s]", [-1.0]),
        ("Hi [pause:500ms] there", ["Hi", -0.5, "there"]),
        ("Hi.[Pause : 1.5 s][pause=2s]\nYou", ["Hi.", -1.5, -2.0, 1.0, "You"]),
        ("Hi.\n[pause:1s]\nYou", ["Hi.", 1.0, -1.0, 1.0, "You"]),
        ("Hi [pause:abc] there", ["Hi [pause:abc] there"]),
        ("Hi [pause:500] there", ["Hi [pause:500] there"]),
        ("The [pauses:1s] word", ["The [pauses:1s] word"]),
    ],
)
def test_pause_marks_found(source: str, outline: list[str | float]) -> None:
    assert _outline(source) == outline


def test_pause_inside_sentence_known() -> None:
    first, silence, last = passages("Hi [pause:1s] there", 1.0, 2.0)
    assert isinstance(first, Passage)
    assert isinstance(silence, Silence)
    assert isinstance(last, Passage)
    assert (first.opens, first.closes, last.opens, last.closes) == (True, False, False, True)
    assert (silence.start, silence.stop) == (3, 13)
