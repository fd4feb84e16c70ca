"""Segments of a text whose numbers and signs are spoken in words: what is said, and where it stands in the source."""

import time

import pytest

from pocketvoice.text.normalise import PronunciationRule, PronunciationRules
from pocketvoice.text.rules import TextRules
from pocketvoice.text.segment import Segment, SplitOptions
from pocketvoice.text.splitter import iter_segments, sentences_of, split, split_again
from pocketvoice.text.tokenizer import Tokenizer

RULES = TextRules()
ENGLISH = SplitOptions(language="en")


def said(text: str, tokenizer: Tokenizer, options: SplitOptions = ENGLISH) -> str:
    return " ".join(segment.text for segment in split(text, tokenizer, RULES, options))


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("It was $19.99 then.", "It was nineteen dollars and ninety-nine cents then."),
        ("At 5:00 there were 1,984 of them.", "At five o'clock there were one thousand nine hundred and eighty-four of them."),
        ("IT WAS THE BEST", "It was the best."),
        ("IT WAS THE BEST of times.", "It was the best of times."),
        ("NASA and the FBI", "Nasa and the FBI."),
        ("AT&amp;T <b>paid</b> 5 &lt; 6", "AT and T paid five is less than six."),
        ("the treaty1, he said.[*23]", "The treaty, he said."),
        ("H2O, H₂O and 10²", "H two O, H two O and ten squared."),
        ("Use `print` now", "Use print now."),
        ("A hyphen-\nated 5.", "A hyphenated five."),
        ("> 5 apples\n> 6 pears", "Five apples. Six pears."),
    ],
)  # fmt: skip
def test_numbers_and_marks_are_words(tokenizer: Tokenizer, written: str, spoken: str) -> None:
    assert said(written, tokenizer) == spoken


def test_the_language_decides_and_strict_needs_none(tokenizer: Tokenizer) -> None:
    assert said("1.500 km", tokenizer, SplitOptions(language="de")) == "Eintausendfünfhundert Kilometer."
    assert said("1.500 km", tokenizer, SplitOptions()) == "1.500 km."
    assert said("5 km.", tokenizer, SplitOptions(language="en", strict=True)) == "5 km."


def test_pauses_of_ssml_are_silences(tokenizer: Tokenizer) -> None:
    first, last = split('One <break time="700ms"/> two.', tokenizer, RULES, ENGLISH)
    assert (first.text, first.pause_after_s, last.text) == ("One,", 0.7, "two.")


def test_a_segment_stands_where_its_words_do(tokenizer: Tokenizer) -> None:
    source = "It cost $5. Then came 1984, and the “end” of 3 km² of land."
    (segment,) = split(source, tokenizer, RULES, ENGLISH)
    assert [source[slice(*span)] for span in sentences_of([segment])] == [
        "It cost $5.",
        "Then came 1984, and the “end” of 3 km² of land.",
    ]
    assert source[slice(*segment.words[2])] == source[slice(*segment.words[3])] == "$5"


def apart(segments: list[Segment]) -> bool:
    edges = [edge for segment in segments for edge in segment.span]
    return edges == sorted(edges) and len({segment.span for segment in segments}) == len(segments)


def test_a_number_too_long_for_a_segment_is_shared(tokenizer: Tokenizer) -> None:
    source = f"Pi is 3.{'1415926535' * 12} or so."
    segments = split(source, tokenizer, RULES, ENGLISH)
    assert len(segments) > 2
    assert apart(segments)
    again = [part for segment in segments for part in split_again(segment, tokenizer, RULES, ENGLISH)]
    assert len(again) > len(segments)
    assert apart(again)
    assert " ".join(one.text for one in segments).count("five") == 36


def test_one_sign_can_be_many_words(tokenizer: Tokenizer) -> None:
    """They stay one segment, though a long one: two segments at one place would be taken for each other."""
    rules = PronunciationRules((PronunciationRule("X", "so many words " * 20),))
    options = SplitOptions(max_tokens=20, language="en", pronunciations=rules)
    segments = split("It is X or Y.", tokenizer, RULES, options)
    assert apart(segments)
    assert " ".join(one.text for one in segments).count("many") == 20
    assert apart([part for one in segments for part in split_again(one, tokenizer, RULES, options)])


@pytest.mark.expects_log("takes too long")
def test_a_slow_rule_is_told_and_left_out(tokenizer: Tokenizer) -> None:
    rules = PronunciationRules((PronunciationRule("(a+)+b", "x", "regex"),))  # type: ignore[arg-type]
    text = "\n".join(["a" * 40] * 20)
    begin = time.process_time()
    assert "aaa" in said(text, tokenizer, SplitOptions(language="en", pronunciations=rules))
    assert time.process_time() - begin < 1.5  # once, not a line


@pytest.mark.parametrize("joint", [" ", "\n\n"])
def test_the_first_segment_of_a_long_text_comes_at_once(tokenizer: Tokenizer, joint: str) -> None:
    text = joint.join(["On 3 May 2026 it rose from $1.6B to 3,400.50 EUR, and nobody noticed."] * 14_000)
    next(iter_segments("Warm 5.", tokenizer, RULES, ENGLISH))
    begin = time.process_time()
    next(iter_segments(text, tokenizer, RULES, ENGLISH))
    assert time.process_time() - begin < 0.2  # 0.02 on an idle machine


def test_emoji_are_named_if_that_is_wanted(tokenizer: Tokenizer) -> None:
    assert said("Fine 👍", tokenizer, SplitOptions(language="en", names_emoji=True)) == "Fine thumbs up."
    assert said("Fine 👍", tokenizer) == "Fine."
