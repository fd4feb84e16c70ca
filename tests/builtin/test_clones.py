"""What the shipped model makes of a clip: it uses as much as it can follow, is understood, and a voice it can't follow is told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pocketvoice.engine import clone_check
from pocketvoice.engine.clone_check import NOT_FOLLOWED, SENTENCES, Take, is_followed
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.engine.voice_state import export_model_state, positions, read_state
from pocketvoice.gui.voices.list.item_model import about
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from pocketvoice.worker.child.own_voices import OwnVoices
from tests.builtin.conftest import NAME, Say
from tests.builtin.test_heard import heard_errors

READ = (
    "The old man walked slowly along the river. He had lived there for many years, and he knew every stone. "
    "In the evening the boats came home, and the children ran to meet them. Nobody spoke about the storm any more."
)
LEAST_S = 10.0


@pytest.fixture(scope="module")
def long_clip(say: Say) -> torch.Tensor:
    """A clip of the length that people are asked for, (T,)."""
    clip = say(READ, "rms")
    assert len(clip) > LEAST_S * 24_000
    return torch.from_numpy(clip)


@pytest.mark.expects_log("its first")
def test_a_long_clip_becomes_a_voice_that_is_understood(
    model: TTSModel, long_clip: torch.Tensor, hearing: Any, ear: Any
) -> None:
    voice = model.get_state_for_audio_prompt(long_clip)
    (note,) = voice.origin.notes
    assert "are used, up to a pause" in note
    said = {text: model.generate_audio(voice, text, seed=0).numpy() for text in SENTENCES}
    assert heard_errors(hearing, ear, said) <= 0.15


def test_a_voice_that_it_does_not_follow_is_told(
    model: TTSModel, folder: Path, long_clip: torch.Tensor, caplog: pytest.LogCaptureFixture
) -> None:
    """The same weights as a config of the user's: nobody knows how much they follow, so all of the clip is used."""
    voice = TTSModel.load_model(config=folder / f"{NAME}.yaml").get_state_for_audio_prompt(long_clip)
    clone_check.listen(model, voice)
    assert voice.origin.notes[-1] == NOT_FOLLOWED
    assert NOT_FOLLOWED in caplog.text


def state_of_all(
    model: TTSModel, folder: Path, clip: torch.Tensor, target: Path, *, listened: bool = False
) -> Path:
    """A file of the built-in model's state after the whole clip, as an older version made it, or this one from elsewhere."""
    state = TTSModel.load_model(config=folder / f"{NAME}.yaml").get_state_for_audio_prompt(clip)
    if listened:
        clone_check.listen(model, state)
    state.origin = replace(state.origin, model_id=model.model_id)
    export_model_state(state, target)
    return target


@pytest.mark.expects_log("its first|20 to 30 s|was made of more speech")
def test_a_state_of_more_than_it_follows_is_made_anew(
    model: TTSModel, folder: Path, long_clip: torch.Tensor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library = VoiceLibrary(tmp_path / "voices")
    voice = library.add(NewVoice("Anna"), long_clip.numpy())
    old = library.add_state(
        voice.id, model.model_id, state_of_all(model, folder, long_clip, tmp_path / "a.safetensors")
    )
    own = OwnVoices(library=library)
    assert positions(own.state(replace(old, clip=None), model)) > 100
    assert "record it again" in caplog.text
    caplog.clear()
    assert 1 < positions(own.state(old, model)) <= 1 + 4.5 * 12.5
    kept = library.get(voice.id)
    assert [state.model_id for state in kept.states] == [model.model_id]
    assert positions(read_state(kept.folder / "states" / kept.states[0].file)) <= 1 + 4.5 * 12.5
    assert "was made of more speech" not in caplog.text


@pytest.mark.expects_log("20 to 30 s|does not follow this voice")
def test_the_list_of_voices_says_whom_it_does_not_follow(
    model: TTSModel, folder: Path, long_clip: torch.Tensor, tmp_path: Path
) -> None:
    library = VoiceLibrary(tmp_path / "voices")
    voice = library.add(NewVoice("Anna"), long_clip.numpy())
    assert "words go missing" not in about(voice)
    made = state_of_all(model, folder, long_clip, tmp_path / "a.safetensors", listened=True)
    library.add_state(voice.id, model.model_id, made)
    again = VoiceLibrary(tmp_path / "voices").get(voice.id)
    assert about(again).endswith("words go missing with English (built in)")


def spoken(seconds: float, hole_s: float = 0.0, ended: bool = True) -> list[Take]:
    """Three takes of so many seconds, with silence inside."""
    half = np.full(int((seconds - hole_s) * 12_000), 0.1, np.float32)
    samples = np.concatenate([half, np.zeros(int(hole_s * 24_000), np.float32), half])
    return [Take(text, samples, ended) for text in SENTENCES]


@pytest.mark.parametrize(
    ("takes", "followed"),
    [
        (spoken(3.2), True),
        (spoken(2.0), False),
        (spoken(8.0), False),
        (spoken(3.2, ended=False), False),
        (spoken(3.4, hole_s=1.2), False),
    ],
    ids=["as usual", "words are missing", "several times", "no end", "a hole"],
)
def test_takes_are_judged(takes: list[Take], followed: bool) -> None:
    assert is_followed(takes, 24_000) is followed
