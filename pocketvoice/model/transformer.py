"""The transformer shared by FlowLM and Mimi, as torch modules: pre-norm, RoPE on interleaved pairs, causal attention, GELU (tanh).

`forward` is the batched, stateless, differentiable form (training, parity). Inference with a KV cache runs the same weights
through `model.streaming`. Parameter names are the checkpoint's.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pocketvoice.model.config import FlowLMTransformerConfig, MimiTransformerConfig


def rope_table(positions: int, head_dim: int, max_period: float) -> Tensor:
    """Rotations of the positions 0..positions-1 as complex numbers (positions, head_dim / 2). RoPE: arXiv 2104.09864."""
    index = torch.arange(head_dim // 2, dtype=torch.float32)
    frequency = torch.exp(index * (-math.log(max_period) * 2 / head_dim))
    angle = torch.arange(positions, dtype=torch.float32)[:, None] * frequency
    return torch.complex(torch.cos(angle), torch.sin(angle))


def rotate(x: Tensor, table: Tensor) -> Tensor:
    """Applies RoPE to x (..., T, H, D) with the rotations `table` (T, D / 2); pairs are interleaved."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * table[:, None]).flatten(-2).to(x.dtype)


def banded_mask(queries: int, context: int | None) -> Tensor | None:
    """True where query i may see key j of its own sequence: causal and at most `context` back; None means plainly causal."""
    if context is None or context >= queries:
        return None
    distance = torch.arange(queries)[:, None] - torch.arange(queries)
    return (distance >= 0) & (distance < context)


class Attention(nn.Module):
    """Multi-head attention with grouped key/value heads; `in_proj` yields queries, keys and values in this order."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        max_period: float,
        context: int | None = None,
        attn_dim: int | None = None,
        num_kv_heads: int | None = None,
    ) -> None:
        super().__init__()
        self.attn_dim = attn_dim or d_model
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads or num_heads
        self.head_dim = self.attn_dim // num_heads
        self.max_period = max_period
        self.context = context
        kv_dim = self.head_dim * self.num_kv_heads
        self.in_proj = nn.Linear(d_model, self.attn_dim + 2 * kv_dim, bias=False)
        self.out_proj = nn.Linear(self.attn_dim, d_model, bias=False)

    def split(self, projected: Tensor) -> tuple[Tensor, Tensor]:
        """(..., T, all) -> queries and keys together (..., T, H + H_kv, D), values (..., T, H_kv, D)."""
        heads = projected.unflatten(-1, (-1, self.head_dim))
        return heads[..., : self.num_heads + self.num_kv_heads, :], heads[
            ..., self.num_heads + self.num_kv_heads :, :
        ]

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, d_model) -> (B, T, d_model); every position sees itself and what came before."""
        qk, v = self.split(self.in_proj(x))
        qk = rotate(qk, rope_table(x.shape[1], self.head_dim, self.max_period).to(x.device)).transpose(1, 2)
        q, k = qk[:, : self.num_heads], qk[:, self.num_heads :]
        mask = banded_mask(x.shape[1], self.context)
        out = F.scaled_dot_product_attention(
            q, k, v.transpose(1, 2),
            attn_mask=None if mask is None else mask.to(x.device),
            is_causal=mask is None,
            enable_gqa=self.num_kv_heads != self.num_heads,
        )  # fmt: skip
        return self.out_proj(out.transpose(1, 2).flatten(2))  # type: ignore[no-any-return]


class LayerScale(nn.Module):
    """A learnt factor per channel on the update of a residual block."""

    def __init__(self, channels: int, init: float) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((channels,), init))

    def forward(self, x: Tensor) -> Tensor:
        """(..., C) -> (..., C)."""
        return self.scale * x


class TransformerLayer(nn.Module):
    """Attention and feed-forward, each behind a layer norm, each with an optional layer scale."""

    def __init__(
        self, attention: Attention, d_model: int, feedforward: int, layer_scale: float | None
    ) -> None:
        super().__init__()
        self.self_attn = attention
        self.norm1 = nn.LayerNorm(d_model, eps=1e-5)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-5)
        self.linear1 = nn.Linear(d_model, feedforward, bias=False)
        self.linear2 = nn.Linear(feedforward, d_model, bias=False)
        scales = [
            nn.Identity() if layer_scale is None else LayerScale(d_model, layer_scale) for _ in range(2)
        ]
        self.layer_scale_1, self.layer_scale_2 = scales

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, C) -> (B, T, C)."""
        x = x + self.layer_scale_1(self.self_attn(self.norm1(x)))
        return x + self.layer_scale_2(self.linear2(F.gelu(self.linear1(self.norm2(x)), approximate="tanh")))  # type: ignore[no-any-return]


class Transformer(nn.Module):
    """A stack of layers over the same width."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_layers: int,
        feedforward: int,
        max_period: float,
        context: int | None = None,
        layer_scale: float | None = None,
        attn_dim: int | None = None,
        num_kv_heads: int | None = None,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            TransformerLayer(
                Attention(d_model, num_heads, max_period, context, attn_dim, num_kv_heads),
                d_model, feedforward, layer_scale,
            )
            for _ in range(num_layers)
        )  # fmt: skip

    @classmethod
    def for_flow_lm(cls, config: FlowLMTransformerConfig) -> "Transformer":
        """FlowLM's: unlimited context, no layer scale."""
        return cls(
            config.d_model, config.num_heads, config.num_layers, config.feedforward, config.max_period,
            attn_dim=config.attn_dim, num_kv_heads=config.num_kv_heads,
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, C) -> (B, T, C)."""
        for layer in self.layers:
            x = layer(x)
        return x


class ProjectedTransformer(nn.Module):
    """Mimi's transformer: a projection in and out where the widths differ."""

    def __init__(self, config: MimiTransformerConfig) -> None:
        super().__init__()
        self.transformer = Transformer(
            config.d_model, config.num_heads, config.num_layers, config.dim_feedforward, config.max_period,
            context=config.context, layer_scale=config.layer_scale,
        )  # fmt: skip
        same = config.d_model == config.input_dimension
        self.input_proj = None if same else nn.Linear(config.input_dimension, config.d_model, bias=False)
        self.output_projs = nn.ModuleList(
            nn.Identity() if width == config.d_model else nn.Linear(config.d_model, width, bias=False)
            for width in config.output_dimensions
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, input_dimension) -> (B, T, output_dimension)."""
        if self.input_proj is not None:
            x = self.input_proj(x)
        return self.output_projs[0](self.transformer(x))  # type: ignore[no-any-return]
