"""Checkpoints on disk -> modules: the bundle, separate files in two layouts, training checkpoints; mapped, checked, named.

Tensors of safetensors files stay mapped from the file at their stored precision until a layer is packed; nothing is copied here.
Knows no hub: all paths are local.
"""

import hashlib
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import safetensors
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from pocketvoice.errors import MissingFileError, WeightsError
from pocketvoice.model import mapped
from pocketvoice.model.config import ModelConfig
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.mimi import Mimi

# The parts of Mimi that only cloning needs: public weights may come without them.
_ENCODER = ("encoder.", "encoder_transformer.", "downsample.")

# FlowLM keys of the research code -> ours; None is dropped.
_FLOW_LM_RENAMED: dict[str, str | None] = {
    "condition_provider.conditioners.transcript_in_segment.embed.weight": "conditioner.embed.weight",
    "condition_provider.conditioners.speaker_wavs.output_proj.weight": "speaker_proj_weight",
    "condition_provider.conditioners.transcript_in_segment.learnt_padding": None,
    "condition_provider.conditioners.speaker_wavs.learnt_padding": None,
    "fuser.padding_value": "bos_before_voice",
    "num_ema_updates": None,
}
_FLOW_LM_DROPPED = ("flow.w_s_t.",)

# Parts of the research codec that are not used for speech.
_MIMI_DROPPED = ("quantizer.vq.", "quantizer.logvar_proj.", "quantizer.logvar_param", "wavlm_")

# What torch.load raises for damaged files of all sorts (tried with random changes to good ones): the archive is not whole, the
# pickle in it is not, or it says something senseless.
_NOT_A_CHECKPOINT = (
    RuntimeError,
    pickle.UnpicklingError,
    EOFError,
    OSError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
)


@dataclass(frozen=True)
class Network:
    """A loaded model: its modules, on the CPU, without gradients."""

    config: ModelConfig
    flow_lm: FlowLM
    mimi: Mimi
    has_encoder: bool  # the codec's encoder and the speaker projection are there: clips can be encoded
    fingerprint: str  # 16 hex digits that name these exact weights


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """All tensors of a file, mapped, not copied. Raises MissingFileError or WeightsError."""
    try:
        return mapped.read(path)
    except FileNotFoundError as exc:
        raise MissingFileError(f"Weights file {path} does not exist: check the path.") from exc
    except (safetensors.SafetensorError, OSError, ValueError) as exc:
        raise WeightsError(
            f"Weights file {path} is damaged or cut short: download or copy it again.", detail=str(exc)
        ) from exc


