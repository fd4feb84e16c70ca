"""The dialog that asks where to save a speech."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from tests.gui.conftest import Run, ready
from tests.gui.parts import Parts


def test_dialog_proposes_a_name(parts: Parts, run: Run, tmp_path: Path) -> None:
    """Made of the text; it follows the kind of file that is chosen, and a folder that is gone is not shown."""

    async def story() -> None:
        await ready(parts)
        parts.settings.change(folder=str(tmp_path / "gone"))
        parts.window.reader.setPlainText("Moby Dick; or, The Whale.\nCall me Ishmael.")
        parts.desktop.export_commands.save()
        (dialog,) = parts.window.findChildren(QFileDialog)
        assert Path(dialog.selectedFiles()[0]).name == "Moby Dick or The Whale.wav"
        assert Path(dialog.directory().absolutePath()).is_dir()
        assert "gone" not in dialog.directory().absolutePath()
        dialog.filterSelected.emit("MP3 (*.mp3)")
        assert Path(dialog.selectedFiles()[0]).name == "Moby Dick or The Whale.mp3"
        assert dialog.windowTitle() == "Save the whole text, spoken at 1×"
        dialog.reject()
        parts.speech.set_speed(1.5)
        parts.window.reader.selectAll()
        parts.desktop.export_commands.save()
        assert (
            parts.window.findChildren(QFileDialog)[-1].windowTitle() == "Save the selection, spoken at 1.5×"
        )
        parts.window.findChildren(QFileDialog)[-1].reject()

    run(story())
