"""Mimi's decoder through the compiled kernels: a call for up to eight frames.

On the CPU only. Not thread-safe: one owner.
"""

import ctypes

import torch
from torch import Tensor, nn

from pocketvoice.model import native
from pocketvoice.model.c_structures import CConv, CLayer, CLinear, CMimi, CStage
from pocketvoice.model.convolution import CausalConv1d, CausalConvTranspose1d, ResidualBlock
from pocketvoice.model.linear import Precision
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.streaming import KVCache, scaled
from pocketvoice.model.transformer import Attention, TransformerLayer

MAX_STAGES = 8
"""Stages of a SEANet decoder that the kernels have room for."""


def supports(mimi: Mimi, kernels: ctypes.CDLL | None) -> bool:
    """Whether there are kernels, and they can compute a codec of this shape with weights where these lie."""
    config, transformer = mimi.config.decoder, mimi.config.decoder_side_transformer
    return (
        kernels is not None
        and mimi.quantizer.output_proj.weight.is_cpu
        and mimi.config.steps_per_latent > 1
        and config.n_residual_layers == 1
        and 0 < len(config.ratios) <= MAX_STAGES
        and config.channels == 1
        # bf16 multiplies pairs of inputs, so all numbers of channels must be even
        and not config.n_filters % (2 * config.compress)
        and not transformer.dim_feedforward % 2
        and transformer.d_model == transformer.input_dimension == config.dimension
        and list(transformer.output_dimensions) == [transformer.d_model]
        and transformer.d_model // transformer.num_heads in native.HEAD_DIMS
        and not any(
            size % native.INPUTS_MULTIPLE for size in (transformer.d_model, mimi.config.quantizer.dimension)
        )
    )


class NativeMimiDecoder:
    """The decoder, packed for the kernels. `weight` and `bias` project normalised latents to the decoder's width."""

    def __init__(
        self, mimi: Mimi, weight: Tensor, bias: Tensor, precision: Precision, *, kernels: ctypes.CDLL
    ) -> None:
        """Below "float32" it computes in bf16 where the processor multiplies that itself."""
        is_bf16 = precision != "float32" and kernels.pv_multiplies_bf16()
        transformer = mimi.decoder_transformer.transformer
        self._kernels = kernels
        self._packer = _Packer(kernels, torch.bfloat16 if is_bf16 else torch.float32)
        self.cache = KVCache(transformer)
        self._steps = mimi.config.steps_per_latent
        self._frame_size = mimi.config.frame_size
        self._model = _described(mimi, weight, bias, self._packer)
        self._address = ctypes.addressof(self._model)
        # Also keeps what convolutions remember between calls.
        self.workspace, self._memory = native.workspace(kernels.pv_mimi_workspace_bytes(self._address))
        self._is_fresh = True

    def reset(self) -> None:
        """Starts a new sound: forgets everything that was decoded."""
        self.cache.rewind(0)
        self._is_fresh = True

    def decode(self, latents: Tensor) -> Tensor:
        """Normalised latents (frames, latent_dim) -> samples (frames x 1920,)."""
        samples = torch.empty(latents.shape[0] * self._frame_size, dtype=torch.float32, device="cpu")
        pieces = zip(
            latents.float().contiguous().split(native.MAX_FRAMES),
            samples.split(native.MAX_FRAMES * self._frame_size),
            strict=True,
        )
        for piece, into in pieces:
            self._decode(piece, into)
        return samples

    def _decode(self, latents: Tensor, samples: Tensor) -> None:
        """At most `native.MAX_FRAMES` latents, into `samples`."""
        rows = latents.shape[0] * self._steps
        keys_values, rotations = self.cache.room(rows)
        c_cache = native.c_cache(keys_values, rotations)
        status = self._kernels.pv_mimi_decode(
            self._address, ctypes.addressof(c_cache), ctypes.addressof(self._memory),
            self.cache.index, self.cache.position, self._is_fresh,
            latents.data_ptr(), latents.numel(), latents.shape[0], samples.data_ptr(), samples.numel(),
        )  # fmt: skip
        native.check(status)
        self.cache.advance(rows)
        self._is_fresh = False


