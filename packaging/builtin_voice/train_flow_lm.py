"""Trains FlowLM on the fixed latents: `python train_flow_lm.py --work WORK --minutes 120`.

A sequence is [voice bos][voice prompt: frames of another sentence of the voice][text pieces][latents], as at run time. Three
things make it learn in hours instead of days:

- the head is trained with the energy score (a strictly proper rule: mean distance of two samples to the truth minus half their
  distance to each other), so it maps noise to a sample in one step from the first hour, and nothing has to be distilled;
- the teacher's own timing is a target for a few attention heads (GUIDED below): the head that speaks frame t looks at the piece
  that sounds in it, others at the pieces that follow. The same heads serve word highlighting at run time;
- the latents it hears are noised and partly dropped, against the drift of its own mistakes.

A voice prompt is other speech of the same voice, from under a second to half a minute, so that any clip can be one.
"""

import argparse
import math
from pathlib import Path

import numpy as np
import torch
from features import (
    LATENTS,
    MEASURED,
    PHASED,
    PITCH_COSINES,
    SAMPLE_RATE,
    SLOT,
    SPECTRAL,
    Basis,
    cached_latents,
    cosines,
    load_basis,
    read_shard,
    shards,
    voice_shares,
)
from torch import Tensor, nn
from torch.nn import functional as F
from train_codec import parse_weights
from training import CONFIG, Loop, coarse_numbers, load_exported, model_config, parameters_in_millions

from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.transformer import rope_table, rotate

# (layer, head, pieces ahead): which attention heads are shown where the speech is in the text.
GUIDED = [(1, 0, 0), (2, 0, 0), (2, 1, 1), (3, 0, 0), (3, 1, 1), (3, 2, 2), (4, 0, 0), (4, 1, 1)]
FRAME_S = 0.08
JOINED, LONGEST_FIRST, LONGEST_JOINED = 0.3, 70, 150  # how often another sentence is joined; frames
SHORTEST, LONGEST = 4, 250  # frames of a sentence or paragraph
PROMPT = (8, 375)  # frames of a voice prompt, short ones more often
FEWEST = 20  # sentences of a voice that is trained
Item = tuple[np.ndarray, list[int], list[float]]  # latents, pieces, ends
SILENT_TAIL = 4  # frames of silence after the last sound, where the end-of-speech logit is trained to be high


def timing(ends: list[float], frames: int) -> np.ndarray:
    """(frames, pieces) share of each frame in which each piece sounds; rows sum to one."""
    ends_array = np.asarray(ends, np.float32)
    starts = np.concatenate([[0], ends_array[:-1]])
    stops = ends_array.copy()
    stops[-1] = 1e6
    at = np.arange(frames, dtype=np.float32)[:, None] * FRAME_S
    overlap = np.clip(np.minimum(stops, at + FRAME_S) - np.maximum(starts, at), 0, None)
    return overlap / np.maximum(overlap.sum(1, keepdims=True), 1e-6)


