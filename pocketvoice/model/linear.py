"""Linear layers packed for inference at a chosen precision: the only file that knows torch's quantized and oneDNN operators.

A `Projection` is a plain function (T, in) -> (T, out), float32 out whatever happens inside. How a layer is packed depends on
its size and on how many rows it sees a call: a lower precision is for layers that gain by it. It is packed for the device its
weight lies on; int8 and oneDNN are the CPU's.
"""

import math
import platform
import warnings
from collections.abc import Callable
from functools import cache
from typing import Literal, Protocol, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

from pocketvoice.model import mapped

Precision = Literal["float32", "bf16", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)

# Numbers of a weight from which a lower precision beats float32 for one row; what is smaller lies in the processor's caches.
WORTH_BF16 = 2**18
WORTH_INT8 = 2**16


class Projection(Protocol):
    """A packed layer; `dtype` is what it computes in: inputs of that type are not converted again."""

    dtype: torch.dtype

    def __call__(self, x: Tensor) -> Tensor:
        """(T, in) -> (T, out)."""
        ...


def pack(weight: Tensor, bias: Tensor | None, precision: Precision, *, gelu: bool = False) -> Projection:
    """The layer with `weight` (out, in) and `bias` (out), at `precision`, for one row a call; `gelu` (tanh) may follow it.

    float32 is exact; bf16 halves the bytes read; int8 quantizes weights per output channel and inputs per call.
    """
    assert precision != "int8" or weight.is_cpu, "int8 is computed on the CPU only"
    if precision == "int8" and weight.numel() >= WORTH_INT8:
        return _Int8(weight, bias, gelu)
    if precision == "bf16" and weight.numel() >= WORTH_BF16:
        return (
            _OneDnn(weight, bias, torch.bfloat16, gelu, rows=1)
            if has_onednn() and weight.is_cpu and packs_bf16()
            else _Bf16(weight, bias, gelu)
        )
    return _Float32(weight, bias, gelu)


def pack_batched(
    weight: Tensor, bias: Tensor | None, precision: Precision, *, gelu: bool = False
) -> Projection:
    """As `pack`, for many rows a call: arithmetic counts, not bytes.

    int8 is bf16 where the processor multiplies that in hardware: nearer to float32, and as fast or faster.
    """
    if not has_onednn() or not weight.is_cpu:
        return pack(weight, bias, precision, gelu=gelu)
    if precision == "int8" and not multiplies_bf16() and weight.numel() >= WORTH_INT8:
        return _Int8(weight, bias, gelu)
    low = precision != "float32" and multiplies_bf16() and weight.shape[0] > 1
    return _OneDnn(weight, bias, torch.bfloat16 if low else torch.float32, gelu, rows=64)


class _Float32:
    """Plain; the weight stays where it lies if it is float32."""

    dtype = torch.float32

    def __init__(self, weight: Tensor, bias: Tensor | None, gelu: bool) -> None:
        self._weight = weight.detach().float()
        if weight.dtype != torch.float32 and weight.is_cpu:
            mapped.release(weight)
        self._bias = _floats(bias)
        self._gelu = gelu

    def __call__(self, x: Tensor) -> Tensor:
        y = F.linear(x, self._weight, self._bias)
        return _gelu(y) if self._gelu else y


class _Bf16:
    """bf16 through torch's own product, where oneDNN is missing or the device is another."""

    dtype = torch.bfloat16

    def __init__(self, weight: Tensor, bias: Tensor | None, gelu: bool) -> None:
        self._weight = weight.detach().bfloat16()
        self._bias = None if bias is None else bias.detach().bfloat16()
        self._gelu = gelu

    def __call__(self, x: Tensor) -> Tensor:
        y = F.linear(x.to(self.dtype), self._weight, self._bias).float()
        return _gelu(y) if self._gelu else y


class _OneDnn:
    """Packed for oneDNN, whose float32 is up to twice as fast as BLAS with many rows, and whose bf16 needs the packing."""

    def __init__(
        self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype, gelu: bool, rows: int
    ) -> None:
        self.dtype = dtype
        reorder = torch.ops.mkldnn._reorder_linear_weight
        self._weight = reorder(weight.detach().to(dtype).contiguous(), rows)
        mapped.release(weight)
        self._bias = None if bias is None else bias.detach().to(dtype)
        self._after = ("gelu", "tanh") if gelu else ("none", "")

    def __call__(self, x: Tensor) -> Tensor:
        if self.dtype == torch.float32:
            return _onednn_linear(x, self._weight, self._bias, *self._after)
        return _onednn_linear(x.to(self.dtype), self._weight, self._bias, *self._after).float()


