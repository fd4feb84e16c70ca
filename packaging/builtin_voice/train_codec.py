"""Trains Mimi on the fixed latents: `python train_codec.py --work WORK --minutes 120`.

The decoder learns as a vocoder, from latents to sound: at first by multi-resolution spectral distances alone, then also against
adversaries (`discriminators.py`), without which the voice buzzes. The encoder learns by regression onto the same latents, in a
run of its own (`--part encoder`). Neither waits for the language model nor the other way round.
"""

import argparse
import math
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import torch
from discriminators import Adversaries
from features import (
    FRAME,
    LATENTS,
    MEASURED,
    PHASED,
    SLOTS,
    Basis,
    as_float,
    cached_latents,
    cosines,
    load_basis,
    read_shard,
    shards,
    stored_latents,
    voice_shares,
    with_noise,
)
from torch import Tensor, nn
from training import Loop, load_exported, model_config, parameters_in_millions

from pocketvoice.model.mimi import Mimi

RESOLUTIONS = [(2048, 480), (1024, 240), (512, 120), (256, 60)]  # window, hop
SPECTRAL_SHARE, WAVE_SHARE, FEATURE_SHARE = 3.0, 6.0, 2.0  # in the loss, beside 1 for the adversaries' belief
JUDGED = 4 * FRAME  # samples of a crop that the adversaries see


