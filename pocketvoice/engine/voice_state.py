"""A voice state: FlowLM's keys and values after the voice prompt, in memory and as a safetensors file the reference loads too.

It belongs to exact weights and lies on the CPU, whatever device the model is on. Files of ours say which weights (`model_id`);
foreign ones are checked by shape. A state is a plain mapping of mappings, as in the reference, with a little knowledge of its
origin beside it.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
import torch
from torch import Tensor

from pocketvoice import paths
from pocketvoice.engine import state_file
from pocketvoice.errors import VoiceStateError

IS_FOLLOWED = "is_followed"
"""Key of a state file's metadata; "no" where the model did not follow the voice."""

ModelState = Mapping[str, Mapping[str, Tensor]]
"""{"transformer.layers.N.self_attn": {"cache": (2, 1, T, H_kv, D), "offset": (1,) positions used}}."""


@dataclass(frozen=True)
class Origin:
    """Where a state comes from."""

    model_id: str = ""  # language name and fingerprint of the weights; empty in files of the reference
    source: str = ""  # the clip's name
    source_sha256: str = ""  # of the clip's samples
    created: str = ""  # ISO time
    notes: tuple[str, ...] = ()  # sentences for the user on how the clip was cut; not written to files
    is_followed: bool = True  # whether the model says with it what it is given, as far as was listened


class VoiceState(dict[str, dict[str, Tensor]]):
    """A model state with its origin."""

    def __init__(self, tensors: Mapping[str, Mapping[str, Tensor]], origin: Origin | None = None) -> None:
        super().__init__({name: dict(entries) for name, entries in tensors.items()})
        self.origin = origin or Origin()


@dataclass(frozen=True)
class StateShape:
    """What a model expects of a state."""

    layers: int
    kv_heads: int
    head_dim: int
    model_id: str


def positions(state: ModelState) -> int:
    """How many positions of the cache a state fills: the frames of its clip, and one before them."""
    return int(next(iter(state.values()))["offset"])


def layer_name(index: int) -> str:
    """The module whose state this is."""
    return f"transformer.layers.{index}.self_attn"


def from_layers(caches: list[Tensor], origin: Origin) -> VoiceState:
    """Caches (2, T, H_kv, D), one a layer, as a state."""
    return VoiceState(
        {
            layer_name(index): {
                "offset": torch.full((1,), cache.shape[1], dtype=torch.long, device="cpu"),
                "pad": torch.zeros(1, dtype=torch.long, device="cpu"),
                "cache": cache[:, None],
            }
            for index, cache in enumerate(caches)
        },
        origin,
    )


def to_layers(state: ModelState, shape: StateShape) -> list[Tensor]:
    """The used part of every layer's cache, (2, T, H_kv, D); raises VoiceStateError if it does not fit the model."""
    _check_origin(state, shape)
    names = [layer_name(index) for index in range(shape.layers)]
    if set(state) != set(names):
        raise _misfit(f"it has {len(state)} layers, the model has {shape.layers}")
    layers = [_used(state[name], shape) for name in names]
    if len({layer.shape[1] for layer in layers}) > 1:
        raise _misfit("its layers are of unequal length")
    return layers


def _check_origin(state: ModelState, shape: StateShape) -> None:
    made_for = state.origin.model_id if isinstance(state, VoiceState) else ""
    if made_for and made_for.rsplit("-", 1)[-1] != shape.model_id.rsplit("-", 1)[-1]:
        raise VoiceStateError(
            f"This voice state was made for the model {made_for}, not for {shape.model_id}: "
            "load that model, or make the voice again from its clip."
        )


def _used(entry: Mapping[str, Tensor], shape: StateShape) -> Tensor:
    if "cache" not in entry or "offset" not in entry:
        raise _misfit("it lacks its cache or its offset")
    cache, offset = entry["cache"], entry["offset"]
    if offset.numel() != 1 or offset.dtype not in (torch.int64, torch.int32):
        raise _misfit("its offset is not one whole number")
    length = int(offset)
    expected = (2, 1, cache.shape[2] if cache.dim() == 5 else 0, shape.kv_heads, shape.head_dim)
    if tuple(cache.shape) != expected:
        raise _misfit(f"a layer is {tuple(cache.shape)}, not (2, 1, T, {shape.kv_heads}, {shape.head_dim})")
    if not 0 < length <= cache.shape[2]:
        raise _misfit(f"it says {length} positions and holds {cache.shape[2]}")
    if not cache.is_floating_point():
        raise _misfit(f"its cache holds {cache.dtype}, no floating-point numbers")
    used = cache[:, 0, :length].float()
    if not torch.isfinite(used).all():
        raise VoiceStateError(
            "This voice state is damaged (it holds NaN): make the voice again from its clip."
        )
    return used


def _misfit(detail: str) -> VoiceStateError:
    return VoiceStateError(
        f"This voice state does not fit the loaded model ({detail}): make the voice again from its clip.",
        detail=detail,
    )


@dataclass(frozen=True, eq=False)
class TensorVersion:
    """A tensor as it was; held, so that no other can take its place in memory."""

    tensor: Tensor
    count: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorVersion) and self.tensor is other.tensor and self.count == other.count


def version_of(state: ModelState) -> list[TensorVersion] | None:
    """Changes when a tensor of the state is replaced or written to; None where torch does not keep count."""
    tensors = [tensor for entry in state.values() for tensor in entry.values()]
    if any(tensor.is_inference() for tensor in tensors):
        return None
    return [TensorVersion(tensor, tensor._version) for tensor in tensors]


def read_state(path: Path) -> VoiceState:
    """A state from a safetensors file, ours or the reference's, also of the old form with `current_end`."""
    tensors: dict[str, dict[str, Tensor]] = {}
    with state_file.opened(path, "pt") as file:
        metadata = file.metadata() or {}
        for key in file.keys():  # noqa: SIM118 - not a dict
            module, _, name = key.rpartition("/")
            tensors.setdefault(module, {})[name] = file.get_tensor(key)
    for entry in tensors.values():
        end = entry.pop("current_end", None)
        if end is not None:  # an empty tensor whose length was the offset
            if not end.dim():
                raise _misfit("its current_end has no length")
            entry["offset"] = torch.tensor([end.shape[0]], device="cpu")
    return VoiceState(tensors, _origin_of(metadata, path))


def _origin_of(metadata: Mapping[str, str], path: Path) -> Origin:
    return Origin(
        model_id=metadata.get("model_id", ""),
        source=metadata.get("source") or path.name,
        source_sha256=metadata.get("source_sha256", ""),
        created=metadata.get("created", ""),
        is_followed=metadata.get(IS_FOLLOWED) != "no",
    )


def export_model_state(model_state: ModelState, dest: str | Path) -> None:
    """Writes a state to `dest` (safetensors, atomically): the reference loads it; ours is recognised by its metadata.

    Raises OutputError or DiskFullError.
    """
    tensors = {
        f"{module}/{name}": value.cpu().contiguous().clone()
        for module, entries in model_state.items()
        for name, value in entries.items()
    }
    metadata = {
        "format": "pocketvoice voice state 1",
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    if isinstance(model_state, VoiceState):
        origin = model_state.origin
        for name in ("model_id", "source", "source_sha256", "created"):
            metadata[name] = getattr(origin, name) or metadata.get(name, "")
        if not origin.is_followed:
            metadata[IS_FOLLOWED] = "no"
    with paths.atomic_write(dest) as file:
        file.write(safetensors.torch.save(tensors, metadata))
