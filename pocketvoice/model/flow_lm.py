"""FlowLM as torch modules: text table, causal transformer over [voice][text][latents], flow head, end-of-speech head.

Batched, stateless, differentiable (training, parity); generation runs the same weights through `model.flow_lm_step`.
Sources: the flow head is the MLP with adaptive layer norm of MAR (arXiv 2406.11838); sampling by Lagrangian self-distillation
(arXiv 2505.18825) or flow matching (arXiv 2210.02747). Parameter names are the checkpoint's.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pocketvoice.model import mapped
from pocketvoice.model.config import FlowLMConfig, FlowType
from pocketvoice.model.transformer import Transformer

TIME_CONDITIONS: dict[FlowType, int] = {"lsd": 2, "flow_matching": 1, "drifting": 0, "pointwise": 0}
"""How many times a flow head is told: where a step begins and ends, where it is, or none."""


class TextTable(nn.Module):
    """Pieces -> vectors; low-rank with a projection when `rank` is set. One row more than pieces: padding."""

    def __init__(self, n_bins: int, dim: int, rank: int | None) -> None:
        super().__init__()
        self.embed = nn.Embedding(n_bins + 1, rank or dim)
        self.proj = None if rank is None else nn.Linear(rank, dim, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """(..., T) token numbers -> (..., T, dim)."""
        x = self.embed(tokens)
        return x if self.proj is None else self.proj(x)  # type: ignore[no-any-return]


class RMSNorm(nn.Module):
    """Divides by the (unbiased) standard deviation, as the checkpoints were trained; the mean is not subtracted."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.alpha = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """(..., C) -> (..., C)."""
        return x * (self.alpha * torch.rsqrt(self.eps + x.var(dim=-1, keepdim=True)))


class TimeEmbedding(nn.Module):
    """A time in 0..1 -> a vector."""

    freqs: Tensor

    def __init__(self, dim: int, frequencies: int = 256, max_period: float = 10000.0) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(frequencies, dim), nn.SiLU(), nn.Linear(dim, dim), RMSNorm(dim))
        half = frequencies // 2
        # On the CPU even while a model is built on the meta device: arithmetic there imports torch's compiler (2 s).
        index = torch.arange(half, dtype=torch.float32, device="cpu")
        self.register_buffer("freqs", torch.exp(-math.log(max_period) * index / half))

    def forward(self, t: Tensor) -> Tensor:
        """(..., 1) -> (..., dim)."""
        angle = t * self.freqs
        return self.mlp(torch.cat([torch.cos(angle), torch.sin(angle)], dim=-1))  # type: ignore[no-any-return]


class FlowBlock(nn.Module):
    """Residual MLP whose layer norm is shifted, scaled and gated by the condition."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.in_ln = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.adaLN_modulation = nn.Sequential(nn.SiLU(), nn.Linear(dim, 3 * dim))

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        """(..., dim), (..., dim) -> (..., dim)."""
        shift, scale, gate = self.adaLN_modulation(condition).chunk(3, dim=-1)
        return x + gate * self.mlp(self.in_ln(x) * (1 + scale) + shift)  # type: ignore[no-any-return]


class FlowOutput(nn.Module):
    """The last layer: modulated norm and a projection to the latent."""

    def __init__(self, dim: int, latent_dim: int) -> None:
        super().__init__()
        self.norm_final = nn.LayerNorm(dim, eps=1e-6, elementwise_affine=False)
        self.linear = nn.Linear(dim, latent_dim)
        self.adaLN_modulation = nn.Sequential(nn.SiLU(), nn.Linear(dim, 2 * dim))

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        """(..., dim), (..., dim) -> (..., latent_dim)."""
        shift, scale = self.adaLN_modulation(condition).chunk(2, dim=-1)
        return self.linear(self.norm_final(x) * (1 + scale) + shift)  # type: ignore[no-any-return]


class FlowHead(nn.Module):
    """Condition, times and a point -> the flow at that point (or the sample itself, by the config's flow type)."""

    def __init__(
        self, latent_dim: int, dim: int, depth: int, condition_dim: int, time_conditions: int
    ) -> None:
        super().__init__()
        self.time_embed = nn.ModuleList(TimeEmbedding(dim) for _ in range(time_conditions))
        self.cond_embed = nn.Linear(condition_dim, dim)
        self.input_proj = nn.Linear(latent_dim, dim)
        self.res_blocks = nn.ModuleList(FlowBlock(dim) for _ in range(depth))
        self.final_layer = FlowOutput(dim, latent_dim)

    def time_vector(self, *times: Tensor) -> Tensor | float:
        """The mean of the embeddings of the given times (..., 1); zero for a head without time."""
        embedded = [embed(t) for embed, t in zip(self.time_embed, times, strict=True)]
        return torch.stack(embedded).mean(dim=0) if embedded else 0.0

    def forward(self, condition: Tensor, times: tuple[Tensor, ...], x: Tensor) -> Tensor:
        """(..., condition), times each (..., 1), (..., latent_dim) -> (..., latent_dim)."""
        x = self.input_proj(x)
        y = self.cond_embed(condition) + self.time_vector(*times)
        for block in self.res_blocks:
            x = block(x, y)
        return self.final_layer(x, y)  # type: ignore[no-any-return]


