"""Voices go to files and come from files, by dialog and by drop; what can't be imported is one sentence."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from pocketvoice.gui.voices.list.export_dialog import ExportVoiceDialog
from pocketvoice.voices.library import VoiceLibrary
from tests.gui.conftest import Run, until
from tests.gui.roles import unnamed, without_role
from tests.gui.voices.list.shown import CONTROL, Shown
from tests.gui.voices.parts import drop


@pytest.mark.expects_log("no voices in empty", "bad.pvoice can't be brought in")
def test_voice_goes_to_another_computer(
    library: VoiceLibrary, shown: Shown, run: Run, tmp_path: Path
) -> None:
    # Only Qt makes such events; their constructors are marked deprecated for everybody else.
    warnings.simplefilter("ignore", DeprecationWarning)

    async def story() -> None:
        await shown.opened()
        shown.press(Qt.Key.Key_Home)
        shown.press(Qt.Key.Key_E, CONTROL)
        (dialog,) = shown.page.findChildren(ExportVoiceDialog)
        assert unnamed(dialog) == []
        assert without_role(dialog) == []
        assert dialog.with_clip.isChecked()
        path = tmp_path / "agnes.pvoice"
        dialog.chosen.emit(library.get("Agnes").id, str(path), True)
        dialog.close()
        await until(lambda: shown.message() == f"The voice was saved as {path}.")
        library.remove(library.get("Agnes").id)
        await until(lambda: "Agnes" not in shown.names())
        shown.parts.desktop.text_commands.open_files([str(path)])  # as a drop does
        await until(lambda: "Agnes" in shown.names())
        await until(lambda: "Agnes" in shown.message())
        assert not shown.page.progress.isVisible()
        empty = tmp_path / "empty"
        empty.mkdir()
        drop(shown.page, empty)
        await until(lambda: "no voices in empty" in shown.message())
        sounds: list[str] = []
        shown.page.sound_dropped.disconnect()
        shown.page.sound_dropped.connect(sounds.append)
        drop(shown.page, tmp_path / "sound.wav")
        assert sounds == [str(tmp_path / "sound.wav")]
        shown.page.voice_actions.import_files([str(tmp_path / "talk.mp3")])  # chosen in the dialog of Import
        assert sounds[1:] == [str(tmp_path / "talk.mp3")]
        bad = tmp_path / "bad.pvoice"
        bad.write_text("no voice")
        shown.page.voice_actions.import_files([str(bad)])
        await until(lambda: "bad.pvoice" in shown.message())

    run(story())


@pytest.mark.expects_log("can't be read: Permission denied")
def test_folder_that_can_not_be_read_is_a_sentence(
    library: VoiceLibrary, shown: Shown, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    iterdir = Path.iterdir

    def refused(path: Path) -> Iterator[Path]:
        """Root, who may run this, can read everything."""
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return iterdir(path)

    async def story() -> None:
        await shown.opened()
        monkeypatch.setattr(Path, "iterdir", refused)
        shown.page.voice_actions.import_files([str(locked)])
        await until(lambda: "locked can't be read: Permission denied" in shown.message())

    run(story())
