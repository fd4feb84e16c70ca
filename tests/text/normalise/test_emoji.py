"""Emoji: skipped, or called by their names."""

import subprocess
import sys

import pytest

from pocketvoice.text.normalise import LANGUAGES, Style, normalise
from pocketvoice.text.normalise.emoji_names import name_of

NAMED = Style(emoji="named")


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("en", "thumbs up"), ("fr", "pouce vers le haut"), ("de", "daumen hoch"), ("pt", "polegar para cima"),
        ("it", "pollice in su"), ("es", "pulgar hacia arriba"), ("nl", "duim omhoog"),
    ],
)  # fmt: skip
def test_a_name_in_each_language(language: str, spoken: str) -> None:
    assert normalise("A 👍 b", language, style=NAMED).text.split() == ["A", *spoken.split(), "b"]
    assert normalise("A 👍 b", language).text.split() == ["A", "b"]


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("Great 👍🏽👍🏽!", "Great thumbs up !"),
        ("I ❤️ it, I ❤ it", "I red heart it, I red heart it"),
        ("So🚀fast", "So rocket fast"),
        ("👩‍👩‍👧 🇩🇪", "family woman woman girl Germany"),
        ("Press 1️⃣ now © 2020", "Press one now twenty twenty"),
    ],
)
def test_the_name_stands_where_the_sign_was(source: str, spoken: str) -> None:
    assert normalise(source, "en", style=NAMED).text.split() == spoken.split()


def test_its_words_have_its_place() -> None:
    words = {word.text: word.span for word in normalise("Go 🚀 now.", "en", style=NAMED).words()}
    assert words["rocket"] == (3, 4)
    assert words["now."] == (5, 9)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_most_used_have_names(language: str) -> None:
    signs = "😂❤🤣👍😭🙏😘🥰😍😊🎉😁💕🥺😅🔥☺🤦🤷🙄😆🤗😉🎂🤔👏🙂😳🥳😎👌💜😔💪✨💖👀😋😏😢👉💯🌹💞✌🎈🤞"
    assert [sign for sign in signs if not name_of(sign, language)] == []


def test_names_are_loaded_with_the_first_sign_only() -> None:
    code = (
        "import sys; from pocketvoice.text.normalise import Style, normalise; named = Style(emoji='named');"
        "normalise('None at 5:00.', 'en', style=named); assert 'emoji' not in sys.modules;"
        "normalise('One: 👍', 'en', style=named); assert 'emoji' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
