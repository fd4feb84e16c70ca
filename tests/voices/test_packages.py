"""Voices to and from other machines: what is whole comes through, what is hostile is refused, nothing lands outside the library."""

import dataclasses
import io
import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketvoice.errors import InputError, MissingFileError, VoiceStateError
from pocketvoice.voices import names, packages, voice_json
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice, Voice
from tests.voices.sounds import write_state

MODEL = "tiny-0123456789abcdef"


@pytest.fixture
def anna(library: VoiceLibrary, clip: np.ndarray, tmp_path: Path) -> Voice:
    made = library.add(NewVoice("Anna", "en", consent="I agree.", seed=5, speed=1.2, notes="n"), clip)
    library.set_preview(made.id, clip[::2])
    return library.add_state(made.id, MODEL, write_state(tmp_path / "s.safetensors", MODEL))


@pytest.fixture
def package(library: VoiceLibrary, anna: Voice, tmp_path: Path) -> Path:
    return packages.export_voice(library, anna.id, tmp_path / "anna.pvoice")


def rewritten(package: Path, change: Any) -> Path:
    """The package with its entries changed: name -> bytes, also new ones."""
    with zipfile.ZipFile(package) as old:
        entries = {info.filename: old.read(info) for info in old.infolist()}
    change(entries)
    target = package.with_name("changed.pvoice")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in entries.items():
            new.writestr(name, data)
    return target


def with_manifest(package: Path, change: Any) -> Path:
    def edit(entries: dict[str, bytes]) -> None:
        manifest = json.loads(entries["manifest.json"])
        change(manifest)
        entries["manifest.json"] = json.dumps(manifest).encode()

    return rewritten(package, edit)


def nothing_was_added(library: VoiceLibrary) -> bool:
    staging = list((library.folder / ".staging").iterdir())
    outside = {path.name for path in library.folder.parent.iterdir()}
    return (
        len(library.voices()) == 1
        and not staging
        and outside <= {"voices", "s.safetensors", "anna.pvoice", "changed.pvoice"}
    )


def test_a_voice_comes_through_whole(
    library: VoiceLibrary, anna: Voice, package: Path, tmp_path: Path
) -> None:
    other = VoiceLibrary(tmp_path / "other")
    (voice,) = packages.import_voices(other, package).voices
    kept = dataclasses.replace(voice, id=anna.id, states=anna.states, preview_file=anna.preview_file)
    assert kept == anna
    assert voice.id != anna.id
    assert other.check(voice.id) == []
    assert voice.clip_path.read_bytes() == anna.clip_path.read_bytes()
    assert other.state_path(voice, MODEL) is not None


def test_without_its_clip_it_says_what_it_speaks_with(
    library: VoiceLibrary, anna: Voice, tmp_path: Path
) -> None:
    package = packages.export_voice(library, anna.id, tmp_path / "anna.pvoice", with_clip=False)
    with zipfile.ZipFile(package) as read:
        assert "clip.flac" not in read.namelist()
    done = packages.import_voices(library, package)
    assert not done.voices[0].has_clip
    assert [note for note in done.notes if MODEL in note]
    assert done.voices[0].name == "Anna 2"
    assert [note for note in done.notes if "Anna 2" in note]


def test_what_can_not_speak_is_not_exported(library: VoiceLibrary, clip: np.ndarray, tmp_path: Path) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    with pytest.raises(InputError, match="clip is left out"):
        packages.export_voice(library, voice.id, tmp_path / "x.pvoice", with_clip=False)
    voice.clip_path.write_bytes(b"rotten")
    with pytest.raises(InputError, match="damaged"):
        packages.export_voice(library, voice.id, tmp_path / "x.pvoice")
    assert not (tmp_path / "x.pvoice").exists()


@pytest.mark.parametrize(
    "unknown",
    [
        "../evil.txt", "/etc/evil", "C:\\evil", "states/../../evil", "states/0.safetensors.exe", "CON", "a" * 300, "voice.json",
        "states/²",
    ],
)  # fmt: skip
def test_unknown_files_in_a_package_are_refused(library: VoiceLibrary, package: Path, unknown: str) -> None:
    changed = rewritten(package, lambda entries: entries.update({unknown: b"evil"}))
    with pytest.raises(InputError, match="does not belong"):
        packages.import_voices(library, changed)
    assert nothing_was_added(library)


