"""The compiled kernels in `model/kernels`: finds the library for this processor, lends it threads, packs weights for it.

The library is made when the package is installed (packaging/build_kernels.py). Where there is none, or the processor is not
x86-64 with AVX2, `library` is None and everything is computed with torch, which is slower. Loads nothing at import time.
"""

import ctypes
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pocketvoice.errors import GenerationError, WeightsError
from pocketvoice.model import mapped, memory
from pocketvoice.model.c_structures import (
    FUNCTIONS,
    NO_WEIGHT,
    WEIGHT_BF16,
    WEIGHT_BLOCKED,
    WEIGHT_FLOAT32,
    WEIGHT_INT8,
    CCache,
    CLinear,
    CMemory,
    CNorm,
)
from pocketvoice.model.linear import WORTH_INT8, Precision

log = logging.getLogger(__name__)

INSTRUCTIONS = ("avx512", "avx2")
"""What libraries are built for, the fastest first."""
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
"""Of a library's file name on this system."""
FOLDER = Path(__file__).with_name("kernels")
ABI = 5
"""The version of structures and functions that a library must answer with; kernels.c has the same number."""
MAX_ROWS = 64
"""Positions that FlowLM appends in one call, at most."""
MAX_FRAMES = 8
"""Frames that Mimi decodes in one call, at most."""
INPUTS_MULTIPLE = 16
"""The number of a layer's inputs must be a multiple of it: a vector of the widest instruction set."""
MAX_INPUTS = 2**16
"""With more of them, sums of products of int8 numbers may not fit in 32 bits."""
HEAD_DIMS = (16, 32, 64, 128)
"""Widths of an attention head that kernels are compiled for."""
_BLOCK_OUTPUTS = 16  # outputs side by side in packed weights


@cache
def library() -> ctypes.CDLL | None:
    """The library that this process computes with; None if there is none. Calls give the interpreter's lock away."""
    return find_library(FOLDER)


def find_library(folder: Path) -> ctypes.CDLL | None:
    """The fastest library in a folder that this processor can run, if there is one; what is told is in the log."""
    for instructions in INSTRUCTIONS:
        path = folder / f"{instructions}{SUFFIX}"
        if path.exists() and (found := open_library(path)) is not None:
            log.info("kernels: %s", path.name)
            return found
    log.info("no kernels for this machine: torch computes every step")
    return None


def open_library(path: Path, abi: int = ABI) -> ctypes.CDLL | None:
    """The library in a file, its functions typed; None, with a warning, if it is damaged or of another version than `abi`.

    None without a warning if the processor or the system lacks its instructions.
    """
    try:
        found = ctypes.CDLL(str(path))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as exc:
        log.warning("The kernels in %s can't be used: install the program again. (%s)", path, exc)
        return None
    if found.pv_abi() != abi:
        log.warning("The kernels in %s are of another version: install the program again.", path)
        return None
    return found if found.pv_supported() else None


