"""Run in a process of its own, with the kernels compiled with sanitizers: mutated configs, each of which computes or is refused.

    python -m tests.hostile.sanitized_story FOLDER COUNT

FOLDER holds the library. Prints how many models were computed; the sanitizers end the process at the first fault.
"""

import copy
import random
import sys
from pathlib import Path
from typing import Any

import torch

from pocketvoice.errors import PocketVoiceError
from pocketvoice.model import flow_lm_native, mimi_native, native
from pocketvoice.model.config import parse_config
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_native import NativeFlowLM
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.mimi_native import NativeMimiDecoder
from tests.model_factory import TINY, changed

SIZES = (1, 2, 3, 4, 5, 7, 11, 16, 20, 32, 33, 48, 64, 80, 128)
PLACES = (
    "flow_lm.flow.dim", "flow_lm.flow.depth", "flow_lm.transformer.num_heads", "flow_lm.transformer.num_kv_heads",
    "flow_lm.transformer.num_layers", "flow_lm.transformer.hidden_scale", "flow_lm.transformer.attn_dim",
    "flow_lm.transformer.dim_feedforward", "flow_lm.z_dim", "mimi.inner_dim", "mimi.seanet.n_filters", "mimi.seanet.kernel_size",
    "mimi.seanet.residual_kernel_size", "mimi.seanet.last_kernel_size", "mimi.seanet.compress", "mimi.transformer.num_heads",
    "mimi.transformer.num_layers", "mimi.transformer.context", "mimi.transformer.dim_feedforward", "mimi.quantizer.dimension",
)  # fmt: skip


def mutated(rng: random.Random) -> dict[str, Any]:
    """The tiny config with a few other sizes; often with other strides, and the frame rate that belongs to them, or nearly so."""
    changes: dict[str, Any] = {rng.choice(PLACES): rng.choice(SIZES) for _ in range(rng.randint(0, 3))}
    if rng.random() < 0.5:
        ratios = [rng.choice((1, 2, 3, 5, 11)) for _ in range(rng.randint(1, 3))]
        hop = ratios[0] * (ratios[1] if len(ratios) > 1 else 1) * (ratios[2] if len(ratios) > 2 else 1)
        frame = hop * rng.randint(1, 80) + rng.choice((0, 0, 0, 1e-9, 1))
        changes |= {"mimi.seanet.ratios": ratios, "mimi.frame_rate": 24_000 / frame}
    return changed(TINY, **{"flow_lm.lookup_table.n_bins": 20, **changes})


def compute(raw: dict[str, Any], kernels: Any, precision: Any) -> int:
    """Speaks a few frames with a model of a config; how many parts of it the kernels computed. Raises PocketVoiceError."""
    config = parse_config(copy.deepcopy(raw), Path("a.yaml"))
    latent_dim, computed = config.mimi.quantizer.dimension, 0
    lm, codec = FlowLM(config.flow_lm, latent_dim, config.mimi.conditioning_dim), Mimi(config.mimi)
    if flow_lm_native.supports(lm, kernels):
        step = NativeFlowLM(lm, 2, precision, kernels=kernels)
        step.append(torch.randn(70, step.cache.d_model))
        for _ in range(3):
            step.step(torch.randn(1, latent_dim), torch.randn(1, latent_dim))
        computed += 1
    if mimi_native.supports(codec, kernels):
        width = config.mimi.decoder.dimension
        decoder = NativeMimiDecoder(
            codec, torch.randn(width, latent_dim), torch.zeros(width), "float32", kernels=kernels
        )
        for frames in (1, 9, 2):
            assert decoder.decode(torch.randn(frames, latent_dim)).shape == (frames * config.mimi.frame_size,)
        computed += 1
    return computed


def main() -> None:
    """Tries so many configs."""
    kernels = native.find_library(Path(sys.argv[1]))
    assert kernels is not None, "the library loads"
    rng, computed = random.Random(14), 0
    for number in range(int(sys.argv[2])):
        try:
            computed += compute(mutated(rng), kernels, ("float32", "bf16", "int8")[number % 3])
        except PocketVoiceError:
            continue
    print(computed)


if __name__ == "__main__":
    with torch.no_grad():
        main()