@pytest.mark.parametrize("name", ["../../evil", "CON", "n" * 300, "🎤 голос", "‮evil", "v0123456789abcdef"])
def test_foreign_names_become_names(library: VoiceLibrary, package: Path, name: str) -> None:
    changed = with_manifest(package, lambda manifest: manifest["voice"].update(name=name))
    (voice,) = packages.import_voices(library, changed).voices
    assert voice.folder.parent == library.folder
    assert len(voice.name) <= names.MOST_CHARACTERS
    assert "\u202e" not in voice.name
    assert not names.is_id(voice.name)


def test_foreign_texts_are_lines(library: VoiceLibrary, package: Path) -> None:
    foreign = {"source": "a\nb\x1b[31m" * 100, "language": "\u202een", "notes": "two\nlines"}
    changed = with_manifest(package, lambda manifest: manifest["voice"].update(foreign))
    (voice,) = packages.import_voices(library, changed).voices
    assert len(voice.source) <= names.MOST_CHARACTERS
    assert voice.source.isprintable()
    assert (voice.language, voice.notes) == ("en", "two\nlines")


def test_foreign_model_ids_become_files(library: VoiceLibrary, package: Path) -> None:
    changed = with_manifest(
        package, lambda manifest: manifest["voice"]["states"][0].update(model_id="../../evil-00")
    )
    (voice,) = packages.import_voices(library, changed).voices
    path = library.state_path(voice, "../../evil-00")
    assert path is not None
    assert path.parent == voice.folder / "states"


def flip(entries: dict[str, bytes], name: str) -> None:
    data = bytearray(entries[name])
    data[len(data) // 2] ^= 1
    entries[name] = bytes(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda entries: flip(entries, "clip.flac"),
        lambda entries: flip(entries, "states/0.safetensors"),
        lambda entries: flip(entries, "preview.flac"),
        lambda entries: entries.pop("clip.flac"),
        lambda entries: entries.pop("manifest.json"),
        lambda entries: entries.update({"manifest.json": b"[" * 100_000}),
        lambda entries: entries.update({"manifest.json": b"\xff\xfe"}),
        lambda entries: entries.update({"manifest.json": b"{}"}),
        lambda entries: entries.update({"clip.flac": entries["clip.flac"] + b"x"}),
        lambda entries: entries.update({f"states/{n}.safetensors": b"" for n in range(60)}),
    ],
)
def test_damaged_packages_are_refused(library: VoiceLibrary, package: Path, change: Any) -> None:
    with pytest.raises(InputError) as caught:
        packages.import_voices(library, rewritten(package, change))
    assert "\n" not in str(caught.value)
    assert nothing_was_added(library)


def test_a_newer_package_is_told_apart(library: VoiceLibrary, package: Path) -> None:
    with pytest.raises(InputError, match="newer"):
        packages.import_voices(library, with_manifest(package, lambda manifest: manifest.update(version=2)))


