"""Writes the training sentences and the tokenizer: `python make_corpus.py --out WORK`.

Sources: Debian's `fortunes` (quotations), the standard library's docstrings, and everyday sentences grown from templates; then
short utterances and parts of sentences (`utterances.py`) and paragraphs, behind the sentences, whose shards keep their content.
Only text whose every word is in the CMU dictionary stays; nothing of the files `held_out*.txt`, and nothing that shares six words
in a row with them.
"""

import argparse
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

from phonemes import build_tokenizer, in_dictionary
from utterances import short_utterances

HELD_OUT = sorted(Path(__file__).parent.glob("held_out*.txt"))
SKIPPED_FORTUNES = ("ascii-art", "zippy", "debian", "knghtbrd", "perl")
ABBREVIATIONS = {
    "Mr.": "Mister",
    "Mrs.": "Missus",
    "Dr.": "Doctor",
    "St.": "Saint",
    "etc.": "and so on",
    "vs.": "versus",
}
WHO = "I|You|We|They|He|She|My friend|The teacher|My mother|My father|The man|The woman|The old man|The girl|The boy|John|Mary"
VERBS = (
    "saw|found|liked|wanted|bought|sold|took|brought|opened|closed|watched|needed|lost|kept|made|used|carried|cleaned|washed|"
    "forgot|remembered|showed me|gave me|asked for|looked at|waited for|talked about|thought about|heard about|paid for"
)
THINGS = (
    "the house|a new car|the red book|some water|a cup of coffee|the green door|an apple|the big dog|a small cat|the letter|"
    "the phone|a good idea|the answer|the blue coat|her bag|his hat|the money|the key|a long story|the picture|a box of tools|"
    "the newspaper|two tickets|five eggs|the kitchen table|a pair of shoes|the bicycle|the radio|a loaf of bread|the garden"
)
WHEN = (
    "yesterday|today|last night|this morning|in the evening|on Monday|on Tuesday|on Thursday|last week|an hour ago|after lunch|"
    "before dinner|in the summer|in January|at seven o'clock|at noon|all day|every day|again|at home|in town|at school|at work"
)
QUESTIONS = (
    "Where is|Have you seen|Can you find|Do you like|Do you need|Who has|How much is|What about|When did you get|Did you buy|"
    "Could you bring me|Would you like|Is this|Why do you want|Are you sure about|Tell me about|Please give me|Look at"
)
STATES = (
    "is very old|is quite small|was really nice|is too expensive|looks good|is not here|was broken|is almost ready|is gone|"
    "should be easy to find|can wait until tomorrow|costs forty dollars|is over there|was on the chair|belongs to my sister|"
    "is better than before|was a gift|will be here soon|does not work|is just what we need|was under the bed|seems to be lost"
)
GREETINGS = (
    "Hello|Hi there|Good morning|Good evening|Good night|Thank you|Thanks a lot|Excuse me|I am sorry|Welcome|Well|Yes|No|Okay|"
    "Of course|Not yet|Maybe|Sure|Please|Sir|Goodbye|See you later|Take care|Never mind|That's right|You are welcome"
)
REMARKS = (
    "how are you|what is your name|my name is Peter|nice to meet you|I am fine|that is all|let us begin|come in|sit down|"
    "have a nice day|it is late|I have to go|please wait a moment|I don't know|I can't hear you|this is a test|what happened|"
    "it's a pleasure|can I help you|I'll be right back|you're right|we're almost there|that would be great|it doesn't matter"
)


def template_sentences(count: int, rng: random.Random) -> Iterator[str]:
    """Plain everyday sentences of 2 to 14 words."""
    banks = {k: v.split("|") for k, v in globals().items() if k.isupper() and isinstance(v, str) and "|" in v}

    def pick(bank: str) -> str:
        return rng.choice(banks[bank])

    for _ in range(count):
        kind, thing = rng.randrange(8), pick("THINGS")
        topic = re.sub(r"^(a|an|some) ", "the ", thing)
        if kind <= 1:
            yield f"{pick('WHO')} {pick('VERBS')} {thing} {pick('WHEN')}."
        elif kind == 2:
            yield f"{pick('QUESTIONS')} {topic}?"
        elif kind == 3:
            yield f"{topic.capitalize()} {pick('STATES')}."
        elif kind == 4:
            yield f"{pick('GREETINGS')}, {pick('REMARKS')}{rng.choice('..?!')}"
        elif kind == 5:
            yield f"{pick('WHO')} {pick('VERBS')} {thing}, but it {pick('STATES')}."
        elif kind == 6:
            yield f"{pick('GREETINGS')}{rng.choice('.!')}"
        else:
            yield f"{pick('WHEN').capitalize()} {pick('WHO').replace('The', 'the').replace('My', 'my')} {pick('VERBS')} {thing}."


