"""A long text is normalised piece by piece, in time that grows with its length only."""

import time

import pytest

from pocketvoice.text.normalise import normalise, normalised_paragraphs

PROSE = "Dr. Smith walked along the road, and nobody knew where he would be on 3 May; it was a long and winding road. "


def cpu_s(text: str) -> float:
    start = time.process_time()
    for _ in normalised_paragraphs(text, "en"):
        pass
    return time.process_time() - start


def test_only_what_is_asked_for_is_done() -> None:
    normalise("Warm 5.", "en")
    start = time.process_time()
    next(normalised_paragraphs(PROSE * 10_000, "en"))
    assert time.process_time() - start < 0.1


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "a.b.",
        "*a",
        "[(",
        "_a ",
        "<a ",
        "1,234,",
        "a@b.",
        "/a",
        "1-",
        "'1\"",
        "$x",
        "`a",
        "(1)",
        "\\a{",
        "e\u0301",
        "IV ",
        "1:2:",
        " ",
        "\n",
        "x^",
    ],
)
def test_time_grows_with_length_only(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (6_000, 48_000))
    normalise(short, "en")
    assert cpu_s(long) < 8 * cpu_s(short) * 3 + 0.5
