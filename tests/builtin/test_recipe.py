"""The recipe's parts that a long training stands on: latents, the dealing out of sentences, adversaries, checkpoints."""

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import soundfile
import torch
from torch import nn

from pocketvoice.model import mimi_native, native
from pocketvoice.model.mimi import Mimi

Module = Callable[[str], ModuleType]


@pytest.fixture(scope="module")
def module(recipe: Path) -> Iterator[Callable[[str], ModuleType]]:
    """A function that imports a script of the recipe."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(recipe))
        yield importlib.import_module


def speech(seconds: float, seed: int) -> np.ndarray:
    """Something with a pitch that glides, and pauses of hiss."""
    rng, t = np.random.default_rng(seed), np.arange(int(seconds * 24000)) / 24000
    phase = 2 * np.pi * np.cumsum(140 + 40 * np.sin(3 * t)) / 24000
    loud = np.clip(np.sin(2 * np.pi * 2 * t) + 0.5, 0, 1)
    voice = sum(np.sin(k * phase) / k for k in range(1, 20))
    return (0.1 * loud * voice + 0.003 * rng.standard_normal(len(t))).astype(np.float32)


def test_latents_are_scaled_and_noise_is_new(module: Module) -> None:
    features = module("features")
    basis = features.fit_basis([speech(3, 0), speech(3, 1)])
    latents = basis.latents(speech(3, 0))
    assert latents.shape == (38, features.LATENTS)
    assert np.abs(latents[:, : features.PHASED].std(0) - 1).max() < 0.5
    assert np.abs(latents[:, features.PHASED : features.MEASURED]).max() < 1.01
    assert (latents[:, -1] == 1).all()
    assert not latents[:, features.MEASURED : -1].any()
    noised = features.with_noise(latents, np.random.default_rng(0))
    same = np.r_[: features.MEASURED, features.LATENTS - 1]
    assert (noised[:, same] == latents[:, same]).all()
    assert 0.8 < noised[:, features.MEASURED : -1].std() < 1.2


def test_phases_are_those_of_the_fundamental(module: Module) -> None:
    features = module("features")
    t = np.arange(24000) / 24000
    pitch = 150 + 30 * t  # Hz
    turned = 2 * np.pi * np.cumsum(pitch) / 24000
    voice = sum(np.cos(k * turned) / k for k in range(1, 9)) * np.repeat([1.0, 0.0], 12000)
    tracks = features.pitch_track((0.1 * voice).astype(np.float32), 100)
    phases = features.phases((0.1 * voice).astype(np.float32), *tracks)
    assert phases.shape == (100, 2)
    ends = turned[features.SLOT - 1 :: features.SLOT]
    apart = np.angle((phases[:, 0] + 1j * phases[:, 1]) * np.exp(-1j * ends))[4:44]
    assert np.abs(apart).max() < 0.25
    assert np.hypot(*phases[4:44].T).min() > 0.9
    assert not phases[56:].any()  # silence has none


def test_flow_lm_is_told_the_phases_that_its_pitch_asks_for(module: Module) -> None:
    features, train = module("features"), module("train_flow_lm")
    steady = sum(np.cos(2 * np.pi * 170 * k * np.arange(48000) / 24000) / k for k in range(1, 9))
    sound = (0.1 * steady).astype(np.float32)
    basis = features.fit_basis([speech(3, 0), sound])
    true = torch.from_numpy(basis.latents(sound))[4:20]
    turning = train.Turning(basis, "cpu")
    noise, before, frames = torch.zeros_like(true[1:]), true[:-1], true[1:]
    right = turning.loss(frames, noise, frames, before)
    wrong = frames.clone()
    wrong[:, features.PHASED : features.MEASURED] *= -1
    assert right < 0.1 * turning.loss(wrong, noise, frames, before)
    silent = torch.zeros_like(frames)
    assert turning.loss(silent, noise, silent, silent) == 0


def test_vocoder_is_told_the_wave(module: Module) -> None:
    distance = module("train_codec").wave_distance
    t = torch.arange(9600) / 24000
    sounds = torch.stack(
        [0.1 * torch.cos(2 * torch.pi * 170 * t), 0.1 * torch.cos(2 * torch.pi * 170 * t + 1.5)]
    )
    assert distance(sounds, sounds) < 0.05
    assert distance(sounds, sounds.flip(0)) > 0.8


def test_sentences_are_dealt_by_weight(module: Module) -> None:
    make_speech = module("make_speech")
    voices = make_speech.parse_voices("af_heart=2,mix_007-009=0.5")
    assert voices == {"af_heart": 2.0, "mix_007": 0.5, "mix_008": 0.5, "mix_009": 0.5}
    plan = make_speech.dealt(voices, range(100, 114))
    assert [shard for shard, _ in plan] == list(range(100, 114))
    said = [voice for _, voice in plan]
    assert 7 <= said.count("af_heart") <= 9
    assert all(2 <= said.count(voice) <= 3 for voice in voices if voice != "af_heart")


def test_mixed_speakers_are_fixed_and_hold_no_untrained_voice(module: Module, tmp_path: Path) -> None:
    make_speech = module("make_speech")
    folder = tmp_path / "kokoro-js" / "voices"
    folder.mkdir(parents=True)
    names = ["af_one", "am_two", "bf_three", *make_speech.UNTRAINED]
    for name in names:
        np.full(510 * 256, 1e6 if name in make_speech.UNTRAINED else 1.0, np.float32).tofile(
            folder / f"{name}.bin"
        )
    for number in range(20):
        mixed = make_speech.voice_vectors(tmp_path, f"mix_{number:03d}")
        assert mixed.shape == (510, 256)
        assert np.allclose(mixed, 1.0)


def test_opus_speech_is_cut_where_it_was_joined(module: Module, tmp_path: Path) -> None:
    import_speech = module("import_speech")
    sentences = [speech(1.0, 0), speech(1.5, 1)]
    sound = tmp_path / "af_heart_0003.ogg"
    soundfile.write(sound, np.concatenate(sentences), 24000, format="OGG", subtype="OPUS")
    told = {"lengths": [len(s) for s in sentences], "meta": [{"text": "One."}, {"text": "Two."}]}
    sound.with_suffix(".json").write_text(json.dumps(told))
    pcm, lengths, meta = import_speech.imported(sound)
    assert len(pcm) == lengths.sum() == 60000
    assert meta[1]["text"] == "Two."
    told["lengths"].append(24000)
    sound.with_suffix(".json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match="does not fit"):
        import_speech.imported(sound)


def written_voice(folder: Path, name: str, sentences: int, seed: int) -> None:
    """A shard of made-up speech, three pieces a sentence."""
    sounds = [speech(1.2, seed + k) for k in range(sentences)]
    meta = [{"text": "A.", "voice": name, "pieces": [5, 6, 7], "ends": [0.4, 0.8, 1.2]}] * sentences
    pcm = (np.concatenate(sounds) * 32767).astype(np.int16)
    lengths = np.array([len(sound) for sound in sounds])
    np.savez(folder / f"kokoro_{name}.npz", pcm=pcm, lengths=lengths, meta=np.array(json.dumps(meta)))


def test_flow_lm_learns_from_prompts_of_any_length(module: Module, tmp_path: Path) -> None:
    train, features, training = module("train_flow_lm"), module("features"), module("training")
    (tmp_path / "speech").mkdir()
    for name, count in (("af_one_0000", 2), ("af_one_0001", 20), ("am_two_0002", 20), ("mix_001_0003", 5)):
        written_voice(tmp_path / "speech", name, count, seed=count)
    shares = {"kokoro_af_one": 3.0, "others": 1.0}
    data = train.Sentences(tmp_path, shares, features.load_basis(tmp_path, ["kokoro_af_one"]), seed=0)
    data.refresh()
    assert len(data.items["kokoro_af_one"]) == 20  # without the shard that is held back
    assert data.weights() == {"kokoro_af_one": 3.0, "kokoro_am_two": 0.5}  # the mixture has too few
    lengths = [data.prompt_length() for _ in range(100)]
    assert min(lengths) < 12
    assert max(lengths) > 200
    assert len(data.prompt("kokoro_am_two", 300)) == 300
    torch.manual_seed(0)
    lm = train.FlowLM(training.model_config().flow_lm, features.LATENTS, features.LATENTS)
    train.start_weights(lm)
    batch = train.Batch(lm, data.batch(60, 150)[:3], 0.4, 0.1, "cpu")
    heard = batch.target[batch.valid][:, features.MEASURED :]
    assert not heard.any()  # neither noise nor the constant is a target
    terms = train.losses_of(lm, batch, torch.ones(features.LATENTS), 1.0, train.Turning(data.basis, "cpu"))
    terms["loss"].backward()
    assert torch.isfinite(terms["loss"])
    assert lm.speaker_proj_weight.grad.abs().max() > 0


def test_vocoder_hears_what_flow_lm_says(module: Module, tmp_path: Path) -> None:
    train, features = module("train_codec"), module("features")
    (tmp_path / "speech").mkdir()
    (tmp_path / "predicted").mkdir()
    for number in range(2):
        written_voice(tmp_path / "speech", f"af_one_000{number}", 3, seed=number)
    basis = features.load_basis(tmp_path, ["kokoro_af_one"])
    count = 3 * 15  # frames of three sentences of 1.2 s
    said = np.full((count, features.LATENTS), 7, np.float16)
    np.savez(tmp_path / "predicted" / "kokoro_af_one_0001.npz", latents=said, lengths=np.full(3, 15))
    pieces = train.Pieces(tmp_path, {"kokoro_af_one": 1.0}, basis, seed=0, predicted=0.5)
    pieces.refresh()
    assert len(pieces.groups["kokoro_af_one"]) == 3
    latents, sound = pieces.batch(40, 5)
    assert sound.shape == (40, 5 * features.FRAME)
    replaced = (latents[:, :, 0] == 7).all(1)
    assert 8 <= replaced.sum() <= 32
    assert (latents[:, :, features.MEASURED : -1].std() - 1).abs() < 0.2


def test_adversaries_learn_and_go_on_from_their_checkpoint(module: Module, tmp_path: Path) -> None:
    discriminators = module("discriminators")
    torch.manual_seed(0)
    judges = discriminators.Adversaries(1e-3, tmp_path / "judges.pt")
    true = torch.from_numpy(np.stack([speech(0.2, seed) for seed in range(2)]))
    made = (torch.randn_like(true) * 0.05).requires_grad_()
    losses = [float(judges.learn(made, true)) for _ in range(12)]
    assert losses[-1] < 0.7 * losses[0]
    believed, features = judges.judge(made, true)
    (believed + features).backward()
    assert made.grad is not None
    assert made.grad.abs().max() > 0
    assert all(parameter.requires_grad for parameter in judges.parameters())
    judges.save()
    again = discriminators.Adversaries(1e-3, tmp_path / "judges.pt")
    torch.testing.assert_close(again.judge(made.detach(), true), (believed.detach(), features.detach()))


def test_training_goes_on_with_its_budget_and_its_average(
    module: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = module("training")
    monkeypatch.setattr(training.signal, "signal", lambda *_: None)  # pytest's own stays
    saves: list[int] = []

    def loop(layer: nn.Module, minutes: float) -> object:
        return training.Loop(tmp_path / "part.pt", layer, 1e-2, minutes, 1, on_save=lambda: saves.append(1))

    layer = nn.Linear(4, 1)
    first = loop(layer, 0.01)
    first.run(lambda step: {"loss": layer(torch.ones(2, 4)).square().mean()})
    assert first.step > 0
    assert first.progress() == 1
    assert saves
    other = nn.Linear(4, 1)
    second = loop(other, 0.02)
    assert second.step == first.step
    assert 0.5 <= second.progress() < 0.9
    assert torch.equal(other.weight, layer.weight)


@pytest.mark.skipif(native.library() is None, reason="no kernels for this machine")
def test_new_decoder_has_kernels(module: Module) -> None:
    assert mimi_native.supports(Mimi(module("training").model_config().mimi), native.library())
