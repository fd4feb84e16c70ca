"""Voice states go both ways between the packages, and a state that is extended grows as the reference's does."""

import copy
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from pocket_tts import export_model_state as export_by_reference
from torch import Tensor

from pocketvoice.engine.voice_state import VoiceState, export_model_state, read_state
from tests.model_factory import (
    AT_ONCE,
    SENTENCE,
    TINY,
    ModelFactory,
    ModelFiles,
    changed,
    difference,
    noise_clip,
    random_tensors,
)
from tests.parity.conftest import Pair, State


def _tiny(**changes: Any) -> Any:
    """A model whose latents are mostly noise: with plain random weights rounding errors grow from frame to frame."""

    def make(models: ModelFactory) -> tuple[ModelFiles, dict[str, Any]]:
        raw = models.complete(changed(TINY, **changes))
        tensors = random_tensors(raw, eos="chance")
        tensors["flow_lm.flow_net.final_layer.linear.weight"] *= 0.1
        return models.write(f"states-{len(changes)}", raw, tensors=tensors), {}

    return make


PAIRS = {
    "lsd": _tiny(),
    "pointwise": _tiny(
        **{"flow_lm.flow.type": "pointwise", "flow_lm.z_dim": 24, "flow_lm.lookup_table.rank": 8}
    ),
}


def both(
    pair: Pair, ours: State, theirs: State, text: str = SENTENCE, **options: Any
) -> tuple[Tensor, Tensor]:
    """The same text from the two states, with the same noise."""
    torch.manual_seed(31)
    expected = pair.theirs.generate_audio(theirs, text, **options)
    return pair.ours.generate_audio(ours, text, strict=True, no_eos="keep", seed=31, **options), expected


def assert_same_sound(ours: Tensor, theirs: Tensor) -> None:
    assert ours.shape == theirs.shape
    assert difference(ours, theirs) <= 1e-3


def test_our_file_speaks_in_the_reference(pair: Pair, tmp_path: Path) -> None:
    pair.use(eos_threshold=-4.0)
    state = pair.ours.generate_audio(
        pair.voice(), SENTENCE, no_eos="keep", seed=1
    )  # the model has spoken before
    assert state.numel()
    voice = VoiceState(pair.voice())
    export_model_state(voice, tmp_path / "voice.safetensors")
    loaded = pair.theirs.get_state_for_audio_prompt(tmp_path / "voice.safetensors")
    assert_same_sound(*both(pair, pair.voice(), loaded))


def test_the_references_file_speaks_here(pair: Pair, tmp_path: Path) -> None:
    pair.use(eos_threshold=-4.0)
    theirs = pair.theirs.get_state_for_audio_prompt(noise_clip(2.0))
    export_by_reference(theirs, tmp_path / "voice.safetensors")
    ours = pair.ours.get_state_for_audio_prompt(tmp_path / "voice.safetensors")
    assert {name: set(entry) for name, entry in ours.items()} == {
        name: set(entry) for name, entry in theirs.items()
    }
    assert_same_sound(*both(pair, ours, theirs))


def test_files_of_the_old_form_speak_in_both(pair: Pair, tmp_path: Path) -> None:
    """`current_end` was an empty tensor whose length is the offset; the cache had room behind it, filled with NaN."""
    pair.use(eos_threshold=-4.0)
    old: dict[str, Tensor] = {}
    for name, entry in pair.voice(positions=14).items():
        room = torch.full((2, 1, 6, *entry["cache"].shape[3:]), float("nan"))
        old[f"{name}/cache"] = torch.cat([entry["cache"], room], dim=2)
        old[f"{name}/current_end"] = torch.zeros(14)
    path = tmp_path / "old.safetensors"
    safetensors.torch.save_file(old, path)
    theirs, ours = pair.theirs.get_state_for_audio_prompt(path), pair.ours.get_state_for_audio_prompt(path)
    sound = both(pair, ours, theirs)
    assert_same_sound(*sound)
    assert_same_sound(sound[0], both(pair, pair.voice(positions=14), pair.voice(positions=14))[1])
    export_model_state(ours, tmp_path / "new.safetensors")
    again = read_state(tmp_path / "new.safetensors")
    assert int(again["transformer.layers.0.self_attn"]["offset"]) == 14
    assert_same_sound(
        *both(pair, again, pair.theirs.get_state_for_audio_prompt(tmp_path / "new.safetensors"))
    )