class Sentences:
    """All sentences of some voices with latents, pieces and timing; grows while speech is still being made."""

    def __init__(self, work: Path, named: dict[str, float], basis: Basis, seed: int) -> None:
        self.work, self.named, self.basis = work, named, basis
        self.shares: dict[str, float] = {}
        self.rng = np.random.default_rng(seed)
        self.known: set[Path] = set()
        self.items: dict[str, list[Item]] = {}
        self.silence = basis.latents(np.zeros(1920 * 8, np.float32))[2:3]

    def refresh(self) -> None:
        """Loads new shards; the first of each named voice is held back for validation."""
        self.shares = voice_shares(self.work, self.named)
        for voice in self.shares:
            for shard in shards(self.work, f"{voice}_[0-9]*")[voice in self.named :]:
                if shard not in self.known:
                    self.known.add(shard)
                    self._load(voice, shard)

    def _load(self, voice: str, shard: Path) -> None:
        latents = cached_latents(self.work, shard, self.basis)
        for (_, meta), z in zip(read_shard(shard), latents, strict=True):
            if meta["pieces"] and SHORTEST <= len(z) <= LONGEST:
                self.items.setdefault(voice, []).append((z, meta["pieces"], meta["ends"]))

    def weights(self) -> dict[str, float]:
        """The share of each voice that has sentences enough."""
        return {v: share for v, share in self.shares.items() if len(self.items.get(v, [])) >= FEWEST}

    def batch(self, frames: int, longest: int) -> list[tuple[np.ndarray, np.ndarray, list[int], np.ndarray]]:
        """About `frames` frames of sentences of similar length, one voice each: (prompt, latents, pieces, timing)."""
        weights = self.weights()
        present, shares = list(weights), np.array(list(weights.values()))
        seeds: list[tuple[str, Item]] = []
        while len(seeds) < 48:
            voice = present[self.rng.choice(len(present), p=shares / shares.sum())]
            item = self.items[voice][self.rng.integers(len(self.items[voice]))]
            if len(item[0]) <= longest:
                seeds.append((voice, item))
        seeds.sort(key=lambda pair: len(pair[1][0]))
        at, chosen, total = int(self.rng.integers(len(seeds))), [], 0
        prompted = self.prompt_length()  # one for the batch: no padding, and a long one costs rows, not time
        for voice, item in seeds[at:] + seeds[:at][::-1]:
            if total and total + len(item[0]) + prompted / 2 > frames:
                break
            total += len(item[0]) + prompted // 2
            chosen.append(self._example(voice, item, prompted))
        return chosen

    def _example(
        self, voice: str, item: Item, prompted: int
    ) -> tuple[np.ndarray, np.ndarray, list[int], np.ndarray]:
        for _ in range(2):
            if len(item[0]) < LONGEST_FIRST and self.rng.random() < JOINED:
                item = self._joined(item, self.items[voice][self.rng.integers(len(self.items[voice]))])
        latents, pieces, ends = item
        whole = np.concatenate([latents, np.repeat(self.silence, SILENT_TAIL, 0)])
        return self.prompt(voice, prompted), whole, pieces, timing(ends, len(whole))

    def prompt_length(self) -> int:
        """Frames of a voice prompt: as many short ones as long ones would take time."""
        shortest, longest = np.log(PROMPT[0]), np.log(PROMPT[1] + 1)
        return int(np.exp(shortest + (longest - shortest) * self.rng.random() ** 2))

    def prompt(self, voice: str, length: int) -> np.ndarray:
        """(length, LATENTS) of other speech of the voice: sentences in a row, begun and ended anywhere."""
        parts, frames = [], 0
        while frames < length + PROMPT[0]:
            other = self.items[voice][self.rng.integers(len(self.items[voice]))][0]
            parts += [other, np.repeat(self.silence, int(self.rng.integers(0, 4)), 0)]
            frames += len(parts[-2]) + len(parts[-1])
        begin = int(self.rng.integers(frames - length + 1))
        return np.concatenate(parts)[begin : begin + length]

    def _joined(self, first: Item, second: Item) -> Item:
        """Two sentences with a pause between them, as a segment at run time may hold; the first alone if too long."""
        pause = int(self.rng.integers(1, 5))
        begin = len(first[0]) + pause
        if begin + len(second[0]) > LONGEST_JOINED:
            return first
        latents = np.concatenate([first[0], np.repeat(self.silence, pause, 0), second[0]])
        ends = [*first[2][:-1], begin * FRAME_S, *(begin * FRAME_S + end for end in second[2])]
        return latents, first[1] + second[1], ends


