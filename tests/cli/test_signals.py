"""The signals that stop the program: nothing is left half written, what hangs ends, what was ignored stays so."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Speaker
from tests.waiting import until

Start = Callable[..., "subprocess.Popen[bytes]"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def test_stop_leaves_no_partial_file(start: Start, speaker: Speaker) -> None:
    text = "The children walked to the harbour. " * 300
    process = start("generate", *speaker.options, "--text", text, "-q", "-o", "a.wav")
    until_written(Path(), ".a.wav*")
    process.terminate()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (143, b"", b"")
    assert os.listdir() == []  # noqa: PTH208


def test_ctrl_c_keeps_what_was_made(
    start: Start, speaker: Speaker, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a valid file of the kind that was asked for, and it says where and how much."""
    import soundfile

    text = "The children walked to the harbour. " * 300
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(temporary))
    process = start("generate", *speaker.options, "--text", text, "-o", "a.flac")
    until_written(temporary, "pocketvoice-*/.speech.wav*")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    seconds = soundfile.info("a.flac").duration
    assert seconds > 0.2
    assert f"Stopped: the first {seconds - 0.2:.1f} s of the speech are in a.flac." in err.decode()
    assert os.listdir() == ["a.flac"]  # noqa: PTH208


def until_written(folder: Path, pattern: str) -> None:
    until(
        lambda: any(path.stat().st_size > 10_000 for path in folder.glob(pattern)), 60, "something is written"
    )


def test_ignored_hangup_stays_ignored(repository: Path) -> None:
    """`nohup` means it; Ctrl-C is ours in any case."""
    script = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from pocketvoice.cli import signals; signals.take_over()\n"
        "print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=repository, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "True False\n"


def test_second_interrupt_ends_what_hangs(repository: Path) -> None:
    script = (
        "import time; from pocketvoice.cli import signals; signals.take_over()\n"
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
        [sys.executable, "-c", "from pocketvoice.cli import signals; signals.take_over(); import torch"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(repository)])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGTERM, "", "")