def test_a_package_cut_anywhere_is_refused(library: VoiceLibrary, package: Path, tmp_path: Path) -> None:
    data = package.read_bytes()
    cut = tmp_path / "changed.pvoice"
    for end in range(0, len(data), max(1, len(data) // 25)):
        cut.write_bytes(data[:end])
        with pytest.raises(InputError):
            packages.import_voices(library, cut)
    assert nothing_was_added(library)


def test_links_are_refused(library: VoiceLibrary, package: Path) -> None:
    with zipfile.ZipFile(package, "a") as file:
        link = zipfile.ZipInfo("states/7.safetensors")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match="link"):
        packages.import_voices(library, package)


@pytest.mark.parametrize("comment", [b"", b"c" * 0xFFFF])
def test_a_bomb_of_entries_is_refused_uncounted(
    library: VoiceLibrary, package: Path, monkeypatch: pytest.MonkeyPatch, comment: bytes
) -> None:
    """Millions of entries would fill the memory before they are counted: the zip is not even opened."""
    with zipfile.ZipFile(package, "a") as file:
        file.comment = comment
        for number in range(1500):
            file.writestr(f"states/{number + 100}.safetensors", b"")
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(InputError, match="too many files"):
        packages.import_voices(library, package)
    monkeypatch.undo()
    assert nothing_was_added(library)


def test_a_zip64_directory_is_refused(library: VoiceLibrary, package: Path) -> None:
    """It could tell another size of the directory than the end record does."""
    data = package.read_bytes()
    end = data.rindex(b"PK\x05\x06")
    package.write_bytes(data[:end] + b"PK\x06\x07" + bytes(16) + data[end:])
    with pytest.raises(InputError, match="too many files"):
        packages.import_voices(library, package)


def test_a_zip_bomb_is_refused_unopened(library: VoiceLibrary, package: Path, tmp_path: Path) -> None:
    """The directory of the zip says 2 GB; a second one lies about it and is stopped where it passes what it said."""
    bomb = bytearray(
        rewritten(package, lambda entries: entries.update({"clip.flac": bytes(30 << 20)})).read_bytes()
    )
    changed = tmp_path / "changed.pvoice"
    with pytest.raises(InputError):
        packages.import_voices(library, changed)
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = bomb.find(b"clip.flac")
        while at > 0:
            start = bomb.rfind(signature, max(0, at - 50), at)
            if start >= 0:
                bomb[start + offset : start + offset + 4] = (2 << 30).to_bytes(4, "little")
            at = bomb.find(b"clip.flac", at + 1)
    changed.write_bytes(bomb)
    with pytest.raises(InputError, match="MB"):
        packages.import_voices(library, changed)
    assert nothing_was_added(library)


def test_files_of_the_reference_come_in(library: VoiceLibrary, tmp_path: Path) -> None:
    foreign = tmp_path / "in" / "alba.safetensors"
    write_state(foreign, "")
    write_state(tmp_path / "in" / "ours.safetensors", MODEL)
    (tmp_path / "in" / "broken.safetensors").write_bytes(foreign.read_bytes()[:50])
    (tmp_path / "in" / "other.txt").write_text("not a voice")
    done = packages.import_voices(library, tmp_path / "in", language="en")
    assert [voice.name for voice in done.voices] == ["alba 2", "ours"]  # alba is reserved
    assert len(done.failures) == 1
    assert done.failures[0].startswith("broken.safetensors")
    unknown, ours = done.voices
    assert library.state_path(ours, MODEL) is not None
    assert library.state_path(unknown, MODEL) is None
    claimed = library.claim_state(unknown.id, MODEL)
    assert library.state_path(claimed, MODEL) is not None
    assert library.check(unknown.id) == []
    assert library.check(ours.id) == []


def test_other_tensors_are_no_voice(library: VoiceLibrary, tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"weight": np.zeros(3)}, tmp_path / "w.safetensors")
    with pytest.raises(VoiceStateError):
        packages.import_voices(library, tmp_path / "w.safetensors")
    with pytest.raises(MissingFileError):
        packages.import_voices(library, tmp_path / "nothing.pvoice")
    (failure,) = packages.import_voices(library, tmp_path).failures
    assert failure.startswith("w.safetensors")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no"):
        packages.import_voices(library, tmp_path / "empty")
    assert library.voices() == []


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Anna", "Anna"),
        ("CON", "voice CON"),
        ("a/b\\c:d", "a_b_c_d"),
        ("...", "voice"),
        ("nul.txt", "voice nul.txt"),
        ("é" * 200, None),
    ],
)
def test_file_names_are_ones_every_system_takes(name: str, stem: str | None) -> None:
    made = names.file_stem(name)
    assert stem is None or made == stem
    assert 0 < len(made.encode()) <= 130


def test_an_export_is_one_flat_zip(package: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(package.read_bytes())) as read:
        assert sorted(read.namelist()) == [
            "clip.flac",
            "manifest.json",
            "preview.flac",
            "states/0.safetensors",
        ]
        voice = json.loads(read.read("manifest.json"))["voice"]
    assert voice["consent"] == "I agree."
    assert "folder" not in voice
    assert voice["schema"] == voice_json.SCHEMA
