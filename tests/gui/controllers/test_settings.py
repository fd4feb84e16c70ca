"""Settings: what is written is read, and no file can stop the program."""

import json
import os
from pathlib import Path

import pytest

from pocketvoice import settings
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.settings import Settings
from tests.gui.conftest import Run


def write(text: str) -> Path:
    path = settings.settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_first_start_has_defaults() -> None:
    assert settings.load() == (Settings(), "")


def test_written_is_read() -> None:
    saved = Settings(
        language="french", speed=1.5, volume=0.0, draft="Ça va? 🎉", recent_texts=("a", "b"), font_points=18
    )
    settings.save(saved)
    assert settings.load() == (saved, "")
    assert [file.name for file in settings.config_dir().iterdir()] == ["settings.json"]


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "\0\0\0", '{"speed": 1', "[" * 100_000])
@pytest.mark.expects_log("settings\\.json")
def test_broken_is_kept_aside(text: str) -> None:
    path = write(text)
    loaded, sentence = settings.load()
    assert loaded == Settings()
    assert "damaged" in sentence
    assert path.with_name("settings.json.broken").read_text() == text
    assert settings.load() == (Settings(), "")


@pytest.mark.expects_log("settings\\.json")
def test_bytes_that_are_no_text() -> None:
    write("").write_bytes(b"\xff\xfe\x00\x9f")
    assert "damaged" in settings.load()[1]


def test_unknown_keys_are_kept() -> None:
    path = write('{"speed": 2, "of_tomorrow": {"a": [1]}}')
    loaded, _ = settings.load()
    settings.save(loaded.changed(volume=0.5))
    assert json.loads(path.read_text())["of_tomorrow"] == {"a": [1]}
    assert settings.load()[0].volume == 0.5


def test_wrong_values_become_defaults() -> None:
    write(
        '{"speed": "fast", "volume": 9, "font_points": true, "recent_texts": [1], "draft": null, "scale_percent": 130.0}'
    )
    loaded, sentence = settings.load()
    assert sentence == ""
    assert (loaded.speed, loaded.volume, loaded.font_points, loaded.recent_texts) == (1.0, 2.0, 14, ())
    assert loaded.draft == ""
    assert loaded.scale_percent == 130


def test_look_of_the_page_is_one_that_there_is() -> None:
    write('{"page_font": "comic", "page_colours": ["dark"], "line_percent": 1000, "line_letters": -1}')
    loaded, _ = settings.load()
    assert (loaded.page_font, loaded.page_colours) == ("sans", "system")
    assert (loaded.line_percent, loaded.line_letters) == (220, 30)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.expects_log("settings not saved")
def test_folder_that_cannot_be_written(own_folders: Path) -> None:
    own_folders.mkdir()
    own_folders.chmod(0o500)
    assert "could not be saved" in settings.save_quietly(Settings(speed=2.0))


@pytest.mark.expects_log("settings not saved")
def test_place_that_is_no_folder(own_folders: Path) -> None:
    own_folders.write_text("a file")
    assert "could not be saved" in settings.save_quietly(Settings(speed=2.0))


def test_values_of_one_start_are_not_saved(run: Run) -> None:
    async def story() -> None:
        messages = Messages()
        controller = SettingsController(
            Settings(voice="alba"), messages, Tasks(messages.show_error), {"voice": "/tmp/me.wav"}
        )
        assert controller.now.voice == "/tmp/me.wav"
        controller.change(speed=2.0)
        controller.save_now()
        assert settings.load()[0] == Settings(voice="alba", speed=2.0)
        controller.change(voice="marius")
        controller.save_now()
        assert settings.load()[0].voice == "marius"

    run(story())
