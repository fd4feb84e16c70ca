"""A long text is normalised piece by piece, in time that grows with its length only."""

import time

import pytest

from pocketvoice.text.normalise import normalise, normalised_paragraphs

PROSE = "Dr. Smith walked along the road, and nobody knew where he would be on 3 May; it was a long and winding road. "


def cpu_s(text: str, language: str = "en") -> float:
    start = time.process_time()
    for _ in normalised_paragraphs(text, language):
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


DENSE = (
    "On 3 May 2026 it rose from $1.6B to 3,400.50 EUR, i.e. 12.5% at 14:30. Dr. Smith ran 5 km in 20:13 (no. 45) with 1,234 "
    "others. The 2nd of 14 lots (ISO 9001, v2.10.3) weighs 12.75 kg ± 0.5%. Call +1 212-555-0123 before 5 p.m. on 12/31/2025. "
)  # fmt: skip


NUMBERS = " ".join(str(number * 7919 % 10 ** (1 + number % 6)) for number in range(22_000))


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_text_of_nothing_but_numbers_takes_no_longer(language: str) -> None:
    """No two of them alike: their words are put together, not looked up."""
    for text in ("Warm 5.", DENSE, NUMBERS[:2000]):
        normalise(text, language)
    dense = min(cpu_s(DENSE * (len(NUMBERS) // len(DENSE)), language) for _ in range(2))
    assert min(cpu_s(NUMBERS, language) for _ in range(2)) < 1.7 * dense


def test_a_tenth_of_a_megabyte_of_numbers_in_a_third_of_a_second() -> None:
    normalise(DENSE, "en")
    assert (
        cpu_s(DENSE * (100_000 // len(DENSE))) < 1.5
    )  # 0.25 on an idle machine: room for slow and busy ones
