"""Names that come from files are shown, never obeyed: no escape, line end or direction mark of theirs acts anywhere."""

import ast
import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pocketvoice import log
from pocketvoice.cli import main
from pocketvoice.errors import InputError

EVIL = "a\x1b[2J\x1b]0;title\x07\r\nERROR forged\u202egpj.exe\u2066\u2028\x9b31m\u200f\ud800"
ACTS = ("\x1b", "\x07", "\r", "\n", "\u202e", "\u2066", "\u2028", "\x9b", "\u200f", "\ud800")


def test_nothing_acts() -> None:
    shown = log.visible(EVIL)
    assert not any(mark in shown for mark in ACTS)
    assert "\\x1b[2J" in shown
    for kept in ("plain", "Grüße, 世界", "👩\u200d🚀", "שלום"):
        assert log.visible(kept) == kept


@pytest.fixture
def _handlers_kept() -> Iterator[None]:
    ours = logging.getLogger("pocketvoice")
    before = ours.handlers[:], ours.level, ours.propagate
    yield
    ours.handlers[:], ours.level, ours.propagate = before


@pytest.mark.usefixtures("_handlers_kept")
@pytest.mark.parametrize("level", [logging.WARNING, logging.DEBUG])
@pytest.mark.expects_log("forged")
def test_log_lines_are_not_forged(level: int) -> None:
    stream = io.StringIO()
    log.configure(level, stream)
    try:
        raise InputError(EVIL)
    except InputError:
        logging.getLogger("pocketvoice.test").warning("the file %s", EVIL, exc_info=True)
    told = stream.getvalue()
    assert not any(mark in told for mark in ACTS if mark != "\n")
    assert all("forged" not in line or "\\n" in line or line.startswith("  ") for line in told.splitlines())


def test_command_line_prints_through_one_place(repository: Path) -> None:
    """Whatever is printed passes `streams.show`, or is JSON, which escapes by itself."""
    for path in sorted((repository / "pocketvoice" / "cli").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                told = ast.unparse(node)
                assert told.startswith(("print(json.dumps(", "print(visible(")), f"{path.name}: {told}"


def test_errors_that_name_a_file_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = "a\x1b[2J\u202eb.pvoice"
    (tmp_path / name).write_bytes(b"nothing")
    assert main(["voices", "import", str(tmp_path / name), "--debug"]) == 2
    told = "".join(capsys.readouterr())
    assert "\\x1b" in told
    assert not any(mark in told for mark in ACTS if mark != "\n")


def test_output_in_a_poor_encoding_is_no_failure(repository: Path, tmp_path: Path) -> None:
    code = "from pocketvoice.cli import streams; streams.take_over(); streams.show('\\u4e16 \\x1b')"
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(repository)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **plain},
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert b"\\u4e16" in done.stdout


def test_log_that_is_shown_holds_no_text_of_users(repository: Path) -> None:
    """At WARNING and above nothing that is to be spoken is handed to the log."""
    shown = ("warning", "error", "exception", "critical")
    for path in sorted((repository / "pocketvoice").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in shown
            ):
                handed = {ast.unparse(argument).rpartition(".")[2] for argument in node.args[1:]}
                assert not handed & {"text", "item", "request", "segment", "body"}, (
                    f"{path}: {ast.unparse(node)}"
                )
