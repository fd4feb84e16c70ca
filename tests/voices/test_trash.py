"""Removed voices come back, and the newest stay whatever the clock says."""

import time
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.errors import UnknownNameError
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice


def test_removing_can_be_undone(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    key = library.remove(voice.id)
    assert library.voices() == []
    other = library.add(NewVoice("Anna"), clip)
    back = library.trash.restore(key)
    assert (back.id, back.name, other.name) == (voice.id, "Anna 2", "Anna")
    assert library.check(back.id) == []
    assert library.trash.voices() == []
    with pytest.raises(UnknownNameError):
        library.trash.restore(key)


class Clock:
    """Seconds since the epoch, as a test sets them."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


def test_the_trash_keeps_the_newest_whatever_the_clock_says(tmp_path: Path, clip: np.ndarray) -> None:
    clock = Clock()
    library = VoiceLibrary(tmp_path / "voices", trash_keeps=2, clock=clock)
    start = clock.now
    for day, name in enumerate(["one", "two", "three"]):
        clock.now = start + day * 86400
        library.remove(library.add(NewVoice(name), clip).id)
    clock.now = start - 1e6  # the clock went back: the newest is still the newest
    library.remove(library.add(NewVoice("four"), clip).id)
    assert [one.voice.name for one in library.trash.voices()] == ["four", "three", "two", "one"]
    clock.now = start + 1e9  # and far ahead: two stay
    library.trash.purge()
    assert [one.voice.name for one in library.trash.voices()] == ["four", "three"]
