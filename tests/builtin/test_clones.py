"""What the shipped model makes of a clip: it uses as much as it can follow, is understood, and a voice it can't follow is told."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pocketvoice.engine import clone_check
from pocketvoice.engine.clone_check import NOT_FOLLOWED, SENTENCES, Take, is_followed
from pocketvoice.engine.tts_model import TTSModel
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
