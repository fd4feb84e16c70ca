"""Weights files of every form load to the same modules; what does not fit is named."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import Tensor

from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.errors import ConfigError, MissingFileError, WeightsError
from pocketvoice.model import weights
from pocketvoice.model.config import parse_config
from tests.model_factory import (
    AT_ONCE,
    SENTENCE,
    ModelFactory,
    ModelFiles,
    changed,
    random_state,
    write_config,
)

Tensors = dict[str, Tensor]


def network(files: ModelFiles, tensors: Tensors | None = None) -> weights.Network:
    tensors = files.tensors() if tensors is None else tensors
    config = parse_config(copy.deepcopy(files.raw), files.config)
    return weights.build(config, weights.flow_lm_tensors(tensors), weights.mimi_tensors(tensors))


def part(tensors: Tensors, name: str) -> Tensors:
    return {k.removeprefix(f"{name}."): v for k, v in tensors.items() if k.startswith(f"{name}.")}


def research_flow_lm(tensors: Tensors) -> Tensors:
    """FlowLM's keys as the research code writes them, with what is of no use here."""
    names = {
        "conditioner.embed.weight": "condition_provider.conditioners.transcript_in_segment.embed.weight",
        "speaker_proj_weight": "condition_provider.conditioners.speaker_wavs.output_proj.weight",
        "bos_before_voice": "fuser.padding_value",
    }
    result = {
        names.get(key, key.replace(".in_proj.weight", ".in_proj_weight")): value
        for key, value in part(tensors, "flow_lm").items()
    }
    return result | {
        "condition_provider.conditioners.transcript_in_segment.learnt_padding": torch.zeros(1, 64),
        "condition_provider.conditioners.speaker_wavs.learnt_padding": torch.zeros(1, 64),
        "flow.w_s_t.linear.weight": torch.zeros(3, 3),
        "num_ema_updates": torch.tensor(5),
    }


def research_mimi(tensors: Tensors, prefix: str = "") -> Tensors:
    """Mimi's keys as the research code writes them: convolutions doubled and weight-normed, a quantizer that is not used."""
    result: Tensors = {}
    for key, value in part(tensors, "mimi").items():
        name = re.sub(r"\.(conv|convtr)\.(weight|bias)$", r".\1.\1.\2", key)
        name = name.replace(".in_proj.weight", ".in_proj_weight")
        if re.search(r"^(encoder|decoder)\..*\.weight$", name):
            norm = value.flatten(1).norm(dim=1).view(-1, *[1] * (value.dim() - 1))
            result[f"{prefix}{name}_g"], result[f"{prefix}{name}_v"] = norm, value * 3
        else:
            result[f"{prefix}{name}"] = value
    return result | {
        f"{prefix}quantizer.vq.layers.0._codebook.embedding_sum": torch.zeros(2, 2),
        f"{prefix}quantizer.logvar_proj.weight": torch.zeros(2, 2),
        "quantizer.logvar_param": torch.zeros(2),
        "wavlm_proj.weight": torch.zeros(2, 2),
        "wavlm_emb_downsample.conv.conv.weight": torch.zeros(2, 2, 2),
    }


def same(one: weights.Network, other: weights.Network) -> bool:
    return all(
        torch.allclose(a, b, atol=1e-6)
        for part_of in ("flow_lm", "mimi")
        for a, b in zip(
            getattr(one, part_of).state_dict().values(),
            getattr(other, part_of).state_dict().values(),
            strict=True,
        )
    )


def separate(tiny: ModelFiles, folder: Path, flow_lm: Tensors, mimi: Tensors) -> Path:
    safetensors.torch.save_file(flow_lm, folder / "lm.safetensors")
    safetensors.torch.save_file(mimi, folder / "mimi.safetensors")
    raw = changed(
        tiny.raw,
        weights_path=None,
        **{"flow_lm.weights_path": "lm.safetensors", "mimi.weights_path": "mimi.safetensors"},
    )
    return write_config(folder / "separate.yaml", raw)


def loaded(config: Path, **options: Any) -> weights.Network:
    return TTSModel.load_model(config=config, **options)._loaded.network


# forms of files


def test_bundle_holds_everything(tiny: ModelFiles) -> None:
    built = network(tiny)
    assert built.has_encoder
    for name, value in tiny.tensors().items():
        module, _, key = name.partition(".")
        assert torch.equal(getattr(built, module).state_dict()[key], value)


