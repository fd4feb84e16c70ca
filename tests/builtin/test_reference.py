"""The shipped model in the reference package: it loads there, and both speak the same samples from the same noise."""

from pathlib import Path

import pytest
import torch
import yaml

from pocketvoice.engine.tts_model import TTSModel
from tests.builtin.conftest import NAME, VOICES
from tests.parity.conftest import load_reference

TEXT = "The children played in the garden. Their mother was reading a letter."


@pytest.fixture(scope="module")
def config(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model's config with absolute paths: the reference package does not resolve others."""
    raw = yaml.safe_load((folder / f"{NAME}.yaml").read_text(encoding="utf-8"))
    raw["weights_path"] = str(folder / raw["weights_path"])
    table = raw["flow_lm"]["lookup_table"]
    table["tokenizer_path"] = str(folder / table["tokenizer_path"])
    path = tmp_path_factory.mktemp("reference") / f"{NAME}.yaml"
    path.write_text(yaml.safe_dump(raw), encoding="utf-8")
    return path


@pytest.mark.parametrize("voice", VOICES)
def test_both_speak_the_same_samples(folder: Path, config: Path, model: TTSModel, voice: str) -> None:
    theirs = load_reference(config)
    state = folder / "voices" / f"{voice}.safetensors"
    torch.manual_seed(5)
    expected = theirs.generate_audio(theirs.get_state_for_audio_prompt(str(state)), TEXT)
    made = model.generate_audio(model.get_state_for_audio_prompt(state), TEXT, strict=True, seed=5)
    assert made.shape == expected.shape
    assert made.abs().max() > 0.1
    assert (made - expected).abs().max() <= 1e-3
