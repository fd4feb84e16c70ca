"""FlowLM through the compiled kernels against torch, in every library that this processor can run."""

import copy
import ctypes
import math
from typing import Any

import pytest
import torch

from pocketvoice.model import flow_lm_native
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.flow_lm_torch import TorchFlowLM
from pocketvoice.model.linear import PRECISIONS, Precision
from tests.model.kernel_parts import (
    KINDS,
    Packed,
    assert_near,
    assert_same,
    flow_lm,
    run,
    seeded,
    state,
    steps_of,
    unaligned,
)
from tests.model.test_precision import filled, relative
from tests.model_factory import difference

FLOW_TYPES = ["lsd", "flow_matching", "drifting", "pointwise"]

pytestmark = pytest.mark.usefixtures("_no_gradients")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"transformer.num_kv_heads": 4},
        {"transformer.num_kv_heads": 1},
        {"transformer.attn_dim": 128},
        {"transformer.attn_dim": 256, "transformer.num_kv_heads": 4},
        {"transformer.attn_dim": 512},
        {"transformer.num_heads": 2, "transformer.num_kv_heads": 1, "transformer.attn_dim": 256},
        {"transformer.num_heads": 6, "transformer.num_kv_heads": 3, "transformer.d_model": 96, "lookup_table.dim": 96},
        {"transformer.d_model": 112, "transformer.attn_dim": 64, "lookup_table.dim": 112, "transformer.hidden_scale": 3},
        {"transformer.num_layers": 1},
        {"z_dim": 48},
        {"z_dim": 160},
        {"flow.dim": 112},
        {"flow.dim": 16, "flow.depth": 1},
        {"flow.dim": 240},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_torchs(packed: Packed, kernels: ctypes.CDLL, changes: dict[str, Any], kind: str) -> None:
    module = flow_lm(**changes).to(KINDS[kind])
    assert flow_lm_native.supports(module, kernels)
    ours = run(packed(module, 1, "float32"), module)
    assert_near(ours, run(TorchFlowLM(module, 1, "float32"), module))


@pytest.mark.parametrize("kind", FLOW_TYPES)
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_latents_are_torchs_for_every_head(packed: Packed, kind: str, steps: int) -> None:
    module = flow_lm(**{"flow.type": kind})
    ours, theirs = packed(module, steps, "float32"), TorchFlowLM(module, steps, "float32")
    assert ours.steps == theirs.steps
    assert_near(run(ours, module), run(theirs, module))


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("latent_dim", [16, 32, 48, 128, 1024])
def test_latents_may_be_wide(packed: Packed, latent_dim: int) -> None:
    """Also wider than all else."""
    module = filled(**{"mimi.quantizer.dimension": latent_dim})[0]
    expected = run(TorchFlowLM(module, 2, "float32"), module)
    assert_near(run(packed(module, 2, "float32"), module), expected)
    for mine, wanted in zip(run(packed(module, 2, "int8"), module), expected, strict=True):
        assert relative(mine, wanted) < 0.1


def test_inputs_may_be_of_any_kind(packed: Packed) -> None:
    module = flow_lm()
    one, other = packed(module, 1, "float32"), packed(module, 1, "float32")
    rows, (latent, noise) = seeded(12, 64).bfloat16(), seeded(2, 16, 1).bfloat16()
    one.append(rows.float())
    other.append(rows)
    mine = one.step(latent.t().float().contiguous(), noise.t().float().contiguous())
    converted = other.step(latent.t(), noise.t())
    assert torch.equal(converted[0], mine[0])
    assert converted[1] == mine[1]


def test_steps_of_the_head_change_while_it_speaks(packed: Packed) -> None:
    module = flow_lm()
    ours, theirs = (kind(module, 1, "float32") for kind in (packed, TorchFlowLM))
    for steps in (1, 16, 2):
        for model in (ours, theirs):
            model.use_steps(steps)
        assert_near(run(ours, module), run(theirs, module))


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("kind", FLOW_TYPES)
def test_lower_precisions_are_as_near_as_torchs(packed: Packed, kind: str) -> None:
    module = flow_lm(**{"flow.type": kind, "z_dim": 48})
    exact = run(TorchFlowLM(module, 2, "float32"), module, 70)
    for precision in ("bf16", "int8"):
        ours = run(packed(module, 2, precision), module, 70)
        theirs = run(TorchFlowLM(module, 2, precision), module, 70)
        for mine, torchs, wanted in zip(ours, theirs, exact, strict=True):
            assert relative(mine, wanted) < 1.3 * relative(torchs, wanted) + 1e-3


def test_sums_of_the_widest_layers_fit_in_32_bits(packed: Packed) -> None:
    """All weights and all inputs as large as they get."""
    module = flow_lm(**{"transformer.hidden_scale": 1024, "transformer.num_layers": 1})
    layer = module.transformer.layers[0]
    assert layer.linear2.in_features == 65536
    layer.norm2.weight.zero_()
    layer.norm2.bias.fill_(0.1)
    layer.linear1.weight.fill_(1.0)
    layer.linear2.weight.fill_(1e-4)
    layer.linear2.weight[1::2] *= -1
    ours = run(packed(module, 1, "int8"), module)
    assert_near(ours, run(TorchFlowLM(module, 1, "float32"), module), 0.02)


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_weights_may_lie_anywhere(packed: Packed, precision: Precision, kind: str) -> None:
    """As those do that are mapped from a file."""
    module = flow_lm().to(KINDS[kind])
    expected = run(packed(module, 2, precision), module)
    for name, parameter in module.named_parameters():
        if "time_embed" not in name:  # which torch computes, in an order that depends on where they lie
            parameter.data = unaligned(parameter.data)
    assert_same(run(packed(module, 2, precision), module), expected)