def test_separate_files_in_our_layout(tiny: ModelFiles, tmp_path: Path) -> None:
    tensors = tiny.tensors()
    flow_lm = {key: value for key, value in tensors.items() if key.startswith("flow_lm.")}
    mimi = {key: value for key, value in tensors.items() if key.startswith("mimi.")}
    config = separate(tiny, tmp_path, flow_lm, mimi)
    assert same(loaded(config), network(tiny))
    config = separate(tiny, tmp_path, part(tensors, "flow_lm"), mimi)
    assert same(loaded(config), network(tiny)), "FlowLM's file without its prefix, as the reference writes it"


@pytest.mark.parametrize("prefix", ["", "model."])
def test_separate_files_in_the_research_layout(tiny: ModelFiles, tmp_path: Path, prefix: str) -> None:
    tensors = tiny.tensors()
    config = separate(tiny, tmp_path, research_flow_lm(tensors), research_mimi(tensors, prefix))
    built = loaded(config)
    assert same(built, network(tiny))
    assert built.has_encoder


def test_research_layout_is_the_references(tiny: ModelFiles, tmp_path: Path) -> None:
    """What is written here for it loads there as well, to the same tensors."""
    from pocket_tts.utils.weights_loading import get_flow_lm_state_dict, get_mimi_state_dict

    tensors = tiny.tensors()
    separate(tiny, tmp_path, research_flow_lm(tensors), research_mimi(tensors))
    for theirs, name in (
        (get_flow_lm_state_dict(tmp_path / "lm.safetensors"), "flow_lm"),
        (get_mimi_state_dict(tmp_path / "mimi.safetensors"), "mimi"),
    ):
        expected = part(tensors, name)
        assert set(theirs) == set(expected)
        assert all(torch.allclose(theirs[key], value, atol=1e-6) for key, value in expected.items())


