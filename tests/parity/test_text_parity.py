"""Strict mode against the reference package: the same prompts, tokens and frame counts for every input, rule set and format."""

import logging
import random
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pocket_tts
import pytest
import yaml
from pocket_tts.models.text_chunking import prepare_text_prompt, split_into_best_sentences
from pocket_tts.modules.text_conditioner import build_tokenizer

from pocketvoice.errors import EmptyTextError
from pocketvoice.text.rules import TextRules
from pocketvoice.text.splitter import SplitOptions, split
from pocketvoice.text.tokenizer import load_tokenizer

_VOCABULARY = runpy.run_path(str(Path(__file__).parents[1] / "text" / "vocabulary.py"))
_SENTENCES: dict[str, str] = _VOCABULARY["SENTENCES"]
_RULE_FIELDS = TextRules.__dataclass_fields__

TRICKY = [
    *("a", "Hi", "hi there", "Yes.", "no", "OK!", "I", "1", "42", "3.14", "3. 14", "3 .14", ".5", "5.", "...", "…", "?!", "!", "-"),
    *("one two three four", "one two three four five", "one two three four five six", "(hi)", '"hi"', "'hi'", "«hi»", "hi)"),
    *("hi,", "hi;", "hi:", "hi -", "hi –", "hi — ", 'hi,"', 'hi."', "hi.)", "hi…", "hi…,", "what?,", "what? , he said", ","),
    *("¿qué?", "¡hola!", "élan", "ßa", "ŉa", "ǆabc", "ﬁne work", "½ cup", "x² + y²", "①②③", "ｆｕｌｌ　ｗｉｄｔｈ．Yes"),
    *("e\u0301te\u0301.", "I ❤️ it 😂", "👩\u200d👩\u200d👧", "日本語です。はい！", "Привет, мир. Как дела?"),
    *("\u0645\u0631\u062d\u0628\u0627. \u0663.\u0665", "\u200bzero\u200bwidth", "\ufeffbom", "a\u00a0b\u00a0c", "a\tb\tc"),
    *("tab\there.\tThere", "line\nbreak", "line.\r\nbreak", "a\n\nb", "  leading", "trailing  ", "a  b   c    d", "a \n b"),
    *("\n\n\nx", "x\u2028y", "x\u0085y", "nul\x00inside", "a\x0bb", "</s>", "<unk> here", "<0x41>", "1.234.567,89"),
    *("It costs $19.99 today.", "Pi is 3.14159.", "Version 2.10.3 is out.", "The server is 192.168.1.1."),
    *("He scored 3-2, or was it 3:2?", "https://example.com/a/b?c=1.2.3&d=e.f, then go.", "mail info@example.com."),
    *("Dr. Smith met James T. Kirk at 7:46 PM.", "U.S.A. is big.", "Well... I do not know...", "wait...what", "wait.what"),
    *("wait . what", "a.b.c.d", "a. b. c. d.", "A.B. C.D.", "Mr. and Mrs. O'Neill paid £3.50 each.", "x = 3 + 4 ≠ 8", "!!!"),
    *("Hello!!! World???", "a;b;c", "a; b; c", ";", ":;,", "“Are you sure?” she asked.", "‘tis", "don’t", "„Ja“, sagte er."),
    *("« Oui », dit-il.", "[x](y)", "**Hi** there", "# Title\n\nText.", "- a\n- b\n- c", "1. One\n2. Two", "5.\n6."),
    *('"', '""', "()", "[ ]", "＂", "hi ＂. ＂. there"),
]  # fmt: skip

LONG = [
    *("a" * 500, "word " * 200, "word, " * 120, "word; " * 90, "word: " * 90, "Go. " * 150, "1.5 " * 120, "1. " * 80),
    *("a.b" * 100, "日本" * 100, "。" * 50, "! " * 60, '." ' * 40, "x" * 300 + ". " + "y" * 300, "🙂 " * 40, "é" * 200),
    "no punctuation at all just words that go on and on " * 8,
]  # fmt: skip


def _rule_sets() -> list[TextRules]:
    """The distinct rules of the reference's configs, and those no config uses yet."""
    found: dict[str, TextRules] = {}
    for file in sorted((Path(pocket_tts.__file__).parent / "config").glob("*.yaml")):
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
        values = {name: config[name] for name in _RULE_FIELDS if name in config}
        found.setdefault(repr(sorted(values.items())), TextRules(**values))
    bare = TextRules(append_terminal_punctuation=False, capitalize_first_letter=False)
    return [*found.values(), TextRules(), bare]


def _sentences() -> list[str]:
    return [part.strip() for text in _SENTENCES.values() for part in re.split(r"(?<=[.!?])\s+", text)]


def _composed(count: int) -> Iterator[str]:
    """Random texts of up to 3000 characters: sentences of all languages, broken and joined in odd ways."""
    rng = random.Random(20)
    parts = _sentences() + TRICKY + LONG
    joints = (
        " ",
        " ",
        " ",
        "\n",
        "\n\n",
        "  ",
        "",
        ". ",
        ", ",
        "... ",
        "\t",
        " - ",
        "\r\n",
        '" ',
        " (",
        ") ",
        "; ",
    )
    for i in range(count):
        length = 3000 if i % 12 == 0 else rng.choice((30, 100, 250, 500, 1000))
        text = ""
        while len(text) < length:
            words = rng.choice(parts).split(" ")
            text += " ".join(words[: rng.randint(1, len(words))]) + rng.choice(joints)
        yield text[:length]


INPUTS = [*_SENTENCES.values(), *_sentences(), *TRICKY, *LONG, *_composed(60)]


@pytest.fixture(scope="module")
def tokenizer_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    model, json = _VOCABULARY["write_tokenizers"](tmp_path_factory.mktemp("vocabulary"))
    return {"sentencepiece": model, "tokenizers": json}


def _expected(text: str, tokenizer, rules: TextRules, max_tokens: int) -> list[tuple[str, list[int], int]]:
    options = {name: getattr(rules, name) for name in _RULE_FIELDS}
    prompts = []
    for chunk in split_into_best_sentences(tokenizer, text, max_tokens, **options):
        prompt, frames = prepare_text_prompt(chunk, **options)
        prompts.append((prompt, tokenizer(prompt)[0].tolist(), frames + 2))
    return prompts


@pytest.fixture(autouse=True)
def _quiet_reference(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="pocket_tts")  # it warns of every long chunk


def test_inputs_are_many() -> None:
    assert len(set(INPUTS)) >= 200
    assert len(_rule_sets()) == 9


@pytest.mark.parametrize("kind", ["sentencepiece", "tokenizers"])
@pytest.mark.parametrize("rules", _rule_sets(), ids=lambda rules: f"rules{_rule_sets().index(rules)}")
def test_strict_equals_reference(kind: str, rules: TextRules, tokenizer_files: dict[str, Path]) -> None:
    n_bins = _VOCABULARY["N_PIECES"]
    theirs = build_tokenizer(n_bins, str(tokenizer_files[kind]), kind)
    ours = load_tokenizer(tokenizer_files[kind], kind, n_bins)
    for number, text in enumerate(INPUTS):
        max_tokens = (50, 50, 50, 17)[number % 4]
        try:
            expected = _expected(text, theirs, rules, max_tokens)
        except ValueError:
            with pytest.raises(EmptyTextError):
                split(text, ours, rules, SplitOptions(max_tokens, strict=True))
            continue
        segments = split(text, ours, rules, SplitOptions(max_tokens, strict=True))
        got = [(segment.text, list(segment.tokens), segment.frames_after_eos) for segment in segments]
        assert got == expected, (text, max_tokens)
