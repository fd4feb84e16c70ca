"""The standard streams around the commands: closed and full ones, readers that go; and help, which goes to one of them."""

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pocketvoice import __version__
from tests.cli.conftest import PROGRAM, Done

Cli = Callable[..., Done]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells")


def shell(repository: Path, line: str) -> Done:
    """A line of a shell in which `$P` stands for the program."""
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("$P", shlex.join(PROGRAM))],
        env={**os.environ, "PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_help_is_asked_for(cli: Cli) -> None:
    for arguments in (["--help"], ["generate", "--help"]):
        done = cli(*arguments)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("usage: pocketvoice")
    assert cli("--version") == Done(0, f"pocketvoice {__version__}\n", "")


def test_reader_that_goes_is_no_error(repository: Path) -> None:
    for command in ("voices list --json", "models list", "--help"):
        done = shell(repository, f'{{ $P {command}; echo "code $?" >&2; }} | true')
        assert done.err in ("code 141\n", "code 0\n"), command  # 0: it was quicker than the reader


def test_full_disk_behind_stdout(repository: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    done = shell(repository, "$P voices list > /dev/full")
    sentence = "No space left to write standard output: free some space and try again."
    assert done == Done(2, "", f"pocketvoice: {sentence}\n")


def test_closed_streams_do_no_harm(repository: Path) -> None:
    assert shell(repository, "$P voices list >&-") == Done(0, "", "")
    assert shell(repository, "$P voices list --nonsense 2>&-") == Done(2, "", "")
    assert shell(repository, "$P --version <&- 2>&-") == Done(0, f"pocketvoice {__version__}\n", "")
    done = shell(repository, "$P say - <&-")
    assert (done.code, done.err) == (
        2,
        "pocketvoice: There is no text to speak: give some, or pipe it in with -.\n",
    )
    done = shell(repository, "$P generate -o - >&-")
    assert (done.code, done.err) == (
        2,
        "pocketvoice: Standard output is closed: give a file with --output-path.\n",
    )
