"""The public names, arguments and defaults are the reference's; ours come on top, by keyword only."""

import inspect
import logging
import threading

import pocket_tts
import pytest
import torch

import pocketvoice
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.errors import (
    CloningUnavailableError,
    ConfigError,
    InputError,
    MissingFileError,
    UnknownNameError,
)
from tests.model_factory import SENTENCE, ModelFiles, noise_clip

# torch warns once a process of its own quantized tensors; that a user is not shown this is tested in tests/model.

SHARED = ["load_model", "get_state_for_audio_prompt", "generate_audio", "generate_audio_stream"]


@pytest.mark.parametrize("name", SHARED)
def test_arguments_and_defaults_are_the_references(name: str) -> None:
    theirs = list(inspect.signature(getattr(pocket_tts.TTSModel, name)).parameters.values())
    ours = list(inspect.signature(getattr(TTSModel, name)).parameters.values())
    common = ours[: len(theirs)]
    assert [(p.name, p.default, p.kind) for p in common] == [(p.name, p.default, p.kind) for p in theirs]


@pytest.mark.parametrize("name", SHARED)
def test_own_arguments_are_optional_and_by_keyword(name: str) -> None:
    theirs = inspect.signature(getattr(pocket_tts.TTSModel, name)).parameters
    ours = inspect.signature(getattr(TTSModel, name)).parameters
    for parameter in list(ours.values())[len(theirs) :]:
        assert parameter.default is not inspect.Parameter.empty
        # `stop` came to generate_audio with us, at the place it has in generate_audio_stream or by keyword
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


def test_export_takes_the_references_arguments() -> None:
    theirs = inspect.signature(pocket_tts.export_model_state).parameters
    assert list(inspect.signature(pocketvoice.export_model_state).parameters) == list(theirs)


def test_public_names_are_light_and_lead_to_the_engine() -> None:
    assert pocketvoice.TTSModel is TTSModel
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = pocketvoice.no_such_name


def test_properties_describe_the_model(model: TTSModel, tiny: ModelFiles) -> None:
    assert model.sample_rate == 24_000
    assert model.device == torch.device("cpu")
    assert model.to("cpu") is model.to("cpu:0") is model.to(torch.device("cpu")) is model
    assert model.model_id.startswith(f"{tiny.folder.name}-")
    assert model.has_voice_cloning
    assert model.cloning_reason.endswith(".")
    assert (model.temp, model.eos_threshold, model.sampler_decode_steps) == (0.3, -4.0, 1)
    assert model.noise_clamp is None


def test_options_reach_the_model(load) -> None:
    model = load(temp=0.7, sampler_decode_steps=2, noise_clamp=1.5, eos_threshold=-1.0, precision="bf16")
    assert (model.temp, model.sampler_decode_steps, model.noise_clamp) == (0.7, 2, 1.5)
    assert (model.eos_threshold, model.precision) == (-1.0, "bf16")


def test_config_brings_its_own_defaults(models) -> None:
    files = models.tiny(default_temperature=0.55, default_eos_threshold=-1.5)
    model = TTSModel.load_model(config=str(files.config))
    assert (model.temp, model.eos_threshold) == (0.55, -1.5)


