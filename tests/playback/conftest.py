"""Fixtures of playback: a real sound server, where one can be had."""

from collections.abc import Iterator

import pytest

from tests.sound_server import SoundServer, running_server


@pytest.fixture
def sound_server() -> Iterator[SoundServer]:
    """A private PulseAudio with a null sink `test`."""
    with running_server() as server:
        yield server
