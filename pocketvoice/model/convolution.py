"""Mimi's causal convolutions as torch modules, batched and stateless: (B, C, T) in, (B, C, T') out.

Causal means padded on the left only. `model.streaming_conv` runs the same weights piece by piece. Parameter names are the
checkpoint's (`conv.weight`, `convtr.weight`).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class CausalConv1d(nn.Module):
    """Convolution that sees the past only; `pad_mode` "replicate" repeats the first position into the past."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        dilation: int = 1,
        bias: bool = True,
        pad_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.pad_mode = pad_mode
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, stride, dilation=dilation, bias=bias)

    @property
    def history(self) -> int:
        """Past positions that the first output needs."""
        return (self.conv.kernel_size[0] - 1) * self.conv.dilation[0] + 1 - self.conv.stride[0]

    def forward(self, x: Tensor) -> Tensor:
        """(B, C_in, T) -> (B, C_out, T / stride)."""
        padded = F.pad(x, (self.history, 0), mode="replicate" if self.pad_mode == "replicate" else "constant")
        return self.conv(padded)  # type: ignore[no-any-return]


class CausalConvTranspose1d(nn.Module):
    """Transposed convolution with kernel 2 x stride; the overlap after the last position is dropped."""

    def __init__(
        self, in_channels: int, out_channels: int, stride: int, groups: int = 1, bias: bool = True
    ) -> None:
        super().__init__()
        self.convtr = nn.ConvTranspose1d(
            in_channels, out_channels, 2 * stride, stride, groups=groups, bias=bias
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B, C_in, T) -> (B, C_out, T x stride)."""
        return self.convtr(x)[..., : -self.convtr.stride[0]]  # type: ignore[no-any-return]


class Downsample(nn.Module):
    """200 Hz -> 12.5 Hz; the first position is replicated into the past."""

    def __init__(self, stride: int, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = CausalConv1d(
            in_channels, out_channels, 2 * stride, stride, bias=False, pad_mode="replicate"
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, T) -> (B, C_out, T / stride)."""
        return self.conv(x)  # type: ignore[no-any-return]


class Upsample(nn.Module):
    """12.5 Hz -> 200 Hz, one filter per channel."""

    def __init__(self, stride: int, channels: int) -> None:
        super().__init__()
        self.convtr = CausalConvTranspose1d(channels, channels, stride, groups=channels, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, T) -> (B, C, T x stride)."""
        return self.convtr(x)  # type: ignore[no-any-return]


class ResidualBlock(nn.Module):
    """x + conv1x1(ELU(conv(ELU(x)))) through a narrower middle."""

    def __init__(self, channels: int, kernel_size: int, dilation: int, compress: int, pad_mode: str) -> None:
        super().__init__()
        hidden = channels // compress
        self.block = nn.ModuleList(
            [
                nn.ELU(),
                CausalConv1d(channels, hidden, kernel_size, dilation=dilation, pad_mode=pad_mode),
                nn.ELU(),
                CausalConv1d(hidden, channels, 1, pad_mode=pad_mode),
            ]
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, T) -> (B, C, T)."""
        update = x
        for layer in self.block:
            update = layer(update)
        return torch.add(x, update)
