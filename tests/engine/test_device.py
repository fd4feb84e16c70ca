"""Where a model computes: nothing is made anywhere else, other devices run the same code, and what is not there is a sentence.

A graphics card is rarely at hand: the code for one runs on torch's meta device, which computes shapes and refuses tensors of other
devices; numbers are compared where there is a card.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import Tensor

from pocketvoice.engine import devices, precision, speaker
from pocketvoice.engine.pipeline import Pipeline
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.engine.voice_state import VoiceState, export_model_state
from pocketvoice.errors import EnvironmentFault, GenerationError, InputError
from pocketvoice.model import linear, native
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.graph import Direct
from pocketvoice.model.mimi_stream import MimiDecoder, MimiEncoder
from tests.model_factory import AT_ONCE, SENTENCE, TWO_SENTENCES, ModelFactory, ModelFiles, noise_clip

Load = Callable[..., TTSModel]
META = torch.device("meta")
CPU = torch.device("cpu")

CARDS = [
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
    ),
    pytest.param(
        "mps",
        marks=pytest.mark.skipif(not torch.backends.mps.is_available(), reason="there is no MPS device"),
    ),
]


@pytest.fixture(autouse=True)
def _every_layer_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layers of test models are too small for lower precisions."""
    monkeypatch.setattr(linear, "WORTH_INT8", 0)
    monkeypatch.setattr(native, "WORTH_INT8", 0)
    monkeypatch.setattr(linear, "WORTH_BF16", 0)


def relative(ours: Tensor, theirs: Tensor) -> float:
    return float((ours - theirs).norm() / theirs.norm())


# nothing is made without the model's device


@pytest.fixture
def threads_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's default device is each thread's own: the pipeline's threads take the one of whoever starts them."""
    guard, run = Pipeline._guard, Pipeline.run

    def running(self: Pipeline) -> Iterator[object]:
        self.default = torch.get_default_device()  # type: ignore[attr-defined]
        yield from run(self)

    def guarding(self: Pipeline, work: Callable[[], None]) -> None:
        with torch.device(self.default):  # type: ignore[attr-defined]
            guard(self, work)

    monkeypatch.setattr(Pipeline, "run", running)
    monkeypatch.setattr(Pipeline, "_guard", guarding)


def everything(load: Load, folder: Path, chosen: str) -> tuple[list[Tensor], VoiceState]:
    """Sounds and a voice, made in every way there is."""
    model = load(precision=chosen, eos_threshold=AT_ONCE, noise_clamp=2.0)
    with CPU:
        clip = noise_clip(2.0)
    voice = model.get_state_for_audio_prompt(clip)
    export_model_state(voice, folder / "voice.safetensors")
    sounds = [model.generate_audio(voice, f"{TWO_SENTENCES} [pause:100ms] Yes.", seed=3)]
    model.noise_clamp = None
    sounds.append(model.generate_audio(voice, SENTENCE, seed=3, copy_state=False))
    sounds.append(model.generate_audio(voice, SENTENCE, seed=3, strict=True))
    model.eos_threshold = (
        0.0  # it does not end: takes are made anew, long enough for graphs and a full window
    )
    sounds.append(model.generate_audio(voice, "The old boats were lying.", seed=4))
    return sounds, voice


@pytest.mark.usefixtures("threads_follow")
@pytest.mark.parametrize("chosen", ["float32", "bf16", "int8"])
@pytest.mark.parametrize("kind", ["lsd", "drifting"])
@pytest.mark.parametrize("computed", ["kernels", "torch"])
def test_nothing_is_made_without_the_models_device(
    models: ModelFactory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chosen: str,
    kind: str,
    computed: str,
) -> None:
    if computed == "torch":
        monkeypatch.setattr(native, "library", lambda: None)
    elif native.library() is None:
        pytest.skip("there are no kernels for this machine")
    files = models.tiny("never", **{"flow_lm.flow.type": kind})

    def load(**options: object) -> TTSModel:
        return TTSModel.load_model(config=files.config, **options)  # type: ignore[arg-type]

    usual, usual_voice = everything(load, tmp_path, chosen)
    with META:
        assert torch.zeros(1).is_meta
        sounds, voice = everything(load, tmp_path, chosen)
    for ours, theirs in zip(sounds, usual, strict=True):
        assert ours.device == CPU
        assert torch.equal(ours, theirs)
    for name, entry in voice.items():
        assert all(torch.equal(tensor, usual_voice[name][key]) for key, tensor in entry.items())


