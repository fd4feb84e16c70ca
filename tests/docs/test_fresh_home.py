"""README's Python and command line in a home that holds nothing yet: with a model hub, and without one."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import safetensors.torch

from pocketvoice import paths
from pocketvoice.hub import catalogue
from pocketvoice.hub.source import HubFile, parse
from tests.docs.conftest import Shell
from tests.docs.pages import ROOT, Page
from tests.hub.fake_hub import FakeHub, Repo
from tests.model_factory import TINY, changed, random_state, write_config

if TYPE_CHECKING:
    from tests.model_factory import ModelFactory

LOADED = 'load_model("builtin_en")'


def readme(loaded: str, voice: str) -> str:
    """README's program with another model and voice."""
    code = "\n".join(Page(ROOT / "README.md").blocks("python"))
    assert LOADED in code
    assert '"slt"' in code
    return code.replace(LOADED, loaded).replace('"slt"', f'"{voice}"')


@pytest.fixture
def online(shell: Shell, models: "ModelFactory", tmp_path: Path) -> Iterator[tuple[FakeHub, Shell]]:
    """A hub on which `english` is a tiny model with random weights, and a shell that knows the way to it."""
    tiny, tokenizer = (
        models.tiny("at_once"),
        models.complete(TINY)["flow_lm"]["lookup_table"]["tokenizer_path"],
    )
    voice = tmp_path / "voice.safetensors"
    state = random_state(tiny.raw)
    safetensors.torch.save_file(
        {f"{name}/{key}": tensor for name, entry in state.items() for key, tensor in entry.items()}, voice
    )
    folder, weights, pieces = (
        tmp_path / "models",
        "hf://acme/tts/model.safetensors@",
        "hf://acme/tts/pieces.model@",
    )
    folder.mkdir()
    for file in paths.models_dir().iterdir():
        (folder / file.name).symlink_to(file)
    (folder / "english.yaml").unlink()
    commit = "0123456789abcdef0123456789abcdef01234567"
    raw = changed(
        tiny.raw,
        weights_path=weights + commit,
        weights_path_without_voice_cloning=weights + commit,
        **{"flow_lm.lookup_table.tokenizer_path": pieces + commit},
    )
    write_config(folder / "english.yaml", raw)
    state_file = parse(catalogue.voice_state_source("english", "alba"))
    assert isinstance(state_file, HubFile)
    assert state_file.revision is not None
    with FakeHub() as hub:
        hub.repos = {
            "acme/tts": Repo(
                commit,
                {
                    "model.safetensors": tiny.weights.read_bytes(),
                    "pieces.model": Path(tokenizer).read_bytes(),
                },
            ),
            state_file.repo: Repo(state_file.revision, {state_file.path: voice.read_bytes()}),
        }
        environment = {name: value for name, value in shell.environment.items() if name != "HF_HUB_OFFLINE"}
        environment |= {"HF_ENDPOINT": hub.endpoint, "NO_PROXY": "127.0.0.1,localhost", "TERM": "dumb"}
        (shell.folder / "sitecustomize.py").write_text(
            f"import pathlib\nfrom pocketvoice import paths\npaths.models_dir = lambda: pathlib.Path({str(folder)!r})\n",
            encoding="utf-8",
        )
        environment["PYTHONPATH"] = f"{shell.folder}{os.pathsep}{environment['PYTHONPATH']}"
        yield hub, replace(shell, environment=environment)


def run(shell: Shell, code: str) -> "subprocess.CompletedProcess[str]":
    (shell.folder / "readme.py").write_text(code, encoding="utf-8")
    return shell.run("python readme.py")


def test_reference_programs_fetch_english_and_its_voice(online: tuple[FakeHub, Shell]) -> None:
    """The first program of the reference: on a terminal it shows what is downloaded."""
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    hub, shell = online
    (shell.folder / "readme.py").write_text(readme("load_model()", "alba"), encoding="utf-8")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen(
        ["bash", "-c", "python readme.py"], cwd=shell.folder, env=shell.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = b""
        while piece := read_terminal(ours):
            shown += piece
        assert process.stdout is not None
        told = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, shown.decode()
    assert told.startswith(b"torch.Size([")
    for part in ("model.safetensors", "pieces.model", "alba.safetensors"):
        assert hub.asked("HEAD", part), part
        assert f"{part}: ".encode() in shown, part
    hub.seen.clear()
    again = run(shell, readme("load_model()", "alba"))
    assert (again.returncode, again.stderr) == (0, ""), "nothing is shown where there is no terminal"
    assert not hub.seen, "what is here is not asked for again"


def read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # Linux: the other end was closed
        return b""


def test_without_a_hub_the_built_in_model_is_the_way_out(shell: Shell) -> None:
    done = run(shell, readme("load_model()", "alba"))
    assert done.returncode == 1
    last = done.stderr.rstrip().rpartition("\n")[2]
    assert "OfflineError" in last
    assert last.endswith('The model that comes with the program needs none: load_model("builtin_en").')
    done = shell.run("pocketvoice generate --voice alba --text 'Hello there.' --output-path hello.wav")
    assert done.returncode == 0, done.stderr
    assert "slt speaks in its place" in done.stderr