def fingerprint(flow_lm: Mapping[str, Tensor]) -> str:
    """Names FlowLM's weights, which a voice state belongs to: a hash of samples of every tensor, so that a start stays fast.

    What only makes states (the speaker projection) is left out: published with or without cloning, weights are the same.
    """
    digest = hashlib.sha256()
    for key in sorted(set(flow_lm) - {"speaker_proj_weight"}):
        tensor = flow_lm[key].detach().contiguous().reshape(-1)
        digest.update(f"{key} {tuple(flow_lm[key].shape)} {tensor.dtype} ".encode())
        data = tensor.view(torch.uint8)
        for start in (0, len(data) // 2, max(0, len(data) - 512)):
            digest.update(data[start : start + 512].numpy().tobytes())
    return digest.hexdigest()[:16]


def _flow_lm_key(key: str) -> str | None:
    if key in _FLOW_LM_RENAMED:
        return _FLOW_LM_RENAMED[key]
    if key.startswith(_FLOW_LM_DROPPED):
        return None
    return key.removeprefix("flow_lm.").replace(".self_attn.in_proj_weight", ".self_attn.in_proj.weight")


def flow_lm_tensors(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """FlowLM's tensors under our names, from a separate file of either layout."""
    renamed = {_flow_lm_key(key): value for key, value in tensors.items() if not key.startswith("mimi.")}
    return {key: value for key, value in renamed.items() if key is not None}


def mimi_tensors(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Mimi's tensors under our names, from a bundle or from the research layout (weight norm, doubled names)."""
    if any(key.startswith("mimi.") for key in tensors):
        return {key.removeprefix("mimi."): value for key, value in tensors.items() if key.startswith("mimi.")}
    result = {}
    for key, value in tensors.items():
        name = key.removeprefix("model.")
        if name.startswith(_MIMI_DROPPED) or "_codebook" in name or name.endswith(".weight_v"):
            continue
        if name.endswith(".weight_g"):
            # Weight norm keeps direction (v) and length (g) apart while it is trained; here they are one weight.
            value = torch._weight_norm(tensors[key[:-1] + "v"], value, dim=0)
            name = name.removesuffix("_g")
        # Research modules are wrapped once more than ours: `conv.conv.` is `conv.`, for the resamplers `conv.conv.conv.`.
        for twice in ("conv", "convtr"):
            depth = 2 if name.startswith(("downsample", "upsample")) else 1
            name = name.replace(f".{twice}" * (depth + 1) + ".", f".{twice}" * depth + ".")
        result[name.replace("in_proj_weight", "in_proj.weight")] = value
    return result


def checkpoint_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """FlowLM's and Mimi's tensors of a training checkpoint (.pt); averaged (EMA) weights lie over the plain ones."""
    try:
        payload = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except FileNotFoundError as exc:
        raise MissingFileError(f"Checkpoint {path} does not exist: check the path.") from exc
    except _NOT_A_CHECKPOINT as exc:
        raise WeightsError(f"{path} is not a readable training checkpoint.", detail=str(exc)) from exc
    state = payload.get("model") if isinstance(payload, dict) else None
    if not state:
        raise WeightsError(f"Checkpoint {path} holds no 'model' weights.")
    # The average covers trained parameters only: alone it would miss the frozen ones.
    state = {**state, **(payload.get("ema") or {})}
    flow_lm = {k.removeprefix("flow_lm."): v for k, v in state.items() if k.startswith("flow_lm.")}
    if not flow_lm:
        raise WeightsError(f"Checkpoint {path} holds no flow_lm weights.")
    return flow_lm, {k.removeprefix("mimi."): v for k, v in state.items() if k.startswith("mimi.")}


class _Uninitialized(TorchFunctionMode):
    """While it is entered, modules are built without initial values.

    The checkpoint brings them, and torch's random numbers on the meta device import its compiler (2 s).
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if getattr(func, "__module__", None) == "torch.nn.init":
            return args[0] if args else (kwargs or {})["tensor"]
        if func is torch.randn:
            func = torch.empty
        return func(*args, **(kwargs or {}))


def build(config: ModelConfig, flow_lm: dict[str, Tensor], mimi: dict[str, Tensor]) -> Network:
    """Modules around the given tensors (not copied).

    Raises WeightsError naming the first tensors that are missing, unknown or of another shape.
    """
    latent_dim, conditioning = config.mimi.quantizer.dimension, config.mimi.conditioning_dim
    with torch.device("meta"), _Uninitialized():
        lm, codec = FlowLM(config.flow_lm, latent_dim, conditioning), Mimi(config.mimi)
    encoder = tuple(key for key in codec.state_dict() if key.startswith(_ENCODER))
    _assign(lm, flow_lm, "flow_lm", optional=("speaker_proj_weight",))
    _assign(codec, mimi, "mimi", optional=encoder)
    has_encoder = "speaker_proj_weight" in flow_lm and all(key in mimi for key in encoder)
    return Network(
        config, lm.requires_grad_(False), codec.requires_grad_(False), has_encoder, fingerprint(flow_lm)
    )


def with_layers(network: Network, count: int) -> FlowLM:
    """FlowLM with its first `count` layers only, around the same tensors."""
    whole = network.flow_lm
    if count == len(whole.transformer.layers):
        return whole
    transformer = msgspec.structs.replace(whole.config.transformer, num_layers=count)
    config = msgspec.structs.replace(whole.config, transformer=transformer)
    with torch.device("meta"), _Uninitialized():
        short = FlowLM(config, whole.latent_dim, network.config.mimi.conditioning_dim)
    kept = short.state_dict().keys()
    tensors = {key: value for key, value in whole.state_dict().items() if key in kept}
    short.load_state_dict(tensors, assign=True)
    return short.requires_grad_(False)


def _assign(
    module: torch.nn.Module, tensors: dict[str, Tensor], part: str, optional: tuple[str, ...]
) -> None:
    expected = module.state_dict()
    missing = sorted(set(expected) - set(tensors) - set(optional))
    unknown = sorted(set(tensors) - set(expected))
    shapes = [
        f"{key} is {tuple(value.shape)}, not {tuple(expected[key].shape)}"
        for key, value in tensors.items()
        if key in expected and value.shape != expected[key].shape
    ]
    shapes += [
        f"{key} holds whole numbers ({value.dtype})"
        for key, value in tensors.items()
        if key in expected and not value.is_floating_point()
    ]
    if missing or unknown or shapes:
        detail = json.dumps({"missing": missing, "unknown": unknown, "shapes": shapes})
        first = (
            shapes or [f"{key} is missing" for key in missing] or [f"{key} is unknown" for key in unknown]
        )[0]
        raise WeightsError(f"The weights do not fit the config: {part}.{first}.", detail=detail)
    module.load_state_dict(tensors, assign=True, strict=False)  # what may be missing stays on the meta device
