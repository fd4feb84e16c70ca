"""The structures that the compiled kernels read, field by field as in the headers of `model/kernels`. Data only.

All whole numbers are int64, so that no padding can differ between compilers; pointers are addresses, which whoever fills a
structure keeps alive. `native.ABI` changes with them.
"""

import ctypes
from ctypes import c_float, c_int64, c_void_p
from typing import Any

NO_WEIGHT, WEIGHT_FLOAT32, WEIGHT_BF16, WEIGHT_INT8, WEIGHT_BLOCKED = range(5)
"""Values of `CLinear.kind`, in the order of the enumeration in layers.h."""


class CLinear(ctypes.Structure):
    """`pv_linear`: a weight (outputs, inputs) of one of the kinds above, with what its kind needs beside it."""

    _fields_ = [
        ("kind", c_int64), ("inputs", c_int64), ("outputs", c_int64),
        ("weight", c_void_p), ("scales", c_void_p), ("row_sums", c_void_p), ("bias", c_void_p),
        ("weight_bytes", c_int64), ("bias_size", c_int64),
    ]  # fmt: skip


class CNorm(ctypes.Structure):
    """`pv_norm`: weight and bias of a layer norm, in float32, of `size` numbers each."""

    _fields_ = [("weight", c_void_p), ("bias", c_void_p), ("size", c_int64)]


class CLayer(ctypes.Structure):
    """`pv_layer`: one layer of a transformer."""

    _fields_ = [
        ("norm1", CNorm), ("norm2", CNorm),
        ("in_proj", CLinear), ("out_proj", CLinear), ("linear1", CLinear), ("linear2", CLinear),
    ]  # fmt: skip


class CFlowBlock(ctypes.Structure):
    """`pv_flow_block`: one residual block of the flow head."""

    _fields_ = [("norm", CNorm), ("first", CLinear), ("second", CLinear)]


class CFlowLM(ctypes.Structure):
    """`pv_flow_lm`: the whole language model; only its decode steps and their times change while it is used."""

    _fields_ = [
        ("num_layers", c_int64), ("num_heads", c_int64), ("num_kv_heads", c_int64), ("head_dim", c_int64), ("d_model", c_int64),
        ("layers", ctypes.POINTER(CLayer)),
        ("input_linear", CLinear), ("z_proj", CLinear), ("out_norm", CNorm), ("out_eos", CLinear),
        ("cond_embed", CLinear), ("input_proj", CLinear), ("modulation", CLinear), ("final_linear", CLinear),
        ("num_blocks", c_int64), ("flow_dim", c_int64), ("latent_dim", c_int64), ("predicts_sample", c_int64),
        ("blocks", ctypes.POINTER(CFlowBlock)),
        ("decode_steps", c_int64), ("time_conditions", c_void_p), ("time_conditions_size", c_int64),
    ]  # fmt: skip


class CConv(ctypes.Structure):
    """`pv_conv`: a causal convolution as a linear layer over windows of `history` past rows and the present one."""

    _fields_ = [
        ("linear", CLinear),
        ("channels", c_int64),
        ("history", c_int64),
        ("repeats_first_row", c_int64),
    ]


class CStage(ctypes.Structure):
    """`pv_stage`: one stage of the SEANet decoder, upsampling and a residual block."""

    _fields_ = [("upsample", CConv), ("stride", c_int64), ("residual_in", CConv), ("residual_out", CLinear)]


class CMimi(ctypes.Structure):
    """`pv_mimi`: the whole decoder of the codec."""

    _fields_ = [
        ("is_bf16", c_int64), ("latent_proj", CLinear),
        ("steps_per_latent", c_int64), ("current_filter", c_void_p), ("previous_filter", c_void_p),
        ("filter_size", c_int64),
        ("num_layers", c_int64), ("num_heads", c_int64), ("head_dim", c_int64), ("d_model", c_int64), ("context", c_int64),
        ("layers", ctypes.POINTER(CLayer)),
        ("first_conv", CConv), ("last_conv", CConv),
        ("num_stages", c_int64), ("stages", ctypes.POINTER(CStage)),
    ]  # fmt: skip


class CCache(ctypes.Structure):
    """`pv_cache`: where keys and values (layers, 2, H_kv, capacity, D) and rotations (positions, D) lie."""

    _fields_ = [
        ("keys_values", c_void_p), ("capacity", c_int64), ("rotations", c_void_p),
        ("keys_values_size", c_int64), ("rotation_rows", c_int64),
    ]  # fmt: skip


class CMemory(ctypes.Structure):
    """`pv_memory`: work space of so many bytes."""

    _fields_ = [("bytes", c_void_p), ("size", c_int64)]


_CACHE = _MEMORY = _TEAM = _MODEL = _FLOATS = c_void_p
FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "pv_abi": (ctypes.c_int, ()),
    "pv_supported": (ctypes.c_int, ()),
    "pv_multiplies_bf16": (ctypes.c_int, ()),
    "pv_team_bytes": (c_int64, ()),
    "pv_team_open": (None, (_TEAM,)),
    "pv_team_help": (None, (_TEAM,)),
    "pv_team_close": (None, (_TEAM,)),
    "pv_pack_int8": (None, (_TEAM, _FLOATS, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_void_p)),
    "pv_flow_lm_workspace_bytes": (c_int64, (_MODEL, c_int64, c_int64)),
    "pv_flow_lm_append": (
        ctypes.c_int,
        (_MODEL, _CACHE, _TEAM, _MEMORY, c_int64, c_int64, _FLOATS, c_int64),
    ),
    "pv_flow_lm_step": (
        ctypes.c_int,
        (_MODEL, _CACHE, _MEMORY, c_int64, _FLOATS, _FLOATS, _FLOATS, c_int64, ctypes.POINTER(c_float)),
    ),
    "pv_mimi_workspace_bytes": (c_int64, (_MODEL,)),
    "pv_mimi_decode": (
        ctypes.c_int,
        (
            _MODEL,
            _CACHE,
            _MEMORY,
            c_int64,
            c_int64,
            ctypes.c_int,
            _FLOATS,
            c_int64,
            c_int64,
            _FLOATS,
            c_int64,
        ),
    ),
}
"""Name -> types of its result and arguments, of every function that a library must have."""