@pytest.mark.usefixtures("threads_follow")
def test_default_device_reaches_the_threads(load: Load, voice, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would find what it looks for."""
    model = load(eos_threshold=AT_ONCE)
    made: dict[str, torch.device] = {}

    def watch(owner: object, name: str) -> None:
        method = getattr(owner, name)

        def watched(*arguments: object) -> object:
            made[threading.current_thread().name] = torch.zeros(1).device
            return method(*arguments)

        monkeypatch.setattr(owner, name, watched)

    watch(model._speaker.step, "step")
    watch(model._speaker.decoder, "decode")
    with META:
        model.generate_audio(voice, SENTENCE, seed=1)
    assert made == {"flow_lm": META, "mimi": META}


def test_trial_makes_nothing_without_a_device(load: Load) -> None:
    with META:
        trial = precision.make_trial(load()._loaded.network)
    assert trial.measured[0].error == 0


@pytest.mark.usefixtures("threads_follow")
def test_old_voice_file_is_read_to_the_cpu(load: Load, voice, tmp_path: Path) -> None:
    old = {
        f"{module}/{name}": value
        for module, entry in voice.items()
        for name, value in (("cache", entry["cache"]), ("current_end", torch.empty(int(entry["offset"]), 0)))
    }
    safetensors.torch.save_file(old, tmp_path / "old.safetensors")
    usual = load(eos_threshold=AT_ONCE).generate_audio(voice, SENTENCE, seed=1)
    with META:
        model = load(eos_threshold=AT_ONCE)
        read = model.get_state_for_audio_prompt(tmp_path / "old.safetensors")
        assert torch.equal(model.generate_audio(read, SENTENCE, seed=1), usual)


# another device runs the same code


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> torch.device:
    """A device that is found, runs everything and knows no numbers: what is read from it is zero."""
    find, cpu, item, is_true = devices.find, Tensor.cpu, Tensor.item, Tensor.__bool__
    monkeypatch.setattr(devices, "find", lambda name: META if str(name) == "meta" else find(name))
    zeros = torch.zeros
    monkeypatch.setattr(Tensor, "cpu", lambda self: zeros(self.shape) if self.is_meta else cpu(self))
    monkeypatch.setattr(Tensor, "item", lambda self: 0.0 if self.is_meta else item(self))
    monkeypatch.setattr(Tensor, "__bool__", lambda self: self.is_meta or is_true(self))
    return META


@pytest.mark.parametrize("chosen", ["float32", "bf16"])
def test_other_device_runs_the_same_code(load: Load, elsewhere: torch.device, voice, chosen: str) -> None:
    model = load(device="meta", precision=chosen, eos_threshold=AT_ONCE)
    assert model.device == elsewhere
    assert model.precision == chosen
    assert isinstance(model._speaker.decoder._graph, Direct), "nothing is recorded there"
    own = model.get_state_for_audio_prompt(noise_clip(1.5))
    assert all(tensor.device == CPU for entry in own.values() for tensor in entry.values())
    text = f"{SENTENCE} [pause:100ms] Yes."
    spoken = model.generate_audio(own, text, seed=3)
    assert spoken.device == CPU
    assert (
        spoken.shape
        == load(precision=chosen, eos_threshold=AT_ONCE).generate_audio(voice, text, seed=3).shape
    )
    model.generate_audio(own, "Yes.", seed=3, copy_state=False)
    assert all(tensor.device == CPU for entry in own.values() for tensor in entry.values())


def test_loaded_model_moves(load: Load, elsewhere: torch.device, voice) -> None:
    model = load(eos_threshold=AT_ONCE, sampler_decode_steps=2)
    here = model.generate_audio(voice, SENTENCE, seed=1)
    assert model.to("meta") is model
    assert model.device == elsewhere
    assert model.sampler_decode_steps == 2
    assert model.generate_audio(voice, SENTENCE, seed=1).shape == here.shape


def test_weights_without_an_encoder_move(models: ModelFactory, tiny: ModelFiles, elsewhere, voice) -> None:
    """What is not there can't be moved, and need not be."""
    kept = {key: value for key, value in tiny.tensors().items() if not key.startswith("mimi.encoder")}
    files = models.write("without-encoder", tiny.raw, tensors=kept)
    model = TTSModel.load_model(config=files.config, device="meta", eos_threshold=AT_ONCE)
    assert model.device == elsewhere
    assert model.generate_audio(voice, SENTENCE).numel()


def test_move_waits_for_nobody(load: Load, elsewhere, voice) -> None:
    model = load()
    stream = model.generate_audio_stream(voice, SENTENCE)
    next(stream)
    with pytest.raises(GenerationError, match="already speaking"):
        model.to("meta")
    assert model.device == CPU
    stream.close()
    assert model.to("meta").device == elsewhere


def test_int8_stays_on_the_cpu(load: Load, elsewhere, voice) -> None:
    for options in ({"quantize": True}, {"precision": "int8"}):
        with pytest.raises(
            InputError, match="int8 is computed on the CPU only: with meta use float32 or bf16"
        ):
            load(device="meta", **options)
    model = load(quantize=True, eos_threshold=AT_ONCE)
    with pytest.raises(InputError, match="int8 is computed on the CPU only"):
        model.to("meta")
    assert model.device == CPU
    assert model.generate_audio(voice, SENTENCE).numel()


def test_auto_is_float32_elsewhere(load: Load, elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "make_trial", lambda _: pytest.fail("a trial"))
    assert load(device="meta", precision="auto").precision == "float32"


def test_device_without_room_changes_nothing(load: Load, voice, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(eos_threshold=AT_ONCE)
    before = model.generate_audio(voice, SENTENCE, seed=1)
    card, moves = torch.device("cuda", 0), []

    def fail(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(devices, "find", lambda _: card)
    monkeypatch.setattr(devices, "_move", lambda _, device: moves.append(device))
    monkeypatch.setattr(speaker, "decoder_of", fail)
    with pytest.raises(EnvironmentFault, match=r"can't be put on the device cuda:0: .*, or use cpu"):
        model.to("cuda")
    assert moves == [card, CPU]
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1), before)


def test_stages_take_turns_where_they_must(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads at once end the process with MPS."""
    lock = threading.RLock()
    monkeypatch.setattr(devices, "turn", lambda _: lock)
    model = load(eos_threshold=AT_ONCE)
    calls = []

    def watch(owner: object, name: str) -> None:
        method = getattr(owner, name)

        def held(*arguments: object) -> object:
            assert lock._is_owned(), name  # type: ignore[attr-defined]
            calls.append(name)
            return method(*arguments)

        monkeypatch.setattr(owner, name, held)

    for name in ("step", "append_text", "append_embeddings"):
        watch(model._speaker.step, name)
    for name in ("reserve", "write_cache", "read_cache"):
        watch(model._speaker.step.transformer, name)
    watch(model._speaker.decoder, "decode")
    voice = model.get_state_for_audio_prompt(noise_clip(2.0))
    model.generate_audio(voice, f"{SENTENCE} Yes.", copy_state=False)
    assert {"step", "append_text", "decode", "write_cache", "read_cache"} <= set(calls)
    assert devices.turn(CPU) is lock
    monkeypatch.undo()
    assert isinstance(devices.turn(torch.device("mps", 0)), type(lock))
    assert not isinstance(devices.turn(CPU), type(lock))


# what is not there


@pytest.mark.parametrize(
    "name", ["tpu", "cpu:1", "", "cpus", "cuda:", "cuda:01", "mps:1", torch.device("meta")]
)
def test_unknown_device_is_a_sentence(load: Load, model: TTSModel, name: str | torch.device) -> None:
    for move in (model.to, lambda device: load(device=device)):
        with pytest.raises(InputError, match=f"The device '{name}' is not supported: .*cuda.*, use cpu"):
            move(name)


def test_absent_device_is_a_sentence(load: Load, model: TTSModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for name, kind in (("cuda", "CUDA"), ("cuda:1", "CUDA"), ("mps", "MPS"), (torch.device("mps", 0), "MPS")):
        for move in (model.to, lambda device: load(device=device)):
            with pytest.raises(
                InputError, match=rf"There is no {kind} device to compute on \(.+\): use cpu\."
            ):
                move(name)
    assert model.device == CPU


def test_cards_have_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert devices.find("cuda") == torch.device("cuda", 1)
    assert devices.find("cuda:0") == torch.device("cuda", 0)
    assert devices.find("mps") == devices.find(torch.device("mps")) == torch.device("mps", 0)
    assert devices.find("cpu:0") == CPU
    with pytest.raises(InputError, match="no device cuda:2: use cuda:0 to cuda:1, or cpu"):
        devices.find("cuda:2")


# numbers, where there is a card


@torch.no_grad()
@pytest.mark.parametrize("card", CARDS)
def test_card_computes_what_the_cpu_does(load: Load, card: str) -> None:
    draw = torch.Generator().manual_seed(2)
    noise = 0.55 * torch.randn(40, 1, 16, generator=draw)
    prompt = torch.randn(30, 64, generator=draw)
    latents: dict[str, list[Tensor]] = {}
    sounds, encoded = {}, {}
    for place in ("cpu", card):
        network = load(device=place)._loaded.network
        step = FlowLMStep(network.flow_lm, decode_steps=2)
        step.append_embeddings(prompt.to(step.device))
        step.append_text([3, 1, 4])
        given: list[Tensor | None] = [None, *latents.get("cpu", [])]  # the CPU's, for both
        latents[place] = []
        for frame, drawn in enumerate(noise):
            before = given[frame] if place != "cpu" else (latents["cpu"] or [None])[-1]
            latents[place].append(
                step.step(None if before is None else before.to(step.device), drawn)[0].cpu()
            )
        decoder = MimiDecoder(network.mimi, network.flow_lm.emb_std, network.flow_lm.emb_mean)
        batches = torch.cat(latents["cpu"]).to(step.device).split([1, 1, 2, 4, 4, 3, 25])
        sounds[place] = torch.cat([decoder.decode(batch).cpu() for batch in batches])
        encoded[place] = MimiEncoder(network.mimi).encode(noise_clip(2.3)[0]).cpu()
    assert relative(torch.cat(latents[card]), torch.cat(latents["cpu"])) < 1e-3
    assert relative(sounds[card], sounds["cpu"]) < 1e-3
    assert relative(encoded[card], encoded["cpu"]) < 1e-3


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("chosen", ["float32", "bf16"])
def test_card_speaks(load: Load, voice, card: str, chosen: str, tmp_path: Path) -> None:
    model = load(device=card, precision=chosen, eos_threshold=AT_ONCE)
    assert model.device.type == card
    spoken = model.generate_audio(voice, TWO_SENTENCES, seed=1)
    assert (spoken.device, spoken.dtype, spoken.dim()) == (CPU, torch.float32, 1)
    assert spoken.isfinite().all()
    assert torch.equal(model.generate_audio(voice, TWO_SENTENCES, seed=1), spoken)
    cpu = load(precision=chosen, eos_threshold=AT_ONCE)
    assert spoken.shape == cpu.generate_audio(voice, TWO_SENTENCES, seed=1).shape
    own, file = model.get_state_for_audio_prompt(noise_clip(2.0)), tmp_path / "voice.safetensors"
    export_model_state(own, file)
    model.generate_audio(own, SENTENCE, copy_state=False)
    assert cpu.generate_audio(own, SENTENCE, seed=1).isfinite().all()
    for place in ("cpu", card):
        assert model.to(place).device.type == place
        assert model.generate_audio(model.get_state_for_audio_prompt(file), SENTENCE).isfinite().all()
