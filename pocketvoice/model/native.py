"""The compiled kernels in `model/kernels`: finds the library for this processor, describes layers to it, packs weights for it.

The library is made when the package is installed (packaging/build_kernels.py). Where there is none, or the processor is not
x86-64 with AVX2, `library` is None and everything is computed with torch, which is slower. Loads nothing at import time.
"""

import ctypes
import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_float, c_int64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pocketvoice.model import mapped, memory
from pocketvoice.model.linear import WORTH_INT8, Precision

log = logging.getLogger(__name__)

INSTRUCTIONS = ("avx512", "avx2")
"""What libraries are built for, the fastest first."""
ROWS = 64
"""Positions that FlowLM appends at once, at most."""
FRAMES = 8
"""Frames that CMimi decodes at once, at most."""
INPUTS = 16
"""Layers have a multiple of so many inputs."""
MOST_INPUTS = 2**16
"""More products of int8 numbers may not fit in 32 bits."""
_ABI = 3
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
_NONE, _FLOAT32, _BF16, _INT8, _BLOCKS = range(5)
HEAD_DIMS = (16, 32, 64, 128)
"""Numbers a head that attention is compiled for."""
_BLOCK = 16  # outputs side by side in packed weights


class CLinear(ctypes.Structure):
    """pv_linear."""

    _fields_ = [
        ("kind", c_int64), ("in_", c_int64), ("out", c_int64),
        ("weight", c_void_p), ("scale", c_void_p), ("sums", c_void_p), ("bias", c_void_p),
    ]  # fmt: skip


class CNorm(ctypes.Structure):
    """pv_norm."""

    _fields_ = [("weight", c_void_p), ("bias", c_void_p)]


class CLayer(ctypes.Structure):
    """pv_layer."""

    _fields_ = [
        ("norm1", CNorm), ("norm2", CNorm),
        ("in_proj", CLinear), ("out_proj", CLinear), ("linear1", CLinear), ("linear2", CLinear),
    ]  # fmt: skip


class CBlock(ctypes.Structure):
    """pv_block."""

    _fields_ = [("norm", CNorm), ("first", CLinear), ("second", CLinear)]


class CModel(ctypes.Structure):
    """pv_model."""

    _fields_ = [
        ("layers", c_int64), ("heads", c_int64), ("kv_heads", c_int64), ("head_dim", c_int64), ("width", c_int64),
        ("layer", ctypes.POINTER(CLayer)),
        ("input", CLinear), ("z_proj", CLinear), ("out_norm", CNorm), ("eos", CLinear),
        ("condition", CLinear), ("head_input", CLinear), ("modulation", CLinear), ("output", CLinear),
        ("blocks", c_int64), ("dim", c_int64), ("latent_dim", c_int64), ("is_sample", c_int64),
        ("block", ctypes.POINTER(CBlock)),
        ("steps", c_int64), ("times", c_void_p),
    ]  # fmt: skip


class CConv(ctypes.Structure):
    """pv_conv."""

    _fields_ = [("linear", CLinear), ("channels", c_int64), ("history", c_int64), ("replicate", c_int64)]


class CStage(ctypes.Structure):
    """pv_stage."""

    _fields_ = [("up", CConv), ("stride", c_int64), ("wide", CConv), ("narrow", CLinear)]


class CMimi(ctypes.Structure):
    """pv_mimi."""

    _fields_ = [
        ("is_bf16", c_int64), ("project", CLinear), ("steps", c_int64), ("now", c_void_p), ("before", c_void_p),
        ("layers", c_int64), ("heads", c_int64), ("head_dim", c_int64), ("width", c_int64), ("context", c_int64),
        ("layer", ctypes.POINTER(CLayer)),
        ("first", CConv), ("last", CConv),
        ("stages", c_int64), ("stage", ctypes.POINTER(CStage)),
    ]  # fmt: skip


class CCache(ctypes.Structure):
    """pv_cache."""

    _fields_ = [("keys_values", c_void_p), ("capacity", c_int64), ("rotations", c_void_p)]


_SIGNATURES: dict[str, tuple[Any, Sequence[Any]]] = {
    "pv_abi": (ctypes.c_int, ()),
    "pv_supported": (ctypes.c_int, ()),
    "pv_team_bytes": (c_int64, ()),
    "pv_open": (None, (c_void_p,)),
    "pv_help": (None, (c_void_p,)),
    "pv_close": (None, (c_void_p,)),
    "pv_space": (c_int64, (c_void_p, c_int64, c_int64)),
    "pv_append": (None, (c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_int64, c_void_p)),
    "pv_step": (c_float, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p)),
    "pv_multiplies_bf16": (ctypes.c_int, ()),
    "pv_decode_space": (c_int64, (c_void_p,)),
    "pv_decode": (
        None,
        (c_void_p, c_void_p, c_void_p, c_int64, c_int64, ctypes.c_int, c_void_p, c_int64, c_void_p),
    ),
    "pv_pack": (None, (c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_void_p)),
}


