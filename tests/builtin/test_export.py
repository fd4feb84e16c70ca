"""What the recipe exports, here from weights of chance: it loads in the reference package, and both speak the same samples."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import nn

from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.model.mimi import Mimi
from tests.builtin.test_recipe import written_voice
from tests.parity.conftest import load_reference


@pytest.fixture(scope="module")
def exported(recipe: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `export.py` writes, with absolute paths."""
    work = tmp_path_factory.mktemp("work")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(recipe))
        _write_checkpoints(work, *(importlib.import_module(name) for name in ("training", "features")))
        (work / "tokenizer.model").write_bytes((folder / "tokenizer.model").read_bytes())
        options = [
            "--work",
            str(work),
            "--out",
            str(work / "chance"),
            "--voices",
            "one=kokoro_af_one:0",
            "--absolute",
        ]
        patch.setattr(sys, "argv", ["export.py", *options])
        importlib.import_module("export").main()
    return work / "chance"


def _write_checkpoints(work: Path, training: ModuleType, features: ModuleType) -> None:
    torch.manual_seed(3)
    (work / "speech").mkdir()
    written_voice(work / "speech", "af_one_0000", 2, seed=0)
    basis = features.load_basis(work, ["kokoro_af_one"])
    train_codec, train_flow_lm = (
        importlib.import_module("train_codec"),
        importlib.import_module("train_flow_lm"),
    )
    lm = train_flow_lm.FlowLM(training.model_config().flow_lm, features.LATENTS, features.LATENTS)
    mimi = Mimi(training.model_config().mimi)
    train_codec.prepare_decoder(mimi, basis)
    decoder = nn.ModuleList([mimi.quantizer, mimi.upsample, mimi.decoder_transformer, mimi.decoder])
    for name, part in (("flow_lm", lm), ("decoder", decoder)):
        torch.save({"modules": part.state_dict(), "step": 0}, work / f"{name}.pt")


def test_an_unfinished_training_goes_on_from_what_is_written(
    recipe: Path, exported: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(recipe))
    discriminators, features, training = map(
        importlib.import_module, ("discriminators", "features", "training")
    )
    work, out = exported.parent, tmp_path / "unfinished"
    judges = discriminators.Adversaries(1e-4, work / "discriminators.pt")
    judges.save()
    monkeypatch.setattr(sys, "argv", ["export.py", "--work", str(work), "--out", str(out), "--unfinished"])
    importlib.import_module("export").main()
    assert sorted(path.name for path in out.iterdir()) == ["basis.npz", "model.safetensors"]
    again = discriminators.Adversaries(1e-4, tmp_path / "none.pt")
    training.load_exported(out, "adversaries.", again)
    assert all(
        torch.allclose(a, b, atol=0.01) for a, b in zip(again.parameters(), judges.parameters(), strict=True)
    )
    mimi = Mimi(training.model_config().mimi)
    training.load_exported(out, "mimi.", mimi)
    trained = importlib.import_module("evaluate").load_codec(work)
    assert torch.allclose(
        mimi.upsample.convtr.convtr.weight, trained.upsample.convtr.convtr.weight, atol=0.02
    )
    basis = features.load_basis(tmp_path, (), out)
    assert (basis.std == features.load_basis(work).std).all()


def test_reference_speaks_the_same_samples(exported: Path) -> None:
    config = exported / f"{exported.name}.yaml"
    ours, theirs = TTSModel.load_model(config=config), load_reference(config)
    state, text = exported / "voices" / "one.safetensors", "Yes, of course."
    torch.manual_seed(5)
    expected = theirs.generate_audio(theirs.get_state_for_audio_prompt(str(state)), text)
    made = ours.generate_audio(ours.get_state_for_audio_prompt(state), text, strict=True, seed=5)
    assert made.shape == expected.shape
    assert made.abs().max() > 1e-3
    assert (made - expected).abs().max() <= 1e-3 * made.abs().max()
