"""Fixtures of the model: a tiny one's files."""

import pytest

from pocketvoice.model import linear
from tests.model_factory import ModelFactory, ModelFiles


@pytest.fixture(scope="session")
def tiny(models: ModelFactory) -> ModelFiles:
    return models.tiny("never")


@pytest.fixture
def _every_layer_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layers of test models are too small for lower precisions."""
    monkeypatch.setattr(linear, "WORTH_INT8", 0)
    monkeypatch.setattr(linear, "WORTH_BF16", 0)
