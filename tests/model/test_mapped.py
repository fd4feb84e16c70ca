"""Weights mapped from their file: the same numbers as the library reads, and memory that can be given back."""

import gc
import json
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import Tensor

from pocketvoice.errors import WeightsError
from pocketvoice.model import mapped, weights


def resident_bytes(path: Path) -> int:
    """How much of the mapped file lies in memory of this process."""
    lines = Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()
    here = next(number for number, line in enumerate(lines) if line.endswith(str(path)))
    return next(int(line.split()[1]) for line in lines[here:] if line.startswith("Rss:")) * 1024


@pytest.fixture
def tensors() -> dict[str, Tensor]:
    return {
        "big": torch.randn(1000, 1000),
        "odd": torch.arange(3, dtype=torch.int8),
        "half": torch.randn(5, 3).bfloat16(),
        "one": torch.tensor(2.5),
        "none": torch.empty(0, 4),
        "long": torch.arange(7),
    }


@pytest.fixture
def path(tmp_path: Path, tensors: dict[str, Tensor]) -> Path:
    safetensors.torch.save_file(tensors, tmp_path / "a.safetensors", {"made": "here"})
    return tmp_path / "a.safetensors"


def test_numbers_are_those_of_the_library(path: Path, tensors: dict[str, Tensor]) -> None:
    found = mapped.read(path)
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], value) for name, value in tensors.items())
    assert all(found[name].dtype == value.dtype for name, value in tensors.items())


def test_places_that_are_not_aligned_are_read_too(tmp_path: Path) -> None:
    """Other writers pad nothing."""
    values = torch.randn(6)
    header = {
        "a": {"dtype": "I8", "shape": [3], "data_offsets": [0, 3]},
        "b": {"dtype": "F32", "shape": [2, 3], "data_offsets": [3, 27]},
    }
    text = json.dumps(header).encode()
    data = len(text).to_bytes(8, "little") + text + bytes([1, 2, 3]) + values.numpy().tobytes()
    (tmp_path / "a.safetensors").write_bytes(data)
    found = mapped.read(tmp_path / "a.safetensors")
    assert torch.equal(found["b"], values.view(2, 3))
    assert found["a"].tolist() == [1, 2, 3]


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells")
def test_memory_is_given_back_and_read_again(path: Path, tensors: dict[str, Tensor]) -> None:
    found = mapped.read(path)
    assert torch.equal(found["big"], tensors["big"])
    before = resident_bytes(path)
    for value in found.values():
        mapped.release(value)
    assert before >= 4_000_000
    assert resident_bytes(path) < 100_000
    assert torch.equal(found["big"], tensors["big"])


def test_other_tensors_are_left_alone(path: Path, tensors: dict[str, Tensor]) -> None:
    found = mapped.read(path)
    ours = torch.ones(1000, 1000)
    changed = found["big"] + 1
    for value in (ours, changed, found["big"].t()):
        mapped.release(value)
    assert (ours == 1).all()
    assert torch.equal(changed, tensors["big"] + 1)


def test_mapping_ends_with_its_tensors(path: Path) -> None:
    before = mapped.in_use()
    found = mapped.read(path)
    (start,) = mapped.in_use() - before
    kept = found["long"]
    del found
    gc.collect()
    assert start in mapped.in_use()
    assert kept.tolist() == list(range(7))
    del kept
    gc.collect()
    assert start not in mapped.in_use()


@pytest.mark.parametrize("cut", [0, 4, 60, 2_000_000])
def test_file_cut_short_is_refused(path: Path, cut: int) -> None:
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(WeightsError, match="damaged or cut short"):
        weights.read_safetensors(path)


def test_kind_of_numbers_that_is_not_known_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    safetensors.torch.save_file({"a": torch.zeros(4, dtype=torch.float8_e4m3fn)}, path)
    with pytest.raises(WeightsError):
        weights.read_safetensors(path)
