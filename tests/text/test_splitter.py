"""The default mode: what becomes a segment, with which text, pause and place in the source."""

import random
import re
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pocketvoice.errors import EmptyTextError
from pocketvoice.text.rules import TextRules
from pocketvoice.text.splitter import Segment, SplitOptions, iter_segments, split, split_again
from pocketvoice.text.tokenizer import Tokenizer

RULES = TextRules()
OPTIONS = SplitOptions()

LONG_SENTENCE = (
    "I think, therefore I am, and because of this the long river that flows through the valley (which nobody has ever "
    "crossed in winter) will be, according to all of the people who live here, the only thing that anyone remembers "
    "about this place — at least until the next flood comes and takes the houses away, as it did in 1953."
)


def _texts(text: str, tokenizer: Tokenizer, **options: float) -> list[str]:
    return [segment.text for segment in split(text, tokenizer, RULES, SplitOptions(**options))]  # type: ignore[arg-type]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def test_sentences_share_segments(tokenizer: Tokenizer) -> None:
    assert _texts("It was cold. Nobody came. We left.", tokenizer) == ["It was cold. Nobody came. We left."]


def test_long_sentence_cut_at_commas(tokenizer: Tokenizer) -> None:
    segments = split(LONG_SENTENCE, tokenizer, RULES)
    assert len(segments) > 1
    assert all(segment.text.endswith(",") for segment in segments[:-1])
    assert all(segment.text[0].islower() for segment in segments[1:])
    assert segments[-1].text.endswith("1953.")
    assert [word for s in segments for word in _words(s.text)] == _words(LONG_SENTENCE)


def test_cut_between_words_gets_comma(tokenizer: Tokenizer) -> None:
    segments = split("word " * 120, tokenizer, RULES)
    assert all(segment.text.endswith("word,") for segment in segments[:-1])
    assert segments[-1].text.endswith("word.")
    assert max(len(s.tokens) for s in segments) - min(len(s.tokens) for s in segments) <= 4


def test_cut_before_conjunction(tokenizer: Tokenizer) -> None:
    text = "Some small children walked along the old road to the house because nobody told their mother about it today"
    assert any(piece.startswith("because") for piece in _texts(text, tokenizer, max_tokens=25))


def test_no_segment_too_long(tokenizer: Tokenizer, prose: str) -> None:
    text = (
        prose.replace(".", "").replace(",", "")
        + " "
        + "x" * 500
        + " "
        + "日本" * 150
        + " https://a.org/"
        + "path/to.it-" * 60
    )
    segments = split(text, tokenizer, RULES)
    assert max(len(segment.tokens) for segment in segments) <= OPTIONS.max_tokens
    assert all(segment.tokens == tuple(tokenizer.encode(segment.text)) for segment in segments)


def test_orphan_joins_neighbour(tokenizer: Tokenizer) -> None:
    full = "This is a sentence with exactly the kind of length that fills nearly all of the budget of tokens, really."
    for text in (f"{full} Yes.", f"Yes. {full}", f"{full} Oh no. {full}"):
        assert not any(
            segment.is_short for segment in split(text, tokenizer, RULES, SplitOptions(max_tokens=36))
        )


def test_lone_word_is_short(tokenizer: Tokenizer) -> None:
    segments = split("Fruits that we want:\nApple\nBanana split\nA red orange", tokenizer, RULES)
    assert [segment.text for segment in segments] == [
        "Fruits that we want.",
        "Apple.",
        "Banana split.",
        "A red orange.",
    ]
    assert [segment.is_short for segment in segments] == [False, True, True, False]
    assert [segment.frames_after_eos for segment in segments] == [5, 5, 5, 5]


def test_sentence_start_capitalized(tokenizer: Tokenizer) -> None:
    text = "hello there my friend. how are you doing today. i am fine as ever."
    assert _texts(text, tokenizer, max_tokens=12)[0][0] == "H"
    assert all(piece[0].isupper() for piece in _texts(text, tokenizer, max_tokens=12))
    assert _texts("iPhone sales rose.", tokenizer) == ["iPhone sales rose."]


def test_rules_leave_text_alone(tokenizer: Tokenizer) -> None:
    bare = TextRules(append_terminal_punctuation=False, capitalize_first_letter=False)
    assert [s.text for s in split("hɛlˈoʊ wˈɜːld", tokenizer, bare)] == ["hɛlˈoʊ wˈɜːld"]
    padded = TextRules(pad_with_spaces_for_short_inputs=True)
    assert [s.text for s in split("Hi there", tokenizer, padded)] == [" " * 8 + "Hi there."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here.\nTwo is here.\n\nThree is here.", [0.25, 0.6, 0.0]),
        ("One is here.\n\n\n", [0.0]),
        ("Hello to you [pause:500ms] and to me.", [0.5, 0.0]),
        ("One is here. [pause:2s]\n\nTwo is here.", [2.0, 0.0]),
        ("One is here. [pause:100ms]\n\nTwo is here.", [0.6, 0.0]),
        ("One is here.[pause:2s][pause:3s] Two is here.[pause:1s]", [2.0, 3.0, 1.0]),
        ("[pause:1s]One is here.", [1.0, 0.0]),
        ("[pause:0s]One is here.[pause:0s] Yes it is.", [0.0]),
    ],
)
def test_pauses_follow_segments(tokenizer: Tokenizer, text: str, expected: list[float]) -> None:
    assert [segment.pause_after_s for segment in split(text, tokenizer, RULES)] == pytest.approx(expected)


