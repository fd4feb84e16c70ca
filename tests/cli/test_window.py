"""No command opens the window; without a screen it says so and shows the help."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pocketvoice.cli import main
from tests.waiting import until


def test_no_screen_shows_the_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main([]) == 0
    shown = capsys.readouterr()
    assert "generate" in shown.out
    assert "no screen" in shown.err


def test_no_screen_opens_no_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main(["-q", "./letter.txt"]) == 2
    assert "no screen to open letter.txt on" in capsys.readouterr().err
    assert main(["letters"]) == 2
    assert "invalid choice: 'letters'" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["gui"], ["letter.txt"]])
def test_window_opens_and_ends_when_told(command: list[str], tmp_path: Path) -> None:
    """A real window offscreen, with nothing to load: it stands, and SIGTERM closes it in order. A file needs no command."""
    (tmp_path / "letter.txt").write_text("Dear Anna.", encoding="utf-8")
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "HF_HUB_OFFLINE": "1", "POCKETVOICE_OUTPUT": "null",
        "HF_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "POCKETVOICE_CONFIG_DIR": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path), "TMPDIR": str(tmp_path), "POCKETVOICE_DATA_DIR": str(tmp_path / "data"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    log = tmp_path / "pocketvoice" / "log" / "pocketvoice.log"
    process = subprocess.Popen([sys.executable, "-m", "pocketvoice", *command], env=environment, cwd=tmp_path)
    try:
        wait_for_text(log, "first paint" if command == ["gui"] else "opened letter.txt")
        assert process.poll() is None
        process.terminate()
        assert process.wait(60) == 0
        texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "data" / "texts").glob("*.txt")]
        assert texts == (["Dear Anna."] if command != ["gui"] else [])
    finally:
        process.kill()
        process.wait(10)


def wait_for_text(path: Path, words: str, patience_s: float = 120.0) -> None:
    """Until a file holds the words."""
    until(
        lambda: path.exists() and words in path.read_text(encoding="utf-8"),
        patience_s,
        f"{path.name} says {words!r}",
    )
