"""A voice of one's own, as a user makes it: read into a microphone, heard, saved, there again after a restart. Nothing is faked.

The microphone is the monitor of a second loudspeaker that nobody hears, into which a sound server's player plays speech. The model
is the built-in one: that the copy sounds like the speaker is not what is tested here.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.live.desktop import ROOT, App, Look, Screen
from tests.live.ear import until_loud
from tests.sound_server import SoundServer

DRAGGER = Path(__file__).with_name("dragger.py")
NAME = "Berta"
TEXT = "Hello there. This is a voice of my own."
READ = (
    "Nobody had told them about the ferry. The children were standing near the water, and we left early in the "
    "morning. She opened the window, and the sun was shining over the garden. Then everybody went home again."
)


class OwnApp(App):
    """Its voices and settings outlive it."""

    def __init__(self, screen: Screen, server: SoundServer, home: Path) -> None:
        self._home = home
        super().__init__(screen, server.environment(), [])

    def _own_environment(self) -> dict[str, str]:
        kept = {
            "POCKETVOICE_CONFIG_DIR": str(self._home / "config"),
            "POCKETVOICE_DATA_DIR": str(self._home / "data"),
        }
        return super()._own_environment() | kept

    # ------------------------------------------------------------ dialogs

    def dialog(self, title: str) -> dict[str, Any]:
        """The dialog of that title, as it is now; empty if there is none."""
        return _titled(self.look(), title)

    def until_dialog(self, title: str) -> None:
        """Until it is there, with the keyboard in it."""
        self.until(lambda seen: _titled(seen, title), f"dialog {title}")
        self._screen.xdotool("windowfocus", str(self.dialog(title)["window"]))

    def until_control(self, title: str, name: str, words: str = "", timeout_s: float = 30) -> str:
        """Until a control can be used and says these words; returns what it says."""

        def is_there(seen: Look) -> bool:
            found = _titled(seen, title).get("controls", {}).get(name)
            return bool(found) and found["on"] and words in found["words"]

        seen = self.until(is_there, f"{name!r} with {words!r}", timeout_s)
        said: str = _titled(seen, title)["controls"][name]["words"]
        return said

    def press_in(self, title: str, name: str) -> None:
        """Clicks a control once it can be used."""
        self.until_control(title, name)
        x, y = self.dialog(title)["controls"][name]["place"]
        self._screen.xdotool("mousemove", str(x), str(y), "click", "1")

    def drop(self, path: Path) -> None:
        """Drags a file from another program onto the middle of the window."""
        command = [sys.executable, str(DRAGGER), str(path), "1120", "800"]
        environment = {**os.environ, "DISPLAY": self._screen.display, "QT_QPA_PLATFORM": "xcb"}
        dragger = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            assert dragger.stdout is not None
            assert dragger.stdout.readline() == "ready\n"
            x, y = self.look()["places"]["reader"]
            steps = [(1180, 860), (1170, 850), (1100, 800), (x + 20, y + 20), (x + 10, y + 10), (x, y)]
            self._screen.xdotool("mousemove", "1190", "870", "sleep", "0.3", "mousedown", "1")
            for at in steps:
                self._screen.xdotool("mousemove", str(at[0]), str(at[1]), "sleep", "0.2")
            self._screen.xdotool("mouseup", "1")
            assert dragger.stdout.readline() == "dropped\n"
            self.until_dialog("New voice")  # only then has all of it been handed over
        finally:
            dragger.terminate()
            dragger.wait(10)
            if dragger.stdout is not None:
                dragger.stdout.close()

    def write(self, text: str) -> None:
        """Types into whatever has the keyboard."""
        self._screen.xdotool("type", "--delay", "5", text)


def _titled(seen: Look, title: str) -> dict[str, Any]:
    return next((one for one in seen.get("dialogs", []) if one["title"] == title), {})


@pytest.fixture(scope="module")
def speech(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """About ten seconds, spoken by the built-in voice."""
    path = tmp_path_factory.mktemp("speech") / "speech.wav"
    command = [
        sys.executable,
        "-m",
        "pocketvoice",
        "generate",
        "-q",
        "-t",
        READ,
        "-o",
        str(path),
        "--seed",
        "5",
    ]
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)
    return path


@pytest.fixture(scope="module")
def server(screen: Screen) -> Iterator[SoundServer]:
    """With a microphone."""
    with SoundServer() as server:
        server.pactl("load-module", "module-null-sink", "sink_name=mouth", "rate=48000")
        server.pactl("set-default-sink", "test")
        server.pactl("set-default-source", "mouth.monitor")
        yield server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@contextmanager
def speaking(server: SoundServer, speech: Path) -> Iterator[None]:
    """Somebody speaks into the microphone, again and again."""
    command = f'while paplay -d mouth "{speech}"; do :; done'
    process = subprocess.Popen(["sh", "-c", command], env=server.environment(), start_new_session=True)
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)


def hear(app: App, server: SoundServer) -> None:
    """The reader's text is spoken, and it is heard."""
    app.type(TEXT)
    with server.recording() as recorder:
        app.click("play")
        until_loud(recorder)
        app.until_phase("quiet")


def test_voice_is_recorded_and_speaks(screen: Screen, server: SoundServer, speech: Path, home: Path) -> None:
    with OwnApp(screen, server, home) as app:
        app.until_ready()
        app.keys("ctrl+shift+n")
        app.until_dialog("New voice")
        with speaking(server, speech):
            app.press_in("New voice", "Record")
            app.until_control("New voice", "Pause")
            app.until(lambda seen: _seconds(seen) >= 8, "eight seconds of speech", 60)
            app.press_in("New voice", "Pause")
        app.until_control("New voice", "Go on")
        app.press_in("New voice", "Continue")
        app.until_control("New voice", "Play the part")
        with server.recording() as recorder:
            app.press_in("New voice", "Play the part")
            until_loud(recorder)
            app.press_in("New voice", "Stop")
        app.press_in("New voice", "Continue")
        app.press_in("New voice", "Name of the voice")
        app.keys("ctrl+a")
        app.write(NAME)
        app.press_in(
            "New voice", "This is my voice, or I have the speaker's permission to make a copy of it."
        )
        with server.recording() as recorder:
            app.press_in("New voice", "Continue")
            app.until_control("New voice", "Keep take 1", timeout_s=60)
            until_loud(recorder)
        app.press_in("New voice", "Save")
        app.until(lambda seen: seen["voice"] == NAME, "the voice in the chooser")
        assert not app.dialog("New voice")
        hear(app, server)


def _seconds(seen: Look) -> float:
    words = _titled(seen, "New voice").get("controls", {}).get("Speech so far", {}).get("words", "0")
    return float(words.split()[0])


def test_voice_is_there_after_a_restart(
    screen: Screen, server: SoundServer, speech: Path, home: Path
) -> None:
    """And speaks; a sound file that is dropped becomes another one, which is left unfinished."""
    with OwnApp(screen, server, home) as app:
        app.until_ready()
        app.until(lambda seen: seen["voice"] == NAME, "the voice in the chooser")
        hear(app, server)
        app.drop(speech)
        app.until_control("New voice", "Continue")
        app.press_in("New voice", "Close")
        app.until(lambda seen: not _titled(seen, "New voice"), "no dialog")


def test_unfinished_voice_goes_on(screen: Screen, server: SoundServer, home: Path) -> None:
    with OwnApp(screen, server, home) as app:
        app.until_ready()
        app.keys("ctrl+shift+n")
        app.until_dialog("New voice")
        app.press_in("New voice", "Continue")
        app.until_control("New voice", "Name of the voice", "My voice")
