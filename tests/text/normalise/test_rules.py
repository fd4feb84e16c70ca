"""The user's pronunciations: how they match, whose they are, and that they survive a file and a table."""

from pathlib import Path

import pytest

from pocketvoice.errors import InputError
from pocketvoice.text.normalise import Kind, Match, PronunciationRule, PronunciationRules, normalise


def said(text: str, *rules: PronunciationRule, language: str = "en", voice: str = "") -> str:
    return normalise(text, language, PronunciationRules(rules), voice).text


def test_a_word_matches_whole() -> None:
    assert said("A gif, gifted.", PronunciationRule("GIF", "jif")) == "A jif, gifted."


def test_plain_matches_anywhere() -> None:
    assert said("gifted", PronunciationRule("gif", "jif", Match.PLAIN)) == "jifted"


def test_case_counts_if_asked() -> None:
    rule = PronunciationRule("US", "you ess", case_sensitive=True)
    assert said("US and us", rule) == "you ess and us"


def test_an_expression_has_groups() -> None:
    rule = PronunciationRule(r"(\w+)ing\b", r"\1in'", Match.REGEX)
    assert said("walking on", rule) == "walkin' on"


def test_what_is_spoken_stays() -> None:
    assert said("A4", PronunciationRule("A4", "page 7")) == "page 7"


def test_a_rule_goes_before_numbers() -> None:
    assert (
        said("the 737 and 12", PronunciationRule("737", "seven thirty-seven"))
        == "the seven thirty-seven and twelve"
    )


def test_words_know_their_place() -> None:
    word = list(normalise("see GIF", "en", PronunciationRules((PronunciationRule("GIF", "jif"),))).words())[1]
    assert (word.text, word.span, word.kind) == ("jif", (4, 7), Kind.PRONOUNCED)


def test_only_its_language_and_voice() -> None:
    rule = PronunciationRule("Jan", "Yan", language="nl", voice="slt")
    assert said("Jan", rule, language="nl", voice="slt") == "Yan"
    assert said("Jan", rule, language="nl", voice="rms") == "Jan"
    assert said("Jan", rule, language="de", voice="slt") == "Jan"


def test_the_first_rule_wins() -> None:
    assert (
        said("New York", PronunciationRule("New York", "NYC"), PronunciationRule("York", "Yorick")) == "NYC"
    )


def test_a_new_rule_replaces_the_old() -> None:
    rules = PronunciationRules((PronunciationRule("a", "b"),)).with_rule(PronunciationRule("a", "c"))
    assert [rule.spoken for rule in rules.rules] == ["c"]
    assert rules.without(rules.rules[0]).rules == ()


def test_a_slow_expression_is_left_out() -> None:
    rule = PronunciationRule(r"(?:a|a)+$", "x", Match.REGEX)
    spoken = normalise("a" * 40 + "b 5", "en", PronunciationRules((rule,)))
    assert spoken.text.endswith("five")
    assert any("too long" in note.message for note in spoken.notes)


@pytest.mark.parametrize(
    ("written", "spoken", "match"),
    [
        ("", "x", Match.WORD),
        ("(", "x", Match.REGEX),
        ("a", r"\2", Match.REGEX),
        ("x" * 1001, "y", Match.PLAIN),
    ],
)
def test_a_rule_that_cannot_work_is_refused(written: str, spoken: str, match: Match) -> None:
    with pytest.raises(InputError):
        PronunciationRule(written, spoken, match)


RULES = PronunciationRules(
    (
        PronunciationRule("GIF", "jif"),
        PronunciationRule('a,"b', "", Match.PLAIN, "de", "slt", True),
        PronunciationRule(r"\d+px", "pixels", Match.REGEX),
    )
)


def test_a_file_keeps_them(tmp_path: Path) -> None:
    RULES.save(tmp_path / "rules.json")
    assert PronunciationRules.load(tmp_path / "rules.json") == RULES
    assert PronunciationRules.load(tmp_path / "none.json") == PronunciationRules()


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text("[{]")
    with pytest.raises(InputError, match="restore or remove"):
        PronunciationRules.load(tmp_path / "rules.json")


def test_a_table_keeps_them() -> None:
    assert PronunciationRules.from_csv(RULES.to_csv()) == RULES


def test_a_table_of_two_columns() -> None:
    assert PronunciationRules.from_csv("\ufeffGIF,jif\nSQL,sequel\n").rules[1] == PronunciationRule(
        "SQL", "sequel"
    )


def test_a_wrong_table_names_the_line() -> None:
    with pytest.raises(InputError, match="line 2"):
        PronunciationRules.from_csv("GIF,jif\nSQL,sequel,sometimes\n")
