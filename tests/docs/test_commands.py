"""Every command line and every block of Python in the pages runs, in a temporary home, offline, with the built-in model."""

import re
import shutil
import signal

import pytest

from tests.docs.conftest import Shell, address_of, wait_for_text
from tests.docs.pages import Page, pages

NOT_HERE = {
    "--language french": "needs the model hub",
    "--device cuda": "needs a graphics card",
    "ffplay": "needs a loudspeaker",
    "voices record": "needs a microphone, and somebody who speaks",
    "bench --language builtin_en  ": "takes a minute; docs/benchmarks.md has a short one",
    "--model DIR": "needs the released weights, and minutes",
    "packaging/measure_live": "takes minutes, and a quiet machine",
    "packaging/measure_server": "takes minutes, and a quiet machine",
    "packaging/screenshots": "takes minutes, and a screen",
    "evaluate.py": "takes minutes, and a recogniser",
    "build_kernels.py": "compiles for a minute; tests/test_kernels_build.py does it",
    "packaging/test": "runs these tests",
    "-m pytest": "runs these tests",
    "-m ruff": "packaging/test runs it",
    "-m mypy": "packaging/test runs it",
}
"""Command lines that can't run in a test: a part of them, and the reason."""

STAYS = {
    "pocketvoice serve": "--port 0",
    "pocketvoice wyoming": "--uri tcp://127.0.0.1:0",
}
"""Commands that stay until they are stopped, and what gives them a free port."""

PAGES = [page for page in pages() if page.commands() or page.blocks("python")]


def ours(line: str) -> str:
    """The line with the program in the place of the script that sets it up first (tests/cli/test_packaging.py)."""
    return line.replace("bash packaging/run", "pocketvoice")


def is_window(line: str) -> bool:
    return re.match(r"pocketvoice\s*(#|gui\b|$|book\.epub)", line) is not None


def staying(line: str) -> str | None:
    """What is added to a command that stays; None for others."""
    command = line.partition("  #")[0]
    return next((added for part, added in STAYS.items() if part in command), None)


def cannot_run(line: str) -> str | None:
    """Why a line does not run here; None if it does."""
    for part, reason in NOT_HERE.items():
        if part in line:
            return reason
    missing = [
        tool for tool in ("ffmpeg", "curl") if re.search(rf"\b{tool}\b", line) and shutil.which(tool) is None
    ]
    return f"{missing[0]} is not installed" if missing else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_runs(page: Page, shell: Shell, request: pytest.FixtureRequest) -> None:
    def at_home(code: str) -> str:
        """The code, with this test's server in the place of the reader's, and nobody in the place of the loudspeaker."""
        code = code.replace("stream_to_loudspeaker.py", "stream_to_loudspeaker.py --output null")
        code = code.replace("ask_the_server.py", "ask_the_server.py --server http://127.0.0.1:8000")
        if "http://127.0.0.1:8000" not in code:
            return code
        return code.replace("http://127.0.0.1:8000", request.getfixturevalue("served"))

    for line in page.commands():
        if cannot_run(line) is None:
            run(shell, at_home(ours(line)))
    code = "\n".join(page.blocks("python"))
    if code:
        (shell.folder / "page.py").write_text(at_home(code), encoding="utf-8")
        run(shell, "python page.py")


def run(shell: Shell, line: str) -> None:
    """Runs a line to its end; one that stays is stopped as soon as it is there."""
    if is_window(line):
        open_window(shell, line)
    elif added := staying(line):
        with shell.running(f"{line.partition('  #')[0]} {added}") as process:
            address_of(process)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 128 + signal.SIGTERM, line
    else:
        done = shell.run(line)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, line


def open_window(shell: Shell, line: str) -> None:
    """The real window, on a screen that nobody sees, until it is painted."""
    log = shell.folder.parent / ".local" / "state" / "pocketvoice" / "log" / "pocketvoice.log"
    log.unlink(missing_ok=True)
    with shell.running(line.partition("  #")[0]) as process:
        wait_for_text(log, "first paint")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0, line


@pytest.mark.parametrize("part", NOT_HERE)
def test_no_mark_is_stale(part: str) -> None:
    assert any(part in line for page in PAGES for line in page.commands())
