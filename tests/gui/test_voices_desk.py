"""Files that come from outside: texts, voices and sounds each go their own way."""

import argparse
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.app import _handover
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.voices.coordinator import Fit, fits, is_for_voices
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.packages import export_voice
from pocketvoice.voices.voice import NewVoice, StateMark, Voice
from tests.gui.conftest import Run, until
from tests.gui.parts import Parts

CLIP = (0.1 * np.sin(np.arange(24_000 * 3) / 20)).astype(np.float32)


def test_files_of_the_command_line_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.txt").write_text("Dear reader.")
    options = argparse.Namespace(files=["letter.txt", "agnes.pvoice", "talk.mp4"], speak=False)
    handover = _handover(options, Messages())
    assert handover.text == "Dear reader."
    assert handover.files == (str(tmp_path / "agnes.pvoice"), str(tmp_path / "talk.mp4"))


@pytest.mark.parametrize(
    ("name", "is_for"),
    [
        ("a.pvoice", True),
        ("A.WAV", True),
        ("phone.3gp", True),
        ("camera.MPG", True),
        ("b.safetensors", True),
        ("c.txt", False),
        ("d", False),
        (".", True),
    ],
)
def test_kinds_of_files(name: str, is_for: bool) -> None:
    assert is_for_voices(name) == is_for


def test_texts_and_voices_in_one_drop(parts: Parts, run: Run, own_folders: Path, tmp_path: Path) -> None:
    library = VoiceLibrary()
    voice = library.add(NewVoice("Agnes"), CLIP)
    export_voice(library, voice.id, tmp_path / "agnes.pvoice")
    library.remove(voice.id)
    (tmp_path / "letter.md").write_text("Dear reader.")

    async def story() -> None:
        await parts.client.__aenter__()
        parts.window.commands.open_files([str(tmp_path / "letter.md"), str(tmp_path / "agnes.pvoice")])
        assert parts.window.reader.text() == "Dear reader."
        page = parts.window.commands.desk.page
        assert page is not None
        await until(lambda: [one.name for one in page.selected()] == ["Agnes"])
        page.close()

    run(story())


def test_fit_of_a_voice(own_folders: Path) -> None:
    recorded = VoiceLibrary().add(NewVoice("Agnes"), CLIP)
    assert fits(recorded, "english-0123", cloning=True) is Fit.READY
    assert fits(recorded, "english-0123", cloning=False) is Fit.NO_CLONING
    mark = recorded.clip
    assert mark is not None
    used = Voice("v" + "0" * 16, "Berta", states=(StateMark("english-0123", "state.safetensors", mark),))
    assert fits(used, "english-0123", cloning=False) is Fit.READY
    assert fits(used, "french-4567", cloning=True) is Fit.OTHER_MODEL
    unknown = Voice("v" + "1" * 16, "Carla", states=(StateMark("", "state.safetensors", mark),))
    assert fits(unknown, "english-0123", cloning=True) is Fit.UNKNOWN
