"""What is shipped: every file of the official format, small, with its voices, and what the program makes of it."""

from pathlib import Path

import safetensors
import soundfile

from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.hub import catalogue
from tests.builtin.conftest import NAME, VOICES

MOST_BYTES = 20_000_000


def test_folder_is_complete_and_small(folder: Path) -> None:
    files = {str(file.relative_to(folder)): file for file in folder.rglob("*") if file.is_file()}
    voices = {f"voices/{name}{suffix}" for name in VOICES for suffix in (".safetensors", ".flac")}
    assert set(files) == {"NOTICE", f"{NAME}.yaml", "model.safetensors", "tokenizer.model"} | voices
    assert sum(file.stat().st_size for file in files.values()) <= MOST_BYTES


def test_licences_are_named(folder: Path, recipe: Path) -> None:
    notice = (folder / "NOTICE").read_text(encoding="utf-8")
    assert notice == (recipe / "NOTICE").read_text(encoding="utf-8")
    assert all(f'"{name}"' in notice for name in VOICES)


def test_voices_are_clips_and_states(folder: Path) -> None:
    for name in VOICES:
        clip = soundfile.info(folder / "voices" / f"{name}.flac")
        assert (clip.samplerate, clip.channels) == (24000, 1)
        with safetensors.safe_open(folder / "voices" / f"{name}.safetensors", "pt") as state:
            assert "transformer.layers.0.self_attn/cache" in state.keys()  # noqa: SIM118


def test_first_voice_is_the_clear_one() -> None:
    assert catalogue.default_voice(NAME) == VOICES[0]
    assert set(catalogue.local_voices(NAME)) == set(VOICES)


def test_sentence_is_spoken_in_one_piece(model: TTSModel) -> None:
    """Its tokens are single sounds: 50 of them, which suit the other models, are ten words."""
    sentence = "Every morning the old man walked along the river and counted the boats that had come in."
    assert 50 < len(next(model.segments(sentence)).tokens) <= catalogue.max_tokens(NAME)
    assert len(list(model.segments(sentence))) == 1
    assert len(list(model.segments(sentence, max_tokens=50))) == 2
