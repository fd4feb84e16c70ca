"""The texts that come with the program: to read aloud, and to agree to."""

import re

import pytest

from pocketvoice.voices import consent
from pocketvoice.voices.reading_texts import languages, reading_texts

VOWELS = re.compile(r"[aeiouyàâäáãéèêëîïíôöóõûüùúœæ]+")


def test_there_are_texts_in_seven_languages() -> None:
    assert languages()[0] == "en"
    assert sorted(languages()) == ["de", "en", "es", "fr", "it", "nl", "pt"]


@pytest.mark.parametrize("language", ["en", "fr", "de", "it", "pt", "es", "nl"])
def test_each_takes_25_to_30_s_to_read(language: str) -> None:
    """Read aloud, people make 4 to 5 syllables a second, pauses included; syllables are counted as groups of vowels."""
    texts = reading_texts(language)
    assert len(texts) >= 3
    assert len({text.title for text in texts}) == len(texts)
    for text in texts:
        assert 95 <= len(VOWELS.findall(text.text.casefold())) <= 145
        assert re.search(r"\?", text.text)  # a question, a statement: more than one melody


@pytest.mark.parametrize(
    ("named", "code"), [("french_24l", "fr"), ("pt-BR", "pt"), ("german", "de"), ("EN", "en"), ("xx", "en"), ("", "en")]
)  # fmt: skip
def test_languages_go_by_many_names(named: str, code: str) -> None:
    assert reading_texts(named) == reading_texts(code)


def test_the_terms_can_be_read() -> None:
    assert consent.sentence().count(".") == 1
    assert "permission" in consent.sentence()
    assert len(consent.prohibited_uses()) == 4
    assert all(use.endswith(".") for use in consent.prohibited_uses())
