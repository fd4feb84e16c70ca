"""What the program is started with."""

from pathlib import Path

import pytest

from pocketvoice.gui.main import start_options


def test_files_of_the_command_line_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = start_options.parse(["letter.txt", "agnes.pvoice", "talk.mp4", "--speak"])
    handover = start_options.handover(options.files, options.speak)
    assert handover.files == tuple(
        str(tmp_path / name) for name in ("letter.txt", "agnes.pvoice", "talk.mp4")
    )
    assert handover.speak