class FlowLM(nn.Module):
    """The whole language model. `latent_dim` is the size of the codec's latent, the numbers of one frame."""

    emb_std: Tensor
    emb_mean: Tensor

    def __init__(self, config: FlowLMConfig, latent_dim: int, conditioning_dim: int) -> None:
        super().__init__()
        self.config = config
        self.latent_dim = latent_dim
        dim = config.transformer.d_model
        out_dim = config.z_dim or dim
        self.conditioner = TextTable(config.lookup_table.n_bins, dim, config.lookup_table.rank)
        self.flow_net = FlowHead(
            latent_dim, config.flow.dim, config.flow.depth, out_dim, TIME_CONDITIONS[config.flow.type]
        )
        self.register_buffer("emb_std", torch.ones(latent_dim))
        self.register_buffer("emb_mean", torch.zeros(latent_dim))
        self.bos_emb = nn.Parameter(torch.randn(latent_dim))
        if config.insert_bos_before_voice:
            self.bos_before_voice = nn.Parameter(torch.randn(1, 1, dim))
        self.input_linear = nn.Linear(latent_dim, dim, bias=False)
        self.transformer = Transformer.for_flow_lm(config.transformer)
        self.out_norm = nn.LayerNorm(dim, eps=1e-5)
        self.z_proj = None if config.z_dim is None else nn.Linear(dim, config.z_dim, bias=False)
        self.out_eos = nn.Linear(out_dim, 1)
        self.speaker_proj_weight = nn.Parameter(torch.zeros(dim, conditioning_dim))

    def voice_embeddings(self, encoded: Tensor) -> Tensor:
        """Encoded clip (B, frames, conditioning_dim) -> prompt (B, frames [+ 1], d_model)."""
        prompt = F.linear(encoded, self.speaker_proj_weight.to(encoded.dtype))
        if not self.config.insert_bos_before_voice:
            return prompt
        bos = self.bos_before_voice.to(encoded.dtype).expand(prompt.shape[0], -1, -1)
        return torch.cat([bos, prompt], dim=1)

    def hidden(self, prefix: Tensor, latents: Tensor) -> Tensor:
        """Conditions for the heads: prefix (B, P, d_model), normalised input latents (B, T, latent_dim) -> (B, T, out_dim)."""
        x = self.transformer(torch.cat([prefix, self.input_linear(latents)], dim=1))
        x = self.out_norm(x[:, prefix.shape[1] :])
        return x if self.z_proj is None else self.z_proj(x)  # type: ignore[no-any-return]

    def sample(self, condition: Tensor, noise: Tensor, steps: int) -> Tensor:
        """One latent per condition: (..., out_dim), noise (..., latent_dim) -> (..., latent_dim), by the config's flow type."""
        kind, head = self.config.flow.type, self.flow_net
        if kind == "drifting":
            return head(condition, (), noise)  # type: ignore[no-any-return]
        if kind == "pointwise":
            return noise + head(condition, (), noise)  # type: ignore[no-any-return]
        # Euler's method from noise at time 0 to the latent at 1; lsd's head is told where the step ends, too.
        x, ones = noise, torch.ones_like(noise[..., :1])
        for i in range(steps):
            times = (ones * (i / steps), ones * ((i + 1) / steps))[: TIME_CONDITIONS[kind]]
            x = x + head(condition, times, x) / steps
        return x


def all_modulations(head: FlowHead) -> tuple[Tensor, Tensor]:
    """Weights and biases of all adaptive norms as one layer; the 1 of `1 + scale` is in the bias."""
    parts = [*head.res_blocks, head.final_layer]
    layers: list[torch.nn.Linear] = [part.adaLN_modulation[1] for part in parts]
    weight = torch.cat([layer.weight.detach() for layer in layers])
    bias = torch.cat([layer.bias.detach().float() for layer in layers])
    by_kind = bias.view(-1, head.cond_embed.out_features)
    by_kind[1::3] += 1  # shift, scale, gate repeat; the last layer's scale is row 3 x blocks + 1
    for layer in layers:
        mapped.release(layer.weight)
    return weight, bias


def time_vectors(head: FlowHead, steps: int) -> Tensor:
    """(steps, dim): what the times of each decode step add to the condition."""
    if not len(head.time_embed):
        return torch.zeros(
            1, head.cond_embed.out_features, dtype=torch.float32, device=head.cond_embed.weight.device
        )
    head.time_embed.float()  # small, and their precision on disk is too coarse to compute in
    ones = torch.ones(1, dtype=torch.float32, device=head.cond_embed.weight.device)
    rows = [
        head.time_vector(*(ones * i / steps, ones * (i + 1) / steps)[: len(head.time_embed)])
        for i in range(steps)
    ]
    return torch.stack([row.detach() for row in rows if isinstance(row, Tensor)])
