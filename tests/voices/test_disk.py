"""What the library does when the disk is full or read-only, and when other processes use it too."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.errors import DiskFullError, OutputError
from pocketvoice.voices import disk
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from tests.voices.sounds import babble

ROOT = Path(__file__).parents[2]


def test_two_processes_at_once(tmp_path: Path) -> None:
    """Each makes and removes voices of the same names: nothing is lost, no name is given twice."""
    script = (
        "import sys; from pathlib import Path; from pocketvoice.voices.library import VoiceLibrary\n"
        "from pocketvoice.voices.voice import NewVoice; from pocketvoice.errors import InputError\n"
        "from tests.voices.sounds import babble\n"
        "library, clip, made = VoiceLibrary(Path(sys.argv[1])), babble(0.3), 0\n"
        "for number in range(12):\n"
        "    try:\n"
        "        voice = library.add(NewVoice(f'Voice {number}'), clip); made += 1\n"
        "    except InputError:\n"
        "        continue\n"
        "    library.update(voice.id, notes='x')\n"
        "    if number % 3 == 0: library.remove(voice.id); made -= 1\n"
        "    else: library.duplicate(voice.id); made += 1\n"
        "print(made)\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    made = sum(int(child.communicate(timeout=120)[0]) for child in children)
    library = VoiceLibrary(tmp_path)
    voices = library.voices()
    assert len(voices) == made
    assert len({voice.name.casefold() for voice in voices}) == made
    assert all(library.check(voice.id) == [] for voice in voices)
    assert library.problems() == []


def test_a_library_that_another_holds_is_not_waited_for(tmp_path: Path, clip: np.ndarray) -> None:
    library = VoiceLibrary(tmp_path / "voices", lock_timeout_s=0.2)
    library.add(NewVoice("Anna"), clip)
    with disk.locked(library.folder), pytest.raises(OutputError, match="busy"):
        library.update(library.get("Anna").id, notes="x")
    assert library.update(library.get("Anna").id, notes="y").notes == "y"


def test_a_folder_that_can_not_be_written(library: VoiceLibrary, clip: np.ndarray) -> None:
    """Root may write anywhere, so the folder is where a file lies."""
    library.folder.parent.mkdir(exist_ok=True)
    library.folder.write_text("in the way")
    assert library.voices() == []
    with pytest.raises(OutputError):
        library.add(NewVoice("Anna"), clip)


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write anywhere")
def test_a_read_only_library_can_be_read(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    library.folder.chmod(0o500)
    voice.folder.chmod(0o500)
    try:
        other = VoiceLibrary(library.folder)
        assert [one.name for one in other.voices()] == ["Anna"]
        assert other.check(voice.id) == []
        with pytest.raises(OutputError):
            other.add(NewVoice("Bert"), clip)
        with pytest.raises(OutputError):
            other.update(voice.id, name="Bert")
    finally:
        voice.folder.chmod(0o700)
        library.folder.chmod(0o700)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB; only root can make one."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True
    ).returncode:
        pytest.skip("a small file system can't be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_read_only_disk_can_be_read(tiny_disk: Path, clip: np.ndarray) -> None:
    voice = VoiceLibrary(tiny_disk / "voices").add(NewVoice("Anna"), clip)
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    library = VoiceLibrary(tiny_disk / "voices")
    assert library.voices() == [voice]
    assert library.check(voice.id) == []
    for change in (lambda: library.add(NewVoice("Bert"), clip), lambda: library.remove(voice.id)):
        with pytest.raises(OutputError, match="no permission"):
            change()


def test_a_full_disk_loses_nothing(tiny_disk: Path) -> None:
    library = VoiceLibrary(tiny_disk / "voices")
    kept = []
    made = (library.add(NewVoice(f"Voice {number}"), babble(4.0, seed=number)) for number in range(50))
    with pytest.raises(DiskFullError):
        kept.extend(made)
    assert kept
    assert {voice.name for voice in library.voices()} == {voice.name for voice in kept}
    assert all(library.check(voice.id) == [] for voice in kept)
    assert list((library.folder / ".staging").iterdir()) == []
    filler = tiny_disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    with pytest.raises(DiskFullError):
        library.update(kept[0].id, notes="n" * 15_000)
    assert library.get(kept[0].id).notes == ""
    library.remove(kept[0].id)  # a rename needs no room
    filler.unlink()
    assert library.trash.restore(kept[0].id) == kept[0]
