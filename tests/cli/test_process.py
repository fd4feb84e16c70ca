"""The process around the commands: closed and full streams, readers that go, signals, help."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pocketvoice import __version__
from tests.cli.conftest import PROGRAM, Done, Speaker

Cli = Callable[..., Done]
Start = Callable[..., "subprocess.Popen[bytes]"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells and signals")


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


def test_stop_leaves_no_partial_file(start: Start, speaker: Speaker) -> None:
    text = "The children walked to the harbour. " * 300
    process = start("generate", *speaker.options, "--text", text, "-q", "-o", "a.wav")
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size > 10_000 for path in Path().glob(".a.wav*")):
        assert time.monotonic() < deadline, "nothing was written"
        time.sleep(0.02)
    process.terminate()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (143, b"", b"")
    assert os.listdir() == []  # noqa: PTH208


def test_ignored_hangup_stays_ignored(repository: Path) -> None:
    """`nohup` means it; Ctrl-C is ours in any case."""
    script = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from pocketvoice.cli import process; process.take_over()\n"
        "print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=repository, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "True False\n"


def test_second_interrupt_ends_what_hangs(repository: Path) -> None:
    script = (
        "import time; from pocketvoice.cli import process; process.take_over()\n"
        "try:\n"
        "    print('ready', flush=True)\n"  # inside: the signal may come before it returns
        "    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    print('first', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=repository, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "first\n"
        process.send_signal(signal.SIGINT)  # a double press
        time.sleep(1.2)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130


def test_stop_while_torch_is_imported_ends_at_once(repository: Path, tmp_path: Path) -> None:
    """An exception there would come through C++, which aborts: no code of ours is returned then."""
    (tmp_path / "torch.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nprint('it went on')\n", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-c", "from pocketvoice.cli import process; process.take_over(); import torch"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(repository)])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGTERM, "", "")