class Team:
    """Threads that take parts of long work, as far as the system lets them; there are some only inside of `helped`."""

    MAX_HELPERS = 3

    def __init__(self, kernels: ctypes.CDLL) -> None:
        self._kernels = kernels
        self._state = ctypes.create_string_buffer(kernels.pv_team_bytes())

    @contextmanager
    def helped(self, helpers: int) -> Iterator[Any]:
        """Lends the kernels so many threads: what to pass them as their team, None without any."""
        if helpers < 1:
            yield None
            return
        self._kernels.pv_team_open(self._state)
        # No executor of the standard library: its locks stay locked when a signal raises an exception at the wrong moment.
        started: list[threading.Thread] = []
        try:
            for _ in range(min(helpers, self.MAX_HELPERS)):
                help_team = self._kernels.pv_team_help
                thread = threading.Thread(target=help_team, args=(self._state,), name="helper", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system gives no more threads: fewer help
                    break
                started.append(thread)
            yield self._state
        finally:
            self._kernels.pv_team_close(self._state)
            for thread in started:
                thread.join()


class Packer:
    """Describes layers to the kernels and keeps what it described alive; `team` helps to pack them."""

    def __init__(self, kernels: ctypes.CDLL, precision: Precision) -> None:
        self.team: Any = None
        self._kernels = kernels
        self._precision = precision
        self._memory = memory.Pieces()
        self._kept: list[Tensor] = []  # whose addresses are in structures

    def pointer(self, tensor: Tensor) -> int:
        """The address of a contiguous tensor's numbers, good for as long as the packer lives."""
        assert tensor.is_contiguous(), "kernels read numbers in a row"
        self._kept.append(tensor)
        return tensor.data_ptr()

    def floats(self, tensor: Tensor | None) -> int | None:
        """The address of the tensor's numbers as float32, None for none."""
        return None if tensor is None else self.pointer(tensor.detach().float().contiguous())

    def norm(self, norm: nn.LayerNorm) -> CNorm:
        assert norm.weight.shape == norm.bias.shape
        return CNorm(self.floats(norm.weight), self.floats(norm.bias), norm.weight.numel())

    def layer(self, layer: nn.Linear) -> CLinear:
        """`linear` of a module's weight and bias."""
        return self.linear(layer.weight, layer.bias)

    def linear(self, weight: Tensor, bias: Tensor | None = None) -> CLinear:
        """A layer with `weight` (outputs, inputs) for one row a call, or few, at the packer's precision.

        At "int8" large ones are quantized. bf16 weights stay as and where they are: they are exact in float32, in which
        the kernels compute.
        """
        weight = weight.detach().contiguous()
        if self._precision == "int8" and weight.numel() >= WORTH_INT8:
            return self._int8(weight, bias)
        if weight.dtype != torch.bfloat16 and (self._precision == "bf16" or weight.dtype != torch.float32):
            stored = weight
            weight = self._memory.copy(stored.bfloat16() if self._precision == "bf16" else stored.float())
            mapped.release(stored)
        kind = WEIGHT_BF16 if weight.dtype == torch.bfloat16 else WEIGHT_FLOAT32
        outputs, inputs = weight.shape
        return CLinear(
            kind, inputs, outputs, self.pointer(weight), None, None, self.floats(bias),
            weight.nbytes, _size(bias),
        )  # fmt: skip

    def blocks(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> CLinear:
        """A layer for many rows a call: for each input 16 outputs side by side, in bf16 for every two inputs 16 x 2."""
        outputs, inputs = weight.shape
        inputs_at_once = 2 if dtype == torch.bfloat16 else 1
        whole = torch.zeros(_whole_blocks(outputs), inputs, dtype=dtype, device="cpu")
        whole[:outputs] = weight.detach()
        by_input = whole.view(-1, _BLOCK_OUTPUTS, inputs // inputs_at_once, inputs_at_once).transpose(1, 2)
        packed = self._memory.copy(by_input)
        mapped.release(weight)
        return CLinear(
            WEIGHT_BLOCKED, inputs, outputs, self.pointer(packed), None, None, self.floats(bias),
            packed.nbytes, _size(bias),
        )  # fmt: skip

    def _int8(self, weight: Tensor, bias: Tensor | None) -> CLinear:
        if weight.dtype not in (torch.float32, torch.bfloat16):
            weight = weight.float()
        outputs, inputs = weight.shape
        rows = _whole_blocks(outputs)
        packed = self._memory.take(rows * inputs)
        scales = torch.empty(rows, dtype=torch.float32, device="cpu")
        row_sums = torch.empty(rows, dtype=torch.int32, device="cpu")
        kind = WEIGHT_BF16 if weight.dtype == torch.bfloat16 else WEIGHT_FLOAT32
        self._kernels.pv_pack_int8(
            self.team, weight.data_ptr(), kind, outputs, inputs,
            packed.data_ptr(), scales.data_ptr(), row_sums.data_ptr(),
        )  # fmt: skip
        mapped.release(weight)
        return CLinear(
            WEIGHT_INT8, inputs, outputs,
            self.pointer(packed), self.pointer(scales), self.pointer(row_sums), self.floats(bias),
            packed.nbytes, _size(bias),
        )  # fmt: skip


def _size(bias: Tensor | None) -> int:
    return 0 if bias is None else bias.numel()


def c_cache(keys_values: Tensor, rotations: Tensor) -> CCache:
    """Describes keys and values (layers, 2, H_kv, positions, D) and rotations (positions, D / 2), and how many there are."""
    return CCache(
        keys_values.data_ptr(),
        keys_values.shape[3],
        rotations.data_ptr(),
        keys_values.numel(),
        rotations.shape[0],
    )


def workspace(size: int) -> tuple[Tensor, CMemory]:
    """Memory for the kernels, and its description; raises WeightsError for 0 bytes, their word for sizes that contradict."""
    if size <= 0:
        raise WeightsError("The sizes in the model's config and weights contradict each other.")
    memory = torch.empty(size, dtype=torch.uint8, device="cpu")
    return memory, CMemory(memory.data_ptr(), size)


def check(status: int) -> None:
    """Raises GenerationError for the answer of a kernel that was given less memory than it needs; it has computed nothing."""
    if status:
        raise GenerationError(
            "The model can't be computed on this computer: its sizes do not fit the compiled kernels."
        )


def _whole_blocks(outputs: int) -> int:
    """The number of outputs, rounded up to whole blocks of packed weights."""
    return -(-outputs // _BLOCK_OUTPUTS) * _BLOCK_OUTPUTS


NO_LAYER = CLinear(kind=NO_WEIGHT)
"""Stands where a model has no such layer."""