@pytest.mark.parametrize("seconds", [0.6, 3.1, 29.9])
def test_a_clip_makes_the_same_state(pair: Pair, seconds: float) -> None:
    """Across the pieces in which our encoder works, and beyond its context."""
    clip = noise_clip(seconds)
    theirs, ours = (model.get_state_for_audio_prompt(clip) for model in (pair.theirs, pair.ours))
    for name, entry in theirs.items():
        assert torch.equal(ours[name]["offset"], entry["offset"])
        assert difference(ours[name]["cache"], entry["cache"]) <= 1e-5
    assert_same_sound(*both(pair, ours, theirs))


def test_a_wav_makes_the_same_state(pair: Pair, tmp_path: Path) -> None:
    import numpy as np
    import soundfile

    samples = (noise_clip(2.2)[0].numpy() * 32767).astype(np.int16)
    soundfile.write(tmp_path / "clip.wav", samples, 24_000)
    theirs, ours = (m.get_state_for_audio_prompt(tmp_path / "clip.wav") for m in (pair.theirs, pair.ours))
    for name, entry in theirs.items():
        assert difference(ours[name]["cache"], entry["cache"]) <= 1e-5


def test_making_a_voice_draws_the_same_noise(pair: Pair) -> None:
    """What a global seed means does not depend on whether the voice was made after it was set."""
    after = []
    for model in (pair.theirs, pair.ours):
        torch.manual_seed(4)
        model.get_state_for_audio_prompt(noise_clip(1.0))
        after.append(torch.rand(3))
    assert torch.equal(*after)


def _offsets(state: State) -> set[int]:
    return {int(entry["offset"]) for entry in state.values()}


def _extended(pair: Pair, **options: Any) -> None:
    """Two texts after each other in the same state, in both."""
    ours, theirs = pair.voice(), pair.voice()
    for text in (SENTENCE, "Nobody had told them that the ferry would leave so early in the morning."):
        sound = both(pair, ours, theirs, text, copy_state=False, **options)
        assert _offsets(ours) == _offsets(theirs)
        used = _offsets(ours).pop()
        for name, entry in theirs.items():
            assert difference(ours[name]["cache"][:, :, :used], entry["cache"][:, :, :used]) <= 1e-4
        assert_same_sound(*sound)


def test_extended_states_agree_without_an_end(pair: Pair) -> None:
    pair.use(eos_threshold=2000.0)
    _extended(pair)


@pytest.mark.parametrize("frames", [None, 0, 1])
def test_extended_states_agree_after_an_end(pair: Pair, frames: int | None) -> None:
    """The reference computes one frame after the last, drops it and leaves it in the state."""
    pair.use(eos_threshold=AT_ONCE)
    _extended(pair, frames_after_eos=frames)


@pytest.mark.parametrize("frames", [None, 0, 1, 4])
def test_the_end_is_met_at_the_same_frame(pair: Pair, frames: int | None) -> None:
    """By chance, and the noise stays in step over the segments that follow."""
    pair.use(eos_threshold=-4.0)
    voice = pair.voice()
    text = f"{SENTENCE} Yes. Nobody had told them that the ferry would leave so early in the morning."
    sound = both(pair, voice, voice, text, max_tokens=25, frames_after_eos=frames)
    assert sound[0].shape == sound[1].shape
    assert_same_sound(*sound)


@pytest.mark.parametrize("clamp", [None, 0.5])
@pytest.mark.parametrize("temp", [0.3, 1.0])
def test_noise_is_shaped_alike(pair: Pair, temp: float, clamp: float | None) -> None:
    pair.use(eos_threshold=AT_ONCE, temp=temp, noise_clamp=clamp)
    try:
        assert_same_sound(*both(pair, pair.voice(), pair.voice()))
    finally:
        pair.use(temp=0.3, noise_clamp=None)


def test_the_state_is_left_alone_by_both(pair: Pair) -> None:
    pair.use(eos_threshold=AT_ONCE)
    voice = pair.voice()
    before = copy.deepcopy(voice)
    both(pair, voice, voice)
    for name, entry in before.items():
        assert all(torch.equal(voice[name][key], value) for key, value in entry.items())
