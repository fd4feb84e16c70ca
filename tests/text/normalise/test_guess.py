"""The language of a paragraph, and that a short one gets none."""

from pocketvoice.text.normalise.guess import guessed_language, paragraph_languages

ENGLISH = "The quick brown fox jumps over the lazy dog and sleeps all day.\n\n"
GERMAN = "Der schnelle braune Fuchs springt über den faulen Hund und schläft.\n\n"


def test_paragraphs_have_their_own() -> None:
    found = list(paragraph_languages(ENGLISH + GERMAN + "OK.", ["en", "de", "fr"]))
    assert [part.language for part in found] == ["en", "de", None]
    assert (
        "".join((ENGLISH + GERMAN + "OK.")[part.start : part.stop] for part in found)
        == ENGLISH + GERMAN + "OK."
    )


def test_one_candidate_needs_no_guess() -> None:
    assert guessed_language("x", ["nl"]) == "nl"