@pytest.mark.parametrize("mark", ["[pause:500]", "[pause: 2 ]", "[Pause=0,5]"])
def test_pause_without_unit_is_text(tokenizer: Tokenizer, mark: str) -> None:
    (segment,) = split(f"Wait for {mark} and go on.", tokenizer, RULES)
    assert "ause" in segment.text
    assert segment.pause_after_s == 0.0


def test_long_pause_is_told(tokenizer: Tokenizer, caplog: pytest.LogCaptureFixture) -> None:
    split("One is here. [pause:10s] Two is here.", tokenizer, RULES)
    assert not caplog.records
    split("One is here. [pause:500s] Two is here.", tokenizer, RULES)
    assert "a silence of 60 s: [pause:500s]" in caplog.text


def test_pause_alone_is_segment(tokenizer: Tokenizer) -> None:
    assert split(" [pause:1s] ", tokenizer, RULES) == [Segment("", (), (1, 11), 0, 1.0)]


def test_pause_inside_sentence_no_stop(tokenizer: Tokenizer) -> None:
    assert _texts("My name is [pause:1s] john the second.", tokenizer) == ["My name is,", "john the second."]


def test_lines_without_pause_share(tokenizer: Tokenizer) -> None:
    assert _texts("one line\nTwo lines\nThree lines", tokenizer, line_pause_s=0) == [
        "One line. Two lines. Three lines."
    ]


@pytest.mark.parametrize(
    "text", ["", "  \n", "...", "—", "😂", "()", "[pause:abc]", "[pause:0s]", "***\n---", "\ud800"]
)
def test_nothing_to_say_raises(tokenizer: Tokenizer, text: str) -> None:
    with pytest.raises(EmptyTextError):
        split(text, tokenizer, RULES)


@pytest.mark.parametrize("text", ["", "  \n", "\ud800"])
def test_empty_strict_text_raises(tokenizer: Tokenizer, text: str) -> None:
    with pytest.raises(EmptyTextError):
        split(text, tokenizer, RULES, SplitOptions(strict=True))


def test_spans_hold_words(tokenizer: Tokenizer, prose: str) -> None:
    source = f"# Title\n\n{prose}\n\n- **bold** [the docs](http://x.org)\n- “Quoted!” (he said)… [pause:1s]\n\n{LONG_SENTENCE}"
    end = 0
    for segment in split(source, tokenizer, RULES):
        start, stop = segment.span
        assert end <= start <= stop
        end = stop
        assert _words(segment.text) == _words(
            " ".join(source[a:b] for a, b in segment.words).replace("’", "'")
        )
        if segment.text:
            assert source[start:stop].strip() == source[start:stop]


def test_span_has_quotes_around(tokenizer: Tokenizer) -> None:
    source = "“Are you sure?” (Yes, I am.)\n«Oui.»"
    assert [source[slice(*s.span)] for s in split(source, tokenizer, RULES)] == [
        "“Are you sure?” (Yes, I am.)",
        "«Oui.»",
    ]


@pytest.mark.parametrize("strict", [False, True])
def test_spans_never_overlap(tokenizer: Tokenizer, prose: str, strict: bool) -> None:
    segments = split(prose, tokenizer, RULES, SplitOptions(strict=strict))
    edges = [edge for segment in segments for edge in segment.span]
    assert edges == sorted(edges)
    assert all(_words(prose[slice(*s.span)])[0] == _words(s.text)[0] for s in segments)
    assert all(_words(prose[slice(*s.span)])[-1] == _words(s.text)[-1] for s in segments)


def test_again_cuts_at_comma(tokenizer: Tokenizer) -> None:
    source = "The children played in the garden, while their mother was reading a long book."
    (segment,) = split(source, tokenizer, RULES)
    first, last = split_again(segment, tokenizer, RULES, OPTIONS)
    assert (first.text, last.text) == (
        "The children played in the garden,",
        "while their mother was reading a long book.",
    )
    assert source[slice(*first.span)] == "The children played in the garden"
    assert source[slice(*last.span)] == "while their mother was reading a long book."


def test_again_cuts_in_the_middle(tokenizer: Tokenizer) -> None:
    (segment,) = split("Green ideas sleep furiously under heavy winter skies.[pause:2s]", tokenizer, RULES)
    first, last = split_again(segment, tokenizer, RULES, OPTIONS)
    assert first.text == "Green ideas sleep furiously,"
    assert (first.pause_after_s, last.pause_after_s) == (0.0, 2.0)
    assert first.tokens == tuple(tokenizer.encode(first.text))


def test_again_keeps_short(tokenizer: Tokenizer) -> None:
    for text in ("Hello.", "Hello there."):
        (segment,) = split(text, tokenizer, RULES)
        assert split_again(segment, tokenizer, RULES, OPTIONS) == [segment]


