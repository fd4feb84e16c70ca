"""What is read of a passage, and that every character still knows where it came from."""

import pytest

from pocketvoice.text.clean import cleaned
from pocketvoice.text.rules import TextRules
from pocketvoice.text.traced import TracedText


def _read(text: str, rules: TextRules | None = None) -> str:
    traced = cleaned(TracedText.of(text, 0, len(text)), rules or TextRules())
    return "" if traced is None else traced.text


CASES = {
    "quotes": [
        ("“Are you sure?” she asked.", "Are you sure? she asked."),
        ("„Bist du sicher?“, fragte sie.", "Bist du sicher? fragte sie."),
        ("« Bonjour ! », dit-il", "Bonjour! dit-il"),
        ("‘Hello’ she said, don’t", "Hello she said, don't"),
        ("the ’80s", "the '80s"),
        ("Het is ’s avonds", "Het is 's avonds"),
        ("don`t say `this`", "don't say this"),
        ("「はい」", "はい"),
    ],
    "brackets": [
        ("the Pi (which also serves) polls it.", "the Pi, which also serves, polls it."),
        ("He left. (She stayed.) Then", "He left. She stayed. Then"),
        ("See (fig. 3).", "See, fig. 3."),
        ("word(s) and (un)known foo()", "words and unknown foo"),
        ("Schüler(innen) print('hi')", "Schülerinnen print, hi,"),
        ("[a] {b} c", "a, b, c"),
        ("so it is.[12] Next", "so it is. Next"),
    ],
    "dashes": [
        ("yes — no", "yes, no"),
        ("word—word", "word, word"),
        ("yes - no -- so", "yes, no, so"),
        ("pages 3–5", "pages 3-5"),
        ("a well‑known −5", "a well-known -5"),
        ("—Hola —dijo Juan—. Adiós", "Hola, dijo Juan. Adiós"),
        ("“I was—” he said", "I was, he said"),
    ],
    "pictures": [
        ("I ❤️ it 😂", "I it"),
        ("👩‍👩‍👧‍👦 family 👍🏽!", "family!"),
        ("1️⃣ first", "1 first"),
        ("yes👍no", "yes no"),
        ("hi :) there", "hi there"),
        ("Brand™ ©", "Brand"),
        ("98.6 °F and № 5", "98.6 °F and № 5"),
    ],
    "invisible": [
        ("zero\u200bwidth \u202eright\u202c so\u00adft", "zerowidth right soft"),
        ("\ufeffa\u00a0b\u2009c\td", "a b c d"),
        ("nul\x00 \x1b[0m \ue000x\ud800", "nul, 0m x"),
        ("line\nbreak\r\nagain", "line break again"),
    ],
    "marks": [
        ("Stop!!! Why???  Really?!?", "Stop! Why? Really?"),
        ("a,, b , c .", "a, b, c."),
        ("Well…", "Well..."),
        ("wait...what", "wait... what"),
        ("no . . . yes", "no... yes"),
        ("...and then", "... and then"),
        ("¿Qué? ¡Hola!", "Qué? Hola!"),
        ("元気。はい！", "元気. はい!"),
        ("-5 degrees", "-5 degrees"),
        ("use .NET 3.5", "use .NET 3.5"),
    ],
    "markdown": [
        ("**Hi** there, see [the docs](https://example.com/a/b?c=1).", "Hi there, see the docs."),
        ("![a cat](cat.png) sits", "a cat sits"),
        ("# Title #", "Title"),
        ("- Apple", "Apple"),
        ("* [x] done", "done"),
        ("1. Apple", "1. Apple"),
        ("> quoted", "quoted"),
        ("*it* is _so_ __very__ ~~bad~~ good", "it is so very bad good"),
        ("3 * 4 and snake_case", "3 * 4 and snake case"),
        ("| a | b |", "a, b,"),
        ("go <https://x.org/a_b>", "go https://x.org/a_b"),
    ],
    "kept": [
        ("Visit example.com or mail a_b@example.com.", "Visit example.com or mail a_b@example.com."),
        ("https://example.com/a-b/c_d?e=1,2&f=3", "https://example.com/a-b/c_d?e=1,2&f=3"),
        ("It's 7:46, 1,234.5 or 192.168.1.1", "It's 7:46, 1,234.5 or 192.168.1.1"),
        ("L'été à Straße, ça, ñandú, ł, ő", "L'été à Straße, ça, ñandú, ł, ő"),
        ("Привет שלום مرحبا नमस्ते 日本 한국", "Привет שלום مرحبا नमस्ते 日本 한국"),
    ],
}


@pytest.mark.parametrize(("text", "expected"), [case for cases in CASES.values() for case in cases])
def test_passage_reads_plainly(text: str, expected: str) -> None:
    assert _read(text) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "...", "—", "😂", "()", "* * *", "-----", "***", "```python", "\ud800", "?!", "__"]
)
def test_nothing_said_nothing_left(text: str) -> None:
    assert _read(text) == ""


def test_model_rules_apply_too() -> None:
    rules = TextRules({":": ",", "é": "e"}, remove_semicolons=True)
    assert _read("Café: oui; non", rules) == "Cafe, oui, non"


def test_accents_join_letters() -> None:
    assert _read("cafe\u0301 o\u0308 \u1112\u1161\u11ab") == "café ö 한"


def test_characters_know_origin() -> None:
    source = "See “[the docs](http://x.y)” — cafe\u0301!!! 😂 Ok"
    traced = cleaned(TracedText.of(source, 0, len(source)), TextRules())
    assert traced is not None
    assert traced.text == "See the docs, café! Ok"
    for character, start, stop in zip(traced.text, traced.starts, traced.stops, strict=True):
        if character.isalnum():
            assert source[start:stop] in (character, "e\u0301")
    assert list(traced.starts) == sorted(traced.starts)
    assert all(a <= b for a, b in zip(traced.stops, list(traced.starts)[1:], strict=False))
