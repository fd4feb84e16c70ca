"""Mimi's convolutions fed piece by piece, time-major (T, C): matrix products on windows of past and present rows.

A transposed convolution with kernel 2S and stride S is an ordinary one of kernel 2 with S x C_out outputs a row: output block t
depends on the inputs t-1 and t only. The first piece sees zeros in the past, as the checkpoints were trained. Each object keeps
the rows it needs of the last piece (`past`); `reset` forgets them. Not thread-safe: one owner.
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from pocketvoice.model.convolution import CausalConv1d, CausalConvTranspose1d, ResidualBlock, Upsample
from pocketvoice.model.linear import Precision, pack_batched


def elu(x: Tensor) -> Tensor:
    """ELU as max(x, 2^min(x log2 e, 0) - 1): in torch, powers of two are several times faster than its own ELU."""
    below = (x * math.log2(math.e)).clamp_(max=0).exp2_().sub_(1)
    return torch.maximum(x, below)


class StreamingConv:
    """(T, C_in) -> (T / stride, C_out); `replicate` repeats the very first row into the past.

    `weight` is (C_out, kernel, C_in). The rows of each window are copied side by side for one product.
    """

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor | None,
        *,
        stride: int = 1,
        dilation: int = 1,
        replicate: bool = False,
        precision: Precision = "float32",
    ) -> None:
        _, self._kernel, self._in_channels = weight.shape
        self._stride, self._dilation, self._replicate = stride, dilation, replicate
        # Rows that the first window reaches back: with a stride it begins `stride - 1` rows later than the newest row.
        self._history = (self._kernel - 1) * dilation + 1 - stride
        self._project = pack_batched(weight.flatten(1), bias, precision)
        self.reset()

    @classmethod
    def of(cls, module: CausalConv1d, precision: Precision = "float32") -> "StreamingConv":
        """The streaming form of `module`."""
        return cls(
            module.conv.weight.detach().float().transpose(1, 2),
            module.conv.bias,
            stride=module.conv.stride[0],
            dilation=module.conv.dilation[0],
            replicate=module.pad_mode == "replicate",
            precision=precision,
        )

    def reset(self) -> None:
        """Starts a new sound: the next piece is the first one."""
        self.past: Tensor | None = None  # (history, C_in)

    def memories(self) -> Iterator["Memory"]:
        """Yields the objects whose `past` must outlive a call: itself, if its windows reach back."""
        if self._history:
            yield self

    def __call__(self, x: Tensor) -> Tensor:
        x = x.to(self._project.dtype)
        if self._history:
            if self.past is None:
                first = x[:1] if self._replicate else x.new_zeros(1, x.shape[1])
                self.past = first.expand(self._history, -1)
            x = torch.cat([self.past, x])
            self.past = x[-self._history :].clone()  # a view would keep all rows alive
        return self._project(self._windows(x))

    def _windows(self, x: Tensor) -> Tensor:
        """Rows (N, C_in) -> the windows side by side (rows out, kernel x C_in)."""
        if self._kernel == self._stride == 1:
            return x
        # Windows overlap in one piece of memory, a view; the reshape copies them apart for the product.
        rows = (int(x.shape[0]) - (self._kernel - 1) * self._dilation - 1) // self._stride + 1
        channels = self._in_channels
        view = x.as_strided(
            (rows, self._kernel, channels), (self._stride * channels, self._dilation * channels, 1)
        )
        return view.reshape(rows, self._kernel * channels)


class StreamingConvTranspose:
    """(T, C_in) -> (T x stride, C_out)."""

    def __init__(self, module: CausalConvTranspose1d, precision: Precision = "float32") -> None:
        weight = module.convtr.weight.detach().float()  # (C_in, C_out, 2 x stride)
        stride = module.convtr.stride[0]
        self._out_channels = weight.shape[1]
        by_tap = weight.permute(2, 1, 0)  # (2 x stride, C_out, C_in)
        current, previous = by_tap[:stride].flatten(0, 1), by_tap[stride:].flatten(0, 1)
        bias = None if module.convtr.bias is None else module.convtr.bias.detach().float().repeat(stride)
        self._conv = StreamingConv(torch.stack([previous, current], dim=1), bias, precision=precision)

    def reset(self) -> None:
        """Starts a new sound: the next piece is the first one."""
        self._conv.reset()

    def memories(self) -> Iterator["Memory"]:
        """Yields the objects whose `past` must outlive a call."""
        return self._conv.memories()

    def __call__(self, x: Tensor) -> Tensor:
        return self._conv(x).view(-1, self._out_channels)


class StreamingUpsample:
    """(T, C) -> (T x stride, C), one filter per channel."""

    def __init__(self, module: Upsample) -> None:
        taps = module.convtr.convtr.weight.detach().float()[:, 0].t()  # (2 x stride, C)
        stride = module.convtr.convtr.stride[0]
        # Kernel 2S, stride S: the first half of the taps meets this row, the second half the row before.
        self._of_current, self._of_previous = taps[:stride].contiguous(), taps[stride:].contiguous()
        self.reset()

    def reset(self) -> None:
        """Starts a new sound: the next piece is the first one."""
        self.past: Tensor | None = None  # (1, C)

    def memories(self) -> Iterator["Memory"]:
        """Yields itself, whose `past` must outlive a call."""
        yield self

    def __call__(self, x: Tensor) -> Tensor:
        past = torch.zeros_like(x[:1]) if self.past is None else self.past
        previous = torch.cat([past, x[:-1]])
        self.past = x[-1:].clone()
        # One multiply-add for all: (T, stride, C), then the strides in a row.
        return torch.addcmul(x[:, None] * self._of_current, previous[:, None], self._of_previous).flatten(
            0, 1
        )


class StreamingResidual:
    """(T, C) -> (T, C)."""

    def __init__(self, block: ResidualBlock, precision: Precision = "float32") -> None:
        wide, narrow = block.block[1], block.block[3]
        assert isinstance(wide, CausalConv1d)
        assert isinstance(narrow, CausalConv1d)
        self._first = StreamingConv.of(wide, precision)
        self._second = StreamingConv.of(narrow, precision)

    def reset(self) -> None:
        """Starts a new sound: the next piece is the first one."""
        self._first.reset()  # the second has a kernel of 1 and keeps nothing

    def memories(self) -> Iterator["Memory"]:
        """Yields the objects whose `past` must outlive a call."""
        yield from self._first.memories()
        yield from self._second.memories()

    def __call__(self, x: Tensor) -> Tensor:
        return x + self._second(elu(self._first(elu(x))))


class StreamingStack:
    """A SEANet encoder or decoder: its layers in order."""

    def __init__(self, layers: torch.nn.ModuleList, precision: Precision = "float32") -> None:
        self._layers = [_streaming(layer, precision) for layer in layers]

    def reset(self) -> None:
        """Starts a new sound: the next piece is the first one."""
        for layer in self._layers:
            layer.reset()

    def memories(self) -> Iterator["Memory"]:
        """Yields the objects whose `past` must outlive a call, in an order that never changes."""
        for layer in self._layers:
            yield from layer.memories()

    def __call__(self, x: Tensor) -> Tensor:
        for layer in self._layers:
            x = layer(x)
        return x


class _Elu:
    """ELU as a layer of a stack; it looks at one row at a time and keeps no past."""

    def reset(self) -> None:
        pass

    def memories(self) -> Iterator["Memory"]:
        return iter(())

    def __call__(self, x: Tensor) -> Tensor:
        return elu(x)


Memory = StreamingConv | StreamingUpsample
_Streaming = StreamingConv | StreamingConvTranspose | StreamingResidual | _Elu


def _streaming(layer: torch.nn.Module, precision: Precision) -> _Streaming:
    if isinstance(layer, CausalConv1d):
        return StreamingConv.of(layer, precision)
    if isinstance(layer, CausalConvTranspose1d):
        return StreamingConvTranspose(layer, precision)
    if isinstance(layer, ResidualBlock):
        return StreamingResidual(layer, precision)
    assert isinstance(layer, torch.nn.ELU), f"no streaming form of {type(layer).__name__}"
    return _Elu()
