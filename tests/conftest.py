"""Fixtures shared by the suites."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.model_factory import ModelFactory


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Trials of precisions and the like are kept here, for all tests and the programs they start, not in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        if "POCKETVOICE_CACHE_DIR" not in os.environ:
            patch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield Path(os.environ["POCKETVOICE_CACHE_DIR"])


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> "ModelFactory":
    """Writes models with random weights; see `tests/model_factory.py`. torch is imported only by tests that use it."""
    import torch

    from tests.model_factory import ModelFactory

    torch.set_num_threads(1)  # the machines are small, and other work runs beside
    return ModelFactory(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's root."""
    return Path(__file__).parents[1]
