"""`doctor`: a report whatever is missing or broken."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Done

Cli = Callable[..., Done]


def test_report_names_what_a_helper_asks_for(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)  # a computer without PortAudio
    done = cli("doctor")
    assert (done.code, done.err) == (0, "")
    for words in (
        "pocketvoice: ", "torch: ", "cores: ", "precision chosen: none yet", "kernels: ", "offline: yes",
        "hub cache:\n", "nothing was downloaded so far", "problem: The sound library PortAudio is missing",
    ):  # fmt: skip
        assert words in done.out


def test_report_as_json(cli: Cli) -> None:
    blob = Path(os.environ["HF_HOME"]) / "hub" / "models--a--b" / "blobs" / "x"
    blob.parent.mkdir(parents=True)
    blob.write_bytes(bytes(5000))
    done = cli("doctor", "--json")
    report = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert report["hub cache"]["bytes"] == 5000
    assert report["engine"]["precision chosen"].startswith("none yet")
    assert report["models"]["offline"] is True
    assert "problem" in report["sound"] or report["sound"]["devices"]


@pytest.mark.parametrize(
    ("file", "machine", "shown"),
    [
        ("avx512.so", "x86_64", "kernels: avx512, bf16\n"),
        ("avx2.so", "AMD64", "kernels: avx2\n"),
        (None, "x86_64", "kernels: none: torch computes, more slowly; install the program again to build them\n"),
        (None, "arm64", "kernels: none for this processor: torch computes\n"),
    ],
)  # fmt: skip
def test_kernels_are_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, file: str | None, machine: str, shown: str
) -> None:
    from pocketvoice.cli import doctor
    from pocketvoice.model import native

    library = file and SimpleNamespace(_name=f"/somewhere/{file}", pv_multiplies_bf16=lambda: "512" in file)
    monkeypatch.setattr(native, "library", lambda: library)
    monkeypatch.setattr(doctor.platform, "machine", lambda: machine)
    assert shown in cli("doctor").out


def test_choice_of_precision_is_shown(cli: Cli) -> None:
    from pocketvoice.engine.trials import Measured, Trial, remember

    remember("english-0123", Trial("int8", (Measured("float32", 20.0, 8.0, 0.0),), 1.0, "2026-11-29"))
    shown = "english-0123: int8; FlowLM + Mimi on 2026-11-29: float32 20.0 + 8.0 ms a frame (error 0.0 %)"
    assert shown in cli("doctor").out


def test_unreadable_cache_is_a_finding(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    import pocketvoice.cli.doctor as doctor

    Path(os.environ["HF_HOME"], "hub").mkdir(parents=True)

    def walk(folder: Path, onerror: Callable[[OSError], None]) -> list[None]:
        onerror(PermissionError(13, "Permission denied", str(folder)))  # root may read everything
        return []

    monkeypatch.setattr(doctor.os, "walk", walk)
    done = cli("doctor")
    assert done.code == 0
    assert "problem: can't be read: Permission denied" in done.out


def test_broken_parts_are_findings(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from pocketvoice.cli import doctor

    def broken() -> None:
        raise ImportError("libtorch.so: cannot open shared object file")

    monkeypatch.setattr(doctor, "_engine", broken)
    assert "problem: ImportError: libtorch.so" in cli("doctor").out
