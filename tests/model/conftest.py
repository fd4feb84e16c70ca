"""Fixtures of the model: a tiny one's files."""

import pytest

from tests.model_factory import ModelFactory, ModelFiles


@pytest.fixture(scope="session")
def tiny(models: ModelFactory) -> ModelFiles:
    return models.tiny("never")
