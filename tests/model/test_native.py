"""Finding, sharing and feeding the compiled kernels: libraries that can't be used, helping threads, packed weights."""

import _ctypes
import ctypes
import shutil
import threading
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from pocketvoice.model import flow_lm_native, mimi_native, native
from pocketvoice.model.config import load_config
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_native import NativeFlowLM
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.flow_lm_torch import TorchFlowLM
from pocketvoice.model.linear import PRECISIONS, Precision
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.mimi_stream import decoder_of
from tests.model.kernel_parts import KINDS, Packed, assert_near, assert_same, flow_lm, run, seeded, state
from tests.model.test_precision import filled

MODELS = Path(__file__).parents[2] / "resources" / "models"

pytestmark = pytest.mark.usefixtures("_no_gradients")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for libraries, empty."""
    return tmp_path


def assert_torch_speaks(folder: Path) -> None:
    """With what is found in a folder."""

    def find() -> ctypes.CDLL | None:
        return native.find_library(folder)

    module, codec = filled()
    step = FlowLMStep(module, precision="int8", threads=4, find_kernels=find)
    assert not step.uses_kernels
    step.append_text([3, 1, 4])
    latent, _ = step.step(None, torch.randn(1, 16))
    decoder = decoder_of(codec, torch.ones(16), torch.zeros(16), "int8", find_kernels=find)
    assert decoder.decode(latent).shape == (1920,)


def test_without_kernels_torch_computes(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert_torch_speaks(folder)
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


@pytest.mark.parametrize("content", [b"", b"not a library", b"\x7fELF" + bytes(2000)])
def test_damaged_library_is_told_and_left_out(
    folder: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    names = [f"{instructions}{native.SUFFIX}" for instructions in native.INSTRUCTIONS]
    for name in names:
        (folder / name).write_bytes(content)
    assert_torch_speaks(folder)
    assert all(any(name in message for message in caplog.messages) for name in names)
    assert "install the program again" in caplog.text


@pytest.mark.skipif(native.library() is None, reason="no kernels for this machine")
def test_library_of_another_version_is_told_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    paths = list(native.FOLDER.glob(f"*{native.SUFFIX}"))
    assert [native.open_library(path, native.ABI + 1) for path in paths] == [None] * len(paths)
    assert caplog.text.count("of another version: install the program again") == len(paths)


@pytest.mark.skipif(not getattr(_ctypes, "__file__", None), reason="no library at hand that lacks functions")
def test_library_that_lacks_functions_is_told_and_left_out(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copy(_ctypes.__file__, folder / f"avx2{native.SUFFIX}")
    assert_torch_speaks(folder)
    assert "pv_abi" in caplog.text
    assert "install the program again" in caplog.text


@pytest.mark.parametrize("path", sorted(path for path in MODELS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_model_has_kernels(path: Path) -> None:
    """By its shape; the weights of such a size are not made for it."""
    some_kernels = cast(ctypes.CDLL, object())
    config = load_config(path)
    with torch.device("meta"):
        module, codec = FlowLM(config.flow_lm, config.mimi.quantizer.dimension, 512), Mimi(config.mimi)
    module.bos_emb = torch.nn.Parameter(torch.zeros(1))
    codec.quantizer.output_proj.weight = torch.nn.Parameter(torch.zeros(1))
    assert flow_lm_native.supports(module, some_kernels)
    assert mimi_native.supports(codec, some_kernels)


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_weights_are_rounded_to_whole_numbers(kernels: ctypes.CDLL, kind: str, threads: int) -> None:
    weight = seeded(70, 48).to(KINDS[kind])
    weight[3] = 0
    packer = native.Packer(kernels, "int8")
    with native.Team(kernels).helped(threads - 1) as packer.team:
        layer = packer.linear(weight)
    whole, scales, row_sums = (
        torch.frombuffer(bytearray(ctypes.string_at(place, 80 * size)), dtype=dtype)
        for place, size, dtype in (
            (layer.weight, 48, torch.int8), (layer.scales, 4, torch.float32), (layer.row_sums, 4, torch.int32),
        )
    )  # fmt: skip
    # blocks of 16 rows; in a block, for every four inputs, 16 x 4 whole numbers
    rows = whole.view(5, 12, 16, 4).transpose(1, 2).reshape(80, 48)
    largest = weight.double().abs().amax(1).clamp(min=1e-6)
    exact = weight.double() * (127 / largest)[:, None]
    assert (rows[:70] - exact).abs().max() < 0.50001
    assert torch.equal(row_sums, rows.sum(1, dtype=torch.int32))
    assert torch.allclose(scales[:70].double(), largest / 127, rtol=1e-6)
    assert not any(part[70:].any() for part in (rows, scales, row_sums)), "rows that do not exist are zeros"


@pytest.mark.usefixtures("_quantizes_all")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("rows", [1, 7, 8, 63, 64, 65, 200])
def test_helpers_change_nothing(packed: Packed, precision: Precision, rows: int) -> None:
    module = flow_lm()
    alone = run(packed(module, 1, precision), module, rows)
    for threads in (2, 3, 4):
        assert_same(run(packed(module, 1, precision, threads), module, rows), alone)
    if precision == "float32":
        assert_near(alone, run(TorchFlowLM(module, 1, "float32"), module, rows))


@pytest.mark.usefixtures("_quantizes_all")
def test_helpers_change_nothing_however_often(packed: Packed) -> None:
    """Late helpers find other work than they came for, and closed teams that are opened again."""
    module = flow_lm()
    alone, helped = (packed(module, 1, "int8", threads) for threads in (1, 4))
    for rows in [8, 70, 9, 64, 13] * 20:
        for model in (alone, helped):
            model.cache.rewind(0)
            model.append(seeded(rows, 64, seed=rows))
        assert torch.equal(state(helped), state(alone))


class LateHelpers:
    """The kernels, whose helpers start when the work is done."""

    def __init__(self, kernels: ctypes.CDLL) -> None:
        self._kernels = kernels
        self._closed, self._lock = threading.Event(), threading.Lock()
        self.came = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernels, name)

    def pv_team_open(self, team: Any) -> None:
        self._closed.clear()
        self._kernels.pv_team_open(team)

    def pv_team_help(self, team: Any) -> None:
        assert self._closed.wait(60)
        self._kernels.pv_team_help(team)
        with self._lock:
            self.came += 1

    def pv_team_close(self, team: Any) -> None:
        self._kernels.pv_team_close(team)
        self._closed.set()


def test_helpers_that_come_too_late_do_no_harm(packed: Packed, kernels: ctypes.CDLL) -> None:
    module = flow_lm()
    expected = run(packed(module, 1, "float32"), module, 70)
    late = LateHelpers(kernels)
    model = NativeFlowLM(module, 1, "float32", 4, kernels=cast(ctypes.CDLL, late))
    assert late.came == 3, "while it was packed"
    assert_same(run(model, module, 70), expected)
    assert late.came == 6
