"""Written forms and what an educated native reader says: the whole of text.tsv, our own of every kind, a peer's."""

import runpy
from pathlib import Path

import pytest

from pocketvoice.text.normalise import Style, normalise

shared = runpy.run_path(str(Path(__file__).with_name("case_files.py")))
CASES, NAMES, plain, rows = shared["CASES"], shared["NAMES"], shared["plain"], shared["rows"]

NEMO_BAR = 0.9
NEMO_SPELLING = Style(addresses="spelled", compounds="spaced")
"""NeMo writes German and Italian number words in parts (`drei und zwanzig`) and spells addresses there: the sound is ours."""
NEMO_STYLES = {"de": NEMO_SPELLING, "it": NEMO_SPELLING}


def own_cases() -> list[tuple[str, str, str]]:
    found = [
        (language, written, spoken)
        for file in ("text.tsv", "strangers.tsv")
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


def misses(language: str) -> dict[str, str]:
    """What NeMo expects and we say otherwise: written form -> what we say."""
    style = NEMO_STYLES.get(language, Style())
    found = {}
    for _, written, spoken in rows(CASES / "nemo" / f"{language}.tsv"):
        said = normalise(written, language, style=style).text
        if plain(said) not in {plain(form) for form in spoken.split(" | ")}:
            found[written] = said
    return found


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "pt", "it"])
def test_nine_in_ten_of_a_peers_cases(language: str) -> None:
    total = len(list(rows(CASES / "nemo" / f"{language}.tsv")))
    assert 1 - len(misses(language)) / total >= NEMO_BAR


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "pt", "it"])
def test_every_difference_to_the_peer_has_its_reason(language: str) -> None:
    listed = {
        written
        for code, written, _, reason in rows(CASES.parent / "nemo_differences.tsv")
        if code == language and reason
    }
    assert set(misses(language)) <= listed


def test_lines_stay_lines() -> None:
    assert normalise("# Title\n\nFirst paragraph.", "en").text == "Title\n\nFirst paragraph."
    assert normalise("Apple\nBanana", "en").text == "Apple\nBanana"
