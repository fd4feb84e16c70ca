"""`models` and `voices`: what they list, and downloads from a fake hub that can be broken off and resumed."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.hub import catalogue
from pocketvoice.hub.download_bar import DownloadBar
from pocketvoice.hub.progress import DownloadProgress
from pocketvoice.hub.source import HubFile, parse
from pocketvoice.model.config import load_config
from tests.cli.conftest import Done
from tests.hub.fake_hub import FakeHub, Repo
from tests.waiting import until

Cli = Callable[..., Done]
Start = Callable[..., "subprocess.Popen[bytes]"]
MODEL = "english_2m_2026-10"
WEIGHTS_BYTES = 3_000_000


def test_models_as_a_table(cli: Cli) -> None:
    done = cli("models", "list")
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in lines] == catalogue.languages()
    assert all("about" in line for line in lines if line.startswith("english"))


def test_models_as_json(cli: Cli) -> None:
    rows = {row["name"]: row for row in json.loads(cli("models", "list", "--json").out)}
    assert rows["french_24l"]["language"] == "fr"
    assert rows["french_24l"]["layers"] == 24
    assert rows["french_24l"]["installed"] is False


def test_voices(cli: Cli) -> None:
    done = cli("voices", "list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()][:5] == catalogue.voice_names()[:5]
    rows = {row["name"]: row for row in json.loads(cli("voices", "list", "--json").out)}
    assert "en" in rows["alba"]["default_for"]
    assert rows["estelle"]["default_for"] == ["fr"]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeHub]:
    """A hub with the files of one model: random bytes, which nobody loads here."""
    from huggingface_hub import constants

    config = load_config(catalogue.entry(MODEL).config_path)
    assert config.weights_path is not None
    voice = catalogue.voice_state_source(MODEL, catalogue.default_voice(MODEL))
    sizes = {
        config.weights_path: WEIGHTS_BYTES,
        config.flow_lm.lookup_table.tokenizer_path: 20_000,
        voice: 30_000,
    }
    with FakeHub() as hub:
        hub.tokens = {"hf_good"}
        for source, size in sizes.items():
            file = parse(source)
            assert isinstance(file, HubFile)
            assert file.revision is not None
            repo = hub.repos.setdefault(file.repo, Repo(file.revision))
            repo.older.add(file.revision)
            repo.files[file.path] = np.random.default_rng(size).bytes(size)
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HF_TOKEN", "hf_good")
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        yield hub


def test_download_makes_it_usable_offline(cli: Cli, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    done = cli("models", "download", MODEL)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{MODEL} is ready. The full weights are loaded: voices can be cloned.\n"
    asked = len(hub.seen)
    assert cli("models", "download", MODEL, "-q") == Done(0, "", "")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    config, weights = cli("models", "path", MODEL).out.splitlines()
    assert config == str(catalogue.entry(MODEL).config_path)
    assert Path(weights).stat().st_size == WEIGHTS_BYTES
    assert json.loads(cli("models", "path", MODEL, "--json").out) == {"config": config, "weights": weights}
    installed = {row["name"]: row["installed"] for row in json.loads(cli("models", "list", "--json").out)}
    assert installed[MODEL] is True
    assert len(hub.seen) == asked  # what is here is not asked for again
    # All that is missing now is sense: the weights are random bytes.
    assert "damaged or cut short" in cli("say", "Hello.", "--language", MODEL).err


def test_interrupted_download_is_resumed(start: Start, cli: Cli, hub: FakeHub) -> None:
    hub.faults.stall_after = WEIGHTS_BYTES // 2
    process = start("models", "download", MODEL)
    until(lambda: any(size > WEIGHTS_BYTES // 3 for size in partial_files()))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert partial_files()
    hub.faults.stall_after = None
    hub.go_on.set()
    hub.seen.clear()
    assert cli("models", "download", MODEL).code == 0
    resumed = [request.range for request in hub.asked("GET", "/storage/") if request.range]
    assert len(resumed) == 1
    assert int(resumed[0].removeprefix("bytes=").rstrip("-")) > WEIGHTS_BYTES // 3
    assert not partial_files()


def partial_files() -> list[int]:
    """Sizes of what lies half downloaded in the cache."""
    return [path.stat().st_size for path in Path(os.environ["HF_HOME"]).rglob("*.incomplete")]


def test_bar_on_a_terminal_only(start: Start, hub: FakeHub) -> None:
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    process = start("models", "download", MODEL, stderr=theirs)
    os.close(theirs)
    shown = b""
    while piece := read_terminal(ours):
        shown += piece
    assert process.wait(timeout=30) == 0
    os.close(ours)
    assert b"model.safetensors" in shown or b".safetensors: " in shown
    assert b"%" in shown


def read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # Linux: the other end was closed
        return b""


def test_large_download_is_told_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (True, False):
        with DownloadBar(quiet) as bar:
            for done in range(0, 236, 59):
                bar.update(DownloadProgress("model.safetensors", done * 1_000_000, 236_000_000, 0.0))
            bar.update(DownloadProgress("tokenizer.json", 0, 20_000, 0.0))
        assert capsys.readouterr().err == ("" if quiet else "Downloading model.safetensors, 236 MB.\n")


def test_hub_does_not_know_the_model(cli: Cli, hub: FakeHub) -> None:
    done = cli("models", "download", "french")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pocketvoice: ")
    assert done.err.count("\n") == 1
