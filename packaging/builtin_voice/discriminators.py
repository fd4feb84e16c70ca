"""The vocoder's adversaries: is this stretch of sound the teacher's? Small enough for a CPU.

Five look at the wave folded by a period (HiFi-GAN, arXiv 2010.05646: the pitch), three at complex spectrograms of different
windows (as EnCodec's, arXiv 2210.13438: texture and noise). Least squares; the features they compute are a distance of their own.
Together 0.38 million numbers: a step of both sides over four crops of a third of a second costs about as much as the decoder's.
"""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm
from training import coarse_numbers

PERIODS, WINDOWS = (2, 3, 5, 7, 11), (256, 512, 1024)
Judged = tuple[Tensor, list[Tensor]]  # a map of verdicts (1: true, 0: made), the features of each layer


class Discriminator(nn.Module):
    """Strided 2d convolutions; what the sound becomes before them is the subclass's."""

    def __init__(
        self,
        channels: list[int],
        kernels: list[tuple[int, int]],
        strides: list[tuple[int, int]],
        last: tuple[int, int],
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            weight_norm(
                nn.Conv2d(channels[i], channels[i + 1], kernel, stride, (kernel[0] // 2, kernel[1] // 2))
            )
            for i, (kernel, stride) in enumerate(zip(kernels, strides, strict=True))
        )
        self.verdict = weight_norm(nn.Conv2d(channels[-1], 1, last, padding=(last[0] // 2, last[1] // 2)))

    def image(self, sound: Tensor) -> Tensor:
        """(B, samples) -> (B, channels, height, width)."""
        raise NotImplementedError

    def forward(self, sound: Tensor) -> Judged:
        """(B, samples) -> verdicts and features."""
        x, features = self.image(sound), []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.1)
            features.append(x)
        return self.verdict(x), features


class PeriodDiscriminator(Discriminator):
    """Sees every `period`-th sample in a column."""

    def __init__(self, period: int) -> None:
        super().__init__([1, 16, 32, 64, 96], [(5, 1)] * 4, [(3, 1)] * 3 + [(1, 1)], (3, 1))
        self.period = period

    def image(self, sound: Tensor) -> Tensor:
        """The wave, folded."""
        rows = sound.shape[-1] // self.period
        return sound[:, None, : rows * self.period].reshape(len(sound), 1, rows, self.period)


class SpectralDiscriminator(Discriminator):
    """Sees real and imaginary parts, loud ones compressed."""

    window: Tensor

    def __init__(self, size: int) -> None:
        kernels, strides = [(7, 3), (5, 3), (5, 3), (5, 3)], [(4, 1), (2, 2), (2, 1), (2, 2)]
        super().__init__([2, 24, 32, 32, 48], kernels, strides, (3, 3))
        self.register_buffer("window", torch.hann_window(size))

    def image(self, sound: Tensor) -> Tensor:
        """The spectrogram, magnitudes to the power of 0.4."""
        size = len(self.window)
        spectrum = torch.stft(sound, size, size // 4, window=self.window, return_complex=True) * (
            4 / size**0.5
        )
        shrink = (spectrum.real**2 + spectrum.imag**2 + 1e-6) ** -0.3
        return torch.stack([spectrum.real * shrink, spectrum.imag * shrink], 1)


class Adversaries(nn.Module):
    """All of them, their optimizer and their checkpoint."""

    def __init__(self, rate: float, path: Path, device: str = "cpu") -> None:
        super().__init__()
        self.judges = nn.ModuleList(
            [*map(PeriodDiscriminator, PERIODS), *map(SpectralDiscriminator, WINDOWS)]
        )
        self.to(device)
        self.path, self.optimizer = (
            path,
            torch.optim.AdamW(self.parameters(), rate, (0.5, 0.9), weight_decay=1e-3),
        )
        if path.exists():
            state = torch.load(path, map_location="cpu", weights_only=True)
            self.load_state_dict(state["judges"])
            self.optimizer.load_state_dict(state["optimizer"])

    def save(self) -> None:
        """Writes the checkpoint in one move."""
        part = self.path.with_suffix(".part")
        torch.save({"judges": self.state_dict(), "optimizer": self.optimizer.state_dict()}, part)
        part.replace(self.path)

    def forward(self, sound: Tensor) -> list[Judged]:
        """(B, samples) -> what each of them says."""
        with coarse_numbers(sound.device.type):
            heard = [judge(sound * 2) for judge in self.judges]
        return [(verdict.float(), [one.float() for one in features]) for verdict, features in heard]

    def learn(self, made: Tensor, true: Tensor) -> Tensor:
        """One step of theirs on both halves of a batch (B, samples); their mean loss (1: they know nothing)."""
        loss = torch.zeros((), device=made.device)
        for verdict, _ in self(torch.cat([made.detach(), true])):
            false, right = verdict.chunk(2)
            loss = loss + (false.square().mean() + (1 - right).square().mean()) * 2 / len(self.judges)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters(), 5.0)
        self.optimizer.step()
        return loss.detach()

    def judge(self, made: Tensor, true: Tensor) -> tuple[Tensor, Tensor]:
        """What the maker minimises: how far it is from being believed, the distance of the features; no gradients here."""
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        with torch.no_grad():
            known = self(true)
        believed = features = torch.zeros((), device=made.device)
        for (verdict, ours), (_, theirs) in zip(self(made), known, strict=True):
            believed = believed + (1 - verdict).square().mean() / len(self.judges)
            apart = [
                (a - b).abs().mean() / (b.abs().mean() + 1e-3) for a, b in zip(ours, theirs, strict=True)
            ]
            features = features + sum(apart) / len(apart) / len(self.judges)
        for parameter in self.parameters():
            parameter.requires_grad_(True)
        return believed, features
