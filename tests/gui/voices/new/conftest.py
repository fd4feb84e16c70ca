"""A recording of forty seconds, the dialog that makes a voice, and a recording with a fake recorder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
from PySide6.QtWidgets import QDialog

from tests.gui.conftest import Run
from tests.gui.parts import Parts
from tests.gui.voices.new.shown import RATE, Shown, speech
from tests.gui.voices.new.told import Told


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty seconds."""
    path = tmp_path_factory.mktemp("sound") / "holiday.flac"
    soundfile.write(path, speech(40.0), RATE)
    return path


@pytest.fixture
def shown(parts: Parts, run: Run, own_folders: Path) -> Iterator[Shown]:
    made = Shown(parts, parts.desktop.voices)
    yield made
    run(made.coordinator.close())
    for dialog in parts.window.findChildren(QDialog):
        dialog.close()


@pytest.fixture
def told(run: Run) -> Iterator[Told]:
    made = Told()
    yield made
    run(made.tasks.close())
    assert made.messages.message is None
