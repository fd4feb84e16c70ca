"""Written forms and what an educated native reader says: the whole of text.tsv, our own of every kind, a peer's."""

import runpy
from pathlib import Path

import pytest

from pocketvoice.text.normalise import Style, normalise

shared = runpy.run_path(str(Path(__file__).with_name("case_files.py")))
CASES, NAMES, plain, rows, sound = (shared[name] for name in ("CASES", "NAMES", "plain", "rows", "sound"))

NEMO_BARS = {"en": 0.9, "de": 0.9, "fr": 0.9, "es": 0.9, "pt": 0.9, "it": 0.75}
"""The share of a peer's cases that the default says as it does. A quarter of its Italian ones are addresses that it spells."""
NEMO_SPELLING = Style(addresses="spelled", compounds="spaced")


def own_cases() -> list[tuple[str, str, str]]:
    found = [
        (language, written, spoken)
        for file in ("text.tsv", "strangers.tsv", "unseen.tsv")
        for language, written, spoken in rows(CASES / file)
    ]
    for language, name in NAMES.items():
        for file in (f"{name}.tsv", f"{name}_real_life.tsv"):
            found += [(language, written, spoken) for _, written, spoken in rows(CASES / file)]
    return found


@pytest.mark.parametrize(("language", "written", "spoken"), own_cases())
def test_reads_as_a_native_does(language: str, written: str, spoken: str) -> None:
    said = normalise(written.replace("\\n", "\n"), language).text
    assert plain(said) in {plain(form) for form in spoken.split("||")}, said


def test_dutch_has_cases_enough() -> None:
    assert len(list(rows(CASES / "dutch.tsv"))) >= 150


def misses(language: str, style: Style) -> dict[str, str]:
    """What NeMo expects and we say otherwise: written form -> what we say."""
    found = {}
    for _, written, spoken in rows(CASES / "nemo" / f"{language}.tsv"):
        said = normalise(written, language, style=style).text
        if sound(said, language) not in {sound(form, language) for form in spoken.split(" | ")}:
            found[written] = said
    return found


def nemo_share(language: str, style: Style) -> float:
    return 1 - len(misses(language, style)) / len(list(rows(CASES / "nemo" / f"{language}.tsv")))


@pytest.mark.parametrize("language", NEMO_BARS)
def test_nine_in_ten_of_a_peers_cases(language: str) -> None:
    assert nemo_share(language, Style()) >= NEMO_BARS[language]


@pytest.mark.parametrize("language", ["de", "it"])
def test_nine_in_ten_where_addresses_are_spelled(language: str) -> None:
    assert nemo_share(language, NEMO_SPELLING) >= 0.9


@pytest.mark.parametrize("language", NEMO_BARS)
def test_every_difference_to_the_peer_has_its_reason(language: str) -> None:
    reasons = {
        written: reason
        for code, written, _, reason in rows(CASES.parent / "nemo_differences.tsv")
        if code == language
    }
    differing = set(misses(language, Style()))
    if language in ("de", "it"):
        differing |= set(misses(language, NEMO_SPELLING))
    assert differing == set(reasons)
    assert all(reasons.values())


def test_lines_stay_lines() -> None:
    assert normalise("# Title\n\nFirst paragraph.", "en").text == "Title\n\nFirst paragraph."
    assert normalise("Apple\nBanana", "en").text == "Apple\nBanana"
