"""Text in letters that the model does not know is noticed, and told."""

import pytest

from pocketvoice.text.alphabet import unknown_letters

CYRILLIC = "Мальчик пошёл в лес за грибами."


@pytest.mark.parametrize(
    ("text", "alphabet"),
    [
        (CYRILLIC, "Cyrillic"),
        ("ذهب الولد إلى الغابة.", "Arabic"),
        ("今天天气很好，我们去公园。", "Chinese"),
        ("今日は天気がいいので、公園へ行きましょう。", "Japanese"),
        ("오늘은 날씨가 좋습니다.", "Korean"),
        ("הילד הלך ליער.", "Hebrew"),
        ("लड़का जंगल गया।", "Devanagari"),
    ],
)
def test_other_alphabets(text: str, alphabet: str) -> None:
    found = unknown_letters(text, "en")
    assert found is not None
    assert (found.alphabet, found.is_all) == (alphabet, True)
    assert found.sentence.startswith(
        f"The text is in {alphabet} letters, which the English model was not made for:"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.", "Größe, façade, señor, Łódź, ĳs, ﬁne, ＡＢＣ, 𝐛𝐨𝐥𝐝.", "12345", "…", "",
        f"The Russians say: {CYRILLIC} That means that a boy went to the wood to look for mushrooms.",
        "The wavelength λ and the angle θ, in Ω and µm.",
    ],
)  # fmt: skip
def test_letters_that_are_known(text: str) -> None:
    assert unknown_letters(text, "en") is None


def test_what_is_left_of_a_mixed_text() -> None:
    for mixed in (f"{CYRILLIC} Hello.", CYRILLIC * 5000 + " x"):
        found = unknown_letters(mixed, "de")
        assert found is not None
        assert not found.is_all
        assert found.sentence.startswith("Most of the text is in Cyrillic letters, which the German model")


def test_models_of_other_languages_are_not_judged() -> None:
    assert unknown_letters(CYRILLIC, "") is None
    assert unknown_letters(CYRILLIC, "ru") is None
