"""Fixtures of the live tests: a screen, a loudspeaker, a tiny model that ends by itself, and the program on them."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.desktop import ROOT, App, Screen, missing
from tests.model_factory import ModelFactory
from tests.sound_server import SoundServer, running_server

SENTENCES = (
    "The children walked to the harbour, where the old boats were lying in the sun, quite far from the water. "
    "Nobody had told them that the ferry would leave so early in the morning, long before the shops opened. "
    "The captain looked at his watch and at the sky, and then he told the men to pull the anchor up again. "
)
"""Each is a segment of its own, and lasts about 0.8 s with a model that ends at once."""


@dataclass(frozen=True)
class Model:
    """A model, and a voice for it."""

    config: str
    voice: str

    @property
    def arguments(self) -> list[str]:
        """For the command line."""
        return ["--config", self.config, "--voice", self.voice]

    def generate(self, text: str, path: Path) -> "subprocess.Popen[bytes]":
        """Begins to write a text as sound with the command line."""
        command = [sys.executable, "-m", "pocketvoice", "generate", "-q", "-t", text, "-o", str(path)]
        return subprocess.Popen([*command, *self.arguments], cwd=ROOT)


@pytest.fixture(scope="session")
def model(models: ModelFactory, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Ends each segment at once, and is without chance: the same text is the same sound, whatever the seed."""
    from pocketvoice.engine.voice_state import export_model_state
    from tests.model_factory import random_state

    files = models.tiny("at_once", default_temperature=0.0)
    voice = tmp_path_factory.mktemp("voice") / "voice.safetensors"
    export_model_state(random_state(files.raw), voice)
    return Model(str(files.config), str(voice))


@pytest.fixture(scope="session")
def screen() -> Iterator[Screen]:
    reason = missing()
    if reason:
        pytest.skip(f"no live test: {reason}")
    with Screen() as screen:
        yield screen


@pytest.fixture(scope="module")
def server(screen: Screen) -> Iterator[SoundServer]:
    with running_server() as server:
        yield server


@pytest.fixture(scope="module")
def running(screen: Screen, server: SoundServer, model: Model) -> Iterator[App]:
    with App(screen, server.environment(), model.arguments) as app:
        app.until_ready()
        yield app


@pytest.fixture
def app(running: App) -> Iterator[App]:
    """The program, silent, and silent again afterwards."""
    running.hush()
    yield running
    if running.process.poll() is None:
        running.hush()