def test_again_ends_in_words(tokenizer: Tokenizer, prose: str) -> None:
    pieces = split(prose, tokenizer, RULES)
    for _ in range(20):
        pieces = [part for piece in pieces for part in split_again(piece, tokenizer, RULES, OPTIONS)]
    assert all(len(piece.text.split()) <= 2 for piece in pieces)
    edges = [edge for piece in pieces for edge in piece.span]
    assert edges == sorted(edges)


def test_long_text_in_seconds(tokenizer: Tokenizer, prose: str) -> None:
    text = (prose.replace("\n\n", " ") + "\n\n") * (300_000 // len(prose))
    begin = time.process_time()
    assert len(split(text, tokenizer, RULES)) > 1000
    assert time.process_time() - begin < 8  # about 1 s on an idle machine


@pytest.mark.parametrize("mark", list(" .,!-'\"([_*#>\n:?–😂/|~<=\u0301"))
def test_repeated_mark_stays_linear(tokenizer: Tokenizer, mark: str) -> None:
    begin = time.process_time()
    for text in (mark * 20_000 + "a", (mark + "a") * 5_000, (mark + " ") * 20_000 + "a"):
        split(text, tokenizer, RULES)
    assert time.process_time() - begin < 5


PIECES = [
    *("Hello", "world", "and", "the", "Dr. ", "e.g. ", "M. ", "z. B. ", "3.14", "3. ", "Oktober", "u" * 70, " ", "  ", "\t"),
    *("\n", "\n\n", "\r\n", "\n- ", "1. ", "# ", "#", "*", "**", "_", "`", "|", "[pause:1s]", "[pause:x]", "->", ":)", " % "),
    *(".", ",", "!", "?", "...", ";", ":", "—", "–", "(", ")", "[", "]", '"', "“", "”", "'", "’", "«", "»", "¿", "<", ">", "€"),
    *("https://a.b/c_d?e=f", "a@b.co", "😂", "👩\u200d👧", "é", "e\u0301", "日本", "。", "、", "ß", "ŉ", "İ", "ﬁ", "½", "שלום"),
    *("$19.99 ", "1,234,567.89 ", "1984", "12/31/2025", "XIV", "½", "IT WAS THE ", "&amp;", "<b>", "<break time=\"1s\"/>"),
    *("\u1112\u1161\u11ab", "\u200b", "\ufeff", "\x00", "\x1b", "\u2028", "\x85", "\ue000", "\ud800", "\udfff"),
]  # fmt: skip


def _random_text(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.6:
        return "".join(rng.choice(PIECES) + rng.choice(("", " ")) for _ in range(rng.randint(0, 60)))
    if kind < 0.8:
        return "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randint(0, 80)))
    return "".join(chr(rng.choice((rng.randrange(0x250), rng.randrange(0x2000, 0x2100), rng.randrange(0x300, 0x370), 32)))
                   for _ in range(rng.randint(0, 150)))  # fmt: skip


@pytest.mark.expects_log("is not spoken")
@pytest.mark.parametrize("seed", range(4))
def test_any_string_splits(tokenizer: Tokenizer, seed: int) -> None:
    rng = random.Random(seed)
    rule_sets = (
        RULES,
        TextRules({"’": "'", ":": ",", "(": ""}, True),
        TextRules({}, False, False, False, True),
    )
    for _ in range(250):
        text = _random_text(rng)
        options = SplitOptions(rng.choice((50, 20, 5, 1)), rng.random() < 0.3, rng.choice((0, 0.25)), 0.6)
        options = replace(options, language=rng.choice((None, "en", "de", "fr")))
        try:
            segments = split(text, tokenizer, rng.choice(rule_sets), options)
        except EmptyTextError:
            continue
        edges = [edge for segment in segments for edge in segment.span]
        assert edges == sorted(edges)
        assert options.strict or len({segment.span for segment in segments}) == len(segments)
        assert 0 <= edges[0] <= edges[-1] <= len(text)
        assert all(segment.text or segment.pause_after_s for segment in segments)
        assert all(
            segment.tokens == tuple(tokenizer.encode(segment.text)) for segment in segments if segment.text
        )


def test_segments_come_before_the_text_is_read_to_its_end(tokenizer: Tokenizer) -> None:
    read = 0

    class Counting:
        vocab_size = tokenizer.vocab_size

        def encode(self, text: str) -> list[int]:
            nonlocal read
            read += len(text)
            return tokenizer.encode(text)

        def decode(self, tokens: Sequence[int]) -> str:
            return tokenizer.decode(tokens)

    book = "The first paragraph has a few words.\n\n" * 2000
    first = next(iter_segments(book, Counting(), TextRules()))
    assert first.text == "The first paragraph has a few words."
    assert read < 1000


def test_one_by_one_is_the_same_as_at_once(tokenizer: Tokenizer) -> None:
    text = "One line here\nAnother one. [pause:1s] And more.\n\n“Quoted” (words) at the end…\n- a\n- b"
    assert list(iter_segments(text, tokenizer, TextRules())) == split(text, tokenizer, TextRules())
