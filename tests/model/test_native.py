"""The compiled kernels against torch, in every library that this processor can run; and torch where there are none to use."""

import copy
import ctypes
import math
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from pocketvoice.model import flow_lm_native, mimi_native, native
from pocketvoice.model.config import load_config
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_native import NativeFlowLM
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.flow_lm_torch import TorchFlowLM
from pocketvoice.model.linear import PRECISIONS, Precision
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.mimi_native import NativeMimiDecoder
from pocketvoice.model.mimi_stream import MimiDecoder, decoder_of
from tests.model.test_precision import filled, relative
from tests.model.test_streaming import partitions
from tests.model_factory import TINY, difference

MODELS = Path(__file__).parents[2] / "resources" / "models"
FOLDER = Path(native.__file__).with_name("kernels")
FIND = native.library.__wrapped__  # not what it found before
FLOW_TYPES = ["lsd", "flow_matching", "drifting", "pointwise"]
KINDS = {"float32": torch.float32, "bf16": torch.bfloat16}

Run = tuple[Tensor, Tensor, Tensor]
"""Latents (steps, numbers), end-of-speech logits (steps,), keys and values (layers, 2, T, H_kv, D)."""


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    torch.set_num_threads(1)
    with torch.no_grad():
        yield


@pytest.fixture(params=native.INSTRUCTIONS)
def kernels(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> ctypes.CDLL:
    """A library, in the place of the one that this processor would take."""
    path = FOLDER / f"{request.param}{native._SUFFIX}"
    if not path.exists():
        pytest.skip("not built")
    found = native._opened(path)
    assert caplog.messages == [], "it can be opened"
    if found is None:
        pytest.skip("this processor lacks its instructions")
    monkeypatch.setattr(native, "library", lambda: found)
    return found


@pytest.fixture
def _quantizes_all(monkeypatch: pytest.MonkeyPatch, _every_layer_is_worth_it: None) -> None:
    monkeypatch.setattr(native, "WORTH_INT8", 0)


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


# the language model


@pytest.mark.usefixtures("kernels")
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
def test_steps_are_torchs(changes: dict[str, Any], kind: str) -> None:
    module = flow_lm(**changes).to(KINDS[kind])
    assert flow_lm_native.supports(module)
    ours = run(NativeFlowLM(module, 1, "float32"), module)
    assert_near(ours, run(TorchFlowLM(module, 1, "float32"), module))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("kind", FLOW_TYPES)
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_latents_are_torchs_for_every_head(kind: str, steps: int) -> None:
    module = flow_lm(**{"flow.type": kind})
    ours, theirs = NativeFlowLM(module, steps, "float32"), TorchFlowLM(module, steps, "float32")
    assert ours.steps == theirs.steps
    assert_near(run(ours, module), run(theirs, module))


@pytest.mark.usefixtures("kernels", "_quantizes_all")
@pytest.mark.parametrize("latent_dim", [16, 32, 48, 128, 1024])
def test_latents_may_be_wide(latent_dim: int) -> None:
    """Also wider than all else."""
    module = filled(**{"mimi.quantizer.dimension": latent_dim})[0]
    expected = run(TorchFlowLM(module, 2, "float32"), module)
    assert_near(run(NativeFlowLM(module, 2, "float32"), module), expected)
    for mine, wanted in zip(run(NativeFlowLM(module, 2, "int8"), module), expected, strict=True):
        assert relative(mine, wanted) < 0.1


@pytest.mark.usefixtures("kernels")
def test_inputs_may_be_of_any_kind() -> None:
    module = flow_lm()
    one, other = NativeFlowLM(module, 1, "float32"), NativeFlowLM(module, 1, "float32")
    rows, (latent, noise) = seeded(12, 64).bfloat16(), seeded(2, 16, 1).bfloat16()
    one.append(rows.float())
    other.append(rows)
    mine = one.step(latent.t().float().contiguous(), noise.t().float().contiguous())
    converted = other.step(latent.t(), noise.t())
    assert torch.equal(converted[0], mine[0])
    assert converted[1] == mine[1]


@pytest.mark.usefixtures("kernels")
def test_steps_of_the_head_change_while_it_speaks() -> None:
    module = flow_lm()
    ours, theirs = (kind(module, 1, "float32") for kind in (NativeFlowLM, TorchFlowLM))
    for steps in (1, 16, 2):
        for model in (ours, theirs):
            model.use_steps(steps)
        assert_near(run(ours, module), run(theirs, module))


@pytest.mark.usefixtures("kernels", "_quantizes_all")
@pytest.mark.parametrize("kind", FLOW_TYPES)
def test_lower_precisions_are_as_near_as_torchs(kind: str) -> None:
    module = flow_lm(**{"flow.type": kind, "z_dim": 48})
    exact = run(TorchFlowLM(module, 2, "float32"), module, 70)
    for precision in ("bf16", "int8"):
        ours = run(NativeFlowLM(module, 2, precision), module, 70)
        theirs = run(TorchFlowLM(module, 2, precision), module, 70)
        for mine, torchs, wanted in zip(ours, theirs, exact, strict=True):
            assert relative(mine, wanted) < 1.3 * relative(torchs, wanted) + 1e-3


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_weights_are_rounded_to_whole_numbers(kernels: ctypes.CDLL, kind: str, threads: int) -> None:
    weight = seeded(70, 48).to(KINDS[kind])
    weight[3] = 0
    packer = native.Packer(kernels, "int8")
    with native.Team(kernels).helped(threads - 1) as packer.team:
        layer = packer.linear(weight)
    numbers, scale, sums = (
        torch.frombuffer(bytearray(ctypes.string_at(place, 80 * size)), dtype=dtype)
        for place, size, dtype in (
            (layer.weight, 48, torch.int8), (layer.scale, 4, torch.float32), (layer.sums, 4, torch.int32),
        )
    )  # fmt: skip
    # blocks of 16 rows; in a block, for every four inputs, 16 x 4 numbers
    rows = numbers.view(5, 12, 16, 4).transpose(1, 2).reshape(80, 48)
    largest = weight.double().abs().amax(1).clamp(min=1e-6)
    exact = weight.double() * (127 / largest)[:, None]
    assert (rows[:70] - exact).abs().max() < 0.50001
    assert torch.equal(sums, rows.sum(1, dtype=torch.int32))
    assert torch.allclose(scale[:70].double(), largest / 127, rtol=1e-6)
    assert not any(part[70:].any() for part in (rows, scale, sums)), "rows that do not exist are zeros"


@pytest.mark.usefixtures("kernels")
def test_sums_of_the_widest_layers_fit_in_32_bits() -> None:
    """All weights and all inputs as large as they get."""
    module = flow_lm(**{"transformer.hidden_scale": 1024, "transformer.num_layers": 1})
    layer = module.transformer.layers[0]
    assert layer.linear2.in_features == 65536
    layer.norm2.weight.zero_()
    layer.norm2.bias.fill_(0.1)
    layer.linear1.weight.fill_(1.0)
    layer.linear2.weight.fill_(1e-4)
    layer.linear2.weight[1::2] *= -1
    ours = run(NativeFlowLM(module, 1, "int8"), module)
    assert_near(ours, run(TorchFlowLM(module, 1, "float32"), module), 0.02)


def unaligned(tensor: Tensor) -> Tensor:
    """A copy that begins one number after where memory would."""
    shifted = torch.empty(tensor.numel() + 1, dtype=tensor.dtype)[1:]
    assert shifted.data_ptr() % 16 == tensor.element_size()
    return shifted.copy_(tensor.flatten()).view(tensor.shape)


@pytest.mark.usefixtures("kernels", "_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_weights_may_lie_anywhere(precision: Precision, kind: str) -> None:
    """As those do that are mapped from a file."""
    module = flow_lm().to(KINDS[kind])
    expected = run(NativeFlowLM(module, 2, precision), module)
    for name, parameter in module.named_parameters():
        if "time_embed" not in name:  # which torch computes, in an order that depends on where they lie
            parameter.data = unaligned(parameter.data)
    assert_same(run(NativeFlowLM(module, 2, precision), module), expected)


@pytest.mark.usefixtures("kernels", "_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("rows", [1, 7, 8, 63, 64, 65, 200])
def test_helpers_change_nothing(precision: Precision, rows: int) -> None:
    module = flow_lm()
    alone = run(NativeFlowLM(module, 1, precision), module, rows)
    for threads in (2, 3, 4):
        assert_same(run(NativeFlowLM(module, 1, precision, threads), module, rows), alone)
    if precision == "float32":
        assert_near(alone, run(TorchFlowLM(module, 1, "float32"), module, rows))


@pytest.mark.usefixtures("kernels", "_quantizes_all")
def test_helpers_change_nothing_however_often() -> None:
    """Late helpers find other work than they came for, and closed teams that are opened again."""
    module = flow_lm()
    alone, helped = (NativeFlowLM(module, 1, "int8", threads) for threads in (1, 4))
    for rows in [8, 70, 9, 64, 13] * 20:
        for model in (alone, helped):
            model.cache.rewind(0)
            model.append(seeded(rows, 64, seed=rows))
        assert torch.equal(state(helped), state(alone))


def test_helpers_that_come_too_late_do_no_harm(kernels: ctypes.CDLL) -> None:
    class Late:
        """The kernels, whose helpers start when the work is done."""

        closed, lock = threading.Event(), threading.Lock()
        came = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(kernels, name)

        def pv_help(self, team: Any) -> None:
            assert self.closed.wait(60)
            kernels.pv_help(team)
            with self.lock:
                self.came += 1

        def pv_close(self, team: Any) -> None:
            kernels.pv_close(team)
            self.closed.set()

    module = flow_lm()
    expected = run(NativeFlowLM(module, 1, "float32"), module, 70)
    model = NativeFlowLM(module, 1, "float32", threads=4)
    late = model._team._kernels = Late()  # type: ignore[assignment]
    assert_same(run(model, module, 70), expected)
    assert late.came == 3


@pytest.mark.usefixtures("kernels")
def test_rewound_and_grown_cache_is_as_a_fresh_one() -> None:
    module = flow_lm()
    ours, theirs = (kind(module, 1, "float32") for kind in (NativeFlowLM, TorchFlowLM))
    expected = run(NativeFlowLM(module, 1, "float32"), module, 250)
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


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("rows", [1, 70])
def test_cache_may_be_full(rows: int) -> None:
    """The last place and the last score are those of the last position; nothing depends on what lies behind."""
    module = flow_lm()
    model = NativeFlowLM(module, 1, "float32")
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


@pytest.mark.usefixtures("kernels", "_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_nothing_depends_on_what_memory_held(precision: Precision) -> None:
    module = flow_lm(z_dim=48)
    expected = run(NativeFlowLM(module, 2, precision), module, 70)
    model = NativeFlowLM(module, 2, precision)
    model._find_place(100)
    model.cache._cache.fill_(math.nan)
    model._space.fill_(255)  # NaN, whatever it is read as
    model.append(seeded(70, 64, seed=70))
    latents, ends = [], []
    for latent, noise in seeded(5, 2, 1, 16):
        model._space.fill_(255)
        latent, eos = model.step(latent, noise)
        latents.append(latent)
        ends.append(eos)
    assert_same((torch.cat(latents), torch.tensor(ends), state(model)), expected)


@pytest.mark.usefixtures("kernels", "_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_damaged_weights_give_no_logit(precision: Precision) -> None:
    """A single one; the engine makes an error of a logit that is no number."""
    module = flow_lm(z_dim=48)
    unused = ("conditioner", "speaker_proj", "bos")
    names = [name for name, _ in module.named_parameters() if not name.startswith(unused)]
    assert len(names) > 40
    for name in names:
        damaged = copy.deepcopy(module)
        weights = damaged.get_parameter(name).data.view(-1)
        weights[weights.numel() // 3] = math.nan
        model = NativeFlowLM(damaged, 1, precision)
        model.append(seeded(3, 64))
        latent, _ = model.step(seeded(1, 16), seeded(1, 16, seed=6))
        _, eos = model.step(latent, seeded(1, 16, seed=7))  # what is wrong in the head is seen one step later
        assert math.isnan(eos), name


@pytest.mark.usefixtures("kernels", "_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_same_noise_gives_the_same_latents(precision: Precision) -> None:
    module = flow_lm()
    runs = []
    for threads in (1, 4, 1):
        step = FlowLMStep(module, 2, precision, threads=threads)
        step.append_text([3, 1, 4] * 10)
        latent, latents = None, []
        for noise in seeded(30, 1, 16):
            latent, _ = step.step(latent, noise)
            latents.append(latent)
        runs.append(torch.cat(latents))
    assert torch.equal(runs[1], runs[0])
    assert torch.equal(runs[2], runs[0])


@pytest.mark.usefixtures("kernels")
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
def test_other_shapes_are_torchs(changes: dict[str, Any]) -> None:
    module = filled(**{key if "mimi" in key else f"flow_lm.{key}": value for key, value in changes.items()})[
        0
    ]
    assert not flow_lm_native.supports(module)
    step = FlowLMStep(module)
    assert isinstance(step._computed, TorchFlowLM)
    step.append_text([3, 1, 4])
    assert step.step(None, torch.randn(1, module.latent_dim))[0].isfinite().all()


# the codec


@pytest.fixture(params=["float32", "bf16"])
def precision(request: pytest.FixtureRequest, kernels: ctypes.CDLL) -> Precision:
    """What the library can compute Mimi's decoder in."""
    if request.param == "bf16" and not kernels.pv_multiplies_bf16():
        pytest.skip("no bf16 in this library, or on this processor")
    return request.param  # type: ignore[no-any-return]


ERROR = {"float32": 1e-5, "bf16": 0.015}
"""Of samples, root mean square."""


def codec(**changes: Any) -> Mimi:
    """The tiny codec with changes below `mimi.`; its transformer counts."""
    module = filled(**{f"mimi.{name}": value for name, value in changes.items()})[1]
    for name, parameter in module.decoder_transformer.named_parameters():
        if name.endswith(".scale"):
            parameter.copy_(0.5 + 0.1 * seeded(*parameter.shape))
    return module


def decoder(module: Mimi, precision: Precision) -> NativeMimiDecoder:
    numbers = module.config.quantizer.dimension
    made = decoder_of(module, seeded(numbers).abs() + 0.5, seeded(numbers, seed=6), precision)
    assert isinstance(made, NativeMimiDecoder)
    return made


def exact_decoder(module: Mimi) -> MimiDecoder:
    numbers = module.config.quantizer.dimension
    return MimiDecoder(module, seeded(numbers).abs() + 0.5, seeded(numbers, seed=6), "float32")


def in_pieces(made: NativeMimiDecoder | MimiDecoder, latents: Tensor, pieces: list[int]) -> Tensor:
    return torch.cat([made.decode(piece) for piece in latents.split(pieces)])


def wide(width: int, heads: int) -> dict[str, Any]:
    """Changes for a codec of that width."""
    raw = TINY["mimi"]
    return {
        "seanet": {**raw["seanet"], "dimension": width},
        "transformer": {
            **raw["transformer"], "d_model": width, "num_heads": heads, "input_dimension": width,
            "output_dimensions": [width],
        },
        "outer_dim": width,
        "quantizer.output_dimension": width,
    }  # fmt: skip


CODECS: list[dict[str, Any]] = [
    {},
    {"seanet.pad_mode": "replicate"},
    wide(64, 2),
    wide(64, 1),
    wide(128, 1),
    wide(48, 3),
    {"transformer.context": 1},
    {"transformer.context": 7},
    {"transformer.context": 1000},
    {"transformer.dim_feedforward": 50},
    {"transformer.num_layers": 1},
    {"quantizer.dimension": 128},
    {"seanet.kernel_size": 1, "seanet.residual_kernel_size": 1, "seanet.last_kernel_size": 1},
    {"seanet.kernel_size": 40, "seanet.residual_kernel_size": 9, "seanet.last_kernel_size": 12},
    {"seanet.kernel_size": 40, "seanet.residual_kernel_size": 9, "seanet.pad_mode": "replicate"},
    {"seanet.compress": 1},
    {"seanet.n_filters": 8, "seanet.compress": 4},
    {"seanet.n_filters": 36, "seanet.compress": 3, "seanet.ratios": [6, 5, 4]},
    {"seanet.ratios": [120]},
    {"seanet.ratios": [2, 3, 5, 2, 2], "seanet.n_filters": 2, "seanet.compress": 1},
    {"seanet.ratios": [4, 4, 4, 5]},
    {"seanet.ratios": [1, 120]},
]


@pytest.mark.parametrize("changes", CODECS, ids=str)
def test_samples_are_torchs(changes: dict[str, Any], precision: Precision) -> None:
    module = codec(**changes)
    assert mimi_native.supports(module)
    latents = seeded(12, module.config.quantizer.dimension)
    expected = in_pieces(exact_decoder(module), latents, [1, 2, 9])
    ours = in_pieces(decoder(module, precision), latents, [1, 2, 9])
    assert relative(ours, expected) < ERROR[precision]
    # where something is wrong at a seam, it is wrong there alone
    parts = zip(ours.view(12, -1), expected.view(12, -1), strict=True)
    assert all(relative(mine, wanted) < 3 * ERROR[precision] for mine, wanted in parts)


@pytest.mark.parametrize("changes", [*CODECS, {"quantizer.dimension": 256}], ids=str)
def test_samples_do_not_depend_on_calls(changes: dict[str, Any], precision: Precision) -> None:
    module = codec(**changes)
    made = decoder(module, precision)
    latents = seeded(17, module.config.quantizer.dimension)
    expected = made.decode(latents)
    for pieces in [*partitions(17, 1), [8, 8, 1], [9, 8]]:
        made.reset()
        assert torch.equal(in_pieces(made, latents, pieces), expected), pieces


def test_window_moves_without_a_trace(precision: Precision) -> None:
    module = codec()
    made = decoder(module, precision)
    latents = seeded(300, 16)
    ours = in_pieces(made, latents, [1, 1, 2, 4, 4, 4, 284])
    assert made._cache.cache_shape[3] < 500
    for first in (0, 60, 240):
        # 2 layers with a context of 40 rows, and the convolutions, reach back less than 12 frames
        samples = exact_decoder(module).decode(latents[max(first - 12, 0) : first + 60])[-60 * 1920 :]
        assert relative(ours[first * 1920 : (first + 60) * 1920], samples) < ERROR[precision]
    made.reset()
    assert torch.equal(made.decode(latents), ours)


@pytest.mark.parametrize("pad_mode", ["constant", "replicate"])
def test_sound_starts_over_after_a_reset(pad_mode: str, precision: Precision) -> None:
    made = decoder(codec(**{"seanet.pad_mode": pad_mode}), precision)
    latents = seeded(11, 16)
    first = made.decode(latents)
    assert not torch.equal(made.decode(latents), first), "it went on"
    made.reset()
    assert torch.equal(made.decode(latents), first)
    made._space.fill_(255)
    made._cache._cache.fill_(math.nan)
    made.reset()
    assert torch.equal(made.decode(latents), first), "nothing depends on what memory held"


def test_weights_of_the_codec_may_lie_anywhere(precision: Precision) -> None:
    module = codec().bfloat16()
    latents = seeded(5, 16)
    expected = decoder(module, precision).decode(latents)
    for parameter in module.parameters():
        parameter.data = unaligned(parameter.data)
    assert difference(decoder(module, precision).decode(latents), expected) < ERROR[precision]


def test_damaged_weights_are_heard_of(precision: Precision) -> None:
    """A single one: there are samples that are no numbers, as with torch."""
    module = codec()
    used = ("decoder", "quantizer", "upsample")
    names = [name for name, _ in module.named_parameters() if name.startswith(used)]
    assert len(names) > 20
    for name in names:
        damaged = copy.deepcopy(module)
        weights = damaged.get_parameter(name).data.view(-1)
        weights[weights.numel() // 3] = math.nan
        assert decoder(damaged, precision).decode(seeded(2, 16)).isnan().any(), name


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(
    "changes",
    [
        {"seanet.ratios": [16, 10, 12]},
        {"seanet.n_residual_layers": 2},
        {"seanet.n_residual_layers": 0},
        {"seanet.n_filters": 3, "seanet.compress": 1},
        {"seanet.n_filters": 6},
        {"transformer.dim_feedforward": 51},
        {"quantizer.dimension": 24},
        wide(24, 3),
    ],
    ids=str,
)
def test_other_codecs_are_torchs(changes: dict[str, Any]) -> None:
    module = codec(**changes)
    numbers = module.config.quantizer.dimension
    made = decoder_of(module, torch.ones(numbers), torch.zeros(numbers), "bf16")
    assert isinstance(made, MimiDecoder)
    assert made.decode(seeded(3, numbers)).shape == (3 * 1920,)


# no kernels


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where libraries are looked for, empty."""
    monkeypatch.setattr(native, "__file__", str(tmp_path / "native.py"))
    monkeypatch.setattr(native, "library", FIND)
    (tmp_path / "kernels").mkdir()
    return tmp_path / "kernels"


def assert_torch_speaks() -> None:
    module, codec = filled()
    step = FlowLMStep(module, precision="int8", threads=4)
    assert isinstance(step._computed, TorchFlowLM)
    step.append_text([3, 1, 4])
    latent, _ = step.step(None, torch.randn(1, 16))
    assert decoder_of(codec, torch.ones(16), torch.zeros(16), "int8").decode(latent).shape == (1920,)


@pytest.mark.usefixtures("folder")
def test_without_kernels_torch_computes(caplog: pytest.LogCaptureFixture) -> None:
    assert_torch_speaks()
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


@pytest.mark.parametrize("content", [b"", b"not a library", b"\x7fELF" + bytes(2000)])
def test_damaged_library_is_told_and_left_out(
    folder: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    names = [f"{instructions}{native._SUFFIX}" for instructions in native.INSTRUCTIONS]
    for name in names:
        (folder / name).write_bytes(content)
    assert_torch_speaks()
    assert all(any(name in message for message in caplog.messages) for name in names)
    assert "install the program again" in caplog.text


@pytest.mark.skipif(FIND() is None, reason="no kernels for this machine")
@pytest.mark.parametrize("change", ["version", "function"])
def test_library_of_another_version_is_told_and_left_out(
    folder: Path, change: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for path in FOLDER.glob(f"*{native._SUFFIX}"):
        shutil.copy(path, folder)
    if change == "version":
        monkeypatch.setattr(native, "_ABI", native._ABI + 1)
    else:
        monkeypatch.setitem(native._SIGNATURES, "pv_of_tomorrow", (None, ()))
    assert_torch_speaks()
    assert "install the program again" in caplog.text


@pytest.mark.parametrize("path", sorted(path for path in MODELS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_model_has_kernels(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its shape; the weights of such a size are not made for it."""
    monkeypatch.setattr(native, "library", lambda: object())
    config = load_config(path)
    with torch.device("meta"):
        module, codec = FlowLM(config.flow_lm, config.mimi.quantizer.dimension, 512), Mimi(config.mimi)
    module.bos_emb = torch.nn.Parameter(torch.zeros(1))
    codec.quantizer.output_proj.weight = torch.nn.Parameter(torch.zeros(1))
    assert flow_lm_native.supports(module)
    assert mimi_native.supports(codec)
