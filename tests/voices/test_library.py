"""The library: made, found, changed, removed; and what it does when the disk, the clock or another process misbehave."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.errors import ClipError, DiskFullError, InputError, OutputError, UnknownNameError
from pocketvoice.voices import disk, states, trash, voice_json
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from tests.voices.sounds import babble, write_state

ROOT = Path(__file__).parents[2]
MODEL = "tiny-0123456789abcdef"


def test_a_voice_is_kept(library: VoiceLibrary, clip: np.ndarray) -> None:
    made = library.add(NewVoice("Anna", "en", consent="I agree.", source="mic", seed=7, notes="n"), clip)
    (voice,) = VoiceLibrary(library.folder).voices()
    assert voice == made
    assert (voice.name, voice.seed, voice.consent, voice.source) == ("Anna", 7, "I agree.", "mic")
    assert voice.consented.endswith("Z")
    assert voice.clip_s == pytest.approx(1.0)
    assert library.check(voice.id) == []


def test_the_clip_is_as_it_was_recorded(library: VoiceLibrary, clip: np.ndarray) -> None:
    import soundfile

    voice = library.add(NewVoice("Anna"), clip)
    samples, rate = soundfile.read(voice.clip_path, dtype="float32")
    assert rate == 24_000
    assert np.abs(samples - clip).max() < 2**-22


@pytest.mark.parametrize(
    "sound", [np.zeros(0), np.full(100, np.nan), np.zeros((10, 2)), np.zeros(41 * 24_000)]
)
def test_what_is_no_clip_is_refused(library: VoiceLibrary, sound: np.ndarray) -> None:
    with pytest.raises(ClipError):
        library.add(NewVoice("Anna"), sound.astype(np.float32))
    assert library.voices() == []


def test_names_are_unique(library: VoiceLibrary, clip: np.ndarray) -> None:
    library.add(NewVoice("Änna"), clip)
    for taken in ("Änna", "ÄNNA", " änna ", "A\u0308nna", "Alba"):
        with pytest.raises(InputError):
            library.add(NewVoice(taken), clip)
    assert library.unique_name("änna") == "änna 2"
    assert library.add(NewVoice("Anna"), clip).name == "Anna"


@pytest.mark.parametrize("name", ["", "  ", "\u202e", "v0123456789abcdef", "\ud800"])
def test_names_that_are_none_are_refused(library: VoiceLibrary, clip: np.ndarray, name: str) -> None:
    with pytest.raises(InputError):
        library.add(NewVoice(name), clip)
    assert list(library.folder.glob("v*")) == []


@pytest.mark.parametrize(
    "name",
    [
        "../../x",
        "/etc/passwd",
        "C:\\x",
        "CON",
        "a" * 300,
        "👩‍👩‍👧 🎤",
        "שָׁלוֹם",
        "a\x00b",
        "x" * 79 + "e\u0301" * 5,
    ],
)
def test_no_name_is_a_path(library: VoiceLibrary, clip: np.ndarray, name: str) -> None:
    voice = library.add(NewVoice(name), clip)
    assert voice.folder.parent == library.folder
    assert len(voice.name) <= 80
    assert library.get(voice.name) == voice
    assert library.get(name).id == voice.id


def test_voices_are_found_by_words(library: VoiceLibrary, clip: np.ndarray) -> None:
    library.add(NewVoice("Zoé", "fr", notes="la voix du matin"), clip)
    library.add(NewVoice("Bert", "de", favourite=True), clip)
    assert [voice.name for voice in library.voices()] == ["Bert", "Zoé"]
    assert [voice.name for voice in library.search("zoe MATIN")] == ["Zoé"]
    assert library.search("zoe bert") == []
    with pytest.raises(UnknownNameError) as caught:
        library.get("Bart")
    assert caught.value.suggestions == ("Bert",)


def test_fields_are_changed(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    library.update(voice.id, name="Hanna", favourite=True, speed=1.2, volume=0.5, notes="x", seed=3)
    found = library.get("Hanna")
    assert (found.id, found.favourite, found.speed, found.volume, found.seed) == (voice.id, True, 1.2, 0.5, 3)
    for wrong in ({"speed": 9.0}, {"volume": float("nan")}, {"seed": -1}, {"name": ""}):
        with pytest.raises(InputError):
            library.update(voice.id, **wrong)
    assert library.get("Hanna") == found


def test_keys_of_a_newer_version_stay(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    path = voice.folder / voice_json.RECORD
    path.write_text(json.dumps({**json.loads(path.read_text()), "mood": "cheerful"}))
    library.update(voice.id, name="Hanna")
    assert json.loads(path.read_text())["mood"] == "cheerful"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 99}))
    with pytest.raises(InputError, match="newer"):
        library.update(voice.id, name="X")


def test_removing_can_be_undone(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    key = library.remove(voice.id)
    assert library.voices() == []
    other = library.add(NewVoice("Anna"), clip)
    back = library.trash.restore(key)
    assert (back.id, back.name, other.name) == (voice.id, "Anna 2", "Anna")
    assert library.check(back.id) == []
    assert library.trash.voices() == []
    with pytest.raises(UnknownNameError):
        library.trash.restore(key)


def test_the_trash_keeps_the_newest_whatever_the_clock_says(
    library: VoiceLibrary, clip: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trash, "KEPT_AT_LEAST", 2)
    now = time.time()
    for day, name in enumerate(["one", "two", "three"]):
        monkeypatch.setattr(time, "time", lambda day=day: now + day * 86400)
        library.remove(library.add(NewVoice(name), clip).id)
    monkeypatch.setattr(
        time, "time", lambda: now - 1e6
    )  # the clock went back: the newest is still the newest
    library.remove(library.add(NewVoice("four"), clip).id)
    assert [one.voice.name for one in library.trash.voices()] == ["four", "three", "two", "one"]
    monkeypatch.setattr(time, "time", lambda: now + 1e9)  # and far ahead: two stay
    library.trash.purge()
    assert [one.voice.name for one in library.trash.voices()] == ["four", "three"]


def test_a_state_belongs_to_its_model(library: VoiceLibrary, clip: np.ndarray, tmp_path: Path) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    voice = library.add_state(voice.id, MODEL, write_state(tmp_path / "s.safetensors"))
    voice = library.add_state(
        voice.id, "../../evil-1111111111111111", write_state(tmp_path / "t.safetensors")
    )
    path = library.state_path(voice, "another_name-0123456789abcdef")  # the fingerprint counts
    assert path is not None
    assert path.parent == voice.folder / "states"
    assert library.state_path(voice, "tiny-2222222222222222") is None
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert library.state_path(voice, MODEL) is None
    assert "made again from the clip" in library.check(voice.id)[0]
    repaired = library.add_state(voice.id, MODEL, tmp_path / "s.safetensors")
    assert library.check(voice.id) == []
    assert len(repaired.states) == 2


def test_a_damaged_state_is_lost_only_with_its_clip(
    library: VoiceLibrary, clip: np.ndarray, tmp_path: Path
) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    voice = library.add_state(voice.id, MODEL, write_state(tmp_path / "s.safetensors"))
    (voice.folder / "states" / voice.states[0].file).write_bytes(b"damaged")
    assert states.lost(voice) == []  # it is made again
    (told,) = states.lost(dataclasses.replace(voice, clip=None))
    assert "import the voice again" in told
    voice.clip_path.write_bytes(b"damaged")
    clip_told, state_told = library.check(voice.id)
    assert "It can't speak" in clip_told
    assert "import the voice again" in state_told


def test_damage_is_told(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    data = voice.clip_path.read_bytes()
    voice.clip_path.write_bytes(data[:-10] + bytes(10))
    assert library.check(voice.id) == [
        "The clip of the voice Anna is damaged. It can't speak: record it again."
    ]
    assert states.lost(voice) == library.check(voice.id)
    (voice.folder / voice_json.RECORD).write_bytes(b"\x00not json")
    assert library.voices() == []
    (problem,) = library.problems()
    assert str(voice.folder) in problem
    assert voice.clip_path.exists()


_ESCAPING = {"model_id": "", "file": "../../x.safetensors", "mark": {"sha256": "0" * 64, "size_bytes": 1}}


@pytest.mark.parametrize(
    "change",
    [
        {"id": "v0000000000000000"}, {"id": 5}, {"name": ""}, {"name": None}, {"states": 3}, {"states": [{}]},
        {"clip": {"sha256": "x", "size_bytes": 1}}, {"states": [_ESCAPING]}, {"volume": "loud"},
    ],
)  # fmt: skip
def test_records_that_can_not_be_right_are_no_voices(
    library: VoiceLibrary, clip: np.ndarray, change: dict[str, object]
) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    path = voice.folder / voice_json.RECORD
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    good = library.add(NewVoice("Bert"), clip)
    assert library.voices() == [good]
    assert len(library.problems()) == 1


def test_changes_of_others_are_seen(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    other = VoiceLibrary(library.folder)
    stamp = other.stamp()
    assert other.stamp() == stamp
    library.update(voice.id, notes="changed")
    assert other.stamp() != stamp
    assert other.voices()[0].notes == "changed"
    stamp = other.stamp()
    library.remove(voice.id)
    assert other.stamp() != stamp


def test_five_hundred_voices_are_listed_from_memory(library: VoiceLibrary, clip: np.ndarray) -> None:
    first = library.add(NewVoice("Voice 0"), clip)
    data = json.loads((first.folder / voice_json.RECORD).read_text())
    for number in range(1, 500):
        folder = library.folder / f"v{number:016x}"
        folder.mkdir()
        (folder / voice_json.RECORD).write_text(
            json.dumps({**data, "id": folder.name, "name": f"Voice {number}"})
        )
    assert len(library.voices()) == 500
    reads = 0
    original = Path.read_bytes

    def counted(path: Path) -> bytes:
        nonlocal reads
        reads += 1
        return original(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_bytes", counted)
        assert len(library.search("voice 49")) == 15  # 49, 149 ... 449, 490 to 499
    assert reads == 0


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


def test_a_library_that_another_holds_is_not_waited_for(
    library: VoiceLibrary, clip: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(NewVoice("Anna"), clip)
    monkeypatch.setattr(disk, "LOCK_S", 0.2)
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
