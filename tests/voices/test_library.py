"""The library: voices are made, named, changed, and kept as they were made."""

import json

import numpy as np
import pytest

from pocketvoice.errors import ClipError, InputError
from pocketvoice.voices import voice_json
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice


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
    path = voice.folder / voice_json.FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), "mood": "cheerful"}))
    library.update(voice.id, name="Hanna")
    assert json.loads(path.read_text())["mood"] == "cheerful"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 99}))
    with pytest.raises(InputError, match="newer"):
        library.update(voice.id, name="X")
