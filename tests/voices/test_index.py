"""Finding voices: by name, by words, from memory; what can't be read is told, and changes of others are seen."""

import json
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.errors import UnknownNameError
from pocketvoice.voices import states, voice_json
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice


def test_voices_are_found_by_words(library: VoiceLibrary, clip: np.ndarray) -> None:
    library.add(NewVoice("Zoé", "fr", notes="la voix du matin"), clip)
    library.add(NewVoice("Bert", "de", favourite=True), clip)
    assert [voice.name for voice in library.voices()] == ["Bert", "Zoé"]
    assert [voice.name for voice in library.search("zoe MATIN")] == ["Zoé"]
    assert library.search("zoe bert") == []
    with pytest.raises(UnknownNameError) as caught:
        library.get("Bart")
    assert caught.value.suggestions == ("Bert",)


@pytest.mark.expects_log("voice.json of this voice is damaged")
def test_damage_is_told(library: VoiceLibrary, clip: np.ndarray) -> None:
    voice = library.add(NewVoice("Anna"), clip)
    data = voice.clip_path.read_bytes()
    voice.clip_path.write_bytes(data[:-10] + bytes(10))
    assert library.check(voice.id) == [
        "The clip of the voice Anna is damaged. It can't speak: record it again."
    ]
    assert states.lost(voice) == library.check(voice.id)
    (voice.folder / voice_json.FILE).write_bytes(b"\x00not json")
    assert library.voices() == []
    (problem,) = library.problems()
    assert str(voice.folder) in problem
    assert voice.clip_path.exists()


_ESCAPING = {"model_id": "", "file": "../../x.safetensors", "mark": {"sha256": "0" * 64, "size_bytes": 1}}


@pytest.mark.expects_log("voice.json (of this voice is damaged|belongs to another voice)")
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
    path = voice.folder / voice_json.FILE
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
    data = json.loads((first.folder / voice_json.FILE).read_text())
    for number in range(1, 500):
        folder = library.folder / f"v{number:016x}"
        folder.mkdir()
        (folder / voice_json.FILE).write_text(
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
