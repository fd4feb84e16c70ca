"""Fixtures of the engine: a tiny model, freshly loaded for each test, and a voice for it."""

from collections.abc import Callable

import pytest
from torch import Tensor

from pocketvoice.engine.tts_model import TTSModel
from tests.model_factory import ModelFactory, ModelFiles, random_state

State = dict[str, dict[str, Tensor]]


@pytest.fixture(scope="session")
def tiny(models: ModelFactory) -> ModelFiles:
    """A model that never ends of itself: give it an `eos_threshold` of AT_ONCE to make it."""
    return models.tiny("never")


@pytest.fixture
def load(tiny: ModelFiles) -> Callable[..., TTSModel]:
    """Loads the tiny model with the given options."""
    return lambda **options: TTSModel.load_model(config=tiny.config, **options)


@pytest.fixture
def model(load: Callable[..., TTSModel]) -> TTSModel:
    return load()


@pytest.fixture
def voice(tiny: ModelFiles) -> State:
    return random_state(tiny.raw)
