"""Run in a process of its own, with the kernels compiled with sanitizers: mutated configs and weights, computed or refused.

    python -m tests.hostile.sanitized_story FOLDER CONFIGS WEIGHTS [SEED]

FOLDER holds the library, and the weights files while they are tried. Prints how many parts of models were computed with mutated
configs, then with mutated weights; the sanitizers end the process at the first fault.
"""

import copy
import math
import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from pocketvoice.errors import PocketVoiceError
from pocketvoice.model import flow_lm_native, mimi_native, native, weights
from pocketvoice.model.config import parse_config
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_native import NativeFlowLM
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.mimi_native import NativeMimiDecoder
from tests.model_factory import TINY, changed, random_tensors

SIZES = (1, 2, 3, 4, 5, 7, 11, 16, 20, 32, 33, 48, 64, 80, 128)
PRECISIONS: tuple[Any, ...] = ("float32", "bf16", "int8")
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


def mutated_weights(rng: random.Random, tensors: dict[str, Tensor]) -> bytes:
    """A file of weights in which a few tensors have other kinds, shapes or values; sometimes it is cut short or altered."""
    changed_ones = dict(tensors)
    for key in rng.sample(sorted(tensors), rng.randint(0, 3)):
        whole = tensors[key]
        match rng.randrange(5):
            case 0:
                kinds = (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.uint8, torch.bool)
                changed_ones[key] = whole.to(rng.choice(kinds))
            case 1:
                odd = rng.choice((math.nan, math.inf, -math.inf, 3e38, 1e-40))
                changed_ones[key] = torch.full_like(whole, odd)
            case 2:
                changed_ones[key] = whole.flatten()[: rng.randint(0, whole.numel())].clone()
            case 3:
                changed_ones[key] = whole.transpose(0, -1).contiguous() if whole.dim() else whole[None]
            case 4:
                del changed_ones[key]
    data = bytearray(safetensors.torch.save(changed_ones))
    if rng.random() < 0.2:
        data[rng.randrange(min(4000, len(data)))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)


def compute_weights(path: Path, config: Any, kernels: Any, precision: Any) -> int:
    """As `compute`, with the weights of a file."""
    tensors = weights.read_safetensors(path)
    network = weights.build(config, weights.flow_lm_tensors(tensors), weights.mimi_tensors(tensors))
    return compute(config, network.flow_lm, network.mimi, kernels, precision)


def compute_config(raw: dict[str, Any], kernels: Any, precision: Any) -> int:
    """As `compute`, with whatever weights a new network has."""
    config = parse_config(copy.deepcopy(raw), Path("a.yaml"))
    lm = FlowLM(config.flow_lm, config.mimi.quantizer.dimension, config.mimi.conditioning_dim)
    return compute(config, lm, Mimi(config.mimi), kernels, precision)


def compute(config: Any, lm: FlowLM, codec: Mimi, kernels: Any, precision: Any) -> int:
    """Speaks a few frames with a model; how many parts of it the kernels computed. Raises PocketVoiceError."""
    latent_dim, computed = config.mimi.quantizer.dimension, 0
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
    """Tries so many configs and so many files of weights."""
    folder, configs, files = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    kernels = native.find_library(folder)
    assert kernels is not None, "the library loads"
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 14)
    computed = [0, 0]
    for number in range(configs):
        with suppress(PocketVoiceError):
            computed[0] += compute_config(mutated(rng), kernels, PRECISIONS[number % 3])
    raw = changed(TINY, **{"flow_lm.lookup_table.n_bins": 20})
    config, tensors = parse_config(copy.deepcopy(raw), Path("a.yaml")), random_tensors(raw)
    for number in range(files):
        path = folder / f"{number}.safetensors"  # a new one each time: what is mapped must not be written to
        path.write_bytes(mutated_weights(rng, tensors))
        with suppress(PocketVoiceError):
            computed[1] += compute_weights(path, config, kernels, PRECISIONS[number % 3])
        path.unlink()
    print(*computed)


if __name__ == "__main__":
    with torch.no_grad():
        main()