def test_rewound_and_grown_cache_is_as_a_fresh_one(packed: Packed) -> None:
    module = flow_lm()
    ours, theirs = (kind(module, 1, "float32") for kind in (packed, TorchFlowLM))
    expected = run(packed(module, 1, "float32"), module, 250)
    for model in (ours, theirs):
        model.append(seeded(250, 64, seed=250))
        capacity = model.cache.cache_shape[3]
        steps_of(model, module, 20)
        assert model.cache.cache_shape[3] > capacity, "it grew between steps"
        model.append(seeded(300, 64))
        model.cache.rewind(250)
    ours_after = *steps_of(ours, module), state(ours)
    assert_same(ours_after, expected)
    assert_near(ours_after, (*steps_of(theirs, module), state(theirs)))


@pytest.mark.parametrize("rows", [1, 70])
def test_cache_may_be_full(packed: Packed, rows: int) -> None:
    """The last place and the last score are those of the last position; nothing depends on what lies behind."""
    module = flow_lm()
    model = packed(module, 1, "float32")
    model.cache.reserve(192)
    model.append(seeded(192 - rows, 64, seed=1))
    last = seeded(rows, 64, seed=2)
    if rows == 1:
        model.step(seeded(1, 16), seeded(1, 16))
    else:
        model.append(last)
    assert model.cache.cache_shape[3] == model.cache.position == 192
    exact = TorchFlowLM(module, 1, "float32")
    exact.append(seeded(192 - rows, 64, seed=1))
    if rows == 1:
        exact.step(seeded(1, 16), seeded(1, 16))
    else:
        exact.append(last)
    assert difference(state(model), state(exact)) < 1e-5


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_nothing_depends_on_what_memory_held(packed: Packed, precision: Precision) -> None:
    module = flow_lm(z_dim=48)
    expected = run(packed(module, 2, precision), module, 70)
    model = packed(module, 2, precision)
    model.make_room(100)
    model.cache.room(100)[0].fill_(math.nan)
    model.workspace.fill_(255)  # NaN, whatever it is read as
    model.append(seeded(70, 64, seed=70))
    latents, ends = [], []
    for latent, noise in seeded(5, 2, 1, 16):
        model.workspace.fill_(255)
        latent, eos = model.step(latent, noise)
        latents.append(latent)
        ends.append(eos)
    assert_same((torch.cat(latents), torch.tensor(ends), state(model)), expected)


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_damaged_weights_give_no_logit(packed: Packed, precision: Precision) -> None:
    """A single one; the engine makes an error of a logit that is no number."""
    module = flow_lm(z_dim=48)
    unused = ("conditioner", "speaker_proj", "bos")
    names = [name for name, _ in module.named_parameters() if not name.startswith(unused)]
    assert len(names) > 40
    for name in names:
        damaged = copy.deepcopy(module)
        weights = damaged.get_parameter(name).data.view(-1)
        weights[weights.numel() // 3] = math.nan
        model = packed(damaged, 1, precision)
        model.append(seeded(3, 64))
        latent, _ = model.step(seeded(1, 16), seeded(1, 16, seed=6))
        _, eos = model.step(latent, seeded(1, 16, seed=7))  # what is wrong in the head is seen one step later
        assert math.isnan(eos), name


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_same_noise_gives_the_same_latents(kernels: ctypes.CDLL, precision: Precision) -> None:
    module = flow_lm()
    runs = []
    for threads in (1, 4, 1):
        step = FlowLMStep(module, 2, precision, threads=threads, find_kernels=lambda: kernels)
        step.append_text([3, 1, 4] * 10)
        latent, latents = None, []
        for noise in seeded(30, 1, 16):
            latent, _ = step.step(latent, noise)
            latents.append(latent)
        runs.append(torch.cat(latents))
    assert torch.equal(runs[1], runs[0])
    assert torch.equal(runs[2], runs[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"transformer.num_heads": 8},
        {"transformer.attn_dim": 96},
        {"flow.dim": 24},
        {"z_dim": 24},
        {"transformer.hidden_scale": 1025},
        {"transformer.d_model": 72, "transformer.attn_dim": 64, "lookup_table.dim": 72},
        {"mimi.quantizer.dimension": 24},
    ],
    ids=str,
)
def test_other_shapes_are_torchs(kernels: ctypes.CDLL, changes: dict[str, Any]) -> None:
    module = filled(**{key if "mimi" in key else f"flow_lm.{key}": value for key, value in changes.items()})[
        0
    ]
    assert not flow_lm_native.supports(module, kernels)
    step = FlowLMStep(module, find_kernels=lambda: kernels)
    assert not step.uses_kernels
    step.append_text([3, 1, 4])
    assert step.step(None, torch.randn(1, module.latent_dim))[0].isfinite().all()