class Batch:
    """One padded batch: what goes in, what must come out, where."""

    def __init__(self, lm: FlowLM, examples: list, noise: float, dropped: float, device: str) -> None:
        rows = len(examples)
        self.starts = [1 + len(p) + len(t) for p, _, t, _ in examples]
        length = max(s + len(z) for s, (_, z, _, _) in zip(self.starts, examples, strict=True))
        frames = max(len(z) for _, z, _, _ in examples)
        self.target = torch.zeros(rows, frames, LATENTS, device=device)
        self.valid = torch.zeros(rows, frames, dtype=torch.bool, device=device)
        self.ended = torch.zeros(rows, frames, device=device)
        self.where = torch.zeros(
            rows, frames, dtype=torch.long, device=device
        )  # input position of each frame
        self.attend = torch.zeros(rows, frames, length, device=device)
        dim = lm.input_linear.out_features
        pieces = []
        for row, (prompt, latents, text, times) in enumerate(examples):
            count, start = len(latents), self.starts[row]
            z = torch.from_numpy(latents).to(device)
            z = torch.cat(
                [z[:, :-1], torch.zeros(count, 1, device=device)], dim=1
            )  # the constant is normalised away
            self.target[row, :count], self.valid[row, :count] = z, True
            self.ended[row, count - SILENT_TAIL : count] = 1
            self.where[row] = start + torch.arange(frames).clamp(max=count - 1)
            at = 1 + len(prompt)
            self.attend[row, :count, at : at + len(text)] = torch.from_numpy(times).to(device)
            rough = torch.randn(count - 1, LATENTS, device=device)
            rough[:, SPECTRAL : SPECTRAL + PITCH_COSINES] *= 0.04  # the next frame's phases follow from these
            rough[:, PHASED:MEASURED] *= 0.04
            heard = z[:-1] + rough * noise * torch.rand(1, device=device)
            heard[:, MEASURED:-1] = rough[:, MEASURED:-1] * (0.2 + 0.8 * torch.rand(1, device=device))
            kept = (torch.rand(count - 1, 1, device=device) >= dropped).float()
            pieces.append(
                (torch.from_numpy(prompt).to(device), torch.tensor(text, device=device), heard * kept)
            )
        embedded = []
        for prompt, text, heard in pieces:
            inputs = torch.cat([lm.bos_emb[None], heard])
            parts = [lm.voice_embeddings(prompt[None])[0], lm.conditioner(text), lm.input_linear(inputs)]
            x = torch.cat(parts)
            embedded.append(F.pad(x, (0, 0, 0, length - len(x))))
        self.inputs = torch.stack(embedded)
        assert self.inputs.shape == (rows, length, dim)

    def attention_target(self, ahead: int) -> Tensor:
        """(rows, frames, length): where a head that looks `ahead` pieces further should look (the last piece at the end)."""
        if ahead == 0:
            return self.attend
        moved = torch.zeros_like(self.attend)
        for row, start in enumerate(self.starts):
            moved[row, :, :start] = torch.roll(self.attend[row, :, :start], ahead, dims=1)
            spill = moved[row, :, :ahead].sum(1)
            moved[row, :, :ahead] = 0
            moved[row, :, start - 1] += spill
        return moved


def run_transformer(lm: FlowLM, batch: Batch) -> tuple[Tensor, Tensor]:
    """(rows, frames, d_model) conditions and the mean cross entropy of the guided heads.

    The same arithmetic as `FlowLM.hidden`, with the attention written out: the guided heads' weights are needed, and for
    sequences this short plain products are faster on a CPU than the fused kernel.
    """
    x, guide = batch.inputs, torch.zeros((), device=batch.inputs.device)
    length, positions = x.shape[1], batch.where[..., None]
    future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
    table = None
    for number, layer in enumerate(lm.transformer.layers):
        attention = layer.self_attn
        if table is None:
            table = rope_table(length, attention.head_dim, attention.max_period).to(x.device)
        qk, v = attention.split(attention.in_proj(layer.norm1(x)))
        qk = rotate(qk, table).transpose(1, 2)
        q, k = qk[:, : attention.num_heads], qk[:, attention.num_heads :]
        logits = (q @ k.transpose(2, 3)).float() / math.sqrt(attention.head_dim)
        weights = logits.masked_fill(future, -1e9).softmax(-1)
        x = x + attention.out_proj((weights.to(v.dtype) @ v.transpose(1, 2)).transpose(1, 2).flatten(2))
        x = x + layer.linear2(F.gelu(layer.linear1(layer.norm2(x)), approximate="tanh"))
        for head, ahead in ((head, ahead) for at, head, ahead in GUIDED if at == number):
            seen = weights[:, head].gather(1, positions.expand(-1, -1, length))
            cross = -(batch.attention_target(ahead) * torch.log(seen + 1e-6)).sum(-1)
            guide = guide + cross[batch.valid].mean() / len(GUIDED)
    return lm.out_norm(x.gather(1, positions.expand(-1, -1, x.shape[-1]))), guide