@cache
def library() -> ctypes.CDLL | None:
    """The fastest library that this processor can run; None if there is none. Calls give the interpreter's lock away."""
    for instructions in INSTRUCTIONS:
        path = Path(__file__).with_name("kernels") / f"{instructions}{_SUFFIX}"
        if path.exists() and (found := _opened(path)) is not None:
            log.info("kernels: %s", path.name)
            return found
    log.info("no kernels for this machine: torch computes every step")
    return None


def _opened(path: Path) -> ctypes.CDLL | None:
    try:
        found = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as exc:
        log.warning("The kernels in %s can't be used: install the program again. (%s)", path, exc)
        return None
    if found.pv_abi() != _ABI:
        log.warning("The kernels in %s are of another version: install the program again.", path)
        return None
    return found if found.pv_supported() else None


class Team:
    """Threads that take a share of long work, as far as the system lets them; there are some only inside of `helped`."""

    MOST = 3

    def __init__(self, kernels: ctypes.CDLL) -> None:
        self._kernels = kernels
        self._state = ctypes.create_string_buffer(kernels.pv_team_bytes())

    @contextmanager
    def helped(self, helpers: int) -> Iterator[Any]:
        """With so many helpers: the team, for calls of kernels; without any, None.

        No executor of the standard library: its locks stay locked when a signal raises an exception at the wrong moment.
        """
        if helpers < 1:
            yield None
            return
        self._kernels.pv_open(self._state)
        started: list[threading.Thread] = []
        try:
            for _ in range(min(helpers, self.MOST)):
                help_ = self._kernels.pv_help
                thread = threading.Thread(target=help_, args=(self._state,), name="helper", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system gives no more threads: fewer help
                    break
                started.append(thread)
            yield self._state
        finally:
            self._kernels.pv_close(self._state)
            for thread in started:
                thread.join()


class Packer:
    """Describes layers to the kernels and keeps what it described alive; `team` helps to pack them."""

    def __init__(self, kernels: ctypes.CDLL, precision: Precision) -> None:
        self.team: Any = None
        self._kernels = kernels
        self._precision = precision
        self._memory = memory.Pieces()
        self._kept: list[Tensor] = []

    def pointer(self, tensor: Tensor) -> int:
        """Where its numbers lie, for as long as the packer lives; it must be contiguous."""
        assert tensor.is_contiguous(), "kernels read numbers in a row"
        self._kept.append(tensor)
        return tensor.data_ptr()

    def floats(self, tensor: Tensor | None) -> int | None:
        """As float32."""
        return None if tensor is None else self.pointer(tensor.detach().float().contiguous())

    def norm(self, norm: nn.LayerNorm) -> CNorm:
        """A layer norm."""
        return CNorm(self.floats(norm.weight), self.floats(norm.bias))

    def layer(self, layer: nn.Linear) -> CLinear:
        """A linear layer, see `linear`."""
        return self.linear(layer.weight, layer.bias)

    def linear(self, weight: Tensor, bias: Tensor | None = None) -> CLinear:
        """A layer with `weight` (out, in).

        Large ones are quantized for "int8". BF16 weights stay as and where they are: they are exact in float32, in which
        the kernels compute.
        """
        weight = weight.detach().contiguous()
        if self._precision == "int8" and weight.numel() >= WORTH_INT8:
            return self._int8(weight, bias)
        if weight.dtype != torch.bfloat16 and (self._precision == "bf16" or weight.dtype != torch.float32):
            stored = weight
            weight = self._memory.copy(stored.bfloat16() if self._precision == "bf16" else stored.float())
            mapped.release(stored)
        kind = _BF16 if weight.dtype == torch.bfloat16 else _FLOAT32
        out, in_ = weight.shape
        return CLinear(kind, in_, out, self.pointer(weight), None, None, self.floats(bias))

    def blocks(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> CLinear:
        """A layer for many rows a call: 16 outputs side by side, in bf16 those of two inputs."""
        out, in_ = weight.shape
        together = 2 if dtype == torch.bfloat16 else 1
        whole = torch.zeros(-(-out // _BLOCK) * _BLOCK, in_, dtype=dtype, device="cpu")
        whole[:out] = weight.detach()
        packed = self._memory.copy(whole.view(-1, _BLOCK, in_ // together, together).transpose(1, 2))
        mapped.release(weight)
        return CLinear(_BLOCKS, in_, out, self.pointer(packed), None, None, self.floats(bias))

    def _int8(self, weight: Tensor, bias: Tensor | None) -> CLinear:
        if weight.dtype not in (torch.float32, torch.bfloat16):
            weight = weight.float()
        out, in_ = weight.shape
        rows = -(-out // _BLOCK) * _BLOCK
        packed = self._memory.take(rows * in_)
        scale = torch.empty(rows, dtype=torch.float32, device="cpu")
        sums = torch.empty(rows, dtype=torch.int32, device="cpu")
        kind = _BF16 if weight.dtype == torch.bfloat16 else _FLOAT32

        self._kernels.pv_pack(
            self.team, weight.data_ptr(), kind, out, in_, packed.data_ptr(), scale.data_ptr(), sums.data_ptr()
        )
        mapped.release(weight)
        return CLinear(
            _INT8, in_, out,
            self.pointer(packed), self.pointer(scale), self.pointer(sums), self.floats(bias),
        )  # fmt: skip


NO_LAYER = CLinear(kind=_NONE)