def test_old_name_of_decode_steps_still_works(load, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        model = load(lsd_decode_steps=3)
    assert model.sampler_decode_steps == 3
    assert "lsd_decode_steps is deprecated" in caplog.text


def test_quantize_means_int8(load) -> None:
    assert load(quantize=True).precision == "int8"
    assert load(quantize=True, precision="int8").precision == "int8"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"quantize": True, "precision": "float32"}, "contradicts precision"),
        ({"quantize": True, "precision": "bf16"}, "contradicts precision"),
        ({"precision": "fp4"}, "float32, bf16, int8"),
        ({"temp": -0.1}, "temp must be a number of at least 0"),
        ({"sampler_decode_steps": 0}, "sampler_decode_steps must be a whole number of at least 1"),
        ({"language": "english"}, "choose one or the other"),
    ],
)
def test_contradicting_options_are_refused(load, options, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        load(**options)


def test_unknown_language_suggests_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean") as caught:
        TTSModel.load_model("englisch")
    assert "english" in caught.value.suggestions


def test_config_must_be_yaml(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"ending with \.yaml"):
        TTSModel.load_model(config=tmp_path / "model.json")
    with pytest.raises(MissingFileError):
        TTSModel.load_model(config=tmp_path / "none.yaml")


def test_missing_tokenizer_and_weights_are_named(tiny: ModelFiles, tmp_path) -> None:
    from tests.model_factory import changed, write_config

    raw = changed(tiny.raw, weights_path=str(tmp_path / "gone.safetensors"))
    with pytest.raises(MissingFileError, match=r"gone\.safetensors"):
        TTSModel.load_model(config=write_config(tmp_path / "a.yaml", raw))
    raw = changed(tiny.raw, **{"flow_lm.lookup_table.tokenizer_path": str(tmp_path / "gone.model")})
    with pytest.raises(ValueError, match=r"gone\.model"):
        TTSModel.load_model(config=write_config(tmp_path / "b.yaml", raw))


def test_weights_beside_the_config_are_found(tiny: ModelFiles, tmp_path, monkeypatch) -> None:
    from tests.model_factory import changed, write_config

    (tmp_path / "model.safetensors").write_bytes(tiny.weights.read_bytes())
    write_config(tmp_path / "mine.yaml", changed(tiny.raw, weights_path="model.safetensors"))
    monkeypatch.chdir("/")
    assert TTSModel.load_model(config=tmp_path / "mine.yaml").model_id.startswith("mine-")


def test_loading_leaves_global_settings_alone(load) -> None:
    torch.set_num_threads(2)
    try:
        load()
        assert torch.get_num_threads() == 2
        assert torch.is_grad_enabled()
    finally:
        torch.set_num_threads(1)


def test_generate_audio_can_be_stopped(model: TTSModel, voice) -> None:
    stop = threading.Event()
    stop.set()
    assert model.generate_audio(voice, "Hello there, this is a test.", stop=stop).numel() < 1920 * 10


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"frames_after_eos": -1}, "frames_after_eos"),
    ],
    ids=str,
)
def test_numbers_out_of_range_are_refused(model: TTSModel, voice, options, named: str) -> None:
    with pytest.raises(InputError, match=named):
        model.generate_audio_stream(voice, "Some words.", **options)


@pytest.mark.parametrize(
    "options",
    [{"temp": float("nan")}, {"temp": float("inf")}, {"temp": -0.1}, {"noise_clamp": 0.0}, {"noise_clamp": -1.0},
     {"eos_threshold": float("nan")}, {"sampler_decode_steps": 0}],
    ids=str,
)  # fmt: skip
def test_settings_out_of_range_are_refused(tiny, options) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        TTSModel.load_model(config=str(tiny.config), **options)


def test_cloning_can_be_switched_off_and_on(model: TTSModel) -> None:
    model.has_voice_cloning = False
    with pytest.raises(CloningUnavailableError):
        model.get_state_for_audio_prompt(noise_clip(2.0))
    model.has_voice_cloning = True
    assert model.get_state_for_audio_prompt(noise_clip(2.0))


def test_it_has_the_face_of_a_torch_module(model: TTSModel, tiny: ModelFiles) -> None:
    assert model.eval() is model.cpu() is model
    assert model.origin == tiny.config
    shapes = sorted(tuple(weight.shape) for weight in model.parameters())
    own = [*model.flow_lm.parameters(), *model.mimi.parameters()]
    assert shapes == sorted(tuple(weight.shape) for weight in own)
    assert sum(weight.numel() for weight in model.parameters()) > 1000


@pytest.mark.expects_log("No end of speech")
def test_dtype_is_a_precision(load, voice) -> None:
    expected = load(precision="bf16").generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    model = load()
    assert model.to(torch.bfloat16).precision == "bf16"
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep"), expected)
    assert model.to(dtype=torch.float32).precision == "float32"
    with pytest.raises(InputError, match="float16"):
        model.to("cpu", torch.float16)
    assert model.precision == "float32"


@pytest.mark.expects_log("No end of speech")
def test_a_training_checkpoint_takes_the_weights_place(
    load, models, tiny: ModelFiles, voice, tmp_path
) -> None:
    other = models.tiny("never", seed=5)
    torch.save({"model": other.tensors()}, tmp_path / "mine.pt")
    model = load()
    before = model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    model.load_training_checkpoint(tmp_path / "mine.pt")
    expected = TTSModel.load_model(config=tiny.config, checkpoint=tmp_path / "mine.pt")
    sound = model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    assert torch.equal(sound, expected.generate_audio(voice, SENTENCE, seed=1, no_eos="keep"))
    assert not torch.equal(sound, before)
    with pytest.raises(MissingFileError):
        model.load_training_checkpoint(tmp_path / "gone.pt")
    assert model.model_id == expected.model_id