class _Packer(native.Packer):
    """Packs all layers of many rows in one type."""

    def __init__(self, kernels: ctypes.CDLL, dtype: torch.dtype) -> None:
        super().__init__(kernels, "float32")
        self.dtype = dtype

    def many(self, weight: Tensor, bias: Tensor | None = None) -> CLinear:
        """`blocks` in the packer's type: a layer for many rows a call."""
        return self.blocks(weight, bias, self.dtype)


def _described(mimi: Mimi, weight: Tensor, bias: Tensor, packer: _Packer) -> CMimi:
    transformer = mimi.decoder_transformer.transformer
    first: TransformerLayer = transformer.layers[0]  # type: ignore[assignment]
    attention: Attention = first.self_attn
    layers = [_c_layer(layer, packer) for layer in transformer.layers]  # type: ignore[arg-type]
    steps = mimi.config.steps_per_latent
    taps = mimi.upsample.convtr.convtr.weight.detach().float()[:, 0].t()  # (2 x steps, d_model)
    begin, *middle, _, end = mimi.decoder.model
    # A stage is ELU, transposed convolution, residual block. The ELUs are left out: kernels apply each where they write the
    # input of what follows.
    stages = [
        _c_stage(up, residual, packer)
        for _, up, residual in zip(middle[::3], middle[1::3], middle[2::3], strict=True)
    ]
    assert attention.context is not None, "Mimi's transformer sees a window"
    return CMimi(
        is_bf16=packer.dtype == torch.bfloat16,
        latent_proj=packer.linear(weight, bias),
        steps_per_latent=steps, current_filter=packer.floats(taps[:steps]), previous_filter=packer.floats(taps[steps:]),
        filter_size=min(taps[:steps].numel(), taps[steps:].numel()),
        num_layers=len(layers), num_heads=attention.num_heads, head_dim=attention.head_dim,
        d_model=attention.in_proj.in_features, context=attention.context,
        layers=(CLayer * len(layers))(*layers),
        first_conv=_c_conv(begin, packer), last_conv=_c_conv(end, packer),
        num_stages=len(stages), stages=(CStage * len(stages))(*stages),
    )  # fmt: skip


def _c_layer(layer: TransformerLayer, packer: _Packer) -> CLayer:
    attention = layer.self_attn
    return CLayer(
        norm1=packer.norm(layer.norm1),
        norm2=packer.norm(layer.norm2),
        in_proj=packer.many(attention.in_proj.weight),
        out_proj=packer.many(scaled(attention.out_proj.weight, layer.layer_scale_1)),
        linear1=packer.many(layer.linear1.weight),
        linear2=packer.many(scaled(layer.linear2.weight, layer.layer_scale_2)),
    )


def _c_conv(module: nn.Module, packer: _Packer) -> CConv:
    assert isinstance(module, CausalConv1d)
    assert module.conv.dilation[0] == module.conv.stride[0] == 1
    weight = module.conv.weight.transpose(1, 2)  # (out, kernel, in)
    linear = packer.many(weight.flatten(1), module.conv.bias)
    return CConv(linear, weight.shape[2], weight.shape[1] - 1, module.pad_mode == "replicate")


def _c_stage(up: nn.Module, residual: nn.Module, packer: _Packer) -> CStage:
    assert isinstance(up, CausalConvTranspose1d)
    assert isinstance(residual, ResidualBlock)
    stride = up.convtr.stride[0]
    # Kernel 2S, stride S: the first half of the taps makes outputs of this input, the second half of the one before.
    by_tap = up.convtr.weight.detach().permute(2, 1, 0)  # (2 x stride, out, in)
    current, previous = by_tap[:stride].flatten(0, 1), by_tap[stride:].flatten(0, 1)
    bias = None if up.convtr.bias is None else up.convtr.bias.detach().repeat(stride)
    linear = packer.many(torch.cat([previous, current], dim=1), bias)
    residual_out = residual.block[3]
    assert isinstance(residual_out, CausalConv1d)
    return CStage(
        CConv(linear, by_tap.shape[2], 1, 0),
        stride,
        _c_conv(residual.block[1], packer),
        packer.many(residual_out.conv.weight.detach()[..., 0], residual_out.conv.bias),
    )
