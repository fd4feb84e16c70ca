"""Mimi's decoder through the compiled kernels against torch, in every library that this processor can run."""

import copy
import ctypes
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from pocketvoice.model import mimi_native
from pocketvoice.model.linear import Precision
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.mimi_native import NativeMimiDecoder
from pocketvoice.model.mimi_stream import MimiDecoder, decoder_of
from tests.model.kernel_parts import seeded, unaligned
from tests.model.test_precision import filled, relative
from tests.model.test_streaming import partitions
from tests.model_factory import TINY, difference

MakeDecoder = Callable[[Mimi], NativeMimiDecoder]

pytestmark = pytest.mark.usefixtures("_no_gradients")


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


@pytest.fixture
def decoder(kernels: ctypes.CDLL, precision: Precision) -> MakeDecoder:
    """Makes decoders of the library's kernels at a precision."""

    def make(module: Mimi) -> NativeMimiDecoder:
        made = decoder_of(module, *normalisation(module), precision, find_kernels=lambda: kernels)
        assert isinstance(made, NativeMimiDecoder)
        return made

    return make


def normalisation(module: Mimi) -> tuple[Tensor, Tensor]:
    """Deviation and mean of latents, (latent_dim,) each."""
    latent_dim = module.config.quantizer.dimension
    return seeded(latent_dim).abs() + 0.5, seeded(latent_dim, seed=6)


def exact_decoder(module: Mimi) -> MimiDecoder:
    return MimiDecoder(module, *normalisation(module), "float32")


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
def test_samples_are_torchs(
    kernels: ctypes.CDLL, decoder: MakeDecoder, changes: dict[str, Any], precision: Precision
) -> None:
    module = codec(**changes)
    assert mimi_native.supports(module, kernels)
    latents = seeded(12, module.config.quantizer.dimension)
    expected = in_pieces(exact_decoder(module), latents, [1, 2, 9])
    ours = in_pieces(decoder(module), latents, [1, 2, 9])
    assert relative(ours, expected) < ERROR[precision]
    # where something is wrong at a seam, it is wrong there alone
    parts = zip(ours.view(12, -1), expected.view(12, -1), strict=True)
    assert all(relative(mine, wanted) < 3 * ERROR[precision] for mine, wanted in parts)


@pytest.mark.parametrize("changes", [*CODECS, {"quantizer.dimension": 256}], ids=str)
def test_samples_do_not_depend_on_calls(decoder: MakeDecoder, changes: dict[str, Any]) -> None:
    module = codec(**changes)
    made = decoder(module)
    latents = seeded(17, module.config.quantizer.dimension)
    expected = made.decode(latents)
    for pieces in [*partitions(17, 1), [8, 8, 1], [9, 8]]:
        made.reset()
        assert torch.equal(in_pieces(made, latents, pieces), expected), pieces


def test_window_moves_without_a_trace(decoder: MakeDecoder, precision: Precision) -> None:
    module = codec()
    made = decoder(module)
    latents = seeded(300, 16)
    ours = in_pieces(made, latents, [1, 1, 2, 4, 4, 4, 284])
    assert made.cache.cache_shape[3] < 500
    for first in (0, 60, 240):
        # 2 layers with a context of 40 rows, and the convolutions, reach back less than 12 frames
        samples = exact_decoder(module).decode(latents[max(first - 12, 0) : first + 60])[-60 * 1920 :]
        assert relative(ours[first * 1920 : (first + 60) * 1920], samples) < ERROR[precision]
    made.reset()
    assert torch.equal(made.decode(latents), ours)


@pytest.mark.parametrize("pad_mode", ["constant", "replicate"])
def test_sound_starts_over_after_a_reset(decoder: MakeDecoder, pad_mode: str) -> None:
    made = decoder(codec(**{"seanet.pad_mode": pad_mode}))
    latents = seeded(11, 16)
    first = made.decode(latents)
    assert not torch.equal(made.decode(latents), first), "it went on"
    made.reset()
    assert torch.equal(made.decode(latents), first)
    made.workspace.fill_(255)
    made.cache.room(1)[0].fill_(math.nan)
    made.reset()
    assert torch.equal(made.decode(latents), first), "nothing depends on what memory held"


def test_weights_of_the_codec_may_lie_anywhere(decoder: MakeDecoder, precision: Precision) -> None:
    module = codec().bfloat16()
    latents = seeded(5, 16)
    expected = decoder(module).decode(latents)
    for parameter in module.parameters():
        parameter.data = unaligned(parameter.data)
    assert difference(decoder(module).decode(latents), expected) < ERROR[precision]


def test_damaged_weights_are_heard_of(decoder: MakeDecoder) -> None:
    """A single one: there are samples that are no numbers, as with torch."""
    module = codec()
    used = ("decoder", "quantizer", "upsample")
    names = [name for name, _ in module.named_parameters() if name.startswith(used)]
    assert len(names) > 20
    for name in names:
        damaged = copy.deepcopy(module)
        weights = damaged.get_parameter(name).data.view(-1)
        weights[weights.numel() // 3] = math.nan
        assert decoder(damaged).decode(seeded(2, 16)).isnan().any(), name


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
def test_other_codecs_are_torchs(kernels: ctypes.CDLL, changes: dict[str, Any]) -> None:
    module = codec(**changes)
    latent_dim = module.config.quantizer.dimension
    made = decoder_of(
        module, torch.ones(latent_dim), torch.zeros(latent_dim), "bf16", find_kernels=lambda: kernels
    )
    assert isinstance(made, MimiDecoder)
    assert made.decode(seeded(3, latent_dim)).shape == (3 * 1920,)