def _onednn_linear(x: Tensor, weight: Tensor, bias: Tensor | None, after: str, algorithm: str) -> Tensor:
    if torch._C._is_tracing():
        return _traceable_linear()(x, weight, bias, after, algorithm)
    run = torch.ops.mkldnn._linear_pointwise.default
    return run(x, weight, bias, after, [], algorithm)  # type: ignore[no-any-return]


@cache
def _traceable_linear() -> Callable[..., Tensor]:
    """WORKAROUND: the tracer can't record the operator's empty list of numbers; a compiled function around it can be recorded."""
    source = """
def linear(x, weight, bias: Optional[Tensor], after: str, algorithm: str):
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, after, [], algorithm)
"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, see `model.graph`
        return torch.jit.CompilationUnit(source).linear  # type: ignore[no-any-return]


class _Int8:
    """torch marks these operators as deprecated in favour of a package that is not a dependency; they are kept here alone."""

    dtype = torch.float32  # in and out

    def __init__(self, weight: Tensor, bias: Tensor | None, gelu: bool) -> None:
        torch.backends.quantized.engine = quantized_engine()
        whole, scale = _rounded(weight.detach())
        zero_point = torch.zeros(weight.shape[0], dtype=torch.long, device=weight.device)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "deprecated"
            quantized = torch._make_per_channel_quantized_tensor(whole, scale.double(), zero_point, 0)
        mapped.release(weight)
        self._packed = torch.ops.quantized.linear_prepack(quantized, _floats(bias))
        self._run = torch.ops.quantized.linear_dynamic.default
        self._reduce_range = not _sums_in_32_bits()
        self._gelu = gelu

    def __call__(self, x: Tensor) -> Tensor:
        y: Tensor = self._run(x, self._packed, self._reduce_range)
        return _gelu(y) if self._gelu else y


def _rounded(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Weights (out, in) -> whole numbers of -127..127 (out, in), as int8, and the scale of each row (out,)."""
    # A block of rows at a time: temporaries stay in the processor's cache, and no second copy of the layer comes to be.
    whole = torch.empty(weight.shape, dtype=torch.int8, device=weight.device)
    scale = torch.empty(weight.shape[0], device=weight.device)
    rows = max(1, 65536 // weight.shape[1])
    for start in range(0, weight.shape[0], rows):
        block = weight[start : start + rows].float()
        largest = block.abs().amax(dim=1).clamp_(min=1e-6)
        scale[start : start + rows] = largest / 127
        whole[start : start + rows] = (block * (127 / largest)[:, None]).round_()
    return whole, scale


def _gelu(x: Tensor) -> Tensor:
    """GELU (tanh) of a fresh result. tanh(u) is 2 sigmoid(2u) - 1, and torch's sigmoid is several times faster than its tanh."""
    if x.shape[0] == 1:  # one call counts more than what it computes
        return F.gelu(x, approximate="tanh")
    slope = 2 * math.sqrt(2 / math.pi)
    return (x * x).mul_(0.044715 * slope).add_(slope).mul_(x).sigmoid_().mul_(x)


def _floats(bias: Tensor | None) -> Tensor | None:
    return None if bias is None else bias.detach().float()


@cache
def has_onednn() -> bool:
    """Whether oneDNN's packed layers are there and fast: on x86."""
    return torch.backends.mkldnn.is_available() and platform.machine().lower() in ("x86_64", "amd64")


@cache
def packs_bf16() -> bool:
    """Whether oneDNN, where it is, packs layers in bf16: it wants AVX512BW or AVX-NE-CONVERT, which only an attempt tells."""
    try:
        torch.ops.mkldnn._reorder_linear_weight(torch.zeros(16, 16, dtype=torch.bfloat16, device="cpu"), 1)
    except RuntimeError:
        return False
    return True


@cache
def multiplies_bf16() -> bool:
    """Whether the processor multiplies bf16 itself (AVX512-BF16, AMX)."""
    return has_onednn() and _processor_has("_is_avx512_bf16_supported")


@cache
def quantized_engine() -> str:
    """torch's backend for int8 on this machine."""
    supported = torch.backends.quantized.supported_engines
    return next(name for name in ("x86", "fbgemm", "qnnpack", "onednn", "none") if name in supported)


@cache
def _sums_in_32_bits() -> bool:
    """Without AVX512-VNNI fbgemm adds pairs of products in 16 bits: inputs must then keep to seven bits, or sums saturate."""
    return quantized_engine() == "qnnpack" or _processor_has("_is_vnni_supported")


def _processor_has(question: str) -> bool:
    """torch's answer; a torch that does not know the question says no."""
    ask: Callable[[], bool] = getattr(torch.cpu, question, lambda: False)
    return ask()
