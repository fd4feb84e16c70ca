"""The program as it comes, with its own voice: the loudspeaker plays the saved file without a hole, and it is understood."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import soundfile

from tests.live.desktop import ROOT, App, Screen
from tests.live.ear import heard_whole, until_loud
from tests.sound_server import RATE, SoundServer

TEXT = (
    "Nobody had told them about the ferry. The children were standing near the water. We left early in the morning. "
    "She opened the window, and the sun was shining over the garden."
)
LITTLE = {"had", "them", "about", "the", "were", "we", "in", "she", "and", "was", "over"}
FOUND = 0.7
"""Of the other words: the voice is a small one."""


@pytest.fixture(scope="module")
def app(screen: Screen, server: SoundServer) -> Iterator[App]:
    """A first start, but for the seed."""
    with App(screen, server.environment(), ["--seed", "5"]) as app:
        app.until_ready()
        yield app


@pytest.fixture(scope="module")
def hearing() -> Any:
    """The recogniser of the recipe of the built-in voice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging" / "builtin_voice"))
        return importlib.import_module("hearing")


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def test_words_are_heard(app: App, server: SoundServer, hearing: Any, tmp_path: Path) -> None:
    """Typed, saved, the button pressed, recorded."""
    app.type(TEXT)
    app.save(tmp_path / "saved.wav")
    written, rate = soundfile.read(tmp_path / "saved.wav", dtype="float32")
    assert rate == RATE
    heard = heard_whole(app, server, written)
    words = hearing.Whisper().hear(heard)
    content = words_of(TEXT) - LITTLE
    found = content & words_of(words)
    print(f"understood: {words} ({len(found)} of {len(content)} words)")
    assert len(found) >= FOUND * len(content), words


def test_sentences_are_marked_one_by_one(app: App, server: SoundServer) -> None:
    """Though the model speaks several in one go; the keys go from one to the next, and the sound with them."""
    app.type(TEXT)
    starts = [match.start() for match in re.finditer(r"(?:^|(?<=\. ))\w", TEXT)]
    with server.recording() as recorder:
        app.click("play")
        until_loud(recorder)
        for start in starts[1:3]:
            app.keys("alt+Right")
            app.until(
                lambda seen, start=start: seen["span"] and seen["span"][0] == start, f"sentence at {start}"
            )
        app.keys("alt+Left")
        app.until(lambda seen: seen["span"] and seen["span"][0] == starts[1], "one sentence back")
        app.until(lambda seen: seen["span"] and seen["span"][0] == starts[2], "the next one, by itself")
        app.hush()
