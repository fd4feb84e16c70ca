"""The voice states of a voice: which model each belongs to, and what its damage means."""

import dataclasses
from pathlib import Path

import numpy as np

from pocketvoice.voices import states
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from tests.voices.sounds import write_state

MODEL = "tiny-0123456789abcdef"


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
