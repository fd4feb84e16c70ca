"""Linear layers packed for inference at a chosen precision: the only file that knows torch's quantized and oneDNN operators.

A `Projection` is a plain function (T, in) -> (T, out), float32 in and out whatever happens inside.
"""

import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

Precision = Literal["float32", "bf16", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
Projection = Callable[[Tensor], Tensor]


def pack(weight: Tensor, bias: Tensor | None, precision: Precision) -> Projection:
    """The layer with `weight` (out, in) and `bias` (out), at `precision`.

    float32 is exact; bf16 halves the bytes read; int8 quantizes weights per output channel and inputs per call.
    """
    bias = None if bias is None else bias.detach().float()
    if precision == "int8":
        return _pack_int8(weight.detach().float(), bias)
    if precision == "bf16":
        return _pack_bf16(weight.detach().bfloat16(), bias)
    return partial(F.linear, weight=weight.detach().float(), bias=bias)


def _pack_bf16(weight: Tensor, bias: Tensor | None) -> Projection:
    bias = None if bias is None else bias.bfloat16()
    if not torch.backends.mkldnn.is_available():
        return lambda x: F.linear(x.bfloat16(), weight, bias).float()
    # Without prepacking torch's bf16 matrix-vector product is no faster than float32.
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), 1)
    run = torch.ops.mkldnn._linear_pointwise.default
    return lambda x: run(x.bfloat16(), packed, bias, "none", [], "").float()


def _pack_int8(weight: Tensor, bias: Tensor | None) -> Projection:
    # torch marks these operators as deprecated in favour of a package that is not a dependency; they are kept here alone.
    torch.backends.quantized.engine = quantized_engine()
    scale = weight.abs().amax(dim=1).clamp(min=1e-8).double() / 127
    zero_point = torch.zeros(weight.shape[0], dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "deprecated"
        quantized = torch.quantize_per_channel(weight, scale, zero_point, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(quantized, bias)
    run = torch.ops.quantized.linear_dynamic.default
    reduce_range = not _has_vnni()
    return lambda x: run(x, packed, reduce_range)


@cache
def quantized_engine() -> str:
    """torch's backend for int8 on this machine."""
    supported = torch.backends.quantized.supported_engines
    return next(name for name in ("x86", "fbgemm", "qnnpack", "onednn", "none") if name in supported)


@cache
def _has_vnni() -> bool:
    """Without VNNI fbgemm adds pairs of products in 16 bits: inputs must then keep to seven bits, or sums saturate."""
    try:
        return "vnni" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="ignore")
    except OSError:
        return quantized_engine() == "qnnpack"
