"""A library of three voices, and the window that shows them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from tests.gui.parts import Parts
from tests.gui.voices.list.shown import LONG, Shown
from tests.gui.voices.parts import CLIP


@pytest.fixture
def library(own_folders: Path) -> VoiceLibrary:
    """Agnes, Élodie and a very long name."""
    made = VoiceLibrary()
    for name, language, source in (
        ("Agnes", "en", "USB Microphone"), ("Élodie", "fr", "interview.mp4"), (LONG, "en", "voicemail.m4a"),
    ):  # fmt: skip
        made.add(NewVoice(name, language, source=source, consent="Yes."), CLIP)
    return made


@pytest.fixture
def shown(parts: Parts) -> Iterator[Shown]:
    coordinator = parts.desktop.voices
    parts.desktop.voices.show_page()
    assert coordinator.page is not None
    yield Shown(parts, coordinator, coordinator.page)
    coordinator.library.close()
    coordinator.page.close()
