"""Lower precisions stay near float32; the batched modules train."""

import copy
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor

from pocketvoice.errors import InputError
from pocketvoice.model import linear
from pocketvoice.model.config import parse_config
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.linear import PRECISIONS, Precision, pack, pack_batched
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.mimi_stream import MimiDecoder
from tests.model_factory import TINY, changed, modules, random_tensors

TOLERANCE: dict[Precision, float] = {"float32": 1e-6, "bf16": 0.02, "int8": 0.04}


def relative(ours: Tensor, exact: Tensor) -> float:
    """Root mean square of the difference against that of the exact values."""
    return float((ours - exact).square().mean().sqrt() / exact.square().mean().sqrt())


def filled(**changes) -> tuple[FlowLM, Mimi]:
    raw = changed(TINY, **{"flow_lm.lookup_table.n_bins": 30, **changes})
    flow_lm, codec = modules(raw)
    tensors = random_tensors(raw, seed=4, eos="chance")
    for module, name in ((flow_lm, "flow_lm."), (codec, "mimi.")):
        module.load_state_dict({k.removeprefix(name): v for k, v in tensors.items() if k.startswith(name)})
    return flow_lm, codec


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@torch.no_grad()
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("rows", [1, 2, 33])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("gelu", [True, False])
@pytest.mark.parametrize("machine", ["this", "no bf16", "no oneDNN"])
@pytest.mark.parametrize("packed", [pack, pack_batched])
def test_packed_layer_stays_near(
    monkeypatch, precision: Precision, rows: int, bias: bool, gelu: bool, machine: str, packed
) -> None:
    if machine != "this":
        monkeypatch.setattr(linear, "multiplies_bf16", lambda: False)
    if machine == "no oneDNN":
        monkeypatch.setattr(linear, "has_onednn", lambda: False)
    torch.manual_seed(1)
    layer = torch.nn.Linear(160, 70, bias=bias)
    x = torch.randn(rows, 160)
    ours = packed(layer.weight, layer.bias, precision, gelu=gelu)(x)
    exact = torch.nn.functional.gelu(layer(x), approximate="tanh") if gelu else layer(x)
    assert ours.dtype == torch.float32
    assert relative(ours, exact) < TOLERANCE[precision]


@torch.no_grad()
@pytest.mark.parametrize("precision", PRECISIONS)
def test_small_layers_stay_exact(precision: Precision) -> None:
    """What lies in the processor's caches gains nothing by fewer bits."""
    torch.manual_seed(1)
    layer = torch.nn.Linear(160, 70)
    x = torch.randn(1, 160)
    assert torch.equal(pack(layer.weight, layer.bias, precision)(x), layer(x))


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@torch.no_grad()
@pytest.mark.parametrize("precision", PRECISIONS)
def test_packed_layer_takes_weights_of_any_kind(precision: Precision) -> None:
    torch.manual_seed(1)
    exact = torch.nn.Linear(64, 32)
    x = torch.randn(3, 64)
    for kind in (torch.bfloat16, torch.float16):
        layer = copy.deepcopy(exact).to(kind)
        assert relative(pack(layer.weight, layer.bias, precision)(x), exact(x)) < 0.04


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@torch.no_grad()
def test_rows_of_zeros_are_quantized_to_zeros() -> None:
    weight = torch.randn(8, 16)
    weight[3] = 0
    ours = pack(weight, None, "int8")(torch.randn(4, 16))
    assert (ours[:, 3] == 0).all()
    assert (pack(weight, None, "int8")(torch.zeros(4, 16)) == 0).all()


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@torch.no_grad()
@pytest.mark.parametrize("precision", ["bf16", "int8"])
@pytest.mark.parametrize("kind", ["lsd", "flow_matching", "drifting", "pointwise"])
def test_steps_stay_near_float32(precision: Precision, kind: str) -> None:
    flow_lm, _ = filled(**{"flow_lm.flow.type": kind})
    results = []
    for chosen in ("float32", precision):
        torch.manual_seed(2)
        step = FlowLMStep(flow_lm, decode_steps=2, precision=chosen)
        step.append_embeddings(torch.randn(9, 64))
        step.append_text([3, 1, 4])
        given = torch.randn(1, 16)
        results.append(torch.cat([step.step(given, torch.randn(1, 16))[0] for _ in range(12)]))
    assert relative(results[1], results[0]) < 0.1


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@torch.no_grad()
@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_decoder_stays_near_float32(precision: Precision) -> None:
    _, codec = filled()
    latents = torch.randn(10, 16, generator=torch.Generator().manual_seed(2))
    exact, near = (
        MimiDecoder(codec, torch.ones(16), torch.zeros(16), chosen).decode(latents)
        for chosen in ("float32", precision)
    )
    assert relative(near, exact) < 0.1


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@torch.no_grad()
def test_int8_results_do_not_depend_on_what_came_before() -> None:
    """The input's range is measured per call: the same call gives the same numbers."""
    layer = torch.nn.Linear(32, 8)
    run = pack(layer.weight, layer.bias, "int8")
    x = torch.randn(2, 32)
    first = run(x)
    run(100 * torch.randn(2, 32))
    assert torch.equal(run(x), first)


