"""Word errors and naturalness: `python evaluate.py --work WORK --stage teacher,vocoder,speech,shipped,ours --count 100 --seeds 3`.

Stages: `teacher` (the teacher's own sound on the held-out sentences), `vocoder` (the codec's reconstruction of it), `speech`
(the language model and the codec from text alone), `shipped` (an exported model folder, through the reference package), `ours`
(the same through pocketvoice's engine). Sounds go to WORK/listen. Prints one line a stage: word error by whisper tiny.en, share of
samples longer than 1.5x or shorter than 0.6x of the expected length (the teacher's), longest silence inside, DistillMOS, DNSMOS.
An exported model can be judged without WORK, which training leaves behind: the expected length is then that of so many letters,
and no sounds are written. `--texts held_out_new.txt` and `held_out_short_new.txt` were never looked at while anything was tuned.

`--heard FILE` keeps what was understood; `--against FILE` of an earlier run with the same texts and seeds pairs the two, sentence
by sentence. Two precisions: `--stage ours --seeds 3 --heard float32.json`, then `--precision int8 --against float32.json`.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import astuple
from functools import partial
from pathlib import Path

import numpy as np
import soundfile
import torch
import yaml
from features import LATENTS, MEASURED, as_float, load_basis, read_shard, shards, with_noise
from hearing import RATE, Heard, Whisper, compared, longest_silence_s, plain, word_errors
from make_speech import Flite, Kokoro, trimmed
from naturalness import Listener, Naturalness
from phonemes import load_tokenizer, sounds_of
from torch import Tensor
from torch.nn import functional as F
from training import CONFIG, load_exported, model_config

from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.transformer import rope_table, rotate

HELD_OUT = Path(__file__).with_name("held_out.txt")
MODEL = Path(__file__).parents[2] / "resources" / "models" / "builtin_en"


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


def load_codec(work: Path, start: Path | None = None) -> Mimi:
    """Mimi with whatever halves have been trained; the others from the exported model `start`."""
    mimi = Mimi(model_config().mimi)
    if start:
        load_exported(start, "mimi.", mimi)
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
    lm.emb_std[MEASURED:-1] = (
        CONFIG["default_temperature"] ** -0.5
    )  # the decoder's noise is of one size at any temperature
    return lm.eval()


def prompt_latents(work: Path, voice: str) -> Tensor:
    """A voice prompt of 16 frames: the end of a sentence of the held-back first shard."""
    basis = load_basis(work)
    (pcm, _) = read_shard(shards(work, f"{voice}_*")[0])[3]
    return torch.from_numpy(basis.latents(as_float(pcm)))[-18:-2]


def expected_s(text: str) -> float:
    """About how long the built-in voice takes to say a text."""
    return 0.2 + len(text) / 18


def report(
    name: str,
    made: list[tuple[str, np.ndarray, float]],
    whisper: Whisper,
    listener: Listener | None,
    folder: Path | None,
    verbose: bool,
) -> list[Heard]:
    """Transcribes and judges (text, samples, expected seconds), writes the sounds, prints the figures; what was understood."""
    natural: list[Naturalness] = []
    all_heard: list[Heard] = []
    long = short = 0
    silence = 0.0
    for number, (text, samples, expected) in enumerate(made):
        if folder and number < 20:
            folder.mkdir(parents=True, exist_ok=True)
            soundfile.write(folder / f"{name}_{number:03d}.wav", samples, RATE)
        heard = whisper.hear(samples)
        truth = plain(text)
        wrong = word_errors(truth, plain(heard))
        all_heard.append(Heard(text, heard.strip(), wrong, len(truth), round(len(samples) / RATE, 2)))
        natural += [listener.hear(samples)] if listener else []
        ratio = len(samples) / RATE / expected
        long, short, silence = (
            long + (ratio > 1.5),
            short + (ratio < 0.6),
            max(silence, longest_silence_s(samples)),
        )
        if verbose:
            print(f"  {wrong}/{len(truth)} x{ratio:.2f} {text} | {heard.strip()}", flush=True)
    errors, words = sum(heard.wrong for heard in all_heard), sum(heard.words for heard in all_heard)
    print(
        f"{time.strftime('%H:%M')} {name}: word error {errors / words:.2%} of {words} words, {long} too long, {short} too short,"
        f" longest silence {silence:.2f} s{averages(natural)}",
        flush=True,
    )
    return all_heard


def averages(natural: list[Naturalness]) -> str:
    """The end of a line of figures; empty without judgements."""
    if not natural:
        return ""
    distilled, dnsmos = (np.array(column) for column in zip(*map(astuple, natural), strict=True))
    return f", DistillMOS {distilled.mean():.2f} (worst tenth {np.percentile(distilled, 10):.2f}), DNSMOS {dnsmos.mean():.2f}"


def teacher_of(work: Path, voice: str) -> Callable[[str, list[str]], np.ndarray]:
    """The held-out sentences by the teacher; kept in WORK/listen."""
    kind, _, name = voice.partition("_")
    teacher = {"kokoro": Kokoro, "flite": Flite}[kind](work, 1.0)
    return lambda text, names: trimmed(*teacher.speak(name, text, names))[0]


def flite_free(text: str, voice: str) -> np.ndarray:
    """flite without the alignment, for sentences whose sounds differ from ours."""
    from scipy.signal import resample_poly

    subprocess.run(
        ["flite", "-voice", voice, "-t", text, "-o", "/tmp/flite_eval.wav"], check=True, capture_output=True
    )
    samples, rate = soundfile.read("/tmp/flite_eval.wav", dtype="float32")
    return trimmed(resample_poly(samples, 3, rate // 8000).astype(np.float32), [])[0]


def spoken_by_teacher(work: Path, voice: str, texts: list[str]) -> list[np.ndarray]:
    """Each text as the teacher says it."""
    tokenizer, speak = load_tokenizer(work / "tokenizer.model"), teacher_of(work, voice)
    sounds = []
    for text in texts:
        try:
            sounds.append(speak(text, sounds_of(tokenizer, text)))
        except ValueError:
            sounds.append(flite_free(text, voice.partition("_")[2]))
    return sounds


def by_reference(folder: Path, voice: str) -> Callable[[str, int], np.ndarray]:
    """An exported model through the reference package: text and seed -> samples."""
    from pocket_tts.models.tts_model import TTSModel

    config = yaml.safe_load((folder / f"{folder.name}.yaml").read_text(encoding="utf-8"))
    table = config["flow_lm"]["lookup_table"]  # the package does not resolve relative paths
    config["weights_path"] = str(folder.resolve() / config["weights_path"])
    table["tokenizer_path"] = str(folder.resolve() / table["tokenizer_path"])
    with tempfile.TemporaryDirectory() as written:
        path = Path(written) / f"{folder.name}.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        model = TTSModel.load_model(config=str(path))
    state = model.get_state_for_audio_prompt(str(folder / "voices" / f"{voice}.safetensors"))

    def say(text: str, seed: int) -> np.ndarray:
        torch.manual_seed(seed)
        return model.generate_audio(state, text).numpy()

    return say


def by_our_engine(folder: Path, voice: str, precision: str) -> Callable[[str, int], np.ndarray]:
    """An exported model through pocketvoice, as its users hear it: text and seed -> samples."""
    from pocketvoice.engine.tts_model import TTSModel

    model = TTSModel.load_model(config=folder / f"{folder.name}.yaml", precision=precision)
    state = model.get_state_for_audio_prompt(folder / "voices" / f"{voice}.safetensors")
    return lambda text, seed: model.generate_audio(state, text, seed=seed).numpy()


def main() -> None:
    """Runs the chosen stages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, help="of the training; stages shipped and ours do without")
    parser.add_argument(
        "--stage", default="speech", help="comma-separated: teacher, vocoder, speech, shipped, ours"
    )
    parser.add_argument("--voice", default="kokoro_af_heart")
    parser.add_argument("--model", type=Path, default=MODEL, help="exported folder (stages shipped and ours)")
    parser.add_argument(
        "--start", type=Path, help="exported model that gives what has no checkpoint (see the trainings)"
    )
    parser.add_argument("--texts", type=Path, default=HELD_OUT)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--temp", type=float, default=CONFIG["default_temperature"])
    parser.add_argument("--eos-threshold", type=float, default=0.0)
    parser.add_argument("--name", default="flow_lm", help="FlowLM checkpoint(s), comma-separated")
    parser.add_argument("--precision", default="float32", help="stage ours: float32, bf16, int8 or auto")
    parser.add_argument("--heard", type=Path, help="file for what was understood in the last stage, as JSON")
    parser.add_argument(
        "--against", type=Path, help="such a file of another run with the same texts and seeds"
    )
    parser.add_argument(
        "--words-only", action="store_true", help="no naturalness, which takes a second a text"
    )
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    stages = arguments.stage.split(",")
    if not arguments.work and set(stages) - {"shipped", "ours"}:
        parser.error("Only the stages shipped and ours do without --work.")
    torch.set_num_threads(1)
    work, whisper = arguments.work, Whisper()
    listener = None if arguments.words_only else Listener()
    texts = arguments.texts.read_text().splitlines()[: arguments.count]
    natural = spoken_by_teacher(work, arguments.voice, texts) if work else []
    seconds = [len(x) / RATE for x in natural] or [expected_s(text) for text in texts]

    def show(name: str, sounds: list[np.ndarray], repeat: int = 1) -> None:
        made = list(zip(texts * repeat, sounds, seconds * repeat, strict=True))
        heard = report(name, made, whisper, listener, work and work / "listen", arguments.verbose)
        if arguments.heard:
            arguments.heard.write_text(json.dumps([vars(one) for one in heard], indent=0) + "\n")
        if arguments.against:
            print(compared(heard, [Heard(**one) for one in json.loads(arguments.against.read_text())]))

    if "teacher" in stages:
        show("teacher", natural)
    codec = load_codec(work, arguments.start) if {"vocoder", "speech"} & set(stages) else None
    if "vocoder" in stages:
        basis = load_basis(work)
        with torch.no_grad():
            rng = np.random.default_rng(0)
            latents = [torch.from_numpy(with_noise(basis.latents(x), rng))[None] for x in natural]
            show("vocoder", [codec.decode(z)[0, 0].numpy() for z in latents])
    if "speech" in stages:
        tokenizer = load_tokenizer(work / "tokenizer.model")
        speaker = Speaker(load_flow_lm(work, arguments.name), prompt_latents(work, arguments.voice))
        sounds = []
        for seed in range(arguments.seeds):
            for text in texts:
                z = speaker.latents(tokenizer.encode(text), arguments.temp, seed, arguments.eos_threshold)
                with torch.no_grad():
                    sounds.append(codec.decode(z[None])[0, 0].numpy())
        show("speech", sounds, arguments.seeds)
    voice = arguments.voice.partition("_")[2]
    makers = {
        "shipped": by_reference,
        "ours": partial(by_our_engine, precision=arguments.precision),
    }
    for stage in makers.keys() & set(stages):
        say = makers[stage](arguments.model, voice)
        show(stage, [say(text, seed) for seed in range(arguments.seeds) for text in texts], arguments.seeds)


if __name__ == "__main__":
    main()
