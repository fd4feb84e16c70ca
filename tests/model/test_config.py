"""Configs are read strictly: what ships loads, and every mistake names its field."""

from pathlib import Path
from typing import Any

import msgspec
import pocket_tts
import pytest
import yaml
from pocket_tts.utils.config import Config as ReferenceConfig

from pocketvoice.errors import ConfigError, MissingFileError
from pocketvoice.model.config import ModelConfig, load_config, parse_config
from pocketvoice.paths import models_dir
from tests.model_factory import TINY, changed, official, write_config

SHIPPED = sorted(models_dir().glob("*.yaml"))
THEIRS = sorted((Path(pocket_tts.__file__).parent / "config").glob("*.yaml"))


def parse(**changes: Any) -> ModelConfig:
    complete = changed(TINY, **{"flow_lm.lookup_table.n_bins": 100, **changes})
    return parse_config(complete, Path("mine.yaml"))


def without(path: str) -> dict[str, Any]:
    *parents, last = path.split(".")
    raw = changed(TINY, **{"flow_lm.lookup_table.n_bins": 100})
    section = raw
    for name in parents:
        section = section[name]
    del section[last]
    return raw


def test_there_are_as_many_as_the_reference_has() -> None:
    assert {path.name for path in SHIPPED} >= {path.name for path in THEIRS}
    assert len(SHIPPED) >= 27


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_configs_load(path: Path) -> None:
    config = load_config(path)
    assert config.mimi.frame_size == 1920
    assert config.mimi.steps_per_latent == 16
    assert config.weights_path is not None


@pytest.mark.parametrize("path", THEIRS, ids=lambda path: path.stem)
def test_the_references_configs_mean_the_same(path: Path) -> None:
    """Theirs loads here; ours of that name says the same, field by field, but for revisions and addresses of weights."""
    theirs = ReferenceConfig(**yaml.safe_load(path.read_text(encoding="utf-8"))).model_dump()
    loaded = msgspec.to_builtins(load_config(path))
    assert _plain(loaded) == _plain(theirs)
    shipped = msgspec.to_builtins(load_config(models_dir() / path.name))
    assert _plain(shipped) == _plain(theirs)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in sorted(value.items())}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"flow_lm.flow.dim": "wide"}, "flow_lm.flow.dim"),
        ({"flow_lm.flow.dim": 1.5}, "flow_lm.flow.dim"),
        ({"flow_lm.flow.dim": 0}, "flow_lm.flow.dim"),
        ({"flow_lm.flow.depth": -1}, "flow_lm.flow.depth"),
        ({"flow_lm.flow.type": "teleport"}, "flow_lm.flow.type"),
        ({"flow_lm.dtype": "float8"}, "flow_lm.dtype"),
        ({"flow_lm.transformer.d_model": None}, "flow_lm.transformer.d_model"),
        ({"flow_lm.transformer": []}, "flow_lm.transformer"),
        ({"flow_lm.lookup_table.tokenizer_path": 7}, "flow_lm.lookup_table.tokenizer_path"),
        ({"flow_lm.insert_bos_before_voice": "maybe"}, "flow_lm.insert_bos_before_voice"),
        ({"mimi.seanet.ratios": 6}, "mimi.seanet.ratios"),
        ({"mimi.seanet.ratios": [6, "5", 4]}, "mimi.seanet.ratios"),
        ({"mimi.seanet.pad_mode": "reflect"}, "mimi.seanet.pad_mode"),
        ({"mimi.transformer.context": 0}, "mimi.transformer.context"),
        ({"mimi.frame_rate": "slow"}, "mimi.frame_rate"),
        ({"replace_characters": ["’"]}, "replace_characters"),
        ({"default_temperature": -0.1}, "default_temperature"),
        ({"default_eos_threshold": "low"}, "default_eos_threshold"),
        ({"model_recommended_frames_after_eos": -1}, "model_recommended_frames_after_eos"),
    ],
    ids=str,
)
def test_wrong_values_name_their_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=f"is not valid: {field}"):
        parse(**changes)


@pytest.mark.parametrize(
    "path",
    ["colour", "flow_lm.flow.colour", "mimi.colour", "mimi.seanet.colour", "flow_lm.transformer.colour"],
)
def test_unknown_fields_are_named(path: str) -> None:
    with pytest.raises(ConfigError, match="colour") as caught:
        parse(**{path: "blue"})
    assert all(section in str(caught.value) for section in path.split(".")[:-1])


