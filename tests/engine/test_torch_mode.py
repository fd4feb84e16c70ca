"""A caller's torch mode does not leak into what the model keeps: whatever is done in one mode, every other goes on with it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import pytest
import torch

from pocketvoice.engine.tts_model import TTSModel
from tests.model_factory import AT_ONCE, SENTENCE, ModelFiles, noise_clip

Mode = Callable[[], AbstractContextManager[object]]
MODES: dict[str, Mode] = {
    "plain": nullcontext,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
}
PAIRS = pytest.mark.parametrize(
    ("first", "then"),
    [("inference", "plain"), ("inference", "inference"), ("plain", "inference"), ("autocast", "no_grad")],
)


@pytest.fixture
def ending(load) -> TTSModel:
    return load(eos_threshold=AT_ONCE)


@PAIRS
def test_cloning_in_one_mode_leaves_a_model_for_every_other(
    ending: TTSModel, voice, first: str, then: str
) -> None:
    with MODES[first]():
        state = ending.get_state_for_audio_prompt(noise_clip(2.0))
    with MODES[then]():
        again = ending.get_state_for_audio_prompt(noise_clip(2.0))
        assert ending.generate_audio(state, SENTENCE, seed=1).isfinite().all()
        assert ending.generate_audio(voice, SENTENCE, seed=1).isfinite().all()
    for name, entry in state.items():
        assert not entry["cache"].is_inference()
        assert torch.equal(entry["cache"], again[name]["cache"])


@PAIRS
def test_speaking_in_one_mode_leaves_a_model_for_every_other(
    ending: TTSModel, voice, first: str, then: str
) -> None:
    with MODES[first]():
        expected = ending.generate_audio(voice, f"{SENTENCE} {SENTENCE}", seed=1)
        ending.generate_audio(voice, SENTENCE, seed=1, copy_state=False)
    with MODES[then]():
        ending.get_state_for_audio_prompt(noise_clip(8.0))  # longer than anything before: the cache grows
        assert ending.generate_audio(voice, SENTENCE, seed=1, copy_state=False).isfinite().all()
    assert expected.isfinite().all()


def test_a_model_loaded_in_inference_mode_works_outside(tiny: ModelFiles, voice) -> None:
    with torch.inference_mode():
        model = TTSModel.load_model(config=tiny.config, eos_threshold=AT_ONCE)
        model.sampler_decode_steps = 2
    state = model.get_state_for_audio_prompt(noise_clip(2.0))
    assert model.generate_audio(state, SENTENCE).isfinite().all()
    assert not any(weight.is_inference() for weight in model._loaded.network.flow_lm.parameters())
