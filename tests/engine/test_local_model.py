"""A model that lies complete in a folder of the program's models (the built-in voice will): it is found, loaded and spoken with."""

import shutil
from pathlib import Path

import pytest
import yaml

from pocketvoice import TTSModel, export_model_state, paths
from pocketvoice.engine.events import SegmentEventKind
from pocketvoice.errors import InputError, OfflineError
from pocketvoice.hub import catalogue
from tests.model_factory import ModelFactory, random_state


@pytest.fixture
def builtin(models: ModelFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the program's models with `builtin_en` among them; no hub, an empty cache."""
    files = models.tiny()
    folder = tmp_path / "models" / "builtin_en"
    shutil.copytree(paths.models_dir(), tmp_path / "models", ignore=shutil.ignore_patterns("builtin_en"))
    (folder / "voices").mkdir(parents=True)
    config = yaml.safe_load(files.config.read_text(encoding="utf-8"))
    shutil.copy(config["flow_lm"]["lookup_table"]["tokenizer_path"], folder / "tokenizer.model")
    shutil.copy(files.weights, folder / "model.safetensors")
    config["weights_path"] = "model.safetensors"
    config["flow_lm"]["lookup_table"]["tokenizer_path"] = "tokenizer.model"
    (folder / "builtin_en.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    export_model_state(random_state(files.raw), folder / "voices" / "ada.safetensors")
    monkeypatch.setattr(paths, "models_dir", lambda: tmp_path / "models")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    return folder


def test_local_model_is_the_default(builtin: Path) -> None:
    assert catalogue.default_language() == "builtin_en"
    assert TTSModel.load_model(catalogue.default_language()).model_id.startswith("builtin_en-")


@pytest.mark.expects_log("No end of speech")
def test_local_model_speaks_with_its_own_voice(builtin: Path) -> None:
    model = TTSModel.load_model("builtin_en")
    voice = catalogue.default_voice(model.language)
    assert voice == "ada"
    state = model.get_state_for_audio_prompt(voice)
    assert state.origin.model_id == model.model_id
    assert model.generate_audio(state, "A few words to say.", seed=1, no_eos="keep").numel() > 0


def test_voice_of_another_model_is_refused(builtin: Path) -> None:
    with pytest.raises(
        InputError, match=r"'alba' belongs to the released models.*choose one of ada, or load a released"
    ):
        TTSModel.load_model("builtin_en").get_state_for_audio_prompt("alba")


def test_a_model_that_is_not_named_is_the_references(builtin: Path) -> None:
    """Offline that is one sentence with the remedy, and the built-in model is the way out."""
    with pytest.raises(OfflineError, match=r'load_model\("builtin_en"\)'):
        TTSModel.load_model()
    with pytest.raises(OfflineError) as caught:
        TTSModel.load_model("english")
    assert "builtin_en" not in caught.value.message, "it was asked for by name"


def test_builtin_voice_comes_with_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With an empty cache and no network the program speaks: a sentence of a believable length that ends by itself."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    model = TTSModel.load_model("builtin_en")
    assert model.language == "builtin_en"
    state = model.get_state_for_audio_prompt(catalogue.default_voice(model.language))
    failed = []
    audio = model.generate_audio(
        state, "The old boats were lying in the sun.", seed=1,
        on_segment=lambda event: failed.append(event) if event.kind is SegmentEventKind.NO_EOS else None,
    )  # fmt: skip
    assert failed == []
    assert 1.5 < audio.numel() / model.sample_rate < 4.5
    assert 0.02 < float(audio.square().mean().sqrt()) < 0.5
