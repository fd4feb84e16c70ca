"""Files that come from outside: texts, voices and sounds each go their own way."""

from pathlib import Path

import numpy as np
import pytest

from pocketvoice.gui.voices.coordinator import is_for_voices
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.packages import export_voice
from pocketvoice.voices.voice import NewVoice
from tests.gui.conftest import Run, until
from tests.gui.parts import Parts

CLIP = (0.1 * np.sin(np.arange(24_000 * 3) / 20)).astype(np.float32)


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
        parts.desktop.text_commands.open_files([str(tmp_path / "letter.md"), str(tmp_path / "agnes.pvoice")])
        await until(lambda: parts.window.reader.text() == "Dear reader.")
        page = parts.desktop.voices.page
        assert page is not None
        await until(lambda: [one.name for one in page.selected()] == ["Agnes"])
        page.close()

    run(story())
