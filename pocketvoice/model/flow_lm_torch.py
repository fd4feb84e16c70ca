"""FlowLM through torch: where there are no kernels for the machine, model or device, and what kernels are compared with.

It runs on the device of the weights. Not thread-safe: one owner.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from pocketvoice.model.flow_lm import TIME_CONDITIONS, FlowBlock, FlowLM, all_modulations, time_vectors
from pocketvoice.model.graph import Direct, Graph
from pocketvoice.model.linear import Precision, pack
from pocketvoice.model.streaming import StreamingTransformer


class _Block:
    """One residual block of the flow head, packed."""

    def __init__(self, block: FlowBlock, precision: Precision) -> None:
        self.norm = (block.in_ln.weight.detach().float(), block.in_ln.bias.detach().float())
        self.first = pack(block.mlp[0].weight, block.mlp[0].bias, precision)  # type: ignore[arg-type]
        self.second = pack(block.mlp[2].weight, block.mlp[2].bias, precision)  # type: ignore[arg-type]


class FlowSampler:
    """The flow head with its decode steps: condition (1, width) and noise (1, latent_dim) -> latent (1, latent_dim)."""

    def __init__(self, flow_lm: FlowLM, steps: int, precision: Precision) -> None:
        head = flow_lm.flow_net
        self._kind = flow_lm.config.flow.type
        self._flow_net = head  # for its time embeddings
        self._dim = head.cond_embed.out_features
        self._condition = pack(head.cond_embed.weight, head.cond_embed.bias, precision)
        self._input = pack(head.input_proj.weight, head.input_proj.bias, precision)
        self._blocks = [_Block(block, precision) for block in head.res_blocks]  # type: ignore[arg-type]
        self._output = pack(head.final_layer.linear.weight, head.final_layer.linear.bias, precision)
        self._modulation = pack(*all_modulations(head), precision)
        self.use_steps(steps)

    def use_steps(self, steps: int) -> None:
        """Sets the decode steps; heads without time always take one."""
        self.steps = steps if TIME_CONDITIONS[self._kind] else 1
        self._times = time_vectors(self._flow_net, self.steps)

    def sample(self, condition: Tensor, noise: Tensor) -> Tensor:
        """One latent; `noise` is not changed."""
        # Each step's modulations depend on its time alone, not on x: one product makes those of all steps and blocks.
        modulations = self._modulation(F.silu(self._condition(condition) + self._times))
        x = noise
        for row in modulations.view(self.steps, -1, 1, self._dim).unbind(0):
            flow = self._head(x, row.unbind(0))
            if self._kind == "drifting":
                return flow
            x = torch.add(x, flow, alpha=1 / self.steps)
        return x

    def _head(self, x: Tensor, modulation: Sequence[Tensor]) -> Tensor:
        """`modulation` 3 x blocks + 2 of (1, dim): shift, 1 + scale, gate of each block, then shift, 1 + scale."""
        x = self._input(x)
        for i, block in enumerate(self._blocks):
            shift, scale, gate = modulation[3 * i : 3 * i + 3]
            hidden = torch.addcmul(shift, F.layer_norm(x, (self._dim,), *block.norm, 1e-6), scale)
            x = torch.addcmul(x, gate, block.second(F.silu(block.first(hidden))))
        normed = F.layer_norm(x, (self._dim,), None, None, 1e-6)
        return self._output(torch.addcmul(modulation[-2], normed, modulation[-1]))


class TorchFlowLM:
    """The model, packed; `cache` is its transformer too."""

    def __init__(self, flow_lm: FlowLM, decode_steps: int, precision: Precision) -> None:
        self.cache = StreamingTransformer(flow_lm.transformer, precision)
        self.sampler = FlowSampler(flow_lm, decode_steps, precision)
        self._device = flow_lm.bos_emb.device
        self._graph = Graph(self._run) if flow_lm.bos_emb.is_cpu else Direct(self._run_elsewhere)
        self._input = pack(flow_lm.input_linear.weight, None, precision)
        self._out_norm = (flow_lm.out_norm.weight.detach().float(), flow_lm.out_norm.bias.detach().float())
        self._z_proj = None if flow_lm.z_proj is None else pack(flow_lm.z_proj.weight, None, precision)
        self._eos_weight = flow_lm.out_eos.weight.detach().float()
        self._eos_bias = flow_lm.out_eos.bias.detach().float()

    @property
    def steps(self) -> int:
        """Decode steps of the flow head for each frame."""
        return self.sampler.steps

    def use_steps(self, steps: int) -> None:
        """Sets the decode steps of the flow head; heads without time always take one."""
        self.sampler.use_steps(steps)

    def append(self, x: Tensor) -> None:
        """Runs the transformer's next inputs (T, d_model), of which only keys and values are kept."""
        self.cache.append(x)

    def step(self, latent: Tensor, noise: Tensor) -> tuple[Tensor, float]:
        """Appends a latent (1, latent_dim); returns the next one, made of `noise`, and the end-of-speech logit."""
        place = self.cache.place(1)
        latent, eos = self._graph(self.sampler.steps, latent, noise, place.cache, place.rotations)
        self.cache.advance(1)
        return latent, eos.item()

    def _run_elsewhere(
        self, latent: Tensor, noise: Tensor, cache: Tensor, rotations: Tensor
    ) -> tuple[Tensor, Tensor]:
        """`_run` on another device; noise is drawn on the CPU everywhere, so that a seed repeats the sound."""
        return self._run(latent, noise.to(self._device), cache, rotations)

    def _run(self, latent: Tensor, noise: Tensor, cache: Tensor, rotations: Tensor) -> tuple[Tensor, Tensor]:
        condition = self._condition(self.cache.run(self._input(latent), cache, rotations))
        eos = F.linear(condition, self._eos_weight, self._eos_bias)
        return self.sampler.sample(condition, noise), eos

    def _condition(self, x: Tensor) -> Tensor:
        x = F.layer_norm(x, (self.cache.d_model,), *self._out_norm, 1e-5)
        return x if self._z_proj is None else self._z_proj(x)
