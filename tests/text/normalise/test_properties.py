"""What holds for any text in any language: no exception, places in order, nothing lost, no digit left."""

import os
import random
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import pytest

from pocketvoice.text.normalise import LANGUAGES, Spoken, normalise, normalise_part, normalised_paragraphs
from pocketvoice.text.normalise.readers.scripts import is_latin

TEXTS = int(os.environ.get("NORMALISE_TEXTS", "300"))
"""Random texts a run; the full 10,000 are run by hand with NORMALISE_TEXTS=10000."""

BITS = [
    "$1.6B", "3,50 €", "1.234,56", "14h30", "2:30 pm", "5 kg", "20 m/s", "12 °C",
    "6' 2\"", "XIV", "Louis XIV", "NASA", "USB-C", "Dr.", "St.", "z. B.",
    "p. ej.", "a@b.com", "https://x.org/a?b=1", "C:\\a\\b.txt", "/usr/bin", "x²", "H₂O", "α", "#tag", "@name", "1/2", "½",
    "1990s", "'80s", "2026-03-04",
    "3/4/2026", "192.168.1.1", "v2.10.3", "+49 30 1234567", "**b**", "[a](b)", "<b>x</b>", "&amp;", "$x^2$", "\\frac{1}{2}",
    "|", "---", "1.", "2)", "(3)",
    "[12]", "e\u0301", "ﬁ", "１２", "\u00ad", "\u200f", "\u202e", "’", "“", "…", "–", "—", "−5", "%", "&", "=", "<", ">", "~",
    "^", "_", "*", "`", "0", "00", "007",
    "1234567890123456789012345678901234567890", "99999999999999999999", "12:99", "31.02.2020", "0/0", "1/0", "IIII", "ß",
    "ǅ", "İ", "ŉ", "ﷺ", "\ud800", "👍🏽", "Ω", "東京", "мир",
]  # fmt: skip


