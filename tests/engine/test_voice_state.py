"""Voice states as files: complete or not there at all, with metadata, readable by anything that reads safetensors."""

import os
from pathlib import Path

import pytest
import safetensors
import safetensors.torch
import torch

from pocketvoice.engine.voice_state import (
    Origin,
    StateShape,
    VoiceState,
    export_model_state,
    from_layers,
    read_state,
    to_layers,
)
from pocketvoice.errors import MissingFileError, OutputError, PocketVoiceError, VoiceStateError

SHAPE = StateShape(layers=2, kv_heads=3, head_dim=4, model_id="english-0123456789abcdef")
ORIGIN = Origin(SHAPE.model_id, "me.wav", "ab" * 32, "2026-01-02T03:04:05Z", ("cut",))


@pytest.fixture
def state() -> VoiceState:
    generator = torch.Generator().manual_seed(1)
    return from_layers([torch.randn(2, 9, 3, 4, generator=generator) for _ in range(2)], ORIGIN)


def test_layers_come_back_as_they_went_in(state: VoiceState) -> None:
    layers = [torch.randn(2, 9, 3, 4) for _ in range(2)]
    again = to_layers(from_layers(layers, Origin()), SHAPE)
    assert all(torch.equal(a, b) for a, b in zip(layers, again, strict=True))


def test_file_holds_the_references_tensors(state: VoiceState, tmp_path: Path) -> None:
    export_model_state(state, tmp_path / "voice.safetensors")
    tensors = safetensors.torch.load_file(tmp_path / "voice.safetensors")
    assert {key: (tuple(t.shape), t.dtype) for key, t in tensors.items()} == {
        f"transformer.layers.{layer}.self_attn/{name}": kind
        for layer in range(2)
        for name, kind in {
            "cache": ((2, 1, 9, 3, 4), torch.float32),
            "offset": ((1,), torch.long),
            "pad": ((1,), torch.long),
        }.items()
    }


def test_metadata_survives(state: VoiceState, tmp_path: Path) -> None:
    export_model_state(state, tmp_path / "voice.safetensors")
    origin = read_state(tmp_path / "voice.safetensors").origin
    assert origin == Origin(ORIGIN.model_id, ORIGIN.source, ORIGIN.source_sha256, ORIGIN.created)


def test_plain_mappings_are_exported_too(state: VoiceState, tmp_path: Path) -> None:
    export_model_state(dict(state), str(tmp_path / "voice.safetensors"))
    again = read_state(tmp_path / "voice.safetensors")
    assert again.origin.model_id == ""
    assert again.origin.created != ""
    assert set(again) == set(state)


def test_only_the_weights_of_the_id_are_compared(state: VoiceState) -> None:
    renamed = StateShape(2, 3, 4, "english_2026-10-0123456789abcdef")
    assert len(to_layers(state, renamed)) == 2, "the same weights under another name"
    with pytest.raises(VoiceStateError, match="made for the model"):
        to_layers(state, StateShape(2, 3, 4, "english-fedcba9876543210"))


def test_views_of_tensors_are_exported(state: VoiceState, tmp_path: Path) -> None:
    for entry in state.values():
        entry["cache"] = entry["cache"].transpose(3, 4).contiguous().transpose(3, 4)
        entry["pad"] = entry["offset"]  # shared memory, which safetensors refuses by itself
    export_model_state(state, tmp_path / "voice.safetensors")
    assert len(to_layers(read_state(tmp_path / "voice.safetensors"), SHAPE)) == 2


def test_room_behind_the_end_may_hold_anything(state: VoiceState) -> None:
    for entry in state.values():
        entry["cache"] = torch.cat([entry["cache"], torch.full((2, 1, 5, 3, 4), float("nan"))], dim=2)
    assert [tuple(layer.shape) for layer in to_layers(state, SHAPE)] == [(2, 9, 3, 4)] * 2


def test_half_precision_states_are_widened(state: VoiceState) -> None:
    for entry in state.values():
        entry["cache"] = entry["cache"].bfloat16()
    assert all(layer.dtype == torch.float32 for layer in to_layers(state, SHAPE))


def test_old_form_gets_its_offset(state: VoiceState, tmp_path: Path) -> None:
    tensors = {f"{name}/cache": entry["cache"] for name, entry in state.items()}
    tensors |= {f"{name}/current_end": torch.zeros(7) for name in state}
    safetensors.torch.save_file(tensors, tmp_path / "old.safetensors")
    again = read_state(tmp_path / "old.safetensors")
    assert [set(entry) for entry in again.values()] == [{"cache", "offset"}] * 2
    assert {int(entry["offset"]) for entry in again.values()} == {7}


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="does not exist"):
        read_state(tmp_path / "none.safetensors")


def test_export_overwrites_at_once(state: VoiceState, tmp_path: Path) -> None:
    path = tmp_path / "voice.safetensors"
    path.write_bytes(b"old")
    export_model_state(state, path)
    assert len(read_state(path)) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["voice.safetensors"]


def test_failed_export_leaves_what_was_there(state: VoiceState, tmp_path: Path) -> None:
    path = tmp_path / "voice.safetensors"
    export_model_state(state, path)
    before = path.read_bytes()
    state["transformer.layers.0.self_attn"]["cache"] = torch.zeros(3).to_sparse()  # can't be written
    with pytest.raises((PocketVoiceError, RuntimeError, ValueError)):
        export_model_state(state, path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["voice.safetensors"]


def test_full_disk_leaves_what_was_there(state: VoiceState, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "voice.safetensors"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PocketVoiceError, match="No space left"):
        export_model_state(state, path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["voice.safetensors"]


def test_unwritable_places_are_told(state: VoiceState, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="folder does not exist"):
        export_model_state(state, tmp_path / "none" / "voice.safetensors")
    with pytest.raises(OutputError, match="it is a folder"):
        export_model_state(state, tmp_path)