def fortune_passages() -> Iterator[str]:
    """Quotations without their authors."""
    for file in sorted(Path("/usr/share/games/fortunes").glob("*.u8")):
        if not any(name in file.name for name in SKIPPED_FORTUNES):
            for quote in file.read_text(encoding="utf-8", errors="ignore").split("\n%\n"):
                yield re.sub(r"\n\s*--.*", "", quote, flags=re.S).replace("\b", "")


def docstring_passages() -> Iterator[str]:
    """Paragraphs of the standard library's documentation."""
    for file in sorted(Path(os.__file__).parent.rglob("*.py")):
        if "site-packages" not in str(file) and "test" not in str(file):
            for text in re.findall(
                r'"""(.*?)"""', file.read_text(encoding="utf-8", errors="ignore"), flags=re.S
            ):
                yield from text.split("\n\n")


def clean_sentences(passage: str, max_words: int) -> Iterator[str]:
    """The plain sentences of a passage."""
    for short, full in ABBREVIATIONS.items():
        passage = passage.replace(short, full)
    passage = re.sub(r"\s+", " ", passage).replace("’", "'").replace("--", ", ").replace(" - ", ", ")
    for sentence in re.split(r"(?<=[.!?])[\"')]*\s+", passage):
        sentence = re.sub(r"\s+([,.!?;:])", r"\1", sentence.strip().strip("\"'()[]“”").replace('"', ""))
        words = sentence.split()
        if (
            re.fullmatch(r"[A-Z][A-Za-z ,;:'!?.-]+[.!?]", sentence)
            and 2 <= len(words) <= max_words
            and not re.search(r"[a-z]\.[a-z]|\.\.|[A-Z]{2,}|[a-z][A-Z]|--|\b[b-hj-zB-HJ-Z]\b(?!')", sentence)
            and in_dictionary(sentence)
        ):
            yield sentence


def passages_of(
    sentences: Iterator[list[str]], rng: random.Random, count: int, longest: int = 70
) -> list[str]:
    """Paragraphs: two to six sentences that follow one another in their source, up to `longest` words."""
    found = set()
    for run in sentences:
        begin = 0
        while begin < len(run) - 1:
            wanted, end = rng.randrange(2, 7), begin
            while (
                end < min(len(run), begin + wanted) and len(" ".join(run[begin : end + 1]).split()) <= longest
            ):
                end += 1
            if end - begin >= 2:
                found.add(" ".join(run[begin:end]))
            begin = max(end, begin + 1)
    return rng.sample(sorted(found), min(count, len(found)))


def _words(sentence: str) -> list[str]:
    return re.findall(r"[a-z']+", sentence.lower())


def _runs(sentence: str, length: int = 6) -> set[tuple[str, ...]]:
    """Every run of `length` words of a sentence, and the sentence as a whole."""
    words = _words(sentence)
    return {tuple(words)} | {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


def held_out_runs() -> set[tuple[str, ...]]:
    """The runs of all held-out sentences."""
    lines = [line for file in HELD_OUT for line in file.read_text().splitlines()]
    return set().union(*map(_runs, lines))


def main() -> None:
    """Writes WORK/sentences.txt (a fixed shuffle) and WORK/tokenizer.model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="work folder")
    parser.add_argument("--max-words", type=int, default=14)
    parser.add_argument("--templates", type=int, default=3000, help="everyday sentences from templates")
    parser.add_argument("--passages", type=int, default=3000, help="paragraphs at most")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng, forbidden = random.Random(arguments.seed), held_out_runs()
    found = set(template_sentences(arguments.templates, rng))
    runs = []
    for passages in (fortune_passages(), docstring_passages()):
        for passage in passages:
            found.update(clean_sentences(passage, arguments.max_words))
            runs.append(list(clean_sentences(passage, arguments.max_words)))
    kept = [sentence for sentence in sorted(found) if not _runs(sentence) & forbidden]
    rng.shuffle(kept)
    short = [text for text in short_utterances(kept, arguments.seed) if not _runs(text) & forbidden]
    kept += [text for text in short if text not in found]
    paragraphs = passages_of(iter(runs), rng, arguments.passages)
    kept += [text for text in paragraphs if not _runs(text) & forbidden]
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "sentences.txt").write_text("\n".join(kept) + "\n")
    build_tokenizer(arguments.out / "tokenizer.model")
    count = sum(len(_words(s)) for s in kept)
    print(f"{len(kept)} sentences, {count} words, {len({w for s in kept for w in _words(s)})} different")


if __name__ == "__main__":
    main()