@pytest.mark.parametrize(
    "path",
    [
        "flow_lm",
        "mimi",
        "flow_lm.flow.dim",
        "mimi.seanet.ratios",
        "mimi.quantizer",
        "flow_lm.lookup_table.n_bins",
    ],
)
def test_missing_fields_are_named(path: str) -> None:
    with pytest.raises(ConfigError, match=path.split(".")[-1]) as caught:
        parse_config(without(path), Path("mine.yaml"))
    assert all(section in str(caught.value) for section in path.split("."))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"flow_lm.transformer.num_heads": 5}, "flow_lm.transformer.attn_dim"),
        ({"flow_lm.transformer.attn_dim": 60}, "flow_lm.transformer.attn_dim"),
        ({"flow_lm.transformer.num_kv_heads": 3}, "flow_lm.transformer.num_kv_heads"),
        ({"flow_lm.lookup_table.dim": 32}, "flow_lm.lookup_table.dim"),
        ({"mimi.channels": 2}, "mimi.channels"),
        ({"mimi.quantizer.output_dimension": 16}, "mimi.quantizer.output_dimension"),
        ({"mimi.outer_dim": 64, "mimi.quantizer.output_dimension": 64}, "mimi.outer_dim"),
        ({"mimi.frame_rate": 13}, "mimi.frame_rate"),
        ({"mimi.seanet.ratios": [6, 5, 3]}, "mimi.frame_rate"),
        ({"mimi.transformer.num_heads": 5}, "mimi.transformer.d_model"),
        ({"replace_characters": {"ab": "c"}}, "replace_characters"),
    ],
    ids=str,
)
def test_contradictions_name_their_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=field):
        parse(**changes)


def test_decoder_must_have_the_encoders_hop() -> None:
    other = {**TINY["mimi"]["seanet"], "ratios": [6, 5, 8]}
    with pytest.raises(ConfigError, match=r"mimi\.decoder_seanet\.ratios"):
        parse(**{"mimi.decoder_seanet": other})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"mimi.transformer.input_dimension": 48}, "mimi.transformer.input_dimension"),
        ({"mimi.transformer.output_dimensions": [48]}, "mimi.transformer.output_dimensions"),
        ({"mimi.transformer.output_dimensions": []}, "mimi.transformer.output_dimensions"),
        ({"mimi.seanet.channels": 2}, "mimi.seanet.channels"),
        ({"mimi.seanet.compress": 64}, "mimi.seanet.compress"),
        ({"mimi.sample_rate": 24001, "mimi.frame_rate": 12.5}, "mimi"),
    ],
    ids=str,
)
def test_codec_dimensions_must_meet(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=field):
        parse(**changes)


def test_files_that_are_no_configs_are_told(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="check the path"):
        load_config(tmp_path / "none.yaml")
    for content in (b"just words", b"", b"- 1\n- 2\n"):
        (tmp_path / "a.yaml").write_bytes(content)
        with pytest.raises(ConfigError, match=r"a\.yaml is not a model config"):
            load_config(tmp_path / "a.yaml")
    for content in (b"a: [1", b"\xff\xfe\x00", b"a: !!python/object:os.system x"):
        (tmp_path / "a.yaml").write_bytes(content)
        with pytest.raises(ConfigError, match="not readable YAML"):
            load_config(tmp_path / "a.yaml")
    with pytest.raises(ConfigError):
        load_config(tmp_path)


def test_relative_paths_are_anchored_at_the_config(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").touch()
    raw = changed(official("english"), weights_path="model.safetensors")
    config = load_config(write_config(tmp_path / "mine.yaml", raw))
    assert config.weights_path == str(tmp_path / "model.safetensors")
    assert config.flow_lm.lookup_table.tokenizer_path.startswith("hf://")


def test_what_depends_on_others_is_worked_out() -> None:
    config = parse()
    assert config.flow_lm.transformer.feedforward == 128
    assert parse(**{"flow_lm.transformer.dim_feedforward": 99}).flow_lm.transformer.feedforward == 99
    assert config.mimi.decoder is config.mimi.seanet
    assert config.mimi.decoder_side_transformer is config.mimi.transformer
    assert config.mimi.conditioning_dim == 16
    assert parse(**{"mimi.inner_dim": None}).mimi.conditioning_dim == 32
