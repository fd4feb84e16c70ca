"""The catalogue against the reference's own facts, and the rules for what nobody named."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pocketvoice import paths
from pocketvoice.errors import UnknownNameError
from pocketvoice.hub import cache, catalogue


@pytest.fixture(scope="module")
def reference_configs() -> dict[str, Path]:
    from importlib.util import find_spec

    spec = find_spec("pocket_tts")  # found, not imported: importing it pulls in torch and takes seconds
    assert spec is not None
    assert spec.origin is not None
    return {file.stem: file for file in (Path(spec.origin).parent / "config").glob("*.yaml")}


@pytest.fixture
def models_dir(tmp_path, monkeypatch):
    """A copy of the models folder that a test may add to."""
    folder = tmp_path / "models"
    folder.mkdir()
    for file in paths.models_dir().glob("*.yaml"):
        (folder / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(paths, "models_dir", lambda: folder)
    return folder


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.delenv("HUGGINGFACE_HUB_CACHE", raising=False)
    return tmp_path / "hf" / "hub"


def put_in_cache(source: str) -> None:
    file = cache.as_source(source)
    path = (
        cache.hub_cache_dir()
        / ("models--" + file.repo.replace("/", "--"))
        / "snapshots"
        / file.revision
        / file.path
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"there")


def add_local_model(models_dir: Path, name: str, voices: tuple[str, ...] = ()) -> Path:
    folder = models_dir / name
    (folder / "voices").mkdir(parents=True)
    (folder / f"{name}.yaml").write_text("weights_path: model.safetensors\n")
    for voice in voices:
        (folder / "voices" / f"{voice}.safetensors").write_bytes(b"state")
    return folder


def config_of(language: str) -> dict:
    return yaml.safe_load(catalogue.entry(language).config_path.read_text(encoding="utf-8"))


def test_every_config_equals_the_reference(reference_configs):
    ours = {file.stem: file for file in paths.models_dir().glob("*.yaml")}
    assert set(ours) == set(reference_configs)
    for name, file in ours.items():
        theirs = yaml.safe_load(reference_configs[name].read_text(encoding="utf-8"))
        mine = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert mine == theirs, name
        assert list(mine.get("replace_characters", ())) == list(theirs.get("replace_characters", ())), name


def test_configs_hold_no_comment_of_the_reference(reference_configs):
    for file in paths.models_dir().glob("*.yaml"):
        mine = {
            line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#")
        }
        theirs = reference_configs[file.stem].read_text(encoding="utf-8").splitlines()
        assert len(mine) == 1
        assert not mine & {line.strip() for line in theirs}


def test_catalogue_names_every_config(reference_configs):
    assert set(reference_configs) <= set(catalogue.languages())
    for name in reference_configs:
        model = catalogue.entry(name)
        config = config_of(name)
        assert model.layers == config["flow_lm"]["transformer"]["num_layers"]
        assert model.language_code in {"en", "fr", "de", "it", "pt", "es", "nl"}
        assert 20e6 < model.size_bytes < 700e6
        assert model.about
        assert not model.is_local


def test_voices_equal_the_reference():
    reference = pytest.importorskip("pocket_tts.utils.utils")
    assert dict(catalogue.VOICES) == reference._ORIGINS_OF_PREDEFINED_VOICES
    for name in catalogue.voice_names():
        assert catalogue.voice_clip_source(name) == reference._ORIGINS_OF_PREDEFINED_VOICES[name]
        assert catalogue.voice_state_source("french_24l", name) == reference.get_predefined_voice(
            "french_24l", name
        )


def test_default_voices_equal_the_reference():
    reference = pytest.importorskip("pocket_tts.default_parameters")
    for language in [None, *(name for name in catalogue.languages() if not catalogue.entry(name).is_local)]:
        assert catalogue.default_voice(language) == reference.get_default_voice_for_language(language)
    custom = catalogue.default_voice("english", custom_weights=True)
    assert custom == reference.get_default_voice_for_language(None, config="a.yaml")


def test_default_text_speaks_the_language():
    assert catalogue.default_text("french_24l").startswith("Bonjour")
    assert (
        catalogue.default_text("builtin_en")
        == catalogue.default_text(None)
        == catalogue.default_text("english")
    )
    assert len({catalogue.default_text(name) for name in catalogue.languages()}) == 7


def test_default_text_is_our_own():
    reference = pytest.importorskip("pocket_tts.default_parameters")
    theirs = "\n".join(reference.DEFAULT_TEXT_FOR_LANGUAGE.values())
    for language in catalogue.languages():
        for sentence in catalogue.default_text(language).split(". "):
            assert sentence not in theirs


@pytest.mark.parametrize(
    ("wrong", "suggested"), [("englsh", "english"), ("French", "french"), ("german_24", "german_24l")]
)
def test_unknown_language_gets_suggestions(wrong, suggested):
    with pytest.raises(UnknownNameError, match=suggested) as info:
        catalogue.entry(wrong)
    assert suggested in info.value.suggestions


def test_unknown_voice_gets_suggestions():
    with pytest.raises(UnknownNameError, match="alba"):
        catalogue.voice_clip_source("albo")
    with pytest.raises(UnknownNameError):
        catalogue.voice_state_source("english", "nobody at all")


def test_unlike_any_name_lists_all():
    with pytest.raises(UnknownNameError, match="dutch_24l") as info:
        catalogue.entry("xxxxxxxx")
    assert info.value.suggestions == ()


def test_folder_is_a_local_model(models_dir):
    folder = add_local_model(models_dir, "builtin_en", ("alba", "mine"))
    model = catalogue.entry("builtin_en")
    assert model.is_local
    assert model.config_path == folder / "builtin_en.yaml"
    assert model.language_code == "en"
    assert model.size_bytes > 0
    assert catalogue.languages()[0] == "builtin_en"
    assert catalogue.is_installed("builtin_en")


def test_folder_without_config_is_no_model(models_dir):
    (models_dir / "notes").mkdir()
    assert "notes" not in catalogue.languages()


def test_local_model_speaks_with_its_own_voices(models_dir):
    folder = add_local_model(models_dir, "builtin_en", ("bella", "carl"))
    assert catalogue.default_voice("builtin_en") == "bella"
    assert catalogue.voice_state_source("builtin_en", "carl") == str(folder / "voices" / "carl.safetensors")
    with pytest.raises(UnknownNameError, match="carl"):
        catalogue.voice_state_source("builtin_en", "karl")


def test_local_model_without_voices_clones_a_clip(models_dir):
    add_local_model(models_dir, "mine_fr")
    assert catalogue.default_voice("mine_fr") == catalogue.voice_clip_source("alba")


def test_default_language_prefers_what_is_installed(models_dir, empty_cache):
    assert catalogue.default_language() == "english"  # nothing is there: it will be downloaded
    add_local_model(models_dir, "builtin_en")
    assert catalogue.default_language() == "builtin_en"
    config = config_of("english")
    put_in_cache(config["weights_path_without_voice_cloning"])
    assert catalogue.default_language() == "builtin_en"  # weights alone can't speak
    put_in_cache(config["flow_lm"]["lookup_table"]["tokenizer_path"])
    assert catalogue.is_installed("english")
    assert catalogue.default_language() == "english"


def test_import_stays_light():
    heavy = ["huggingface_hub", "yaml", "torch", "urllib.request", "ssl", "tomllib", "numpy"]
    code = f"import sys, pocketvoice.hub.catalogue; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_data_names_no_host():
    for file in [*paths.models_dir().glob("*.yaml"), paths.resources_dir() / "catalogue.toml"]:
        text = file.read_text(encoding="utf-8")
        assert "http" not in text, file
        assert ".co/" not in text, file


def test_a_clip_is_as_long_as_the_model_follows() -> None:
    assert catalogue.clip_seconds("english") is catalogue.clip_seconds(None) is None
    least, most = catalogue.clip_seconds("builtin_en")
    assert 1.0 < least < most < 6.0


def test_segments_are_as_long_as_suits_the_model() -> None:
    assert catalogue.max_tokens("english") == catalogue.max_tokens(None) == 50
    assert catalogue.max_tokens("builtin_en") > 50
