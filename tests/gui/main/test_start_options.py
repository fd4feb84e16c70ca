"""What the program is started with."""

from pathlib import Path

import pytest

from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.main import start_options


def test_files_of_the_command_line_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.txt").write_text("Dear reader.")
    options = start_options.parse(["letter.txt", "agnes.pvoice", "talk.mp4"])
    handover = start_options.handover(options.files, options.speak, Messages())
    assert handover.text == "Dear reader."
    assert handover.files == (str(tmp_path / "agnes.pvoice"), str(tmp_path / "talk.mp4"))
