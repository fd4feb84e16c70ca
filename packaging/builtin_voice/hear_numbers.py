"""Whether numbers are heard as they were meant: `python hear_numbers.py --voice slt --seeds 1`.

Speaks the sentences of `held_out_numbers.tsv` (written, a tab, the words that are meant for what is no word) with the shipped
model, through the whole engine, and has whisper tiny.en write them down. Its figures are put into words as a reader says them;
counted is how many of the words that are meant it heard, in order. Words around them, which the voice gets wrong at times, do not
count.
"""

import argparse
from pathlib import Path

from hearing import Whisper

from pocketvoice.text.normalise import normalise

CASES = Path(__file__).with_name("held_out_numbers.tsv")
_SAME = {"percents": "percent", "metres": "meters", "kilometres": "kilometers", "o": "oh", "zero": "oh"}
_SILENT = {"and", "of", "the", "a"}
"""Said or not, the number is the same."""


def cases() -> list[tuple[str, str]]:
    """What is written, and the words that are meant for its numbers."""
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return [(written, meant) for written, _, meant in (line.partition("\t") for line in lines)]


def words(text: str) -> list[str]:
    """The words of what was written down, figures as a reader says them."""
    spoken = normalise(text, "en").text.lower()
    kept = "".join(c if c.isalnum() or c == "'" else " " for c in spoken)
    return [_SAME.get(word, word) for word in kept.split() if word not in _SILENT]


def missed(meant: str, heard: str) -> tuple[int, int]:
    """How many of the words that are meant were not heard, in order; and how many they are."""
    wanted, found = words(meant), words(heard)
    row = [0] * (len(found) + 1)  # the longest common subsequence so far
    for word in wanted:
        before = row[:]
        for i, other in enumerate(found, 1):
            row[i] = before[i - 1] + 1 if word == other else max(before[i], row[i - 1])
    return len(wanted) - row[-1], len(wanted)


def main() -> None:
    """Prints every sentence that was misheard, and the rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voice", default="slt")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--raw", action="store_true", help="without numbers in words, as before")
    options = parser.parse_args()
    from pocketvoice import TTSModel

    model, ear = TTSModel.load_model("builtin_en"), Whisper()
    voice = model.get_state_for_audio_prompt(options.voice)
    wrong = total = right = 0
    for written, meant in cases():
        for seed in range(options.seeds):
            sound = model.generate_audio(voice, written, None, seed=seed, normalise=not options.raw)
            heard = ear.hear(sound.numpy())
            errors, count = missed(meant, heard)
            wrong, total, right = wrong + errors, total + count, right + (errors == 0)
            if errors:
                print(f"{errors}/{count}  {written}  ->  {heard.strip()}")
    said = len(cases()) * options.seeds
    print(f"{right} of {said} heard whole; {100 * wrong / total:.1f} % of {total} words of numbers missed")


if __name__ == "__main__":
    main()
