"""From whatever names a voice to its state, and every way in which that can go wrong: one sentence that says what to do."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import soundfile
import torch

from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.engine.voice_state import VoiceState, export_model_state
from pocketvoice.errors import (
    AudioFileError,
    ClipError,
    CloningUnavailableError,
    InputError,
    MissingFileError,
    UnknownNameError,
    VoiceStateError,
)
from tests.model_factory import AT_ONCE, SENTENCE, ModelFactory, ModelFiles, noise_clip, random_state


def write_wav(
    path: Path, seconds: float, rate: int = 24_000, channels: int = 1, subtype: str = "PCM_16"
) -> Path:
    samples = noise_clip(seconds, rate=rate)[0].numpy()
    soundfile.write(path, np.stack([samples] * channels, axis=1), rate, subtype=subtype)
    return path


def cloneless(models: ModelFactory, tiny: ModelFiles, name: str) -> ModelFiles:
    """The same weights as published without cloning."""
    dropped = (
        "mimi.encoder.",
        "mimi.encoder_transformer.",
        "mimi.downsample.",
        "flow_lm.speaker_proj_weight",
    )
    kept = {key: value for key, value in tiny.tensors().items() if not key.startswith(dropped)}
    return models.write(name, tiny.raw, tensors=kept)


# what is no voice


def test_text_file_is_no_voice(model: TTSModel, tmp_path) -> None:
    for name in ("voice.wav", "voice.txt", "voice"):
        (tmp_path / name).write_text("I am no sound at all.\n" * 20)
        with pytest.raises(AudioFileError):
            model.get_state_for_audio_prompt(tmp_path / name)


def test_text_file_is_no_state(model: TTSModel, tmp_path) -> None:
    path = tmp_path / "voice.safetensors"
    path.write_text("I am no state at all.\n" * 20)
    with pytest.raises(VoiceStateError, match="damaged or cut short"):
        model.get_state_for_audio_prompt(path)


def test_empty_files_are_no_voices(model: TTSModel, tmp_path) -> None:
    for name, error in (("voice.wav", AudioFileError), ("voice.safetensors", VoiceStateError)):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(error):
            model.get_state_for_audio_prompt(tmp_path / name)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_truncated_state_is_refused(model: TTSModel, voice, tmp_path, share: float) -> None:
    path = tmp_path / "voice.safetensors"
    export_model_state(voice, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(VoiceStateError, match="damaged or cut short"):
        model.get_state_for_audio_prompt(path)


def test_other_tensors_are_no_state(model: TTSModel, tiny: ModelFiles) -> None:
    with pytest.raises(VoiceStateError, match="holds other tensors"):
        model.get_state_for_audio_prompt(tiny.weights)


def test_state_made_for_another_model_is_refused_by_name(model: TTSModel, models, voice, tmp_path) -> None:
    other = TTSModel.load_model(config=models.tiny("never", seed=5).config)
    assert other.model_id != model.model_id
    state = other.get_state_for_audio_prompt(_export(voice, tmp_path / "plain.safetensors"))
    state.origin = type(state.origin)(model_id=other.model_id)
    path = _export(state, tmp_path / "marked.safetensors")
    with pytest.raises(VoiceStateError, match=f"made for the model {other.model_id}"):
        model.get_state_for_audio_prompt(path)
    with pytest.raises(VoiceStateError, match="made for the model"):
        model.generate_audio(state, SENTENCE)
    assert other.get_state_for_audio_prompt(path).origin.model_id == other.model_id


def _export(state, path: Path) -> Path:
    export_model_state(state, path)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"flow_lm.transformer.num_layers": 3},
        {"flow_lm.transformer.num_kv_heads": 4},
        {"flow_lm.transformer.num_heads": 2},
    ],
    ids=["layers", "heads", "width"],
)
def test_state_made_for_another_model_is_refused_by_shape(
    model: TTSModel, tiny: ModelFiles, tmp_path, changes
) -> None:
    from tests.model_factory import changed

    foreign = random_state(changed(tiny.raw, **changes))
    path = _export(foreign, tmp_path / "voice.safetensors")
    with pytest.raises(VoiceStateError, match="does not fit the loaded model"):
        model.get_state_for_audio_prompt(path)
    with pytest.raises(VoiceStateError, match="does not fit the loaded model"):
        model.generate_audio(foreign, SENTENCE)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_state_that_holds_nan_is_refused(model: TTSModel, voice, tmp_path, value: float) -> None:
    voice["transformer.layers.1.self_attn"]["cache"][0, 0, 7, 0, 0] = value
    path = _export(voice, tmp_path / "voice.safetensors")
    with pytest.raises(VoiceStateError, match="NaN"):
        model.get_state_for_audio_prompt(path)
    with pytest.raises(VoiceStateError, match="NaN"):
        model.generate_audio(voice, SENTENCE)


@pytest.mark.expects_log("No end of speech")
def test_a_state_turned_nan_after_use_is_refused(model: TTSModel, voice) -> None:
    model.generate_audio(voice, SENTENCE, no_eos="keep")
    voice["transformer.layers.1.self_attn"]["cache"][0, 0, 7, 0, 0] = float("nan")
    with pytest.raises(VoiceStateError, match="NaN"):
        model.generate_audio(voice, SENTENCE)


@pytest.mark.parametrize("offset", [0, -1, 21, 10**9])
def test_impossible_offsets_are_refused(model: TTSModel, voice, offset: int) -> None:
    for entry in voice.values():
        entry["offset"] = torch.tensor([offset])
    with pytest.raises(VoiceStateError, match="does not fit"):
        model.generate_audio(voice, SENTENCE)


@pytest.mark.parametrize("missing", ["offset", "cache"])
def test_missing_entries_are_named(model: TTSModel, voice, missing: str) -> None:
    for entry in voice.values():
        del entry[missing]
    with pytest.raises(VoiceStateError, match="lacks its cache or its offset"):
        model.generate_audio(voice, SENTENCE)


@pytest.mark.parametrize("empty", [torch.zeros(0, dtype=torch.long), torch.tensor([float("nan")])])
def test_offsets_that_are_no_number_are_refused(model: TTSModel, voice, empty) -> None:
    for entry in voice.values():
        entry["offset"] = empty
    with pytest.raises(VoiceStateError):
        model.generate_audio(voice, SENTENCE)


def test_layers_of_unequal_length_are_refused(model: TTSModel, voice) -> None:
    voice["transformer.layers.1.self_attn"]["offset"] = torch.tensor([12])
    with pytest.raises(VoiceStateError):
        model.generate_audio(voice, SENTENCE)


def test_an_empty_state_is_refused(model: TTSModel) -> None:
    with pytest.raises(VoiceStateError):
        model.generate_audio({}, SENTENCE)


def test_states_are_refused_before_anything_is_made(model: TTSModel) -> None:
    with pytest.raises(VoiceStateError):
        model.generate_audio_stream({}, SENTENCE)


@pytest.mark.parametrize("seconds", [0.2, 0.45])
def test_short_clip_is_taken_as_by_the_reference(model: TTSModel, tmp_path, seconds: float) -> None:
    path = write_wav(tmp_path / "short.wav", seconds)
    for source in (path, noise_clip(seconds)):
        assert "a voice needs at least 3 s" in model.get_state_for_audio_prompt(source).origin.notes[0]
        with pytest.raises(ClipError, match="only 0"):
            model.get_state_for_audio_prompt(source, strict=True)


def test_nothing_is_no_clip(model: TTSModel, tmp_path) -> None:
    with pytest.raises((ClipError, AudioFileError)):
        model.get_state_for_audio_prompt(write_wav(tmp_path / "short.wav", 0.0))
    with pytest.raises(ClipError):
        model.get_state_for_audio_prompt(noise_clip(0.0))


def test_silence_is_refused(model: TTSModel, tmp_path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(48_000), 24_000)
    with pytest.raises(ClipError, match="silent"):
        model.get_state_for_audio_prompt(tmp_path / "silence.wav")
    with pytest.raises(ClipError, match="silent"):
        model.get_state_for_audio_prompt(torch.zeros(1, 48_000))


def test_clip_with_nan_is_refused(model: TTSModel) -> None:
    clip = noise_clip(2.0)
    clip[0, 100] = float("nan")
    with pytest.raises(ClipError, match="NaN"):
        model.get_state_for_audio_prompt(clip)


@pytest.mark.expects_log("The clip is 10 minutes long")
def test_ten_minutes_are_taken_with_a_warning(model: TTSModel, tmp_path) -> None:
    samples = np.random.default_rng(1).integers(-9000, 9000, 600 * 8000, dtype=np.int16)
    soundfile.write(tmp_path / "lecture.wav", samples, 8000)
    state = model.get_state_for_audio_prompt(tmp_path / "lecture.wav")
    assert "The clip is 10 minutes long" in state.origin.notes[0]
    with pytest.raises(ClipError, match="10 minutes"):
        model.get_state_for_audio_prompt(tmp_path / "lecture.wav", strict=True)


@pytest.mark.parametrize("shape", [(1, 2, 48_000), (0,), (1, 0)])
def test_tensors_of_other_shapes_are_refused(model: TTSModel, shape) -> None:
    with pytest.raises(ClipError, match=r"\[channels, samples\]"):
        model.get_state_for_audio_prompt(torch.zeros(shape))


def test_unknown_voice_suggests_near_ones(model: TTSModel) -> None:
    with pytest.raises(UnknownNameError, match="did you mean") as caught:
        model.get_state_for_audio_prompt("albo")
    assert "alba" in caught.value.suggestions
    with pytest.raises(UnknownNameError, match="voices list"):
        model.get_state_for_audio_prompt("zzzzqqq")


@pytest.mark.parametrize("name", ["none.wav", "none.safetensors", "folder/none"])
def test_missing_file_is_told(model: TTSModel, tmp_path, name: str) -> None:
    for source in (tmp_path / name, str(tmp_path / name)):
        with pytest.raises(MissingFileError, match="check the path") as caught:
            model.get_state_for_audio_prompt(source)
        assert isinstance(caught.value, FileNotFoundError)


def test_folder_is_no_voice(model: TTSModel, tmp_path) -> None:
    with pytest.raises(InputError):
        model.get_state_for_audio_prompt(tmp_path)


def test_predefined_voice_needs_a_model_of_the_catalogue(model: TTSModel) -> None:
    with pytest.raises(ValueError, match="not for your own config"):
        model.get_state_for_audio_prompt("alba")


def test_predefined_voice_does_not_fit_a_checkpoint(tiny: ModelFiles, tmp_path) -> None:
    torch.save({"model": tiny.tensors()}, tmp_path / "mine.pt")
    model = TTSModel.load_model(config=tiny.config, checkpoint=tmp_path / "mine.pt")
    with pytest.raises(ValueError, match="training checkpoint"):
        model.get_state_for_audio_prompt("alba")


# weights that can't clone


def test_weights_without_encoder_refuse_clips(models, tiny, tmp_path) -> None:
    files = cloneless(models, tiny, "cloneless")
    model = TTSModel.load_model(config=files.config)
    assert not model.has_voice_cloning
    assert "encoder" in model.cloning_reason
    for source in (noise_clip(2.0), write_wav(tmp_path / "voice.wav", 2.0)):
        with pytest.raises(CloningUnavailableError, match="can't clone") as caught:
            model.get_state_for_audio_prompt(source)
        assert model.cloning_reason in str(caught.value)


def test_weights_without_encoder_speak_with_states_of_the_full_ones(models, tiny, voice, tmp_path) -> None:
    """That is what they are for: a voice made where cloning is allowed is used where it is not."""
    full = TTSModel.load_model(config=tiny.config, eos_threshold=AT_ONCE)
    files = cloneless(models, tiny, "cloneless-speaks")
    public = TTSModel.load_model(config=files.config, eos_threshold=AT_ONCE)
    state = VoiceState(voice)
    state.origin = type(state.origin)(model_id=full.model_id)
    path = _export(state, tmp_path / "mine.safetensors")
    loaded = public.get_state_for_audio_prompt(path)
    # not bit for bit: the weights lie at other addresses in the other file, and BLAS may round by alignment
    assert torch.allclose(
        public.generate_audio(loaded, SENTENCE, seed=1),
        full.generate_audio(voice, SENTENCE, seed=1),
        atol=1e-3,
    )


# what is a voice


def test_state_file_gives_the_same_sound(load, voice, tmp_path) -> None:
    model = load(eos_threshold=AT_ONCE)
    expected = model.generate_audio(voice, SENTENCE, seed=1)
    path = _export(voice, tmp_path / "my voice é.safetensors")
    for source in (path, str(path)):
        state = model.get_state_for_audio_prompt(source)
        assert torch.equal(model.generate_audio(state, SENTENCE, seed=1), expected)
    assert state.origin.source == path.name
    assert state.origin.model_id == "", "a foreign file does not say whose it is"


@pytest.mark.expects_log("No end of speech")
def test_clip_becomes_a_voice_that_knows_its_origin(model: TTSModel, tmp_path) -> None:
    path = write_wav(tmp_path / "me.wav", 2.0)
    state = model.get_state_for_audio_prompt(path)
    assert state.origin.model_id == model.model_id
    assert state.origin.source == str(path)
    assert len(state.origin.source_sha256) == 64
    assert state.origin.created.startswith("20")
    positions = 1 + 26  # the mark before the voice; 2 s and the pause at its end, 26 frames
    assert {int(entry["offset"]) for entry in state.values()} == {positions}
    assert model.generate_audio(state, SENTENCE, no_eos="keep").isfinite().all()


@pytest.mark.expects_log("No end of speech")
def test_cloning_twice_gives_the_same_state(model: TTSModel, voice) -> None:
    first = model.get_state_for_audio_prompt(noise_clip(2.0))
    model.generate_audio(voice, SENTENCE, no_eos="keep")
    again = model.get_state_for_audio_prompt(noise_clip(2.0))
    for name, entry in first.items():
        assert torch.equal(entry["cache"], again[name]["cache"])
    assert first.origin.source_sha256 == again.origin.source_sha256


def test_cloning_leaves_the_voice_in_use_alone(load, voice) -> None:
    model = load(eos_threshold=AT_ONCE)
    expected = model.generate_audio(voice, SENTENCE, seed=1)
    model.get_state_for_audio_prompt(noise_clip(2.0))
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1), expected)


@pytest.mark.parametrize(
    ("rate", "channels", "subtype"),
    [
        (24_000, 2, "PCM_16"),
        (44_100, 1, "PCM_24"),
        (48_000, 2, "FLOAT"),
        (8_000, 1, "PCM_U8"),
        (16_000, 1, "PCM_32"),
    ],
)
def test_other_rates_and_channels_are_read(model: TTSModel, tmp_path, rate, channels, subtype) -> None:
    path = write_wav(tmp_path / "voice.wav", 2.0, rate, channels, subtype)
    state = model.get_state_for_audio_prompt(path)
    assert {int(entry["offset"]) for entry in state.values()} == {27}


def test_tensors_may_have_channels_or_none(model: TTSModel) -> None:
    clip = noise_clip(2.0)
    states = [model.get_state_for_audio_prompt(c) for c in (clip, clip[0], clip.expand(2, -1), clip.double())]
    for state in states[1:]:
        for name, entry in states[0].items():
            assert torch.equal(entry["cache"], state[name]["cache"])


@pytest.mark.expects_log("The clip is 40 s long")
def test_long_clips_are_cut_and_say_so(model: TTSModel, tmp_path) -> None:
    path = write_wav(tmp_path / "long.wav", 40.0)
    state = model.get_state_for_audio_prompt(path)
    frames = {int(entry["offset"]) for entry in state.values()}.pop()
    assert 20 * 12.5 <= frames <= 30.2 * 12.5 + 1
    assert len(state.origin.notes) == 2, "the cut, and that it is noise"


@pytest.mark.expects_log("The clip is 10 minutes long")
def test_too_long_a_clip_is_truncated_when_asked(model: TTSModel, tmp_path) -> None:
    samples = np.random.default_rng(1).integers(-9000, 9000, 600 * 8000, dtype=np.int16)
    soundfile.write(tmp_path / "lecture.wav", samples, 8000)
    state = model.get_state_for_audio_prompt(tmp_path / "lecture.wav", truncate=True)
    assert {int(entry["offset"]) for entry in state.values()}.pop() <= 30.2 * 12.5 + 1


def test_voices_work_with_bfloat16_weights(models, tiny) -> None:
    files = models.write("tiny-bf16-voices", tiny.raw, dtype=torch.bfloat16)
    for precision in ("float32", "bf16"):
        model = TTSModel.load_model(config=files.config, precision=precision)
        state = model.get_state_for_audio_prompt(noise_clip(2.0))
        assert next(iter(state.values()))["cache"].dtype == torch.float32


# export


def test_export_carries_model_and_source(model: TTSModel, tmp_path) -> None:
    clip = write_wav(tmp_path / "me.wav", 2.0)
    state = model.get_state_for_audio_prompt(clip)
    path = _export(state, tmp_path / "me.safetensors")
    with safetensors.safe_open(path, framework="pt") as file:
        metadata = file.metadata()
    assert metadata["model_id"] == model.model_id
    assert metadata["source"] == str(clip)
    assert metadata["source_sha256"] == state.origin.source_sha256
    assert metadata["created"] == state.origin.created
    again = model.get_state_for_audio_prompt(path)
    assert again.origin.model_id == model.model_id
    assert again.origin.source_sha256 == state.origin.source_sha256


def test_source_hash_is_of_the_samples(model: TTSModel) -> None:
    from pocketvoice.audio.clip import prepare_clip

    clip = noise_clip(2.0)
    expected = hashlib.sha256(prepare_clip(clip[0].numpy(), 24_000).samples.tobytes()).hexdigest()
    assert model.get_state_for_audio_prompt(clip).origin.source_sha256 == expected
