"""Writing a file so that it appears whole or not at all."""

import errno
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pocketvoice import paths
from pocketvoice.errors import Cancelled, DiskFullError, OfflineError, OutputError


def write(path: Path, content: bytes = b"new") -> None:
    with paths.atomic_write(path) as file:
        file.write(content)


def write_and_raise(path: Path, error: BaseException) -> None:
    with paths.atomic_write(path) as file:
        file.write(b"new")
        raise error


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_new_file_follows_the_umask(tmp_path: Path, umask: None) -> None:
    write(tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a.bin").stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a.bin"]  # noqa: PTH208


def test_replaced_file_keeps_its_rights(tmp_path: Path, umask: None) -> None:
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    target.chmod(0o604)
    write(target)
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.bin", tmp_path / "link.bin"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    dangling = tmp_path / "dangling.bin"
    dangling.symlink_to(tmp_path / "real" / "b.bin")
    write(dangling)
    assert (tmp_path / "real" / "b.bin").read_bytes() == b"new"


@pytest.mark.parametrize("letter", ["x", "ü", "文", "🎧"])
def test_names_as_long_as_the_system_takes(tmp_path: Path, letter: str) -> None:
    path = tmp_path / (letter * (255 // len(letter.encode())))
    write(path)
    assert path.read_bytes() == b"new"


def test_longer_names_are_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="the name is too long"):
        write(tmp_path / ("x" * 256))


@pytest.mark.parametrize(
    "error", [ValueError("x"), KeyboardInterrupt(), Cancelled("Stopped."), OfflineError("Offline.")]
)
def test_failure_leaves_the_old_file(tmp_path: Path, error: BaseException) -> None:
    """And the block's own error is told, also where it is one of ours and an OSError."""
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    with pytest.raises(type(error)) as caught:
        write_and_raise(target, error)
    assert caught.value is error
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]  # noqa: PTH208


def test_folders_and_missing_folders(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        write(tmp_path)
    with pytest.raises(OutputError, match="its folder does not exist"):
        write(tmp_path / "no" / "a.bin")
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="its folder does not exist"):
        write(tmp_path / "file" / "a.bin")


def test_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(OutputError, match="no permission"):
        write(target)
    assert target.read_bytes() == b"old"


def test_full_disk_told_by_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DiskFullError, match="free some space"):
        write(tmp_path / "a.bin")
    assert os.listdir(tmp_path) == []  # noqa: PTH208


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("may not mount a file system")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_full_disk(small_disk: Path) -> None:
    target = small_disk / "a.bin"
    target.write_bytes(b"old")
    with pytest.raises(DiskFullError, match="free some space"):
        write(target, bytes(100_000))
    assert target.read_bytes() == b"old"
    assert os.listdir(small_disk) == ["a.bin"]  # noqa: PTH208


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    with paths.atomic_write(target) as first:
        first.write(b"first")
        write(target, b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"


def test_folders_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POCKETVOICE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path / "cache"))
    assert paths.user_data_dir() == tmp_path / "data"
    assert paths.user_cache_dir() == tmp_path / "cache"
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_resources_are_found() -> None:
    assert (paths.resources_dir() / "catalogue.toml").is_file()
    assert (paths.models_dir() / "english.yaml").is_file()
