"""What the reference package's own public tests promise of splitting and of its Python API, as behaviours of ours.

The stream's cancellation, the voice sources and the WAV that `generate` writes have their tests in `tests/engine` and `tests/cli`.
"""

import runpy
from pathlib import Path

import pytest
import torch

from pocketvoice import TTSModel
from pocketvoice.engine.voice_source import is_state_file
from pocketvoice.text.rules import TextRules
from pocketvoice.text.splitter import SplitOptions, split
from pocketvoice.text.tokenizer import Tokenizer, load_tokenizer
from tests.model_factory import ModelFactory, random_state

CLAUSES = (
    "The rain fell on the roof, the rain fell on the road, the wind blew through the trees, the wind blew over the sea, "
    "the night was long and cold, the night was dark and still, nobody came to the door, nobody called from the garden"
)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    vocabulary = runpy.run_path(str(Path(__file__).parents[1] / "text" / "vocabulary.py"))
    model, _ = vocabulary["write_tokenizers"](tmp_path_factory.mktemp("vocabulary"))
    return load_tokenizer(model, "sentencepiece", vocabulary["N_PIECES"])


def strict(text: str, tokenizer: Tokenizer, max_tokens: int = 50, **rules: bool) -> list[str]:
    options = SplitOptions(max_tokens=max_tokens, strict=True)
    return [segment.text for segment in split(text, tokenizer, TextRules(**rules), options)]


def test_short_text_is_one_segment(tokenizer: Tokenizer) -> None:
    assert strict("Good morning.", tokenizer) == ["Good morning."]
    assert strict("Good, morning.", tokenizer) == ["Good, morning."]


def test_sentences_split_over_the_limit(tokenizer: Tokenizer) -> None:
    assert (
        len(
            strict(
                "Here is one sentence. Here is another. Here is the third. Here is the last.", tokenizer, 12
            )
        )
        > 1
    )


def test_commas_split_what_has_no_stop(tokenizer: Tokenizer) -> None:
    segments = strict(CLAUSES, tokenizer)
    assert len(segments) > 1
    spoken = " ".join(segments).lower()
    for clause in CLAUSES.lower().split(", "):
        assert clause in spoken
    for segment in strict(CLAUSES, tokenizer, 25):
        assert len(tokenizer.encode(segment)) <= 50


def test_semicolons_and_colons_split_too(tokenizer: Tokenizer) -> None:
    text = "The first part is here; the second part is here: the third part is here; the fourth part is here"
    assert len(strict(text, tokenizer, 15)) > 1


def test_text_without_cuts_is_kept_whole(tokenizer: Tokenizer) -> None:
    text = " ".join(f"item{number}" for number in range(20))
    (segment,) = strict(text, tokenizer, 5)
    assert segment.lower().rstrip(".") == text


@pytest.mark.parametrize("decimal", ["98.6", "3.14", "2.0"])
def test_decimals_are_never_cut(tokenizer: Tokenizer, decimal: str) -> None:
    segments = strict(f"The value was {decimal} degrees. Nobody knew why it was {decimal}.", tokenizer, 20)
    assert " ".join(segments).count(decimal) == 2


def test_empty_text_is_a_value_error(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="empty"):
        strict("", tokenizer)


def test_final_stop_can_be_switched_off(tokenizer: Tokenizer) -> None:
    assert strict(
        "no stop here", tokenizer, append_terminal_punctuation=False, capitalize_first_letter=False
    ) == ["no stop here"]


def test_short_text_is_padded_and_goes_on_longer(tokenizer: Tokenizer) -> None:
    options = SplitOptions(strict=True)
    (segment,) = split("hi", tokenizer, TextRules(pad_with_spaces_for_short_inputs=True), options)
    assert segment.text == " " * 8 + "Hi."
    assert segment.frames_after_eos == 5


@pytest.mark.parametrize(
    ("source", "is_state"),
    [
        ("voice.safetensors", True),
        ("hf://owner/repo/voices/voice.safetensors@abcdef", True),
        ("https://example.com/voice.safetensors?download=1", True),
        ("https://example.com/voice.wav?format=safetensors", False),
    ],
)
def test_state_files_are_told_by_their_path(source: str, is_state: bool) -> None:
    assert is_state_file(source) is is_state


def test_audio_is_one_float_tensor_at_24_khz(models: ModelFactory) -> None:
    files = models.tiny(eos="chance")
    model = TTSModel.load_model(config=str(files.config))
    state = random_state(files.raw)
    text = "Several words to be spoken by a small model."
    audio = model.generate_audio(state, text, seed=1, no_eos="keep")
    assert model.sample_rate == 24_000
    assert model.device == torch.device("cpu")
    assert audio.dim() == 1
    assert audio.dtype == torch.float32
    assert audio.numel() > 0
    assert torch.isfinite(audio).all()
    chunks = list(model.generate_audio_stream(state, text, seed=1, no_eos="keep"))
    assert len(chunks) > 1
    assert torch.equal(torch.cat(chunks), audio)


def test_custom_parameters_reach_the_model(models: ModelFactory) -> None:
    model = TTSModel.load_model(
        config=str(models.tiny(eos="chance").config),
        temp=0.8,
        sampler_decode_steps=1,
        eos_threshold=-3.0,
        noise_clamp=2.0,
    )
    assert (model.temp, model.eos_threshold, model.noise_clamp, model.sampler_decode_steps) == (
        0.8,
        -3.0,
        2.0,
        1,
    )
