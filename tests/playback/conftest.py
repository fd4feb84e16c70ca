"""Fixtures of playback: a real sound server, where one can be had."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _sound_server_module() -> ModuleType:
    """tests/sound_server.py: in pytest's importlib mode the tests are no package that it could be imported from."""
    name = "pocketvoice_tests_sound_server"
    if name not in sys.modules:
        path = Path(__file__).parents[1] / "sound_server.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def sound_server() -> Iterator[Any]:
    """A private PulseAudio with a null sink `test`."""
    module = _sound_server_module()
    reason = module.missing()
    if reason:
        pytest.skip(f"no sound server: {reason}")
    with module.SoundServer() as server:
        yield server