def test_mimi_of_its_own_replaces_the_bundles(tiny: ModelFiles, models: ModelFactory, tmp_path: Path) -> None:
    other = models.tiny("never", seed=9)
    raw = changed(tiny.raw, **{"mimi.weights_path": str(other.weights)})
    built = loaded(write_config(tmp_path / "mixed.yaml", raw))
    assert torch.equal(
        built.mimi.quantizer.output_proj.weight, other.tensors()["mimi.quantizer.output_proj.weight"]
    )
    assert torch.equal(built.flow_lm.input_linear.weight, tiny.tensors()["flow_lm.input_linear.weight"])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"weights_path": None}, "names no weights: set weights_path"),
        (
            {"weights_path": None, "flow_lm.weights_path": "model.safetensors"},
            "flow_lm.weights_path you should specify mimi.weights_path",
        ),
        (
            {"weights_path": None, "mimi.weights_path": "model.safetensors"},
            "set flow_lm.weights_path or weights_path",
        ),
    ],
    ids=["none", "no mimi", "no flow_lm"],
)
def test_missing_addresses_are_named(tiny: ModelFiles, tmp_path: Path, changes, sentence: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        TTSModel.load_model(config=write_config(tmp_path / "mine.yaml", changed(tiny.raw, **changes)))


# training checkpoints


def checkpoint(path: Path, model: Tensors, ema: Tensors | None = None) -> Path:
    torch.save({"model": model, "step": 7, **({} if ema is None else {"ema": ema})}, path)
    return path


def test_checkpoint_with_mimi(tiny: ModelFiles, models: ModelFactory, tmp_path: Path) -> None:
    other = models.tiny("never", seed=9)
    built = loaded(tiny.config, checkpoint=checkpoint(tmp_path / "a.pt", other.tensors()))
    assert same(built, network(other))


def test_checkpoint_without_mimi_takes_the_configs(
    tiny: ModelFiles, models: ModelFactory, tmp_path: Path
) -> None:
    other = models.tiny("never", seed=9).tensors()
    flow_lm = {key: value for key, value in other.items() if key.startswith("flow_lm.")}
    built = loaded(tiny.config, checkpoint=checkpoint(tmp_path / "a.pt", flow_lm))
    expected = {**tiny.tensors(), **flow_lm}
    assert same(built, network(tiny, expected))
    assert built.has_encoder


def test_checkpoint_without_mimi_takes_a_file_of_its_own(tiny: ModelFiles, tmp_path: Path) -> None:
    tensors = tiny.tensors()
    config = separate(tiny, tmp_path, part(tensors, "flow_lm"), research_mimi(tensors))
    flow_lm = {key: value for key, value in tensors.items() if key.startswith("flow_lm.")}
    assert same(loaded(config, checkpoint=checkpoint(tmp_path / "a.pt", flow_lm)), network(tiny))


def test_averaged_weights_lie_over_the_plain_ones(tiny: ModelFiles, tmp_path: Path) -> None:
    plain = tiny.tensors()
    averaged = {"flow_lm.input_linear.weight": plain["flow_lm.input_linear.weight"] + 1}
    built = loaded(tiny.config, checkpoint=checkpoint(tmp_path / "a.pt", plain, averaged))
    assert torch.equal(built.flow_lm.input_linear.weight, averaged["flow_lm.input_linear.weight"])
    assert torch.equal(built.flow_lm.bos_emb, plain["flow_lm.bos_emb"]), "not averaged: frozen in training"
    empty = loaded(tiny.config, checkpoint=checkpoint(tmp_path / "b.pt", plain, {}))
    assert same(empty, network(tiny))


def test_checkpoint_speaks_as_the_bundle_does(tiny: ModelFiles, tmp_path: Path) -> None:
    path = checkpoint(tmp_path / "a.pt", tiny.tensors())
    options = {"config": tiny.config, "eos_threshold": AT_ONCE}
    one, other = (TTSModel.load_model(**options, checkpoint=chosen) for chosen in (None, path))
    voice = random_state(tiny.raw)
    # not bit for bit: the weights lie at other addresses in the other file, and BLAS may round by alignment
    assert torch.allclose(
        one.generate_audio(voice, SENTENCE, seed=1),
        other.generate_audio(voice, SENTENCE, seed=1),
        atol=1e-3,
    )
    assert one.model_id == other.model_id, "the same weights"


class Harmful:
    """Would run code when unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return exec, ("raise SystemExit('unpickled')",)


def test_bad_checkpoints_are_told(tiny: ModelFiles, tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    with pytest.raises(MissingFileError, match="check the path"):
        loaded(tiny.config, checkpoint=path)
    path.write_bytes(b"no checkpoint")
    with pytest.raises(WeightsError, match="not a readable training checkpoint"):
        loaded(tiny.config, checkpoint=path)
    torch.save({"model": tiny.tensors(), "extra": Harmful()}, path)
    with pytest.raises(WeightsError, match="not a readable training checkpoint"):
        loaded(tiny.config, checkpoint=path)
    for payload, sentence in (
        ({}, "no 'model' weights"),
        ([1, 2], "no 'model' weights"),
        ({"model": {"mimi.a": torch.zeros(1)}}, "no flow_lm weights"),
    ):
        torch.save(payload, path)
        with pytest.raises(WeightsError, match=sentence):
            loaded(tiny.config, checkpoint=path)


def test_truncated_checkpoint_is_told(tiny: ModelFiles, tmp_path: Path) -> None:
    path = checkpoint(tmp_path / "a.pt", tiny.tensors())
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(WeightsError, match="not a readable training checkpoint"):
        loaded(tiny.config, checkpoint=path)


# what does not fit


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_truncated_weights_are_told(tiny: ModelFiles, tmp_path: Path, share: float) -> None:
    whole = tiny.weights.read_bytes()
    path = tmp_path / "model.safetensors"
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(WeightsError, match=r"model\.safetensors is damaged or cut short"):
        loaded(write_config(tmp_path / "a.yaml", changed(tiny.raw, weights_path=str(path))))


def test_missing_weights_are_told(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="check the path"):
        weights.read_safetensors(tmp_path / "none.safetensors")


@pytest.mark.parametrize(
    "name",
    [
        "flow_lm.input_linear.weight",
        "flow_lm.bos_before_voice",
        "mimi.decoder.model.0.conv.bias",
        "mimi.upsample.convtr.convtr.weight",
    ],
)
def test_missing_tensors_are_named(tiny: ModelFiles, name: str) -> None:
    tensors = tiny.tensors()
    del tensors[name]
    with pytest.raises(WeightsError, match=re.escape(f"{name} is missing")):
        network(tiny, tensors)


@pytest.mark.parametrize("name", ["flow_lm.colour.weight", "mimi.decoder.model.99.conv.weight"])
def test_unknown_tensors_are_named(tiny: ModelFiles, name: str) -> None:
    with pytest.raises(WeightsError, match=re.escape(f"{name} is unknown")):
        network(tiny, {**tiny.tensors(), name: torch.zeros(1)})


@pytest.mark.parametrize("name", ["flow_lm.input_linear.weight", "mimi.decoder.model.0.conv.weight"])
def test_tensors_of_another_shape_are_named(tiny: ModelFiles, name: str) -> None:
    tensors = tiny.tensors()
    tensors[name] = tensors[name][..., :-1].contiguous()
    with pytest.raises(WeightsError, match=re.escape(f"{name} is {tuple(tensors[name].shape)}, not")):
        network(tiny, tensors)


def test_weights_of_another_model_are_told(tiny: ModelFiles, models: ModelFactory) -> None:
    wider = models.tiny("never", **{"flow_lm.transformer.num_layers": 3})
    with pytest.raises(WeightsError, match="do not fit the config") as caught:
        network(tiny, wider.tensors())
    assert "transformer.layers.2" in caught.value.detail


# without what only cloning needs


@pytest.mark.parametrize(
    "dropped",
    [
        ("mimi.encoder.", "mimi.encoder_transformer.", "mimi.downsample.", "flow_lm.speaker_proj"),
        ("mimi.encoder.",),
        ("flow_lm.speaker_proj",),
    ],
    ids=["all", "encoder", "projection"],
)
def test_encoder_is_optional(tiny: ModelFiles, dropped: tuple[str, ...]) -> None:
    kept = {key: value for key, value in tiny.tensors().items() if not key.startswith(dropped)}
    assert not network(tiny, kept).has_encoder


# precision and identity


def test_bfloat16_stays_as_it_is_on_disk(models: ModelFactory, tiny: ModelFiles) -> None:
    files = models.write("tiny-bf16-weights", tiny.raw, dtype=torch.bfloat16)
    built = network(files)
    for module in (built.flow_lm, built.mimi):
        assert {value.dtype for value in module.state_dict().values()} == {torch.bfloat16}
        assert not any(parameter.requires_grad for parameter in module.parameters())


def test_tensors_are_mapped_not_copied(tiny: ModelFiles) -> None:
    tensors = weights.read_safetensors(tiny.weights)
    config = parse_config(copy.deepcopy(tiny.raw), tiny.config)
    built = weights.build(config, weights.flow_lm_tensors(tensors), weights.mimi_tensors(tensors))
    name = "transformer.layers.0.linear1.weight"
    assert built.flow_lm.state_dict()[name].data_ptr() == tensors[f"flow_lm.{name}"].data_ptr()


def test_no_parameter_is_left_without_storage(tiny: ModelFiles) -> None:
    built = network(tiny)
    assert {value.device.type for m in (built.flow_lm, built.mimi) for value in m.state_dict().values()} == {
        "cpu"
    }


def fingerprint(tensors: Tensors) -> str:
    return weights.fingerprint(weights.flow_lm_tensors(tensors))


def test_fingerprint_names_exact_weights(tiny: ModelFiles, models: ModelFactory) -> None:
    name = network(tiny).fingerprint
    assert re.fullmatch(r"[0-9a-f]{16}", name)
    assert fingerprint(weights.read_safetensors(tiny.weights)) == name
    assert fingerprint(models.tiny("never", seed=9).tensors()) != name


def test_fingerprint_sees_each_tensor_of_flow_lm(tiny: ModelFiles) -> None:
    tensors = tiny.tensors()
    name = fingerprint(tensors)
    for key in tensors:
        if key.startswith("flow_lm.") and not key.endswith("speaker_proj_weight"):
            assert fingerprint({**tensors, key: tensors[key] + 1}) != name, key


def test_fingerprint_sees_fine_tuning() -> None:
    """All numbers a little different, in tensors far larger than what is read of them."""
    values = torch.randn(2000, 2000, generator=torch.Generator().manual_seed(1))
    assert fingerprint({"flow_lm.a": values}) != fingerprint({"flow_lm.a": values * 1.001})


def test_fingerprint_is_of_what_states_depend_on(tiny: ModelFiles, tmp_path: Path) -> None:
    """Codec and speaker projection make no difference to a state that is there, nor does the form of the file."""
    tensors = tiny.tensors()
    name = fingerprint(tensors)
    assert fingerprint({key: value for key, value in tensors.items() if "mimi" not in key}) == name
    assert fingerprint({**tensors, "flow_lm.speaker_proj_weight": torch.zeros(64, 16)}) == name
    config = separate(tiny, tmp_path, research_flow_lm(tensors), research_mimi(tensors))
    assert loaded(config).fingerprint == name


def test_building_uses_no_random_numbers(tiny: ModelFiles) -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    network(tiny)
    assert torch.equal(torch.rand(1), expected)


def test_meta_device_is_left_again(tiny: ModelFiles) -> None:
    network(tiny)
    assert torch.zeros(1).device.type == "cpu"
    assert torch.nn.Linear(2, 2).weight.abs().sum() > 0