def test_using_int8_warns_no_user() -> None:
    """torch says once a process that its quantized tensors will go: that is not the user's concern."""
    code = "import torch; from pocketvoice.model.linear import pack; pack(torch.randn(512, 512), None, 'int8')(torch.randn(1, 512))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


# training


@pytest.mark.parametrize("kind", ["lsd", "flow_matching", "drifting", "pointwise"])
def test_gradients_reach_every_weight_of_the_language_model(kind: str) -> None:
    flow_lm, _ = filled(**{"flow_lm.flow.type": kind, "flow_lm.z_dim": 24, "flow_lm.lookup_table.rank": 8})
    voice = flow_lm.voice_embeddings(torch.randn(2, 5, 16))
    prefix = torch.cat([voice, flow_lm.conditioner(torch.tensor([[3, 1, 4], [1, 5, 9]]))], dim=1)
    first = flow_lm.bos_emb.expand(2, 1, 16)
    hidden = flow_lm.hidden(prefix, torch.cat([first, torch.randn(2, 6, 16)], dim=1))
    sampled = flow_lm.sample(hidden, torch.randn(2, 7, 16), 2)
    (sampled.square().mean() + flow_lm.out_eos(hidden).square().mean()).backward()
    without = [name for name, p in flow_lm.named_parameters() if p.grad is None or not p.grad.any()]
    assert without == []


def test_gradients_reach_every_weight_of_the_codec() -> None:
    _, codec = filled()
    encoded = codec.encode(0.2 * torch.randn(2, 1, 4 * 1920))
    sound = codec.decode(encoded)
    assert sound.shape == (2, 1, 4 * 1920)
    sound.square().mean().backward()
    without = [name for name, p in codec.named_parameters() if p.grad is None or not p.grad.any()]
    assert without == []


@torch.no_grad()
def test_batches_do_not_mix() -> None:
    flow_lm, codec = filled()
    torch.manual_seed(6)
    prefix, latents = torch.randn(3, 5, 64), torch.randn(3, 7, 16)
    together = flow_lm.hidden(prefix, latents)
    alone = torch.cat([flow_lm.hidden(prefix[i : i + 1], latents[i : i + 1]) for i in range(3)])
    assert torch.allclose(together, alone, atol=1e-5)
    sound = codec.decode(latents)
    assert torch.allclose(sound, torch.cat([codec.decode(latents[i : i + 1]) for i in range(3)]), atol=1e-4)


@torch.no_grad()
def test_nothing_sees_the_future() -> None:
    flow_lm, codec = filled()
    torch.manual_seed(6)
    prefix, latents = torch.randn(1, 5, 64), torch.randn(1, 8, 16)
    other = latents.clone()
    other[:, 5:] = torch.randn(1, 3, 16)
    assert torch.allclose(
        flow_lm.hidden(prefix, latents)[:, :5], flow_lm.hidden(prefix, other)[:, :5], atol=1e-5
    )
    assert torch.allclose(
        codec.decode(latents)[..., : 5 * 1920], codec.decode(other)[..., : 5 * 1920], atol=1e-5
    )


def test_unknown_heads_are_refused() -> None:
    with pytest.raises(InputError, match=r"flow_lm\.flow\.type"):
        parse_config(changed(TINY, **{"flow_lm.flow.type": "sudden"}), Path("test.yaml"))
