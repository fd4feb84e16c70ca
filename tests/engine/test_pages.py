"""Large pages are asked for under big pieces of memory, and only there; what lies in them stays as it is."""

import sys
from pathlib import Path

import pytest
import torch

from pocketvoice.engine import pages

TABLE = """\
55d0c0a00000-55d0c0a01000 rw-p 00000000 fe:00 1234 /usr/bin/python3.11
55d0c1000000-55d0c9000000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f0010000000 r--s 00000000 fe:00 77 /models/a file with spaces.safetensors
7f0020000000-7f0020700000 rw-p 00000000 00:00 0
7f0030100000-7f0031100000 rw-p 00000000 00:00 0
7f0040000000-7f0050000000 ---p 00000000 00:00 0
7ffd00000000-7ffd10000000 rw-p 00000000 00:00 0 [stack]
"""


def test_big_private_memory_is_found() -> None:
    assert list(pages._big_mappings(TABLE)) == [
        (0x55D0C1000000, 0x55D0C9000000),
        (0x7F0030200000, 0x7F0031000000),  # whole pages inside it
    ]


def test_other_systems_are_left_alone(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "_SETTING", tmp_path / "missing")
    assert pages.enlarge() == 0
    for setting in ("[always] madvise never", "always madvise [never]"):
        (tmp_path / "enabled").write_text(setting)
        monkeypatch.setattr(pages, "_SETTING", tmp_path / "enabled")
        assert pages.enlarge() == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
def test_memory_keeps_what_is_in_it() -> None:
    if not pages.wanted():
        pytest.skip("this system gives large pages by itself or not at all")
    numbers = torch.arange(8_000_000)
    before = _large_bytes()
    thread = pages.enlarge_soon()
    thread.join(60)
    assert not thread.is_alive()
    assert _large_bytes() - before > 30e6
    assert torch.equal(numbers, torch.arange(8_000_000))


def _large_bytes() -> int:
    rollup = Path("/proc/self/smaps_rollup").read_text()
    return next(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("AnonHuge"))
