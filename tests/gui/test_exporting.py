"""Saving speech as a file, and handing text to the program that runs already."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtWidgets import QFileDialog, QSystemTrayIcon

from pocketvoice.gui.controllers import sound_files
from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
from pocketvoice.gui.main.tray import Tray
from pocketvoice.worker.messages import ErrorInfo, Failed, Finished
from tests.gui.conftest import Run, ready, settle, until
from tests.gui.parts import Parts

SECOND = """
from PySide6.QtCore import QCoreApplication
from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
qt = QCoreApplication([])
raise SystemExit(not SingleInstance().hand_over(Handover("Grüße 😀" * 100_000, True, ("/a.pvoice",))))
"""
TEXT = "First sentence. Second one here."


def write_wav(path: str) -> None:
    """What the worker would: two seconds of a tone."""
    soundfile.write(path, 0.3 * np.sin(np.arange(48_000) * 0.05), 24_000, subtype="PCM_16")


@pytest.mark.parametrize("kind", sound_files.FORMATS, ids=lambda kind: kind.title)
def test_speech_is_saved_in_every_format(
    parts: Parts, run: Run, tmp_path: Path, kind: sound_files.SoundFormat
) -> None:
    target = tmp_path / f"speech{kind.suffix}"

    async def story() -> None:
        await ready(parts)
        parts.speech.set_speed(1.5)
        parts.window.commands.save_as(TEXT, target)
        await until(lambda: parts.client.exports)
        await settle()
        assert parts.window.saving.isVisible()
        assert parts.window.saving.bar.value() > 0
        _, text, path, options = next(r for r in parts.client.requests if r[0] == "export")
        assert (text, options["speed"]) == (TEXT, 1.5)
        write_wav(path)
        parts.client.exports[0].put(Finished(parts.client.exports[0].request_id))
        await until(lambda: parts.board.message is not None)
        assert parts.board.message is not None
        assert parts.board.message.text == f"The speech was saved as {target}."
        assert not parts.window.saving.isVisible()

    run(story())
    assert soundfile.info(target).duration == pytest.approx(2.0, abs=0.1)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("speech")] == [target.name]


def test_dialog_proposes_a_name(parts: Parts, run: Run, tmp_path: Path) -> None:
    """Made of the text; it follows the kind of file that is chosen, and a folder that is gone is not shown."""

    async def story() -> None:
        await ready(parts)
        parts.keeper.change(folder=str(tmp_path / "gone"))
        parts.window.reader.setPlainText("Moby Dick; or, The Whale.\nCall me Ishmael.")
        parts.window.commands.save()
        (dialog,) = parts.window.findChildren(QFileDialog)
        assert Path(dialog.selectedFiles()[0]).name == "Moby Dick or The Whale.wav"
        assert Path(dialog.directory().absolutePath()).is_dir()
        assert "gone" not in dialog.directory().absolutePath()
        dialog.filterSelected.emit("MP3 (*.mp3)")
        assert Path(dialog.selectedFiles()[0]).name == "Moby Dick or The Whale.mp3"
        dialog.reject()

    run(story())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "speech"),
        ("?!", "speech"),
        ("a/b: c\\d", "a b c d"),
        ("It's the captain's one-eyed cat. " * 3, "It's the captain's one-eyed cat It's the"),
        ("x" * 300, "speech"),
    ],
)
def test_names_of_files(text: str, name: str) -> None:
    assert sound_files.name_for(text) == name


def test_saving_can_be_cancelled(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.commands.save_as(TEXT, tmp_path / "speech.mp3")
        parts.window.commands.save_as(TEXT, tmp_path / "other.mp3")
        assert parts.board.message is not None
        assert "wait for it, or cancel it" in parts.board.message.text
        await until(lambda: parts.client.exports)
        parts.window.saving.cancel.click()
        await until(lambda: not parts.exporter.busy)
        assert not parts.window.saving.isVisible()

    run(story())
    assert not (tmp_path / "speech.mp3").exists()


def test_failed_saving_is_told(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.commands.save_as(TEXT, tmp_path / "speech")  # no suffix: WAV
        await until(lambda: parts.client.exports)
        assert next(r for r in parts.client.requests if r[0] == "export")[2] == str(tmp_path / "speech.wav")
        handle = parts.client.exports[0]
        handle.put(Failed(handle.request_id, ErrorInfo("DiskFullError", "No space left: free some.")))
        await until(lambda: parts.board.message is not None)
        assert parts.board.message is not None
        assert parts.board.message.text == "No space left: free some."
        assert not parts.exporter.busy

    run(story())


def test_folder_that_is_gone(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.commands.save_as(TEXT, tmp_path / "none" / "speech.flac")
        await until(lambda: parts.client.exports)
        write_wav(next(r for r in parts.client.requests if r[0] == "export")[2])
        parts.client.exports[0].put(Finished(parts.client.exports[0].request_id))
        await until(lambda: parts.board.message is not None)
        assert parts.board.message is not None
        assert "its folder does not exist" in parts.board.message.text

    run(story())


def test_second_start_hands_over_its_text(run: Run, repository: Path) -> None:
    heard: list[Handover] = []
    first = SingleInstance()
    assert not first.hand_over(Handover())  # nobody there
    first.listen()
    first.received.connect(heard.append)
    first._server.close()
    first.listen()  # after a crash the name is free again

    async def story() -> None:
        second = subprocess.Popen([sys.executable, "-c", SECOND], cwd=repository)
        await until(lambda: second.poll() is not None, 20)
        assert second.returncode == 0
        await until(lambda: heard)

    run(story())
    first.close()
    assert heard == [Handover("Grüße 😀" * 100_000, True, ("/a.pvoice",))]


def test_tray_has_the_window_s_actions(parts: Parts, run: Run) -> None:
    assert not QSystemTrayIcon.isSystemTrayAvailable()  # offscreen: `make_tray` makes none

    async def story() -> None:
        tray = Tray(parts.window)
        titles = [action.text().replace("&", "") for action in tray.menu.actions() if action.text()]
        assert titles == ["Speak the clipboard", "Pause", "Stop", "Show the window", "Quit"]
        parts.window.hide()
        tray.menu.actions()[4].trigger()
        assert parts.window.isVisible()
        tray.icon.hide()

    run(story())
