"""The model that comes with the program, as it is shipped, and an ear that tells what it says."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from pocketvoice import paths
from pocketvoice.engine.tts_model import TTSModel

if TYPE_CHECKING:
    from pocketvoice.engine.voice_state import ModelState

NAME = "builtin_en"
VOICES = ("slt", "rms")

Say = Callable[..., np.ndarray]


@pytest.fixture(scope="session")
def recipe(repository: Path) -> Path:
    """The scripts that made the model."""
    return repository / "packaging" / "builtin_voice"


@pytest.fixture(scope="session")
def folder() -> Path:
    return paths.models_dir() / NAME


@pytest.fixture(scope="session")
def model() -> TTSModel:
    torch.set_num_threads(1)
    return TTSModel.load_model(NAME)


@pytest.fixture(scope="session")
def say(model: TTSModel) -> Say:
    """Text, voice and seed to samples, through the whole engine."""
    states: dict[str, ModelState] = {}

    def speak(text: str, voice: str = VOICES[0], seed: int = 0) -> np.ndarray:
        if voice not in states:
            states[voice] = model.get_state_for_audio_prompt(voice)
        return model.generate_audio(states[voice], text, seed=seed).numpy()

    return speak


@pytest.fixture(scope="session")
def hearing(recipe: Path) -> Any:
    """The recipe's `hearing` module: the recogniser and how words are compared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(recipe))
        return importlib.import_module("hearing")


@pytest.fixture(scope="session")
def ear(hearing: Any) -> Any:
    return hearing.Whisper()
