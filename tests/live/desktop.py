"""A screen without a monitor, and the real program on it, worked with mouse and keys: the hands of the live tests.

Needs the Debian programs Xvfb and xdotool. Used by `packaging/measure_live` too.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from ctypes.util import find_library
from pathlib import Path
from typing import Any, Self

from tests import sound_server
from tests.waiting import until

ROOT = Path(__file__).parents[2]
DEBIAN_LIBRARIES = (
    "libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0"
)
EYES = Path(__file__).with_name("eyes.py")

Look = dict[str, Any]


def missing() -> str | None:
    """Why there can be no live test here; None if there can."""
    programs = [name for name in ("Xvfb", "xdotool") if shutil.which(name) is None]
    if programs:
        return f"{', '.join(programs)} not installed (apt-get install xvfb xdotool)"
    libraries = [name for name in ("xcb-cursor", "xkbcommon-x11", "xcb-icccm") if find_library(name) is None]
    if libraries:
        return f"{', '.join(libraries)} missing, which Qt needs for a screen (apt-get install {DEBIAN_LIBRARIES})"
    return sound_server.missing()


def wait_for(condition: Callable[[], Any], what: str, timeout_s: float = 30.0) -> Any:
    """What `condition` gives as soon as it is true."""
    return until(condition, timeout_s, what)


class Screen:
    """A running Xvfb of its own."""

    def __init__(self, size: str = "1280x960") -> None:
        reader, writer = os.pipe()
        self._process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-r"],
            pass_fds=[writer],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()  # empty if Xvfb ended
        assert number, "Xvfb did not start"
        self.display = f":{number}"

    def xdotool(self, *words: str) -> None:
        """Mouse and keys."""
        environment = {**os.environ, "DISPLAY": self.display}
        subprocess.run(
            ["xdotool", *words], env=environment, check=True, timeout=60, stdout=subprocess.DEVNULL
        )

    def close(self) -> None:
        """Takes the screen away."""
        self._process.terminate()
        self._process.wait(timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class App:
    """The program as a process, with folders of its own."""

    def __init__(
        self, screen: Screen, environment: Mapping[str, str], arguments: list[str], settings: str = ""
    ) -> None:
        self._screen = screen
        self.folder = Path(tempfile.mkdtemp(prefix="pv-live-"))
        (self.folder / "config").mkdir()
        if settings:
            (self.folder / "config" / "settings.json").write_text(settings)
        self.process = subprocess.Popen(
            [sys.executable, str(EYES), "gui", *arguments],
            env={**environment, **self._own_environment()},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._pids = {self.process.pid}

    def _own_environment(self) -> dict[str, str]:
        return {
            "PYTHONPATH": str(ROOT),
            "DISPLAY": self._screen.display,
            "QT_QPA_PLATFORM": "xcb",
            "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(self.folder / "hub"),
            "POCKETVOICE_OUTPUT": "device",
            "POCKETVOICE_CONFIG_DIR": str(self.folder / "config"),
            "POCKETVOICE_DATA_DIR": str(self.folder / "data"),
            "POCKETVOICE_CACHE_DIR": str(self.folder / "cache"),
            "XDG_STATE_HOME": str(self.folder / "state"),
        }

    # ------------------------------------------------------------ eyes

    def look(self, word: str = "look") -> Look:
        """The window right now; empty while there is none. "forget" begins to watch for stalls anew."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the program ended: {self.process.poll()}\n{self.log()}"
        seen: Look = json.loads(line)
        return seen

    def until(self, condition: Callable[[Look], Any], what: str, timeout_s: float = 30.0) -> Look:
        """The window as soon as it shows what is waited for."""
        seen: Look = {}

        def shows() -> Any:
            nonlocal seen
            seen = self.look()
            return seen and condition(seen)

        try:
            wait_for(shows, what, timeout_s)
        except AssertionError as error:
            raise AssertionError(f"{error}; the window: {seen}\n{self.log()}") from None
        return seen

    def until_phase(self, phase: str, timeout_s: float = 30.0) -> Look:
        """The window once the speech is quiet, waiting, speaking."""
        return self.until(lambda seen: seen["phase"] == phase, f"phase {phase}", timeout_s)

    def until_ready(self) -> Look:
        """The window once the model is loaded, with the keyboard in its reader."""
        self.until(lambda seen: seen["model"] == "ready", "model loaded", 60)
        return self.focus()

    def log(self) -> str:
        """The end of the log file."""
        path = self.folder / "state" / "pocketvoice" / "log" / "pocketvoice.log"
        return path.read_text()[-3000:] if path.exists() else "no log"

    # ------------------------------------------------------------ hands

    def click(self, name: str) -> None:
        """Presses a button, or clicks into the reader."""
        x, y = self.look()["places"][name]
        self._screen.xdotool("mousemove", str(x), str(y), "click", "1")

    def hover(self, name: str) -> None:
        """Puts the mouse there, for `press`."""
        x, y = self.look()["places"][name]
        self._screen.xdotool("mousemove", str(x), str(y))

    def press(self) -> None:
        """Clicks where the mouse is."""
        self._screen.xdotool("click", "1")

    def click_at(self, name: str, share: float) -> None:
        """Clicks into something wide, so far from its left end."""
        look = self.look()
        (x, y), width = look["places"][name], look["widths"][name]
        self._screen.xdotool("mousemove", str(round(x + width * (share - 0.5) * 0.9)), str(y), "click", "1")

    def keys(self, *names: str) -> None:
        """Keys, as `ctrl+Home`."""
        self._screen.xdotool("key", "--delay", "20", *names)

    def focus(self) -> Look:
        """Puts the keyboard into the reader: without a window manager nobody else does."""
        self._screen.xdotool("windowfocus", str(self.look()["window"]))
        self.click("reader")
        return self.until(lambda seen: seen["active"], "keyboard in the reader")

    def type(self, text: str, times: int = 1) -> None:
        """Types a text instead of the one that is there, and copies it so that it stands there `times`."""
        for tries_left in (2, 1, 0):  # on a very busy machine the X server loses a modifier now and then
            try:
                self._type(text, times)
            except AssertionError:
                if not tries_left:
                    raise
            else:
                break
        self.keys("ctrl+Home")

    def _type(self, text: str, times: int) -> None:
        self.focus()
        self.keys("ctrl+a", "Delete")
        self._screen.xdotool("type", "--delay", "3", text)
        self.until(lambda seen: seen["text"] == text, "text typed", 10)
        if times > 1:
            self.keys("ctrl+a", "ctrl+c", *["ctrl+v"] * times)
            self.until(lambda seen: seen["text"] == text * times, "text copied", 10)

    def resize(self, width: int, height: int) -> None:
        """Gives the window a size, in pixels of the screen."""
        self._screen.xdotool("windowsize", "--sync", str(self.look()["window"]), str(width), str(height))

    def picture(self, path: Path) -> None:
        """Saves a picture of the window, or of the dialog before it."""
        self.look(f"picture {path}")

    def save(self, path: Path) -> None:
        """Saves the speech with the window's dialog; the file is complete when this returns."""
        self.keys("ctrl+s")
        self.until(lambda seen: seen["dialog"], "dialog for saving")
        self._screen.xdotool("windowfocus", str(self.look()["dialog"]))
        self.keys("ctrl+a")
        self._screen.xdotool("type", "--delay", "3", str(path))
        self.keys("Return")
        self.until(lambda seen: "saved" in seen["message"], "that the speech is saved", 60)
        self.focus()

    def hush(self) -> None:
        """Stops whatever is spoken, and puts the cursor at the start."""
        self.focus()
        if self.look()["phase"] != "quiet":
            self.keys("Escape")
            self.until_phase("quiet")
        self.keys("ctrl+Home")

    # ------------------------------------------------------------ processes

    def descendants(self) -> set[int]:
        """All processes below the program's that are there now."""
        found, left = set(), [self.process.pid]
        while left:
            pid = left.pop()
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    left += [int(child) for child in (task / "children").read_text().split()]
            found.add(pid)
        self._pids |= found
        return found - {self.process.pid}

    def worker(self) -> int:
        """The process that speaks: the one that has torch in it."""

        def speaking() -> list[int]:
            return [pid for pid in self.descendants() if "libtorch_cpu" in _maps(pid)]

        return int(wait_for(speaking, "a worker process")[0])

    def memory_mb(self) -> tuple[float, float]:
        """Of the window and of the worker: what is theirs alone and no file's."""
        window, worker = (_anonymous_mb(pid) for pid in (self.process.pid, self.worker()))
        return window, worker

    def threads(self) -> tuple[int, int]:
        """Of the window and of the worker."""
        window, worker = (
            len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in (self.process.pid, self.worker())
        )
        return window, worker

    def still_running(self) -> list[int]:
        """Which of all processes ever seen are still there."""
        return [pid for pid in self._pids if _is_running(pid)]

    def close(self) -> None:
        """Ends it, whatever it does."""
        self.descendants()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(15)
        for pid in self.still_running():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(15)
        for end in (self.process.stdin, self.process.stdout):
            if end is not None:
                with suppress(BrokenPipeError):
                    end.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _anonymous_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


def _maps(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return ""


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
