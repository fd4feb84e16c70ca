"""Weights mapped from a safetensors file: read where they lie, without a copy, and their memory given back once they are packed.

Pages that are given back are read again from the file when they are used again, so giving back costs time at worst. That holds
as long as nobody has written to them: files that are mapped here are for inference.
"""

import json
import mmap
import os
import stat
import weakref
from contextlib import suppress
from pathlib import Path

import safetensors
import torch
from torch import Tensor

_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
_mappings: dict[int, tuple[int, "weakref.ref[mmap.mmap]"]] = {}
"""Start address -> stop address and mapping, of all files that are still in use."""


def read(path: Path) -> dict[str, Tensor]:
    """All tensors of a file, mapped. Raises what safetensors raises for a file that is not whole, or ValueError."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(
            "no file, but a folder, a pipe or a device"
        )  # a pipe would be waited for without end
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        mapping = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
        with safetensors.safe_open(path, framework="pt", device="cpu"):
            pass  # it has checked the header: names, shapes and places fit each other and the file
        _check_same(path, file.fileno(), size)
    if hasattr(mmap, "MADV_WILLNEED"):
        # From a cold disk, all of it comes while the first layers are packed.
        mapping.madvise(mmap.MADV_WILLNEED)
    # The format: the header's length in 8 bytes, the header in JSON, then the tensors' bytes.
    header_end = 8 + int.from_bytes(mapping[:8], "little")
    header = json.loads(mapping[8:header_end])
    header.pop("__metadata__", None)
    whole = torch.frombuffer(mapping, dtype=torch.uint8)
    _remember(whole.data_ptr(), mapping)
    return {name: _tensor(whole[header_end:], entry) for name, entry in header.items()}


def _check_same(path: Path, opened: int, size: int) -> None:
    """Raises ValueError unless what was checked under the name is what is mapped: a file of its own, as long as it was."""
    now, ours = path.stat(), os.fstat(opened)
    if not os.path.samestat(now, ours) or size != ours.st_size:
        raise ValueError("it is being written at the moment")


def in_use() -> set[int]:
    """The addresses at which files are mapped whose tensors are still in use."""
    return set(_mappings)


def _tensor(data: Tensor, entry: dict[str, object]) -> Tensor:
    start, stop = entry["data_offsets"]  # type: ignore[misc]
    piece, dtype = data[start:stop], _DTYPES.get(str(entry["dtype"]))  # type: ignore[has-type]
    if dtype is None:
        raise ValueError(f"weights of the kind {entry['dtype']} are not known")
    if piece.data_ptr() % dtype.itemsize:
        piece = piece.clone()  # files of other writers need not align
    return piece.view(dtype).view(entry["shape"])  # type: ignore[call-overload, no-any-return]


def _remember(start: int, mapping: mmap.mmap) -> None:
    _mappings[start] = start + len(mapping), weakref.ref(mapping, lambda _: _mappings.pop(start, None))


def release(tensor: Tensor) -> None:
    """Gives back the pages that lie wholly inside a mapped tensor; leaves every other tensor alone."""
    if not hasattr(mmap, "MADV_DONTNEED") or not tensor.is_contiguous():
        return
    begin, end = tensor.data_ptr(), tensor.data_ptr() + tensor.nbytes
    for start, (stop, reference) in list(_mappings.items()):
        mapping = reference()
        if mapping is not None and start <= begin and end <= stop:
            first = -(-(begin - start) // mmap.PAGESIZE) * mmap.PAGESIZE
            length = (end - start) // mmap.PAGESIZE * mmap.PAGESIZE - first
            if length > 0:
                with suppress(OSError):
                    mapping.madvise(mmap.MADV_DONTNEED, first, length)
            return