def energy_score(samples: list[Tensor], truth: Tensor, weight: Tensor) -> Tensor:
    """Mean distance to the truth minus half the distance between two samples, spectrum and prosody apart."""

    def distance(a: Tensor, b: Tensor) -> Tensor:
        squared = ((a - b) * weight) ** 2
        parts = squared[..., :SPECTRAL].sum(-1), squared[..., SPECTRAL:MEASURED].sum(-1)
        return sum(torch.sqrt(part + 1e-4) for part in parts)

    first, second = samples
    return (0.5 * (distance(first, truth) + distance(second, truth)) - 0.5 * distance(first, second)).mean()


class Turning:
    """How far the fundamental turns within a frame, by its pitch, and what the phases then have to be."""

    def __init__(self, basis: Basis, device: str) -> None:
        self.rows = slice(SPECTRAL, SPECTRAL + PITCH_COSINES)
        self.mean, self.std, self.table = (
            torch.from_numpy(x).to(device)
            for x in (basis.mean[self.rows], basis.std[self.rows], cosines(PITCH_COSINES))
        )

    def angles(self, latents: Tensor) -> Tensor:
        """(N, LATENTS) -> (N, SLOTS) radians from the begin of the next frame to the end of each of its slots."""
        pitch = (latents[:, self.rows] * self.std + self.mean) @ self.table
        return 2 * math.pi * torch.exp(pitch).cumsum(1) * SLOT / SAMPLE_RATE

    def loss(self, sample: Tensor, noise: Tensor, truth: Tensor, before: Tensor) -> Tensor:
        """How far the phases of a sample are from what the frame before asks for by its last phase and the pitch it told.

        Where the voice sets in, any phase is right: it begins with that of the noise.
        """
        said, true, heard = (x[:, PHASED:MEASURED].unflatten(1, (-1, 2)) for x in (sample, truth, before))
        with torch.no_grad():
            last = heard[:, -1]
            begin = torch.where(last.norm(dim=1, keepdim=True) > 0.3, last, noise[:, PHASED : PHASED + 2])
            angles = self.angles(before) + torch.atan2(begin[:, 1], begin[:, 0])[:, None]
            wanted = true.norm(dim=2, keepdim=True) * torch.stack([angles.cos(), angles.sin()], 2)
        return (said - wanted).square().sum((1, 2)).mean()


def losses_of(
    lm: FlowLM, batch: Batch, weight: Tensor, guide_weight: float, turning: Turning
) -> dict[str, Tensor]:
    """Energy score, phases, end of speech, attention."""
    with coarse_numbers(batch.inputs.device.type):
        hidden, guide = run_transformer(lm, batch)
        condition, truth = hidden[batch.valid], batch.target[batch.valid]
        noises = [torch.randn_like(truth) for _ in range(2)]
        samples = [lm.sample(condition, noise, 1).float() for noise in noises]
    score = energy_score(samples, truth, weight)
    before = F.pad(batch.target[:, :-1], (0, 0, 1, 0))[batch.valid]
    phase = turning.loss(samples[0], noises[0], truth, before)
    kept = (samples[0] - noises[0])[:, MEASURED:-1].square().mean()  # the decoder's noise passes through
    with torch.no_grad():
        error = (((samples[0] - truth) * weight)[:, :MEASURED] ** 2).sum(-1).mean() / (
            weight[:MEASURED] ** 2
        ).sum()
    end = F.binary_cross_entropy_with_logits(lm.out_eos(condition.float())[:, 0], batch.ended[batch.valid])
    loss = score + 0.5 * end + guide_weight * guide + 0.1 * kept + phase
    shown = {"score": score, "phase": phase, "error": error, "end": end, "guide": guide, "kept": kept}
    return {"loss": loss} | {name: value.detach() for name, value in shown.items()}


