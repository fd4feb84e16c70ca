"""What the tests of the compiled kernels share: small models, inputs, and runs that can be compared."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_native import NativeFlowLM
from pocketvoice.model.flow_lm_torch import TorchFlowLM
from tests.model.test_precision import filled
from tests.model_factory import difference

KINDS = {"float32": torch.float32, "bf16": torch.bfloat16}

Run = tuple[Tensor, Tensor, Tensor]
"""Latents (steps, latent_dim), end-of-speech logits (steps,), keys and values (layers, 2, T, H_kv, D)."""
Packed = partial[NativeFlowLM]
"""`NativeFlowLM` with the kernels of one library."""


def seeded(*shape: int, seed: int = 5) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def flow_lm(**changes: Any) -> FlowLM:
    """The tiny model with changes below `flow_lm.`; its end of speech depends on what was said."""
    return filled(**{f"flow_lm.{name}": value for name, value in changes.items()})[0]


def state(model: NativeFlowLM | TorchFlowLM) -> Tensor:
    return torch.stack([model.cache.read_cache(layer) for layer in range(model.cache.layers)])


def steps_of(model: NativeFlowLM | TorchFlowLM, module: FlowLM, count: int = 5) -> tuple[Tensor, Tensor]:
    """Of inputs that do not depend on results."""
    given = seeded(count, 2, 1, module.latent_dim)
    results = [model.step(latent, noise) for latent, noise in given]
    return torch.cat([latent for latent, _ in results]), torch.tensor([eos for _, eos in results])


def run(model: NativeFlowLM | TorchFlowLM, module: FlowLM, rows: int = 9) -> Run:
    """A prompt, then steps."""
    model.append(seeded(rows, model.cache.d_model, seed=rows))
    return *steps_of(model, module), state(model)


def assert_near(ours: Run, theirs: Run, tolerance: float = 1e-5) -> None:
    for mine, expected in zip(ours, theirs, strict=True):
        assert difference(mine, expected) < tolerance


def assert_same(ours: Run, theirs: Run) -> None:
    for mine, expected in zip(ours, theirs, strict=True):
        assert torch.equal(mine, expected)


def unaligned(tensor: Tensor) -> Tensor:
    """A copy that begins one number after where memory would."""
    shifted = torch.empty(tensor.numel() + 1, dtype=tensor.dtype)[1:]
    assert shifted.data_ptr() % 16 == tensor.element_size()
    return shifted.copy_(tensor.flatten()).view(tensor.shape)
