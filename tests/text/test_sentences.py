"""Where a sentence ends and where it does not."""

import pytest

from pocketvoice.text.sentences import Gap, gaps

# One string a sentence; joined with spaces they must come apart at the same places.
TEXTS = [
    ["It was cold.", "Nobody came!", "Why not?", "I do not know."],
    ["Pi is 3.14159 today.", "We sold 1,984 chairs.", "Das kostet 1.234,56 Euro.", "Er kam."],
    ["Dr. Smith met Mr. and Mrs. O'Neill and Prof. Jones.", "They left."],
    ["See fig. 3, e.g. the blue line, i.e. the one on p. 5.", "It is long."],
    ["J. R. R. Tolkien wrote it.", "James T. Kirk read it."],
    ["The U.S.A. is big.", "He lived in the U.S. Army base.", "He left the U.S.", "The end."],
    ["Apples, pears, etc. are sold.", "We had bread, etc.", "Then we left."],
    ["Visit example.com or mail info@example.com.", "Version 2.10.3 is out.", "The server is 192.168.1.1.", "It works."],
    ["She came at 7:46 p.m. on Monday.", "He left at 5 p.m.", "The door closed."],
    ["Om 8.30 uur, d.w.z. vroeg, kwam dhr. de Vries.", "Hij at."],
    ["Am 3. Oktober wird gefeiert, z. B. in Berlin.", "Es war der 2. Weltkrieg.", "Er endete 1945.", "Das ist alles."],
    ["Um 18:30 Uhr am 3.10.1990 war es so weit.", "Im 19. Jahrhundert nicht.", "Dr. Müller wohnt in der Hauptstr. 5."],
    ["M. Dupont a payé.", "Mme. Durand aussi, p. ex. hier.", "Il est parti."],
    ["El Sr. García y la Sra. López llegaron.", "Nadie habló."],
    ["O Sr. Silva e a Dra. Costa vieram.", "Em 1822, D. Pedro I proclamou.", "Foi bom."],
    ["Il sig. Rossi abita qui, ecc. ecc.", "Non so."],
    ["I like No. 5 best.", "He said no.", "It was vitamin C.", "The doctor knew."],
    ["John Smith Jr. and Acme Inc. were there.", "So were we."],
    ["Are you sure? she asked.", "Stop! he cried.", "She did."],
    ["hello there.", "how are you.", "i am fine."],
    ["He was born in 1990.", "Then he left.", "Chapter IV. begins."],
]  # fmt: skip

WHOLE = [
    "Well... I do not know.",
    "1. Apple pie.",
    "Wait... what?",
    "Approx. 5 or ca. 6 of them.",
    "He paid St. John's church.",
]


def _ends(text: str) -> list[str]:
    words = text.split()
    kinds = [*gaps(words, [False] * len(words)), Gap.SENTENCE]
    sentences, start = [], 0
    for i, kind in enumerate(kinds):
        if kind is Gap.SENTENCE:
            sentences.append(" ".join(words[start : i + 1]))
            start = i + 1
    return sentences


@pytest.mark.parametrize("sentences", TEXTS, ids=lambda sentences: sentences[0][:20])
def test_ends_where_read(sentences: list[str]) -> None:
    assert _ends(" ".join(sentences)) == sentences


@pytest.mark.parametrize("text", WHOLE)
def test_no_end_inside(text: str) -> None:
    assert _ends(text) == [text]


@pytest.mark.parametrize(
    ("text", "index", "kind"),
    [
        ("one, two", 0, Gap.CLAUSE),
        ("one and two", 0, Gap.CONJUNCTION),
        ("the house", 0, Gap.CLINGING),
        ("small house", 0, Gap.WORD),
        ("1 234 567 francs", 1, Gap.GLUED),
        ("5 km more", 0, Gap.CLINGING),
        ("Dr. Smith", 0, Gap.GLUED),
        ("sure? she asked", 0, Gap.TAG),
    ],
)
def test_gap_has_kind(text: str, index: int, kind: Gap) -> None:
    words = text.split()
    assert list(gaps(words, [False] * len(words)))[index] is kind