@torch.no_grad()
def start_weights(lm: FlowLM) -> None:
    """Small text vectors and a quiet start of the residual stream."""
    nn.init.normal_(lm.conditioner.embed.weight, std=0.5)
    nn.init.normal_(lm.speaker_proj_weight, std=0.05)
    nn.init.normal_(lm.bos_before_voice, std=0.5)
    for layer in lm.transformer.layers:
        layer.self_attn.out_proj.weight.mul_(0.5)
        layer.linear2.weight.mul_(0.5)


def main() -> None:
    """Trains until the budget ends."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--voices", default="kokoro_af_heart=3,kokoro_am_michael=2,others=3", help="shares of the voices"
    )
    parser.add_argument(
        "--minutes", type=float, default=120, help="budget of CPU time; the rate decays over its last third"
    )
    parser.add_argument("--frames", type=int, default=500, help="latents per step")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--noise", type=float, default=0.4)
    parser.add_argument("--dropped", type=float, default=0.1)
    parser.add_argument("--guide", type=float, default=1.0, help="weight of the guided attention")
    parser.add_argument(
        "--muon", type=float, default=0.0, help="rate of Muon over that of AdamW (try 2); 0: AdamW only"
    )
    parser.add_argument(
        "--decay", type=float, default=0.35, help="part of the budget over which the rate falls"
    )
    parser.add_argument(
        "--average", type=int, default=400, help="steps of the running average of the weights"
    )
    parser.add_argument(
        "--start", type=Path, help="an exported model to start from when there is no checkpoint"
    )
    parser.add_argument(
        "--wall-minutes", type=float, default=math.inf, help="end after so long at the latest"
    )
    parser.add_argument("--name", default="flow_lm")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    voices = parse_weights(arguments.voices)
    basis = load_basis(arguments.work, voices, arguments.start)
    lm = FlowLM(model_config().flow_lm, LATENTS, CONFIG["mimi"]["inner_dim"])
    start_weights(lm)
    if arguments.start:
        load_exported(arguments.start, "flow_lm.", lm)
        lm.emb_std.fill_(1), lm.emb_mean.zero_()  # the exporter put the constant there
    lm.to(arguments.device)
    loop = Loop(
        arguments.work / f"{arguments.name}.pt", lm, arguments.rate, arguments.minutes, 200,
        decay=arguments.decay, betas=(0.9, 0.98), muon_factor=arguments.muon, average=arguments.average,
        wall_minutes=arguments.wall_minutes,
    )  # fmt: skip
    data = Sentences(arguments.work, voices, basis, arguments.seed + loop.step)
    weight = torch.from_numpy(basis.importance()).to(arguments.device)
    turning = Turning(basis, arguments.device)
    print(f"{parameters_in_millions(lm):.2f}M parameters, from step {loop.step}", flush=True)

    def losses(step: int) -> dict[str, Tensor]:
        if step % 200 == 0 or not data.known:
            data.refresh()
        longest = 150 if arguments.start else min(150, 40 + step // 10)  # short sentences first
        examples = data.batch(arguments.frames, longest)
        return losses_of(
            lm,
            Batch(lm, examples, arguments.noise, arguments.dropped, arguments.device),
            weight,
            arguments.guide,
            turning,
        )

    loop.run(losses)


if __name__ == "__main__":
    main()
