"""The voice that is being made, on disk: it comes back as it was, and what is damaged is no hindrance."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.audio.imported import Source
from pocketvoice.errors import OutputError
from pocketvoice.gui.voices.new import draft_store
from pocketvoice.gui.voices.new.draft_store import Choices

RATE = 24_000
SOUND = Source((0.2 * np.sin(np.arange(3 * RATE) / 9)).astype(np.float32), RATE, "Desk microphone")
CHOICES = Choices("Berta", "de", True, "Hallo.", 0.5, 2.5, True, "Desk microphone")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POCKETVOICE_DATA_DIR", str(tmp_path))
    return tmp_path / "unfinished-voice"


def test_it_comes_back() -> None:
    assert draft_store.load() is None
    draft_store.save_sound(SOUND)
    draft_store.save_choices(CHOICES)
    found = draft_store.load()
    assert found is not None
    assert np.abs(found[0].samples - SOUND.samples).max() < 2**-22
    assert (found[0].sample_rate, found[0].name, found[1]) == (RATE, "Desk microphone", CHOICES)
    draft_store.delete()
    assert draft_store.load() is None


def test_choices_belong_to_their_sound() -> None:
    draft_store.save_choices(CHOICES)  # there is no sound yet
    draft_store.save_sound(SOUND)
    found = draft_store.load()
    assert found is not None
    assert found[1] == Choices()
    draft_store.save_choices(CHOICES)
    draft_store.save_sound(SOUND)  # another one
    found = draft_store.load()
    assert found is not None
    assert found[1] == Choices()


def test_damaged_choices_leave_the_sound(folder: Path) -> None:
    draft_store.save_sound(SOUND)
    for text in ("{broken", "[]", json.dumps({"name": 7, "language": "fr", "start_s": "x", "new": 1})):
        (folder / "chosen.json").write_text(text)
        found = draft_store.load()
        assert found is not None
        assert found[1].name == ""
    assert found[1].language == "fr"


@pytest.mark.expects_log("the unfinished voice can't be read")
def test_damaged_sound_is_put_aside(folder: Path) -> None:
    draft_store.save_sound(SOUND)
    (folder / "sound.flac").write_bytes(b"no sound")
    assert draft_store.load() is None
    assert (folder / "sound.broken.flac").exists()
    draft_store.save_sound(SOUND)
    assert draft_store.load() is not None


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size there")
def test_disk_that_takes_no_more_is_said(folder: Path) -> None:
    """A full one can't be had without being root; this one fails in the same place."""
    import resource
    import signal

    draft_store.save_sound(SOUND)
    draft_store.save_choices(CHOICES)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(OutputError):
            draft_store.save_sound(SOUND)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert draft_store.load() is not None  # the one before
    assert sorted(file.name for file in folder.iterdir()) == ["sound.flac"]


def test_place_that_can_not_be_written_is_said(folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    with pytest.raises(OutputError):
        draft_store.save_sound(SOUND)
