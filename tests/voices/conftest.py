"""A library in a folder of the test."""

from pathlib import Path

import numpy as np
import pytest

from pocketvoice.voices.library import VoiceLibrary
from tests.voices.sounds import babble


@pytest.fixture
def library(tmp_path: Path) -> VoiceLibrary:
    return VoiceLibrary(tmp_path / "voices", reserved=["alba"])


@pytest.fixture(scope="session")
def clip() -> np.ndarray:
    return babble(1.0)
