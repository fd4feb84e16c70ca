"""Mimi's decoder through the compiled kernels: a call for up to eight frames.

On the CPU only. Not thread-safe: one owner.
"""

import ctypes

import torch
from torch import Tensor, nn

from pocketvoice.model import native
from pocketvoice.model.convolution import CausalConv1d, CausalConvTranspose1d, ResidualBlock
from pocketvoice.model.linear import Precision
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.streaming import KVCache, scaled
from pocketvoice.model.transformer import Attention, TransformerLayer


def supports(mimi: Mimi) -> bool:
    """Whether there are kernels for this machine, for weights where these lie, and for a codec of this shape."""
    config, transformer = mimi.config.decoder, mimi.config.decoder_side_transformer
    kernels = native.library()
    return (
        kernels is not None
        and mimi.quantizer.output_proj.weight.is_cpu
        and mimi.config.steps_per_latent > 1
        and config.n_residual_layers == 1
        and 0 < len(config.ratios) <= 8
        and config.channels == 1
        and not config.n_filters % (2 * config.compress)  # pairs of channels everywhere
        and not transformer.dim_feedforward % 2
        and transformer.d_model == transformer.input_dimension == config.dimension
        and list(transformer.output_dimensions) == [transformer.d_model]
        and transformer.d_model // transformer.num_heads in native.HEAD_DIMS
        and not any(size % native.INPUTS for size in (transformer.d_model, mimi.config.quantizer.dimension))
    )


class NativeMimiDecoder:
    """The decoder, packed. `weight` and `bias` project normalised latents to the decoder's width."""

    def __init__(self, mimi: Mimi, weight: Tensor, bias: Tensor, precision: Precision) -> None:
        """Below "float32" it computes in bf16 where the processor multiplies that itself."""
        kernels = native.library()
        assert kernels is not None, "asked for kernels that are not there"
        is_bf16 = precision != "float32" and kernels.pv_multiplies_bf16()
        transformer = mimi.decoder_transformer.transformer
        self._kernels = kernels
        self._packer = _Packer(kernels, torch.bfloat16 if is_bf16 else torch.float32)
        self._cache = KVCache(transformer)
        self._steps = mimi.config.steps_per_latent
        self._frame_size = mimi.config.frame_size
        self._model = _described(mimi, weight, bias, self._packer)
        self._address = ctypes.addressof(self._model)
        self._space = torch.empty(
            kernels.pv_decode_space(self._address), dtype=torch.uint8, device="cpu"
        )  # and state
        self._fresh = True

    def reset(self) -> None:
        """Forgets everything that was decoded."""
        self._cache.rewind(0)
        self._fresh = True

    def decode(self, latents: Tensor) -> Tensor:
        """Normalised latents (frames, numbers) -> samples (frames x 1920,)."""
        samples = torch.empty(latents.shape[0] * self._frame_size, dtype=torch.float32, device="cpu")
        pieces = zip(
            latents.float().contiguous().split(native.FRAMES),
            samples.split(native.FRAMES * self._frame_size),
            strict=True,
        )
        for piece, into in pieces:
            self._decode(piece, into)
        return samples

    def _decode(self, latents: Tensor, samples: Tensor) -> None:
        rows = latents.shape[0] * self._steps
        keys_values, rotations = self._cache.room(rows)
        place = native.CCache(keys_values.data_ptr(), keys_values.shape[3], rotations.data_ptr())
        self._kernels.pv_decode(
            self._address, ctypes.addressof(place), self._space.data_ptr(),
            self._cache.index, self._cache.position, self._fresh,
            latents.data_ptr(), latents.shape[0], samples.data_ptr(),
        )  # fmt: skip
        self._cache.advance(rows)
        self._fresh = False


class _Packer(native.Packer):
    """With one kind of numbers for all layers of many rows."""

    def __init__(self, kernels: ctypes.CDLL, dtype: torch.dtype) -> None:
        super().__init__(kernels, "float32")
        self.dtype = dtype

    def many(self, weight: Tensor, bias: Tensor | None = None) -> native.CLinear:
        """A layer for many rows a call."""
        return self.blocks(weight, bias, self.dtype)


def _described(mimi: Mimi, weight: Tensor, bias: Tensor, packer: _Packer) -> native.CMimi:
    transformer = mimi.decoder_transformer.transformer
    first: TransformerLayer = transformer.layers[0]  # type: ignore[assignment]
    attention: Attention = first.self_attn
    layers = [_layer(layer, packer) for layer in transformer.layers]  # type: ignore[arg-type]
    taps = mimi.upsample.convtr.convtr.weight.detach().float()[:, 0].t()  # (2 x steps, width)
    begin, *middle, _, end = mimi.decoder.model
    # ELU, transposed convolution, residual block; each ELU is with who writes the input of what follows.
    stages = [
        _stage(up, residual, packer)
        for _, up, residual in zip(middle[::3], middle[1::3], middle[2::3], strict=True)
    ]
    assert attention.context is not None, "Mimi's transformer sees a window"
    return native.CMimi(
        is_bf16=packer.dtype == torch.bfloat16,
        project=packer.linear(weight, bias),
        steps=mimi.config.steps_per_latent,
        now=packer.floats(taps[: mimi.config.steps_per_latent]),
        before=packer.floats(taps[mimi.config.steps_per_latent :]),
        layers=len(layers), heads=attention.num_heads, head_dim=attention.head_dim,
        width=attention.in_proj.in_features, context=attention.context,
        layer=(native.CLayer * len(layers))(*layers),
        first=_conv(begin, packer), last=_conv(end, packer),
        stages=len(stages), stage=(native.CStage * len(stages))(*stages),
    )  # fmt: skip


def _layer(layer: TransformerLayer, packer: _Packer) -> native.CLayer:
    attention = layer.self_attn
    return native.CLayer(
        norm1=packer.norm(layer.norm1),
        norm2=packer.norm(layer.norm2),
        in_proj=packer.many(attention.in_proj.weight),
        out_proj=packer.many(scaled(attention.out_proj.weight, layer.layer_scale_1)),
        linear1=packer.many(layer.linear1.weight),
        linear2=packer.many(scaled(layer.linear2.weight, layer.layer_scale_2)),
    )


def _conv(module: nn.Module, packer: _Packer) -> native.CConv:
    assert isinstance(module, CausalConv1d)
    assert module.conv.dilation[0] == module.conv.stride[0] == 1
    weight = module.conv.weight.transpose(1, 2)  # (out, kernel, in)
    linear = packer.many(weight.flatten(1), module.conv.bias)
    return native.CConv(linear, weight.shape[2], weight.shape[1] - 1, module.pad_mode == "replicate")


def _stage(up: nn.Module, residual: nn.Module, packer: _Packer) -> native.CStage:
    assert isinstance(up, CausalConvTranspose1d)
    assert isinstance(residual, ResidualBlock)
    stride = up.convtr.stride[0]
    by_tap = up.convtr.weight.detach().permute(2, 1, 0)  # (2 x stride, out, in)
    now, before = by_tap[:stride].flatten(0, 1), by_tap[stride:].flatten(0, 1)
    bias = None if up.convtr.bias is None else up.convtr.bias.detach().repeat(stride)
    linear = packer.many(torch.cat([before, now], dim=1), bias)
    narrow = residual.block[3]
    assert isinstance(narrow, CausalConv1d)
    return native.CStage(
        native.CConv(linear, by_tap.shape[2], 1, 0),
        stride,
        _conv(residual.block[1], packer),
        packer.many(narrow.conv.weight.detach()[..., 0], narrow.conv.bias),
    )