def random_texts(count: int, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(count):
        pieces = []
        for _ in range(chance.randrange(1, 12)):
            kind = chance.random()
            if kind < 0.5:
                pieces.append(chance.choice(BITS))
            elif kind < 0.75:
                pieces.append(
                    "".join(chr(chance.randrange(0x20, 0x250)) for _ in range(chance.randrange(1, 8)))
                )
            else:
                pieces.append("".join(chr(chance.randrange(0x110000)) for _ in range(chance.randrange(1, 5))))
            pieces.append(chance.choice(["", " ", " ", " ", "\n", "\n\n", "\t", "\u00a0", ", ", ". "]))
        yield "".join(pieces)


def check(source: str, spoken: Spoken) -> None:
    assert len(spoken.text) == len(spoken.starts) == len(spoken.stops)
    assert all(
        0 <= start <= stop <= len(source) for start, stop in zip(spoken.starts, spoken.stops, strict=True)
    )
    assert list(spoken.starts) == sorted(spoken.starts)
    assert list(spoken.stops) == sorted(spoken.stops)
    words = list(spoken.words())
    assert [word.text for word in words] == spoken.text.split()
    for one, other in pairwise(words):
        assert one.span == other.span or one.span[1] <= other.span[0] or one.span[0] <= other.span[0]
    assert not any(char.isdecimal() for char in spoken.text)
    assert all(is_latin(char) for char in spoken.text if char.isalpha())


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_text_keeps_its_places(language: str) -> None:
    for source in random_texts(TEXTS, seed=LANGUAGES.index(language)):
        try:
            check(source, normalise(source, language))
        except Exception as exc:
            raise AssertionError(f"{language}: {source!r}") from exc


ALPHABETS = [
    (0x41, 0x24F), (0x250, 0x2AF), (0x370, 0x3FF), (0x400, 0x52F), (0x531, 0x58F), (0x5D0, 0x5EA), (0x600, 0x6FF), (0x900,
        0x97F), (0xE01, 0xE5B),
    (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x3041, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x1E00, 0x1EFF), (0x1F00,
        0x1FFF), (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF),
]  # fmt: skip


@pytest.mark.parametrize("alphabet", ALPHABETS, ids=lambda a: f"{a[0]:x}")
def test_every_alphabet_keeps_its_places(alphabet: tuple[int, int]) -> None:
    chance = random.Random(alphabet[0])
    size = 200_000 if TEXTS >= 10_000 else 3_000
    source = "".join(chr(chance.randrange(*alphabet)) if chance.random() < 0.85 else " " for _ in range(size))
    check(source, normalise(source, "en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_letters_is_lost(language: str) -> None:
    """Every run of letters of a text without marks of markup has a spoken word at its place."""
    chance = random.Random(7)
    for _ in range(TEXTS):
        letters = [
            "".join(
                chance.choice("abcdefghijklmnopqrstuvwxyzäéñçßABCDEIMNSTVX")
                for _ in range(chance.randrange(1, 9))
            )
            for _ in range(12)
        ]
        source = " ".join(
            word + chance.choice(["", "", ",", ".", " 5", " 3,5", ";", "!"]) for word in letters
        )
        spans = {
            span
            for word in normalise(source, language).words()
            if any(map(str.isalnum, word.text))
            for span in [word.span]
        }
        for match in re.finditer(r"[^\W\d_]+", source):
            assert any(start <= match.start() and match.end() <= stop for start, stop in spans), (
                language,
                source,
                match[0],
            )


PLAIN = {
    "en": "the quick brown fox jumps over the lazy dog, and then it sleeps",
    "fr": "le renard brun saute par-dessus le chien paresseux, puis il dort d'un œil",
    "de": "der schnelle braune fuchs springt über den faulen hund, dann schläft er",
    "pt": "a rápida raposa marrom salta sobre o cão preguiçoso, e depois dorme",
    "it": "la rapida volpe bruna salta sopra il cane pigro, poi dorme un po'",
    "es": "el rápido zorro marrón salta sobre el perro perezoso, y luego duerme",
    "nl": "de snelle bruine vos springt over de luie hond, en dan slaapt hij 's nachts",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_plain_words_stay_as_they_are(language: str) -> None:
    spoken = normalise(PLAIN[language], language)
    assert spoken.text == PLAIN[language]
    assert list(spoken.starts) == list(range(len(spoken.text)))
    assert spoken.readings == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_spoken_text_is_spoken_the_same(language: str) -> None:
    """Normalising once more changes nothing but what capitals say."""
    for source in ("5 kg", "3.5", "1984", "21:30", "50 %", "2/3", "100"):
        once = normalise(source, language).text
        assert normalise(once, language).text == once


@pytest.mark.parametrize(
    ("source", "word", "place"),
    [
        ("un cafe\u0301 5", "café", (3, 8)),
        ("so\u00adft", "soft", (0, 5)),
        ("don’t", "don't", (0, 5)),
        ("ﬁne", "fine", (0, 3)),
        ("\u200fword\u200e", "word", (1, 5)),
        ("x １２", "twelve", (2, 4)),
        ("**5** kg", "kilograms", (2, 8)),
    ],
)
def test_hidden_characters_keep_places(source: str, word: str, place: tuple[int, int]) -> None:
    found = {w.text: w.span for w in normalise(source, "en").words()}
    assert found[word] == place


def test_pieces_are_the_whole() -> None:
    source = "\n\n".join(
        f"Paragraph {i} costs ${i}.50 on 3 May {1900 + i}. It is long enough." for i in range(200)
    )
    whole = normalise(source, "en")
    assert "".join(piece.text for piece in normalised_paragraphs(source, "en")) == whole.text
    assert unicodedata.is_normalized("NFC", whole.text)


def test_a_part_keeps_the_places_of_the_whole() -> None:
    source = "First.\nOn 5\nMay 2020 it was $3.\nLast."
    spoken = normalise_part(source, 7, 31, "en")
    assert spoken.text == "On the fifth of May, twenty twenty it was three dollars."
    assert [source[slice(*word.span)] for word in spoken.words()][1] == "5\nMay 2020"
    assert len(spoken.traced()) == len(spoken.text)