class SpectralDistance(nn.Module):
    """Mean distance of log magnitudes, of mel-like log energies and of magnitudes over several window sizes."""

    def __init__(self) -> None:
        super().__init__()
        for size, _ in RESOLUTIONS:
            self.register_buffer(f"window{size}", torch.hann_window(size))
            self.register_buffer(f"bands{size}", self._bands(size))

    @staticmethod
    def _bands(size: int) -> Tensor:
        count = {2048: 96, 1024: 80, 512: 64, 256: 40}[size]
        edges = 700 * (10 ** (torch.linspace(0, 2595 * np.log10(1 + 12000 / 700), count + 2) / 2595) - 1)
        bins = torch.arange(size // 2 + 1) * 24000 / size
        width = torch.clamp(edges[2:] - edges[:-2], min=2.2 * 24000 / size) / 2
        return torch.clamp(1 - (bins[:, None] - edges[1:-1]).abs() / width, min=0)

    def forward(self, made: Tensor, true: Tensor) -> Tensor:
        """(B, samples), (B, samples) -> one number; no gradients to `true`."""
        total = torch.zeros((), device=made.device)
        for size, hop in RESOLUTIONS:
            floor = 2e-3 * size / 256
            a, a_bands = self._seen(made, size, hop, floor)
            with torch.no_grad():
                b, b_bands = self._seen(true, size, hop, floor)
            total = total + (a_bands - b_bands).abs().mean()
            total = total + 0.3 * (torch.log(a + floor) - torch.log(b + floor)).abs().mean()
            total = total + 0.3 * (a - b).norm() / (b.norm() + 0.1)
        return total / len(RESOLUTIONS)

    def _seen(self, sound: Tensor, size: int, hop: int, floor: float) -> tuple[Tensor, Tensor]:
        """Magnitudes and log energies of the bands, both (B, windows, ...)."""
        window, bands = getattr(self, f"window{size}"), getattr(self, f"bands{size}")
        spectrum = torch.stft(sound, size, hop, window=window, return_complex=True)
        magnitude = torch.sqrt(spectrum.real**2 + spectrum.imag**2 + 1e-7).transpose(1, 2)
        return magnitude, torch.log(magnitude @ bands + floor)


def wave_distance(made: Tensor, true: Tensor, size: int = 512, bins: int = 32) -> Tensor:
    """Distance of the complex spectra below 1.5 kHz, of each window's size: the latents tell where the fundamental is."""
    window = torch.hann_window(size, device=made.device)
    a, b = (
        torch.stft(x, size, size // 4, window=window, return_complex=True)[:, :bins] for x in (made, true)
    )
    apart = torch.sqrt((a.real - b.real) ** 2 + (a.imag - b.imag) ** 2 + 1e-4).mean((1, 2))
    return (apart / (b.abs().mean((1, 2)) + 0.3)).mean()


def heard_latents(latents: Tensor) -> Tensor:
    """The latents a little off, as FlowLM's will be: rough, and the phases less sure."""
    rows, device = len(latents), latents.device
    noise = torch.randn_like(latents) * 0.15 * torch.rand(rows, 1, 1, device=device)
    noise[..., -1] = 0
    latents = latents + noise
    latents[..., PHASED:MEASURED] *= 0.4 + 0.6 * torch.rand(rows, 1, 1, device=device)
    return latents


def prepare_decoder(mimi: Mimi, basis: Basis) -> None:
    """A start that reads the latents: those of the k-th cosine go to channels whose upsampling kernel is the k-th cosine.

    The channels behind them hold mixtures of all latents and the constant, spread over the frame by each cosine in turn.
    """
    for name, p in mimi.decoder_transformer.named_parameters():
        if "layer_scale" in name:
            nn.init.constant_(p, 0.15)
    table = torch.from_numpy(np.repeat(cosines(SLOTS), 2, axis=1))  # (k, 16 positions)
    nn.init.normal_(mimi.quantizer.output_proj.weight, std=LATENTS**-0.5)
    with torch.no_grad():
        weight = mimi.quantizer.output_proj.weight[..., 0]
        kernels = mimi.upsample.convtr.convtr.weight[:, 0]  # (channels, 32)
        weight[:LATENTS] *= 0.05
        weight[:LATENTS].fill_diagonal_(1.0)
        kernels.mul_(0.05)
        kernels[MEASURED:LATENTS, :16] += torch.randn(LATENTS - MEASURED, 16)
        order = [*basis.pairs[:, 1], 0, 1, 2, 0, 1, 2]
        for channel in range(len(kernels)):
            k = order[channel] if channel < PHASED else channel % SLOTS
            if PHASED <= channel < MEASURED:  # a phase is read where its slot ends, and after it
                end = (channel - PHASED) // 2 * 2 + 1
                kernels[channel, end : end + 2] += 1.5
            elif not MEASURED <= channel < LATENTS:
                kernels[channel, :16] += 1.5 * table[k]


class Pieces:
    """Random stretches of speech with their latents; new shards are picked up while training runs."""

    def __init__(
        self, work: Path, named: dict[str, float], basis: Basis, seed: int, predicted: float = 0.0
    ) -> None:
        self.work, self.named, self.basis, self.predicted = work, named, basis, predicted
        self.rng = np.random.default_rng(seed)
        self.known: set[Path] = set()
        self.groups: dict[
            str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]
        ] = {}  # sound, latents, predicted
        self.shares: dict[str, float] = {}

    def refresh(self, limit: int = 3) -> None:
        """Loads up to `limit` new shards of each voice; the first of each named voice is held back."""
        self.shares = voice_shares(self.work, self.named)
        for voice in self.shares:
            found = shards(self.work, f"{voice}_[0-9]*")[voice in self.named :]
            for shard in [path for path in found if path not in self.known][:limit]:
                self._load(voice, shard)

    def _load(self, voice: str, shard: Path) -> None:
        self.known.add(shard)
        true = cached_latents(self.work, shard, self.basis)
        path = self.work / "predicted" / shard.name
        own = stored_latents(path) if self.predicted and path.exists() else true
        rows = zip(read_shard(shard), true, own, strict=True)
        self.groups.setdefault(voice, []).extend((pcm, z, said) for (pcm, _), z, said in rows)

    def batch(self, size: int, frames: int) -> tuple[Tensor, Tensor]:
        """(B, frames, LATENTS) and (B, samples); short sentences are preceded by silence-free padding of zeros."""
        present = [voice for voice in self.shares if self.groups.get(voice)]
        weights = np.array([self.shares[voice] for voice in present])
        z, x = np.zeros((size, frames, LATENTS), np.float32), np.zeros((size, frames * FRAME), np.float32)
        for row in range(size):
            group = self.groups[present[self.rng.choice(len(present), p=weights / weights.sum())]]
            pcm, latents, said = group[self.rng.integers(len(group))]
            if self.rng.random() < self.predicted:
                latents = said
            at = int(self.rng.integers(max(1, len(latents) - frames + 1)))
            part, sound = (
                with_noise(latents[at : at + frames], self.rng),
                as_float(pcm[at * FRAME : (at + frames) * FRAME]),
            )
            if len(part) < frames:  # repeat the first frame into the past, unheard
                z[row] = np.concatenate([np.repeat(part[:1], frames - len(part), 0), part])
            else:
                z[row] = part
            begin = (frames - len(part)) * FRAME
            x[row, begin : begin + len(sound)] = sound
        return torch.from_numpy(z), torch.from_numpy(x)


def decoder_losses(
    mimi: Mimi,
    pieces: Pieces,
    arguments: argparse.Namespace,
    adversaries: Adversaries,
    first: int,
) -> Iterator[dict]:
    """Vocoder steps from step `first` on; the adversaries join at step `--alone`, learning every second step."""
    distance = SpectralDistance().to(arguments.device)
    for step in count(first):
        latents, sound = (t.to(arguments.device) for t in pieces.batch(arguments.batch, arguments.frames))
        made = mimi.decode(heard_latents(latents))[:, 0, FRAME:]  # the first frame has no past
        sound = sound[:, FRAME:]
        spectral, wave = distance(made, sound), wave_distance(made, sound)
        terms = {"loss": spectral + WAVE_SHARE * wave, "spectral": spectral.detach(), "wave": wave.detach()}
        if step >= arguments.alone:
            begin = int(torch.randint(max(1, made.shape[1] - JUDGED), ()))
            mine, true = made[:, begin : begin + JUDGED], sound[:, begin : begin + JUDGED]
            if step % 2 == 0:
                terms["judges"] = adversaries.learn(mine, true)
            believed, features = adversaries.judge(mine, true)
            terms["loss"] = (
                SPECTRAL_SHARE * spectral + WAVE_SHARE * wave + believed + FEATURE_SHARE * features
            )
            terms |= {"belief": believed.detach(), "features": features.detach()}
        yield terms


def encoder_losses(mimi: Mimi, pieces: Pieces, arguments: argparse.Namespace) -> Iterator[dict]:
    """Regression of the causal encoder onto the latents (the constant too: the speaker projection may use it)."""
    while True:
        latents, sound = (t.to(arguments.device) for t in pieces.batch(arguments.batch, arguments.frames))
        latents[..., MEASURED:-1] = 0  # noise can't be heard
        made = mimi.encode(sound[:, None])
        error = (made[:, 1:] - latents[:, 1:]).abs().mean()
        yield {"loss": error, "error": error.detach()}


def parse_weights(text: str) -> dict[str, float]:
    """ "kokoro_af_heart=3,flite_slt=1" -> shares of the voices."""
    return {name: float(weight) for name, _, weight in (part.partition("=") for part in text.split(","))}


def main() -> None:
    """Trains one half of the codec."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--part", choices=["decoder", "encoder"], default="decoder")
    parser.add_argument(
        "--voices", default="kokoro_af_heart=3,kokoro_am_michael=2", help="shares of the voices in a batch"
    )
    parser.add_argument(
        "--minutes", type=float, default=120, help="budget of CPU time; the rate decays over its last third"
    )
    parser.add_argument(
        "--decay", type=float, default=0.35, help="part of the budget over which the rate falls"
    )
    parser.add_argument(
        "--predicted",
        type=float,
        default=0.0,
        help="share of latents as the language model says them (distil.py)",
    )
    parser.add_argument(
        "--wall-minutes", type=float, default=math.inf, help="end after so long at the latest"
    )
    parser.add_argument("--alone", type=int, default=2000, help="steps before the adversaries join")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--frames", type=int, default=7)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--judges-rate", type=float, default=3e-4, help="of the adversaries")
    parser.add_argument(
        "--start", type=Path, help="an exported model to start from when there is no checkpoint"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    voices = parse_weights(arguments.voices)
    basis = load_basis(arguments.work, voices, arguments.start)
    mimi = Mimi(model_config().mimi)
    prepare_decoder(mimi, basis)
    if arguments.start:
        load_exported(arguments.start, "mimi.", mimi)
    half = {
        "decoder": nn.ModuleList([mimi.quantizer, mimi.upsample, mimi.decoder_transformer, mimi.decoder]),
        "encoder": nn.ModuleList([mimi.encoder, mimi.encoder_transformer, mimi.downsample]),
    }[arguments.part]
    mimi.to(arguments.device)
    adversaries = Adversaries(arguments.judges_rate, arguments.work / "discriminators.pt", arguments.device)
    if arguments.start and not adversaries.path.exists():
        load_exported(arguments.start, "adversaries.", adversaries)
    loop = Loop(
        arguments.work / f"{arguments.part}.pt",
        half,
        arguments.rate,
        arguments.minutes,
        100,
        decay=arguments.decay,
        wall_minutes=arguments.wall_minutes,
        betas=(0.8, 0.99),
        average=500,
        on_save=adversaries.save if arguments.part == "decoder" else lambda: None,
    )
    pieces = Pieces(
        arguments.work, voices, basis, arguments.seed + loop.step, arguments.predicted
    )  # fmt: skip
    print(f"{parameters_in_millions(half):.2f}M parameters, from step {loop.step}", flush=True)
    if arguments.part == "decoder":
        steps = decoder_losses(mimi, pieces, arguments, adversaries, loop.step)
    else:
        steps = encoder_losses(mimi, pieces, arguments)

    def losses(step: int) -> dict[str, Tensor]:
        if step % 100 == 0 or not pieces.groups:
            pieces.refresh()
        return next(steps)

    loop.run(losses)


if __name__ == "__main__":
    main()
